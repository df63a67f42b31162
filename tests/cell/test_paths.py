"""Paths that a job will not find, as the lint says them: of this machine, not sent, of a /ml that is not there."""

import pytest

from pai_jupyter.cell import lint
from tests.support.findings import found


@pytest.mark.parametrize(
    "call",
    [
        "open('/home/me/x.csv')",
        "open('/home/me/x.csv', 'rb')",
        "open(file='/data/x.csv')",
        "pd.read_csv('~/x.csv')",
        "pd.read_csv(filepath_or_buffer='/data/x.csv')",
        "pd.read_parquet('C:\\\\data\\\\x.parquet')",
        "np.load('../x.npy')",
        "Path('/mnt/data')",
        "os.listdir('/mnt/data')",
        "glob.glob('/mnt/data/*.png')",
        "torch.load('/root/m.pt')",
        "Image.open('/home/me/a.png')",
        "os.path.expanduser('~/data')",
        "open('..')",
    ],
)
def test_reading_a_path_of_this_machine_is_a_warning(call: str) -> None:
    findings = found(f"import os, glob, numpy as np, torch, pandas as pd\n{call}", "local-path")
    assert [(finding.line, finding.severity) for finding in findings] == [(2, "warning")]
    assert "-i data=" in findings[0].message


@pytest.mark.parametrize(
    "call",
    [
        "open('/home/me/x.csv', 'w')",
        "open('/home/me/x.csv', mode='ab')",
        "open('/home/me/x.csv', mode)",
        "open('/dev/null')",
        "open('/proc/meminfo')",
        "open('/tmp/x')",
        "open('/ml/input/config/hyperparameters.json')",
        "open(path)",
        "pd.read_csv('https://example.com/x.csv')",
        "pd.read_csv('oss://bucket/x.csv')",
        "print('/home/me')",
        "Path('/')",
        "np.load(f'/home/{x}')",
        "json.load(f)",
    ],
)
def test_other_paths_are_fine(call: str) -> None:
    assert found(call, "local-path") == []


def unsent(source: str, *files: str) -> list[str]:
    findings = lint(source, known_files=set(files))
    return [finding.message.split("`")[1] for finding in findings if finding.code == "missing-file"]


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("open('a.csv')", ["a.csv"]),
        ("open('./a.csv')", ["./a.csv"]),
        ("pd.read_csv('data/a.csv')", ["data/a.csv"]),
        ("pd.read_csv('数据.csv')", ["数据.csv"]),
        ("np.load('a.npy')\ntorch.load('a.npy')", ["a.npy", "a.npy"]),
        ("open('known.csv'), open('./known.csv'), open('sub/../known.csv'), open('sub/b.txt')", []),
        ("open('a.csv', 'w')", []),
        ("df.to_csv('a.csv')\nopen('a.csv')", []),
        ("torch.save(m, 'm.pt')\ntorch.load('m.pt')", []),
        ("os.chdir('x')\nopen('a.csv')", []),
        ("open(name)", []),
        ("open('a' + '.csv')", []),
        ("pd.read_csv('https://example.com/x.csv')", []),
        ("pd.read_json('{\"a\": 1.5}')", []),
        ("yaml.load('a: 1.b')", []),
        ("glob.glob('*.csv')", []),
        ("def open(x): pass\nopen('a.csv')", []),
        ("load('model')", []),
    ],
)
def test_reading_a_file_that_is_not_sent_is_a_warning(source: str, missing: list[str]) -> None:
    assert unsent(source, "known.csv", "sub/b.txt") == missing


def test_without_a_list_of_files_none_is_missed() -> None:
    assert found("open('a.csv')", "missing-file") == []


@pytest.mark.parametrize(
    ("path", "instead"),
    [
        ("/ml/output/model", 'os.environ["PAI_OUTPUT_MODEL"]'),
        ("/ml/output/model/xgb.json", 'os.path.join(os.environ["PAI_OUTPUT_MODEL"], "xgb.json")'),
        ("/ml/output/logs/", 'os.environ["PAI_OUTPUT_TENSORBOARD"]'),
        ("/ml/output/output_parameters/acc", 'os.path.join(os.environ["PAI_OUTPUT_OUTPUT_PARAMETERS"], "acc")'),
        ("/ml/output/my-channel/", 'os.environ["PAI_OUTPUT_MY_CHANNEL"]'),
        ("/ml/output/", 'os.environ["PAI_OUTPUT_<CHANNEL>"]'),
        ("/ml/input/data/train", 'os.environ["PAI_INPUT_TRAIN"]'),
        ("/ml/input/data/train/a.csv", 'os.environ["PAI_INPUT_TRAIN"]'),
        ("/ml/input/config/", 'os.environ["PAI_CONFIG_DIR"]'),
        ("/ml/usercode/x.py", 'os.path.join(os.environ["PAI_WORKING_DIR"], "x.py")'),
        ("/ml/code", 'os.environ["PAI_WORKING_DIR"]'),
        ("/ml/input/credential/odps.json", 'os.environ["PAI_ODPS_CREDENTIAL"]'),
        ("/ml/", "PAI_OUTPUT_MODEL"),
        ("/ml", "PAI_OUTPUT_MODEL"),
    ],
)
@pytest.mark.parametrize("form", ["x = '{}'", "f('{}')", "x = f'{}' f'{{y}}'", "p.add_argument('--x', default='{}')"])
def test_a_literal_ml_path_names_its_variable_where_there_is_no_ml(path: str, instead: str, form: str) -> None:
    source = "y = p = f = 1\n" + form.format(path)
    findings = found(source, "literal-ml", literal_ml=False)
    assert [(finding.line, finding.severity) for finding in findings] == [(2, "warning")]
    assert instead in findings[0].message
    assert found(source, "literal-ml", literal_ml=True) == []


@pytest.mark.parametrize(
    "source",
    [
        'os.environ.get("PAI_OUTPUT_MODEL", "/ml/output/model/")',
        'os.environ.get("PAI_OUTPUT_MODEL", "/ml/output/model")',
        'os.environ.get("PAI_OUTPUT_MODEL", default="/ml/output/model")',
        'os.getenv("PAI_INPUT_TRAIN", "/ml/input/data/train/train.csv")',
        'environ.get("PAI_CONFIG_DIR", "/ml/input/config/")',
        'getenv("PAI_OUTPUT_LOGS", "/ml/output/tensorboard/")',
        'os.getenv("PAI_OUTPUT_TENSORBOARD", "/ml/output/logs/")',
        'os.environ.setdefault("PAI_WORKING_DIR", "/ml/usercode/")',
        'x = os.environ.get("PAI_OUTPUT_MODEL") or "/ml/output/model/"',
        'f(default=os.environ.get("PAI_OUTPUT_OUTPUT_PARAMETERS", "/ml/output/output_parameters/"))',
        '"""/ml/output/model is where the model goes"""',
        'def f():\n    """/ml/output/model"""',
        'p.add_argument("--x", help="/ml/output/model")',
        'x = f"{base}/ml/output/model"',
        'x = "see /ml/output/model"',
        'x = "/mlx", "/ml2/a", "ml/output"',
        "# /ml/output/model",
    ],
)
def test_the_portable_way_to_write_a_path_is_never_touched(source: str) -> None:
    assert found(source, "literal-ml", literal_ml=False) == []


@pytest.mark.parametrize(
    "source",
    [
        'os.environ.get("PAI_OUTPUT_CHECKPOINTS", "/ml/output/model/")',
        'os.environ.get("MODEL_DIR", "/ml/output/model/")',
        'd.get("PAI_OUTPUT_MODEL", "/ml/output/model/")',
        'x or "/ml/output/model"',
    ],
)
def test_the_default_of_another_variable_is_still_a_literal(source: str) -> None:
    assert len(found(source, "literal-ml", literal_ml=False)) == 1
