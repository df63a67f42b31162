"""Classes of options that libraries have: read out of their source where they are installed, and never imported.

`TrainingArguments` of transformers, those of trl that derive from it, the `Trainer` of Lightning. Importing them takes many
seconds and memory of the kernel; finding the package and parsing one file of it does not.
"""

import ast
import importlib.util
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

_FILES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "TrainingArguments": (("transformers", "training_args.py"),),
    "Seq2SeqTrainingArguments": (("transformers", "training_args_seq2seq.py"),),
    "SFTConfig": (("trl", "trainer/sft_config.py"),),
    "DPOConfig": (("trl", "trainer/dpo_config.py"),),
    "GRPOConfig": (("trl", "trainer/grpo_config.py"),),
    "RewardConfig": (("trl", "trainer/reward_config.py"),),
    "KTOConfig": (("trl", "trainer/kto_config.py"),),
    "ModelConfig": (("trl", "trainer/model_config.py"),),
    "ScriptArguments": (("trl", "scripts/utils.py"),),
    "_BaseConfig": (("trl", "trainer/base_config.py"),),
    "Trainer": (("lightning", "pytorch/trainer/trainer.py"), ("pytorch_lightning", "trainer/trainer.py")),
}
_LARGEST = 2_000_000  # bytes of a file that is read


def library_classes(name: str, bases: Sequence[str] = ()) -> Mapping[str, ast.ClassDef]:
    """Return the known class of this name, or those among `bases`, and what they derive from, by name."""
    found: dict[str, ast.ClassDef] = {}
    todo = [name, *bases]
    while todo:
        each = todo.pop()
        node = library_class(each) if each not in found else None
        if node is not None:
            found[each] = node
            todo += [base.id if isinstance(base, ast.Name) else getattr(base, "attr", "") for base in node.bases]
    return found


def library_class(name: str) -> ast.ClassDef | None:
    """Return the class of an installed library; None where it is not installed, or not where it is known to be."""
    for package, file in _FILES.get(name, ()):
        directory = _directory(package)
        try:
            path = None if directory is None else directory / file
            found = None if path is None else _class_in(path, path.stat().st_mtime_ns, name)
        except OSError:
            continue
        if found is not None:
            return found
    return None


@lru_cache(maxsize=32)
def _class_in(path: Path, changed: int, name: str) -> ast.ClassDef | None:
    """Return the class of a file that was last `changed` then (nanoseconds); None where it has none."""
    try:
        source = path.read_text()
        body = ast.parse(source).body if len(source) <= _LARGEST else []
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
    return next((it for it in body if isinstance(it, ast.ClassDef) and it.name == name), None)


def _directory(package: str) -> Path | None:
    """Return where a package lies; it is found, not imported."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin).parent if spec is not None and spec.origin else None
