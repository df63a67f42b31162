"""Custom components (PAI: "Create custom components"): code, image, command, channels and parameters under a name and a version.

    component   `Component` and its parts: plain values
    names       the rules for names of channels and parameters; versions: the next `x.y.z`
    parameters  the rules for parameters, which are `Hyperparameter`s; values are checked by `Schema`
    addresses   what an image and a source may be: registries, regions, OSS, Git
    problems    `problems`: every rule, as sentences; the only place that checks a component
    code        the code of a component as a directory; git_clone: a commit of a repository
    entry       whether the code has the script that the command begins with
    image       the digest of an image, and what it lacks
    changes     what differs from what was saved; recheck: by a look at code and image as they are now
    forms       components as JSON; algorithm: as PAI's AlgorithmSpec
    saved       a component as a YAML file (yaml_text), whose version stays as it is; edits: what was edited in it by hand
    cell        a cell, or the script at a source, as a component
    line        the options of the magic; line_checks: those that would have no effect
    running     a component as a job, here or by its registered name; constraint: the machines that it accepts
    registry    components of the workspace: register, list, read, delete; registration_notes: what is said of it
    panel       list, new, new version, run, delete: as JSON, for a panel

Rule 1: a component is checked by `problems` before anything is packed, saved, sent or run, whoever made it.
Rule 2: a login in the address of a repository is used once and is in no record, message, file or request.
Rule 3: a component runs the same here and registered: its values are only `$PAI_USER_ARGS` and `PAI_HPS_*`, as PAI passes them.
"""

from pai_jupyter.component.changes import SavedComponent
from pai_jupyter.component.component import Component, ComponentInput, ComponentOutput, TrainingConstraint
from pai_jupyter.component.constraint import constraint_problems
from pai_jupyter.component.problems import ComponentProblem, check_component, problems
from pai_jupyter.component.registry import RegisteredComponent, delete, list_registered, next_version, read, register
from pai_jupyter.component.running import ComponentRun, run, run_registered
from pai_jupyter.component.saved import load, save

__all__ = [
    "Component",
    "ComponentInput",
    "ComponentOutput",
    "ComponentProblem",
    "ComponentRun",
    "RegisteredComponent",
    "SavedComponent",
    "TrainingConstraint",
    "check_component",
    "constraint_problems",
    "delete",
    "list_registered",
    "load",
    "next_version",
    "problems",
    "read",
    "register",
    "run",
    "run_registered",
    "save",
]
