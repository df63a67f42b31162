"""A package that needs no index to be installed."""

import importlib
import importlib.util
import zipfile
from io import BytesIO

WHEEL = "pai_jupyter_demo-1.0-py3-none-any.whl"


def wheel(name: str, version: str = "1.0") -> bytes:
    """A wheel with one module, `name`, that knows its version: nothing has to be fetched from anywhere."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return packed.getvalue()


def is_importable(name: str) -> bool:
    """Whether the Python of the tests, which is the emulator's too, finds such a module now."""
    importlib.invalidate_caches()
    return importlib.util.find_spec(name) is not None
