"""Modules known not to parse the command line: Python's own, and those that training scripts commonly import.

An unlisted module may be the user's own, or a command-line library (click, fire, hydra, tyro, ...).
"""

import sys
from collections.abc import Collection
from functools import cache


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# modules of Python that read the command line, run other code, or have a name that people give to their own files
_TAKES_WORDS = _names(
    """
    __main__ cProfile cmd code codeop ctypes doctest fileinput getopt idlelib imp importlib optparse pdb pkgutil profile pty
    pydoc runpy subprocess test this trace unittest zipimport
    """
)
_THIRD_PARTY = _names(
    """
    IPython PIL accelerate albumentations altair attr attrs bokeh boto3 bs4 catboost category_encoders cloudpickle cudf cupy
    cuml cv2 dask datasets dateutil deprecated diffusers dill dotenv duckdb einops equinox evaluate filelock flax fsspec
    gensim gym gymnasium h5py haiku httpx huggingface_hub imageio imblearn ipywidgets jax jaxlib jieba joblib keras
    lightgbm lightning loguru lxml matplotlib mlflow mlxtend mpl_toolkits networkx nltk numba numpy odps onnx onnxruntime
    optax optuna orjson oss2 packaging paddle pandas peft pkg_resources plotly polars prettytable prophet psutil pyarrow
    pydantic pymysql pynvml pytorch_lightning pytz regex requests rich ruamel s3fs safetensors scipy seaborn sentence_transformers
    sentencepiece shap simplejson six skimage sklearn spacy sqlalchemy statsmodels swanlab sympy tabulate tensorboard
    tensorboardX tensorflow tensorflow_datasets tensorflow_hub termcolor tf_keras tifffile tiktoken timm tokenizers toml tomli
    torch torchaudio torchmetrics torchtext torchvision tqdm transformers trl typing_extensions ujson umap urllib3 wandb
    xarray xgboost xxhash yaml zstandard
    """
)


@cache
def _known() -> frozenset[str]:
    return (sys.stdlib_module_names - _TAKES_WORDS) | _THIRD_PARTY


def is_known_module(name: str, *, beside: Collection[str] = ()) -> bool:
    """Return whether the module is known not to read the command line, and not shadowed by `beside`."""
    top = name.partition(".")[0]
    return top in _known() and not any(it == top or it.startswith(f"{top}.") for it in beside)
