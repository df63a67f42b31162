"""TensorBoard apps of PAI: one per job or `oss://` folder, created once and found again.

    app       `TensorBoardApp`: a `Board` of package `tensorboard`, like `TensorBoard` for this machine
    opening   find or create the app of a job or folder; list apps
    waiting   wait until an app answers
    states    the service's statuses of an app

Rule 1: a job or folder has one app, found by the job's id or by a name derived from the folder's address.
Rule 2: an app runs and counts for the limit until the user stops it; nothing here stops one automatically.
Rule 3: every wait has a limit, and its end reports the app's status.
"""

from pai_jupyter.cloud.tensorboard.app import TensorBoardApp
from pai_jupyter.cloud.tensorboard.limit import LIMIT
from pai_jupyter.cloud.tensorboard.opening import find_app, list_apps, open_app, open_job_app
from pai_jupyter.cloud.tensorboard.states import AppStatus

__all__ = ["LIMIT", "AppStatus", "TensorBoardApp", "find_app", "list_apps", "open_app", "open_job_app"]
