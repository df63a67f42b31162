"""The /ml tree, and the channels that write into it.

    /ml/usercode/               the unpacked source, and the working directory; /ml/code is a link to it
    /ml/input/config/           hyperparameters.json, training_job.json
    /ml/input/data/<channel>/   an input: the directory itself, or one file in it
    /ml/output/<channel>/       an output; /ml/output/logs is a link to tensorboard

What lies in /ml/output beside the channels is an output of the job, too (PAI's "Custom training jobs" mounts all of it).
Where that directory is not kept, a channel of ours, `BESIDE`, saves it to the place of all outputs.

Every path is spelled with a `/` at its end, as most of the documents' examples are.
"""

from dataclasses import dataclass

from pai_jupyter.spec import STANDARD_OUTPUTS, JobSpec


@dataclass(frozen=True, kw_only=True)
class Paths:
    """Where the tree lies: `/ml`, or a directory of its own where a process cannot have a literal /ml."""

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
        """The one path that names a file: what PyODPS needs to read a MaxCompute input."""
        return self._at("input/credential") + "odps.json"

    def input(self, channel: str) -> str:
        return f"{self.data_dir}{channel}/"

    def output(self, channel: str) -> str:
        return f"{self.output_dir}{channel}/"

    def _at(self, place: str) -> str:
        return f"{self.root.rstrip('/')}/{place}/"


PATHS = Paths()


BESIDE = "beside_channels"


def output_channels(spec: JobSpec) -> tuple[str, ...]:
    """Return the output channels: the standard ones, then those that the spec adds."""
    return tuple(dict.fromkeys((*STANDARD_OUTPUTS, *spec.outputs)))
