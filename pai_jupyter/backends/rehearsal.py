"""What an emulator does otherwise than PAI: it runs jobs on this machine, and needs Docker for their images."""

from pai_jupyter.backends import find_info


def runs_images(runner: str | None) -> bool:
    """Return whether an emulator whose jobs the backend `runner` runs uses images; an unknown one may."""
    info = find_info(runner) if runner else None
    return info is None or info.takes_images
