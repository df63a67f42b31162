"""PAI-DSW 2022-01-01: the notebooks that PAI runs. Who is in one can ask to which workspace it belongs."""

from pai_jupyter.cloud.client.operation import Service

SERVICE = Service(name="PAI-DSW", origin="https://pai-dsw", version="2022-01-01", root="/api/v2")

GET_INSTANCE = SERVICE.operation("GetInstance", "GET /instances/{instance_id}")
