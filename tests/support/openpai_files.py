"""Job files of OpenPAI: the seed's as it stands, a good one of each version, and a table of those that servers judge."""

import copy
from collections.abc import Mapping
from typing import Any

SEED = """{
    "jobName": "train_couplet_demo",
    "image": "vzich/poet:tensorflow",
    "codeDir": "$PAI_DEFAULT_FS_URI/$PAI_USER_NAME/$PAI_JOB_NAME",
    "taskRoles": [
        {
            "name": "demo_001",
            "taskNumber": 1,
            "cpuNumber": 2,
            "gpuNumber": 1,
            "memoryMB": 8192,
            "command": "pip3 --quiet install future && cd $PAI_JOB_NAME && ls -al && chmod +x train.sh && python3 run_samples.py"
        }
    ]
}
"""

SETTINGS: dict[str, object] = {  # the seed's
    "pai.job.upload.enabled": True,
    "pai.job.upload.exclude": [],
    "pai.job.upload.include": ["**/*.py", "**/*.sh"],
    "pai.job.generateJobName.enabled": True,
}

V1: dict[str, Any] = {  # Any: JSON
    "jobName": "demo.1",
    "image": "python:3.11",
    "taskRoles": [{"name": "demo_001", "taskNumber": 2, "memoryMB": 1000, "command": "python train.py"}],
}

V2: dict[str, Any] = {  # Any: JSON
    "protocolVersion": 2,
    "name": "demo_1",
    "type": "job",
    "prerequisites": [
        {"name": "image", "type": "dockerimage", "uri": "python:3.11"},
        {"name": "mnist", "type": "data", "uri": ["https://example.org/mnist.zip"]},
        {"name": "code", "type": "script", "uri": "https://example.org/code.zip"},
    ],
    "parameters": {"epochs": 3},
    "taskRoles": {
        "worker": {
            "instances": 2,
            "dockerImage": "image",
            "resourcePerInstance": {"cpu": 1, "memoryMB": 1000, "gpu": 0},
            "commands": ["python train.py --epochs <% $parameters.epochs %>"],
        }
    },
}
_REMOVED = object()


def changed(config: Mapping[str, Any], changes: Mapping[str, object]) -> dict[str, Any]:
    """A copy with the values at these places, `taskRoles.0.name`, replaced; None of `GONE` is left."""
    job = copy.deepcopy(dict(config))
    for place, value in changes.items():
        *path, last = [int(part) if part.isdigit() else part for part in place.split("/")]
        inside: Any = job  # Any: JSON
        for part in path:
            inside = inside[part] if isinstance(part, int) else inside.setdefault(part, {})
        if value is _REMOVED:
            del inside[last]
        else:
            inside[last] = value
    return job


GONE = _REMOVED
_R1, _R2, _DEPLOYED = (
    "taskRoles/0",
    "taskRoles/worker",
    {"name": "prod", "taskRoles": {"worker": {"preCommands": ["ls"]}}},
)
_PORT = [{"label": "http"}]

# what is changed in a good job file, and part of the first sentence about it; None: it is good
OF_V1: list[tuple[dict[str, object], str | None]] = [
    ({}, None),
    ({"jobName": "Az09._-"}, None),
    ({"jobName": "a~b"}, "`jobName` is 'a~b'; use letters, digits and . _ -"),
    ({"jobName": "a b"}, "`jobName` is 'a b'; use letters"),
    ({"jobName": "训练"}, "`jobName` is '训练'; use letters"),
    ({"jobName": ""}, "`jobName` is ''; use letters"),
    ({"jobName": 7}, "`jobName` is 7; it must be text."),
    ({"jobName": "a" * 256}, "`jobName` has 256 characters; it may have 255."),
    ({"jobName": GONE}, "`jobName` is missing. Add it."),
    ({"image": ""}, "`image` is empty. Give it a value."),
    ({"image": GONE}, "`image` is missing. Add it."),
    ({"codeDir": ""}, None),
    ({"codeDir": None}, "`codeDir` is null; it must be text."),
    ({"authFile": 1}, "`authFile` is 1; it must be text."),
    ({"virtualCluster": ""}, None),
    ({"gpuType": ["K80"]}, "`gpuType` is a list; it must be text."),
    ({"retryCount": -2}, None),
    ({"retryCount": "3"}, None),
    ({"retryCount": -3}, "`retryCount` is -3; it must be from -2"),
    ({"retryCount": 1.5}, "`retryCount` is 1.5; it must be a whole number."),
    ({"retryCount": True}, "`retryCount` is true; it must be a whole number."),
    ({"jobEnvs": {"A": "1", "B": 2}}, None),
    ({"jobEnvs": ["A=1"]}, "`jobEnvs` is a list; it must be an object."),
    ({"jobEnvs": {"A B": "1"}}, "a name in `jobEnvs` is 'A B'"),
    ({"jobEnvs": {"A": None}}, "`jobEnvs.A` is null; it must be text or a number."),
    ({"extras": {"a.b_1": {}}}, None),
    ({"extras": {"a-b": 1}}, "a name in `extras` is 'a-b'"),
    ({"killAllOnCompletedTaskNumber": 1}, None),
    ({"jobname": "x"}, "the job file has no field 'jobname'. Did you mean 'jobName'?"),
    ({"taskRoles": []}, "`taskRoles` is empty. Give it at least one entry."),
    ({"taskRoles": {}}, "`taskRoles` is an object; it must be a list."),
    ({"taskRoles": GONE}, "`taskRoles` is missing. Add it."),
    ({"taskRoles": ["worker"]}, "`taskRoles[0]` is text of 6 characters; it must be an object."),
    ({f"{_R1}/name": "a.b_c~1"}, None),
    ({f"{_R1}/name": "ps-server"}, "`taskRoles[0].name` is 'ps-server'; use letters, digits and . _ ~."),
    ({f"{_R1}/name": GONE}, "`taskRoles[0].name` is missing. Add it."),
    ({f"{_R1}/command": "  "}, "`taskRoles[0].command` is empty. Give it a value."),
    ({f"{_R1}/command": GONE}, "`taskRoles[0].command` is missing. Add it."),
    ({f"{_R1}/taskNumber": "2"}, None),
    ({f"{_R1}/taskNumber": 2.0}, None),
    ({f"{_R1}/taskNumber": "two"}, "`taskRoles[0].taskNumber` is text of 3 characters; it must be a whole number."),
    ({f"{_R1}/taskNumber": 0}, "`taskRoles[0].taskNumber` is 0; it must be from 1 to 10000."),
    ({f"{_R1}/gpuNumber": -1}, "`taskRoles[0].gpuNumber` is -1; it must be from 0"),
    ({f"{_R1}/gpus": 1}, "`taskRoles[0]` has no field 'gpus'"),
    ({f"{_R1}/memoryMB": None}, "`taskRoles[0].memoryMB` is null; it must be a whole number."),
    ({f"{_R1}/shmMB": 1000}, None),
    ({f"{_R1}/shmMB": 1001}, "`taskRoles[0].shmMB` is 1001, but `memoryMB` is 1000. Give 1000 at most."),
    ({f"{_R1}/minFailedTaskCount": None}, None),
    ({f"{_R1}/minFailedTaskCount": 0}, "`taskRoles[0].minFailedTaskCount` is 0; it must be from 1"),
    ({f"{_R1}/minSucceededTaskCount": 2}, None),
    ({f"{_R1}/minSucceededTaskCount": 3}, "is 3, but the role has 2 tasks. Give 2 at most."),
    ({f"{_R1}/portList": _PORT}, None),
    ({f"{_R1}/portList": [{"beginAt": 1}]}, "`taskRoles[0].portList[0].label` is missing. Add it."),
    ({f"{_R1}/portList": [{"label": "a-b"}]}, "`taskRoles[0].portList[0].label` is 'a-b'"),
    ({f"{_R1}/portList": _PORT * 2}, "`taskRoles[0].portList` has the label 'http' twice. Rename one of them."),
    (
        {f"{_R1}/portList": [{"label": "a", "beginAt": 65535, "portNumber": 2}]},
        "`taskRoles[0].portList[0]` ends at port 65536; the last one is 65535.",
    ),
    ({"taskRoles": V1["taskRoles"] * 2}, "`taskRoles` has the name 'demo_001' twice. Rename one of them."),
]

OF_V2: list[tuple[dict[str, object], str | None]] = [
    ({}, None),
    ({"protocolVersion": "2"}, None),
    ({"protocolVersion": 1}, "`protocolVersion` is 1; it must be one of 2."),
    ({"protocolVersion": GONE}, "`protocolVersion` is missing. Add it."),
    ({"name": "demo.1"}, "`name` is 'demo.1'; use letters, digits, - and _."),
    ({"name": "a" * 256}, "`name` has 256 characters; it may have 255."),
    ({"name": 2019}, "`name` is 2019; it must be text."),
    ({"type": "task"}, "`type` is text of 4 characters; it must be one of job."),
    ({"version": 1.0}, None),
    ({"version": True}, "`version` is true; it must be text or a number."),
    ({"jobRetryCount": -1}, "`jobRetryCount` is -1; it must be from 0"),
    ({"jobRetryCount": "1"}, "`jobRetryCount` is text of 1 characters; it must be a whole number."),
    ({"retryCount": 1}, "the job file has no field 'retryCount'"),
    ({"prerequisites": []}, "`prerequisites` is empty. Give it at least one entry."),
    ({"prerequisites/0/uri": GONE}, "`prerequisites[0].uri` is missing. Add it."),
    ({"prerequisites/0/auth": {"username": "a", "password": "b", "registryuri": "c"}}, None),
    ({"prerequisites/0/tag": "1"}, "`prerequisites[0]` has no field 'tag'"),
    ({"prerequisites/1/uri": "https://a"}, "`prerequisites[1].uri` is text of 9 characters; it must be a list."),
    ({"prerequisites/2/uri": ["https://a"]}, "`prerequisites[2].uri` is a list; it must be text."),
    ({"prerequisites/2/type": "model"}, "it must be one of dockerimage, script, output, data."),
    ({"prerequisites/2/type": GONE}, "`prerequisites[2].type` is missing. Add it."),
    ({"prerequisites/2/name": "image"}, None),
    (
        {"prerequisites/1": {"name": "image", "type": "dockerimage", "uri": "a"}},
        "`prerequisites` has the name 'image' twice for one type.",
    ),
    ({"taskRoles": {}}, "`taskRoles` is empty. Give it at least one entry."),
    ({"taskRoles": {"1a": V2["taskRoles"]["worker"]}}, "a name in `taskRoles` is '1a'; use letters, digits and _,"),
    ({f"{_R2}/dockerImage": GONE}, "`taskRoles.worker.dockerImage` is missing. Add it."),
    (
        {f"{_R2}/dockerImage": "python:3.11"},
        "`taskRoles.worker.dockerImage` names 'python:3.11', which `prerequisites` does not have; it has image.",
    ),
    ({f"{_R2}/data": "mnist", f"{_R2}/script": "code"}, None),
    (
        {f"{_R2}/data": "code"},
        "`taskRoles.worker.data` names 'code', which `prerequisites` does not have; it has mnist.",
    ),
    ({f"{_R2}/prerequisites": ["mnist"]}, None),
    ({f"{_R2}/instances": 0}, "`taskRoles.worker.instances` is 0; it must be from 1"),
    ({f"{_R2}/commands": []}, "`taskRoles.worker.commands` is empty. Give it at least one entry."),
    ({f"{_R2}/commands": "ls"}, "`taskRoles.worker.commands` is text of 2 characters; it must be a list."),
    ({f"{_R2}/commands": [True]}, "`taskRoles.worker.commands[0]` is true; it must be text."),
    ({f"{_R2}/commands": ["<% $parameters.epoch %>"]}, "names '$parameters.epoch', which `parameters` does not have"),
    ({f"{_R2}/commands": ["<% $secrets.key %>"]}, "names '$secrets.key', which `secrets` does not have; it has none."),
    ({f"{_R2}/commands": ["<% $data.uri %>"]}, "refers to '$data', but the role has no field 'data'. Add it."),
    ({f"{_R2}/commands": ["<% $job.name %>"]}, "refers to '$job'; use $parameters"),
    ({f"{_R2}/resourcePerInstance/gpu": GONE}, "`taskRoles.worker.resourcePerInstance.gpu` is missing. Add it."),
    ({f"{_R2}/resourcePerInstance/gpu": -1}, "`taskRoles.worker.resourcePerInstance.gpu` is -1; it must be from 0"),
    ({f"{_R2}/resourcePerInstance/ports": {"a_1": 2}}, None),
    ({f"{_R2}/resourcePerInstance/ports": {"a-1": 2}}, "a name in `taskRoles.worker.resourcePerInstance.ports`"),
    ({f"{_R2}/completion": {"minFailedInstances": None, "minSucceededInstances": 2}}, None),
    ({f"{_R2}/completion": {"minFailedInstances": 3}}, "is 3, but the role has 2 tasks. Give 2 at most."),
    ({f"{_R2}/extraContainerOptions": {"shmMB": 64, "infiniband": True}}, None),
    ({f"{_R2}/shmMB": 64}, "`taskRoles.worker` has no field 'shmMB'"),
    ({"deployments": [_DEPLOYED], "defaults": {"deployment": "prod"}}, None),
    ({"defaults": {"deployment": "prod"}}, "`defaults.deployment` names 'prod', which `deployments` does not have"),
    ({"deployments": [{"name": "a", "taskRoles": {"ps": {}}}]}, "`deployments[0].taskRoles` names 'ps'"),
    ({"extras/hivedScheduler/jobPriorityClass": "crit"}, "it must be one of prod, test, oppo."),
    ({"extras/hivedScheduler/taskRoles": {"ps": {"skuType": "K80"}}}, "names 'ps', which `taskRoles` does not have"),
    (
        {"extras/hivedScheduler/taskRoles": {"worker": {"skuType": "K80", "pinnedCellId": "c"}}},
        "has both `skuType` and `pinnedCellId`. Give one of them.",
    ),
    ({"extras/storages": [{"name": "nfs", "mountPath": "/data"}]}, None),
    ({"extras/storages": [{"mountPath": "/data"}]}, "`extras.storages[0].name` is missing. Add it."),
    ({"extras/com.microsoft.pai.runtimeplugin": [{"plugin": "ssh", "parameters": {}}]}, None),
    ({"extras/com.microsoft.pai.runtimeplugin": [{}]}, "runtimeplugin[0].plugin` is missing. Add it."),
]
