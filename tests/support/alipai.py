"""The official SDK `alipai` in an environment of its own: programs that use it at the emulator, unchanged but for this."""

import os
from pathlib import Path

from tests.support.paths import ROOT

PYTHON = Path(os.environ.get("ALIPAI_PYTHON", ROOT / ".venv-alipai/bin/python"))
SETUP = """
import json, os, sys, time
address, key, secret, token, source = sys.argv[1:]
sleep = time.sleep
time.sleep = lambda seconds: sleep(min(seconds, 0.1))  # it asks the emulator as it asks the cloud, every few seconds
import pai.api.client_factory
from alibabacloud_tea_openapi import models
make = models.Config.__init__
def make_plain(self, *args, **more):
    make(self, *args, **more)
    self.protocol = "http"
models.Config.__init__ = make_plain
host = address.partition("://")[2]
pai.api.client_factory.ClientFactory.get_endpoint = classmethod(lambda cls, *args, **more: host)
from pai.session import get_default_session, setup_default_session
session = setup_default_session(
    access_key_id=key, access_key_secret=secret, region_id="cn-emulator", workspace_id="10001",
    oss_bucket_name="emulator", oss_endpoint=address, **({"security_token": token} if token else {}),
)
"""
"""How such a program begins: called with the address, a key, its secret, its token or nothing, and a directory of code."""


def environment(home: Path) -> dict[str, str]:
    """The variables of such a program."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PAI_NETWORK_TYPE": "PUBLIC",  # else it looks for hosts of a VPC
        "ALIBABA_CLOUD_ECS_METADATA_DISABLED": "true",  # else it asks a machine of the cloud for keys
        "NO_PROXY": "127.0.0.1",
    }
