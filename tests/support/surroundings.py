"""What settings are read from: files, variables and what was set, in a place of the test's own."""

import json
from pathlib import Path

from pai_jupyter.config import Settings

KEY_ID, SECRET = "LTAI5tQkLmNoPqRsTuVw", "wJalrXUtnFEMIK7MDENGx"
PROFILES = f"""
[profiles.default]
region = "cn-d"
[profiles.work]
region = "cn-w"
access_key_id = "an-id-no-secret"
access_key_secret = "{SECRET}"
"""


class Place:
    """A user's surroundings: a project directory, a user file, a home, an environment."""

    def __init__(self, root: Path) -> None:
        self.project = root / "project/pai_jupyter.toml"
        self.user = root / "config/config.toml"
        self.sdk = root / "home/.pai/config.json"
        self.environ: dict[str, str] = {}
        (root / "project/deep/er").mkdir(parents=True)
        self.settings = Settings(
            environ=self.environ, home=root / "home", cwd=root / "project/deep/er", user_file=self.user
        )

    def write(self, path: Path, content: str | bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def fill(self, layer: str, region: str) -> None:
        """Let one layer say that the region is `region`."""
        match layer:
            case "notebook":
                self.settings.set("region", region)
            case "project":
                self.write(self.project, f'region = "{region}"\n')
            case "profile":
                self.write(self.user, f'profile = "work"\n[profiles.work]\nregion = "{region}"\n')
            case "sdk":
                self.write(self.sdk, json.dumps({"region_id": region}))
            case "environment":
                self.environ["PAI_REGION_ID"] = region
