"""The folder of the seed of OpenPAI: its job file and settings as they stand, its scripts in its manner, with a model of seconds."""

import json
from pathlib import Path

from tests.support.openpai_files import SEED, SETTINGS

PAIRS = {"up": ["天对地", "雨对风", "大陆对长空"], "down": ["雨对风", "天对地", "山花对海树"]}

_TRAIN = """#!/bin/bash
HOME_DIR=$(cd `dirname $0`; pwd)
echo $HOME_DIR
cd $HOME_DIR

# install what trains
export LC_ALL=C
pip3 install couplet_tools==1.0

# set environment
TRAIN_DIR=${HOME_DIR}/output
LOG_DIR=${TRAIN_DIR}
DATA_DIR=${HOME_DIR}/data

mkdir -p ${TRAIN_DIR}

# train model
setting=default

echo start training...

python3 trainer.py \\
--data_dir=${DATA_DIR} \\
--output_dir=${TRAIN_DIR} \\
--train_steps=200 2>&1 | tee -a ${LOG_DIR}/train_${setting}.log
"""

# A softmax over the second line's characters for each character of the first, by gradient descent.
_TRAINER = """
import argparse, json, math, pathlib
import couplet_tools

parser = argparse.ArgumentParser()
parser.add_argument("--data_dir", type=pathlib.Path)
parser.add_argument("--output_dir", type=pathlib.Path)
parser.add_argument("--train_steps", type=int, default=100)
args = parser.parse_args()

up, down = ((args.data_dir / f"train.txt.{side}.clean").read_text(encoding="utf-8").split() for side in ("up", "down"))
pairs = [pair for above, below in zip(up, down) for pair in zip(above, below)]
words = sorted({below for _, below in pairs})
weights = {above: dict.fromkeys(words, 0.0) for above, _ in pairs}
for step in range(1, args.train_steps + 1):
    loss = 0.0
    for above, below in pairs:
        scores = weights[above]
        total = sum(math.exp(score) for score in scores.values())
        loss -= math.log(math.exp(scores[below]) / total)
        for word in words:
            scores[word] -= 0.5 * (math.exp(scores[word]) / total - (word == below))
    if step % 50 == 0:
        print(f"step {step} loss={loss / len(pairs):.4f} tools={couplet_tools.VERSION}", flush=True)
model = {above: max(scores, key=scores.get) for above, scores in weights.items()}
(args.output_dir / "model.json").write_text(json.dumps(model))
"""

_RUN = """
import os
import sys
import hdfs
import subprocess

hdfs_url = "{url}"
hdfs_user_name = "{user}"
root_dir = "/demo"

class HDFSHelper(object):

    def __init__(self, hdfs_url, hdfs_user_name, hdfs_root):
        self.__client = hdfs.InsecureClient(hdfs_url, root=hdfs_root, user=hdfs_user_name)
        self.__client.set_permission(hdfs_root,777)

    def Download(self, hdfs_path, local_path):
        print("Downloading from {{}} to {{}}".format(hdfs_path, local_path))
        os.makedirs(local_path, exist_ok=True)
        self.__client.download(hdfs_path, local_path)

    def Upload(self, local_path, hdfs_path):
        print("Uploading from {{}} to {{}}".format(local_path, hdfs_path))
        self.__client.makedirs(hdfs_path)
        self.__client.upload(hdfs_path, local_path, overwrite=True)

hdfsHelper = HDFSHelper(hdfs_url, hdfs_user_name, root_dir)

# Downloading data
hdfsHelper.Download(os.path.join(root_dir, "data"), ".")

# Call train.sh
subprocess.call("./train.sh", shell=True)

# Uploading data
jobName = os.environ['PAI_JOB_NAME']
output_dir = os.path.join(root_dir, "output", jobName)
hdfsHelper.Upload("./output/", output_dir)
"""


def write_seed(folder: Path, *, url: str, user: str) -> Path:
    """Write the folder, with the cluster's address and user in `run_samples.py`; return the job file."""
    (folder / ".vscode").mkdir(parents=True)
    (folder / ".vscode" / "settings.json").write_text(json.dumps(SETTINGS))
    (folder / "train.sh").write_text(_TRAIN)
    (folder / "trainer.py").write_text(_TRAINER)
    (folder / "run_samples.py").write_text(_RUN.format(url=url, user=user))
    (folder / "notes.md").write_text("stays here")
    job_file = folder / "new_job.pai.json"
    job_file.write_text(SEED)
    return job_file


def write_data(folder: Path) -> Path:
    """Write the directory that the seed uploads to /demo/data."""
    folder.mkdir()
    (folder / "__init__.py").touch()
    for side, lines in PAIRS.items():
        (folder / f"train.txt.{side}.clean").write_text("\n".join(lines), encoding="utf-8")
    return folder


def couplets(results: Path) -> list[str]:
    """What the model that lies in the downloaded results answers to the first lines."""
    [model] = results.rglob("model.json")
    learned: dict[str, str] = json.loads(model.read_text())
    return ["".join(learned[word] for word in line) for line in PAIRS["up"]]
