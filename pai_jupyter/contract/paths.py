"""The paths of the /ml tree, and the output channels.

    /ml/usercode/               the unpacked source, and the working directory; /ml/code is a link to it
    /ml/input/config/           hyperparameters.json, training_job.json
    /ml/input/data/<channel>/   an input: the directory itself, or one file in it
    /ml/output/<channel>/       an output; /ml/output/logs is a link to tensorboard

Files in /ml/output beside the channels are outputs, too (PAI's "Custom training jobs" mounts all of it). If the service does
not keep that directory, the extra channel `BESIDE` saves them to the place of all outputs.

Files that a script leaves in its working directory are the reserved channel `WORKDIR`: on this machine they stay where they are, on
PAI the launcher copies them to `/ml/output/workdir/`.

Every path ends in `/`, as in most examples of PAI's documents.
"""

from dataclasses import dataclass

from pai_jupyter.spec import STANDARD_OUTPUTS, JobSpec


@dataclass(frozen=True, kw_only=True)
class Paths:
    """The location of the tree: `/ml`, or another directory if a process cannot have a literal /ml."""

    root: str = "/ml"

    @property
    def working_dir(self) -> str:
        return self._at("usercode")

    @property
    def config_dir(self) -> str:
        return self._at("input/config")

    @property
    def data_dir(self) -> str:
        return self._at("input/data")

    @property
    def output_dir(self) -> str:
        return self._at("output")

    @property
    def odps_credential(self) -> str:
        """The only path of a file: the credentials with which PyODPS reads a MaxCompute input."""
        return self._at("input/credential") + "odps.json"

    def input(self, channel: str) -> str:
        return f"{self.data_dir}{channel}/"

    def output(self, channel: str) -> str:
        return f"{self.output_dir}{channel}/"

    def _at(self, place: str) -> str:
        return f"{self.root.rstrip('/')}/{place}/"


PATHS = Paths()


BESIDE = "beside_channels"
SENT, RETURNED = "sent", "returned"  # channels of values that a kernel sends, and gets back
COMPAT_OUTPUTS = {"sagemaker": ("output_data",)}  # SM_OUTPUT_DATA_DIR


def output_channels(spec: JobSpec) -> tuple[str, ...]:
    """Return the output channels: the standard ones, SageMaker's for code written for it, those of the spec, the returned."""
    more = (*COMPAT_OUTPUTS.get(spec.compat or "", ()), *spec.outputs, *((RETURNED,) if spec.returns else ()))
    return tuple(dict.fromkeys((*STANDARD_OUTPUTS, *more)))
