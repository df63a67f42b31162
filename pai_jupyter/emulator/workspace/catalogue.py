"""The official images: a few of each framework, with names and labels like PAI's.

Their registry, that of the emulated region, does not exist; `--image-map` gives local images to run instead. Tags are
`version-cpu-py310-ubuntu22.04` or `version-gpu-py310-cu118-ubuntu22.04`; inference images have another order of parts, and
some tags follow no rule.
"""

from dataclasses import dataclass

from pai_jupyter.emulator.protocol.refusal import Fields

_SCOPES = {"training": "dlc", "inference": "eas", "develop": "dsw"}


@dataclass(frozen=True, kw_only=True)
class _Official:
    framework: str
    version: str
    tag: str
    made: str  # date, YYYY-MM-DD
    scope: str = "training"

    @property
    def repository(self) -> str:
        name = self.framework.lower()
        return name if self.scope == "develop" else f"{name}-{self.scope}"

    @property
    def is_gpu(self) -> bool:
        return "-gpu" in self.tag

    @property
    def python(self) -> str:
        """The Python version: `3.10` for `py310` in the tag."""
        part = next(part for part in self.tag.split("-") if part.startswith("py"))
        return f"{part[2]}.{part[3:]}"


_OFFICIAL = (
    _Official(framework="PyTorch", version="1.8", tag="1.8-cpu-py36-ubuntu18.04", made="2022-03-01"),
    _Official(framework="PyTorch", version="1.8", tag="1.8-gpu-py36-cu111-ubuntu18.04", made="2022-03-01"),
    _Official(framework="PyTorch", version="1.12", tag="1.12-cpu-py39-ubuntu20.04", made="2023-02-01"),
    _Official(framework="PyTorch", version="1.12", tag="1.12-gpu-py39-cu113-ubuntu20.04", made="2023-02-01"),
    _Official(framework="PyTorch", version="1.12.1", tag="1.12.1-gpu-py39-cu116-ubuntu20.04", made="2023-04-01"),
    _Official(framework="PyTorch", version="2.0", tag="2.0-cpu-py310-ubuntu22.04", made="2023-08-01"),
    _Official(framework="PyTorch", version="2.0", tag="2.0-gpu-py310-cu118-ubuntu22.04", made="2023-08-01"),
    _Official(framework="PyTorch", version="2.3.1", tag="2.3.1-cpu-py310-ubuntu22.04", made="2024-09-01"),
    _Official(framework="PyTorch", version="2.3.1", tag="2.3.1-gpu-py310-cu121-ubuntu22.04", made="2024-09-01"),
    _Official(framework="TensorFlow", version="1.15", tag="1.15-cpu-py36-ubuntu18.04", made="2022-03-01"),
    _Official(framework="TensorFlow", version="1.15", tag="1.15-gpu-py36-cu100-ubuntu18.04", made="2022-03-01"),
    _Official(framework="TensorFlow", version="2.3", tag="2.3-cpu-py36-ubuntu18.04", made="2022-05-01"),
    _Official(framework="TensorFlow", version="2.3", tag="2.3-gpu-py36-cu101-ubuntu18.04", made="2022-05-01"),
    _Official(framework="TensorFlow", version="2.11", tag="2.11-cpu-py39-ubuntu20.04", made="2023-06-01"),
    _Official(framework="TensorFlow", version="2.11", tag="2.11-gpu-py39-cu112-ubuntu20.04", made="2023-06-01"),
    _Official(framework="XGBoost", version="1.6.0", tag="1.6.0-cpu-py36-ubuntu18.04", made="2022-07-01"),
    _Official(framework="XGBoost", version="1.7.5", tag="1.7.5-cpu-py39-ubuntu20.04", made="2023-07-01"),
    _Official(framework="XGBoost", version="2.0.3", tag="2.0.3-cpu-py310-ubuntu22.04", made="2024-02-01"),
    _Official(framework="XGBoost", version="2.0.3", tag="2.0.3-gpu-py310-cu118-ubuntu22.04", made="2024-02-01"),
    _Official(
        framework="PyTorch", version="1.12", tag="1.12-py39-cpu-ubuntu20.04", made="2023-02-02", scope="inference"
    ),
    _Official(
        framework="PyTorch", version="1.12", tag="1.12-py39-gpu-cu113-ubuntu20.04", made="2023-02-02", scope="inference"
    ),
    _Official(framework="XGBoost", version="1.6.0", tag="1.6.0-py36-ubuntu18.04", made="2022-07-02", scope="inference"),
    _Official(framework="PyTorch", version="2.0", tag="develop-py310", made="2023-08-02", scope="develop"),
    _Official(
        framework="TensorFlow", version="1.15", tag="1.15-py36-cpu-ubuntu18.04", made="2022-03-02", scope="inference"
    ),
    _Official(
        framework="TensorFlow", version="2.3", tag="2.3-py36-cpu-ubuntu18.04", made="2022-05-02", scope="inference"
    ),
    _Official(
        framework="TensorFlow",
        version="2.3",
        tag="2.3-py36-gpu-cu101-ubuntu18.04",
        made="2022-05-02",
        scope="inference",
    ),
    _Official(framework="OneFlow", version="0.7.0", tag="0.7.0-gpu-py37-cu112-ubuntu18.04", made="2022-08-01"),
    _Official(framework="OneFlow", version="0.8.0", tag="0.8.0-gpu-py39-cu113-ubuntu20.04", made="2023-01-01"),
)


def official_images(region: str, owner: str) -> list[Fields]:
    """List the official images of a region as the service does, oldest first."""
    numbered = enumerate(sorted(_OFFICIAL, key=lambda image: image.made))
    return [_fields(f"image-official{number:010}", image, region, owner) for number, image in numbered]


def _fields(image_id: str, image: _Official, region: str, owner: str) -> Fields:
    labels = {
        "system.official": "true",
        "system.origin": "PAI",
        f"system.supported.{_SCOPES[image.scope]}": "true",
        "system.chipType": "GPU" if image.is_gpu else "CPU",
        "system.pythonVersion": image.python,
        f"system.framework.{image.framework}": image.version,
    }
    return {
        "ImageId": image_id,
        "Name": f"{image.repository}:{image.tag}",
        "ImageUri": f"registry.{region}.aliyuncs.com/pai-dlc/{image.repository}:{image.tag}",
        "Description": f"{image.framework} {image.version} for {image.scope}, as PAI offers it",
        "Accessibility": "PUBLIC",
        "GmtCreateTime": f"{image.made}T00:00:00Z",
        "GmtModifiedTime": f"{image.made}T00:00:00Z",
        "UserId": owner,
        "ParentUserId": owner,
        "Size": 8 if image.is_gpu else 3,
        "Labels": [{"Key": key, "Value": value} for key, value in labels.items()],
    }
