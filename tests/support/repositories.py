"""Git repositories for tests, of nobody's configuration but their own."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
_ALONE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_COUNT": "0"}
_OWN = ("user.name=a", "user.email=a@b.invalid", "init.defaultBranch=main")


@dataclass(frozen=True)
class Repository:
    """A repository with one commit of `train.py`."""

    path: Path

    @classmethod
    def make(cls, path: Path) -> "Repository":
        path.mkdir(parents=True, exist_ok=True)
        made = cls(path)
        made.git("init", "-q")
        made.write("train.py", "lr = 0.1\nprint('loss=0.5')\n")
        made.commit()
        return made

    def git(self, *words: str) -> str:
        own = [word for each in _OWN for word in ("-c", each)]
        done = subprocess.run(
            ["git", *own, *words],
            cwd=self.path,
            env={**os.environ, **_ALONE},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", "as it is")
        return self.head

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()
