"""A session that only this kernel knows, for the process that drives a run: `setup_default_session` writes nothing down.

The driver finds what is configured as any process does. A key that was given to this kernel alone goes into its environment, as other
secrets do: after a reboot, the run waits for it and names it.
"""

import json
from collections.abc import Mapping
from dataclasses import replace

from pai_jupyter.cloud.session import get_default_session
from pai_jupyter.config import settings
from pai_jupyter.runs.plan import Plan
from pai_jupyter.runs.plan_json import plan_to_json
from pai_jupyter.workflow.planning import Planned

_KEY_ID, _KEY_SECRET, _TOKEN = (
    "ALIBABA_CLOUD_ACCESS_KEY_ID",
    "ALIBABA_CLOUD_ACCESS_KEY_SECRET",
    "ALIBABA_CLOUD_SECURITY_TOKEN",
)


def with_kernel_session(planned: Planned) -> Planned:
    """Return the plan with the key of this kernel's session among its secrets, if it has one and the plan needs it."""
    if not _uses_storage(planned.plan):
        return planned
    session = get_default_session()
    key = settings().key(session.endpoints.address) if session is not None else None
    if (
        session is None or key is None or session.endpoints.address is not None
    ):  # the emulator has its own key in the home
        return planned
    secrets = {_KEY_ID: key.access_key_id, _KEY_SECRET: key.access_key_secret}
    secrets |= {_TOKEN: key.security_token} if key.security_token else {}
    names = tuple(sorted({*planned.plan.secrets, *secrets}))
    place = _place(session.region_id, session.oss_bucket_name, session.oss_endpoint)
    return replace(planned, plan=replace(planned.plan, secrets=names), secrets={**planned.secrets, **place, **secrets})


def _uses_storage(plan: Plan) -> bool:
    return "oss://" in json.dumps(plan_to_json(plan))


def _place(region: str, bucket: str | None, endpoint: str | None) -> Mapping[str, str]:
    given = {"PAI_JUPYTER_REGION": region, "PAI_JUPYTER_BUCKET": bucket, "PAI_JUPYTER_ENDPOINT": endpoint}
    return {name: value for name, value in given.items() if value}
