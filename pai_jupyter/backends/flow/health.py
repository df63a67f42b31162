"""Check whether PAIFlow answers this kernel's session."""

from pai_jupyter.backends.health import Check
from pai_jupyter.cloud import flow
from pai_jupyter.cloud.session import need_session
from pai_jupyter.errors import PaiJupyterError


def checks() -> list[Check]:
    """Ask for the newest run."""
    remedy = "Type %pai_doctor to check region, key and workspace; PAIFlow needs the permission `paiflow:ListRuns`."
    try:
        session = need_session()
        flow.list_runs(most=1, session=session)
    except PaiJupyterError as exc:
        return [Check(what="PAIFlow", found=str(exc), remedy=remedy, is_good=False)]
    return [Check(what="PAIFlow", found=f"it answers in {session.region_id}")]
