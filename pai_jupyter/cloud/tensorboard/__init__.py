"""TensorBoard apps of PAI: one for a job or an `oss://` folder, made once and found again.

    app       `TensorBoardApp`: a `Board` of package `tensorboard`, as `TensorBoard` is for this machine
    opening   finding the app of a job or folder, else making one; which are there
    waiting   until an app answers
    states    the service's words for how an app stands

Rule 1: a job has one app, and so has a folder: it is found by the job's id, or by a name made from the folder's address.
Rule 2: an app goes on running, and counts, until somebody stops it; nothing here stops one by itself.
Rule 3: every wait has an end, and whatever ends it says how the app stands.
"""

from pai_jupyter.cloud.tensorboard.app import TensorBoardApp
from pai_jupyter.cloud.tensorboard.limit import LIMIT
from pai_jupyter.cloud.tensorboard.opening import find_app, list_apps, open_app, open_job_app
from pai_jupyter.cloud.tensorboard.states import AppStatus

__all__ = ["LIMIT", "AppStatus", "TensorBoardApp", "find_app", "list_apps", "open_app", "open_job_app"]
