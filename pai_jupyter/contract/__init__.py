"""The training contract, the same for every backend: job spec -> files, environment variables, command. Pure.

    paths         the /ml tree: code, inputs, outputs
    values        hyperparameters as text and as JSON
    encodings     values as Python, YAML, and overrides of OmegaConf and Hydra
    words         hyperparameters as the arguments of the script's parser
    roles         the roles of a job: as texts, checked by its type, in words
    task_roles    the tasks of OpenPAI's task roles, what they are told, when they decide
    topology      the replicas of a job, and the variables about the others (TF_CONFIG, RANK, ...)
    policy        what the end of a replica means for its job
    environment   every variable of one replica
    shell         where the shell would split a variable of a command
    command       the command as `sh -c` runs it, with all arguments passed unchanged
    training_job  the body of CreateTrainingJob, and the files below /ml/input/config
    pai_options   the options `pai.<key>`, and where each goes in that body
    launcher      the shell code around the command on services that do not keep the contract
    secret_names  which variables and hyperparameters have secret values
    masking       masks secrets in a text that is kept or shown

Rule 1: a backend adds nothing to what the script sees; it only gives the location of the tree (`Paths`), the host names and the
    number of GPUs.
Rule 2: a variable of the contract that `environment` leaves out is unset in the job, even if the image or the kernel sets it.
Rule 3: a value that cannot be passed unchanged (NUL, invalid Unicode, too long) is a `SpecError` here, before anything starts.
"""

from pai_jupyter.contract.command import Command, command, default_command, is_default_command, quoting_needed
from pai_jupyter.contract.compat import compat_for
from pai_jupyter.contract.environment import environment, not_used
from pai_jupyter.contract.launcher import END_MARK, dlc_launcher, end_mark, launcher
from pai_jupyter.contract.pai_options import PAI_OPTIONS, Kind, channel_options, not_of_kind, read_pai_option
from pai_jupyter.contract.paths import BESIDE, PATHS, RETURNED, SENT, Paths, output_channels
from pai_jupyter.contract.policy import ReplicaPolicy, policy
from pai_jupyter.contract.roles import (
    check_asked,
    machines_text,
    offered_roles,
    read_role,
    role_notes,
    role_text,
    roles_text,
)
from pai_jupyter.contract.secret_names import PRIVATE_WORDS, exposed_secrets, is_secret, secret_values
from pai_jupyter.contract.task_roles import RoleCompletion, completions, own_ports, port_count
from pai_jupyter.contract.topology import (
    OUR_TOPOLOGY_VARIABLES,
    SHARDS_WORKERS,
    TOPOLOGY_VARIABLES,
    Replica,
    host_name,
    replicas,
    undivided,
)
from pai_jupyter.contract.training_job import files, is_dataset_id, training_job
from pai_jupyter.contract.values import text_of
from pai_jupyter.contract.words import user_args
from pai_jupyter.contract.workdir import OUR_CHANNELS, WORKDIR, is_cache

__all__ = [
    "PATHS",
    "Paths",
    "BESIDE",
    "SENT",
    "SHARDS_WORKERS",
    "RETURNED",
    "WORKDIR",
    "OUR_CHANNELS",
    "is_cache",
    "output_channels",
    "Replica",
    "replicas",
    "undivided",
    "role_notes",
    "check_asked",
    "offered_roles",
    "read_role",
    "role_text",
    "roles_text",
    "machines_text",
    "RoleCompletion",
    "completions",
    "own_ports",
    "port_count",
    "ReplicaPolicy",
    "policy",
    "TOPOLOGY_VARIABLES",
    "OUR_TOPOLOGY_VARIABLES",
    "host_name",
    "environment",
    "compat_for",
    "not_used",
    "user_args",
    "text_of",
    "Command",
    "command",
    "default_command",
    "is_default_command",
    "quoting_needed",
    "training_job",
    "is_dataset_id",
    "files",
    "launcher",
    "dlc_launcher",
    "end_mark",
    "END_MARK",
    "PAI_OPTIONS",
    "Kind",
    "not_of_kind",
    "read_pai_option",
    "channel_options",
    "PRIVATE_WORDS",
    "is_secret",
    "secret_values",
    "exposed_secrets",
]
