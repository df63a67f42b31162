"""PAI-DSW 2022-01-01: PAI's notebooks. A notebook can ask for its workspace."""

from pai_jupyter.cloud.client.operation import Service

SERVICE = Service(name="PAI-DSW", origin="https://pai-dsw", version="2022-01-01", root="/api/v2")

GET_INSTANCE = SERVICE.operation("GetInstance", "GET /instances/{instance_id}")
