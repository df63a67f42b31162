"""Packages whose name differs from that of their module."""

_TABLE = """
Bio biopython
Crypto pycryptodome
IPython ipython
MySQLdb mysqlclient
OpenSSL pyopenssl
PIL pillow
absl absl-py
attr attrs
bs4 beautifulsoup4
cv2 opencv-python-headless
dateutil python-dateutil
docx python-docx
dotenv python-dotenv
faiss faiss-cpu
fitz pymupdf
git gitpython
imblearn imbalanced-learn
jwt pyjwt
odps pyodps
pai alipai
pkg_resources setuptools
psycopg2 psycopg2-binary
pytorch_lightning pytorch-lightning
ruamel ruamel.yaml
sentence_transformers sentence-transformers
serial pyserial
skimage scikit-image
sklearn scikit-learn
sksurv scikit-survival
skopt scikit-optimize
tensorboard_logger tensorboard-logger
umap umap-learn
yaml pyyaml
zmq pyzmq
"""  # module, package
_PACKAGES = dict(map(str.split, _TABLE.strip().splitlines()))


def package_of(module: str) -> str:
    """Return the package to install for a top-level module, e.g. `scikit-learn` for `sklearn`."""
    return _PACKAGES.get(module, module.replace("_", "-"))
