"""No secret travels with a package, and no message repeats one."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from pai_jupyter.errors import PackageError
from pai_jupyter.package import Package, build
from pai_jupyter.package.archive import BLOCK

SECRET = "wJalrXUtnFEMI/K7MDENG+x"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----\n"
KEY_ID = "LTAI5tQkLmNoPqRsTuVw"


def pack(folder: Path, files: Mapping[str, str | bytes], *, extra: Mapping[str, bytes] | None = None) -> Package:
    source = folder / "source"
    for name, content in files.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    source.mkdir(exist_ok=True)
    return build(source, to=folder / "p.tar.gz", files=extra or {}, secrets={SECRET, "中文密码一二三四", "short"})


def refusal(folder: Path, files: Mapping[str, str | bytes], *, extra: Mapping[str, bytes] | None = None) -> str:
    with pytest.raises(PackageError) as caught:
        pack(folder, files, extra=extra)
    assert not (folder / "p.tar.gz").exists()
    return str(caught.value)


@pytest.mark.parametrize(
    "key",
    [
        KEY,
        KEY.replace("RSA ", ""),
        KEY.replace("RSA", "OPENSSH"),
        KEY.replace("RSA", "EC"),
        KEY.replace("RSA", "ENCRYPTED"),
        KEY.replace("\n", "\r\n"),
        '{"private_key": "' + KEY.replace("\n", "\\n") + '"}',
        "key = '''" + KEY + "'''",
    ],
)
def test_a_private_key_is_refused(tmp_path: Path, key: str) -> None:
    sentence = refusal(tmp_path, {"deploy/key.txt": "\n\n" + key})
    assert sentence == (
        "'deploy/key.txt' line 3 holds a private key, which would travel with the job. "
        "Take it out, or name the file in .paiignore."
    )


@pytest.mark.parametrize(
    "text",
    [
        'if "-----BEGIN PRIVATE KEY-----" in text: refuse()\n',
        "-----BEGIN PUBLIC KEY-----\nMIIB\n",
        "-----BEGIN CERTIFICATE-----\nMIIB\n",
        "PRIVATE KEY-----\n",
    ],
)
def test_what_only_speaks_of_keys_is_packed(tmp_path: Path, text: str) -> None:
    assert pack(tmp_path, {"a.py": text}).warnings == ()


@pytest.mark.parametrize("text", [f"token = '{SECRET}'", f"x{SECRET}y", "密码: 中文密码一二三四"])
def test_a_loaded_secret_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    sentence = refusal(tmp_path, {"a.py": f"import os\n{text}\n"})
    assert sentence.startswith("'a.py' line 2 holds one of the secrets loaded in this session")
    assert SECRET not in sentence
    assert "密" not in sentence


def test_a_secret_in_the_cell_is_refused(tmp_path: Path) -> None:
    assert "'train.py' line 1 holds one of the secrets" in refusal(tmp_path, {}, extra={"train.py": SECRET.encode()})


def test_values_too_short_to_be_secrets_are_not_looked_for(tmp_path: Path) -> None:
    assert pack(tmp_path, {"a.py": "short"}).warnings == ()


@pytest.mark.parametrize("before", [0, 1, BLOCK - 30, BLOCK - 10, BLOCK - 1, BLOCK, 2 * BLOCK - 5, 3 * BLOCK + 7])
@pytest.mark.parametrize("found", [SECRET, KEY])
def test_a_secret_is_found_wherever_it_lies(tmp_path: Path, before: int, found: str) -> None:
    filling = (b"0123456789abcde\n" * (before // 16 + 1))[:before]
    line = filling.count(b"\n") + 1
    assert f"'big.csv' line {line} holds" in refusal(tmp_path, {"big.csv": filling + found.encode() + b"\nend\n"})


def test_what_is_not_text_is_not_searched(tmp_path: Path) -> None:
    assert pack(tmp_path, {"model.bin": b"\x00\x01" + KEY.encode() + SECRET.encode()}).warnings == ()


def test_an_ignored_file_may_hold_anything(tmp_path: Path) -> None:
    assert [f.name for f in pack(tmp_path, {"id_rsa": KEY, ".paiignore": "id_rsa\n"}).files] == [".paiignore"]


@pytest.mark.parametrize("text", [KEY_ID, f"id={KEY_ID}", f'"{KEY_ID}"'])
def test_what_looks_like_an_access_key_id_warns(tmp_path: Path, text: str) -> None:
    (warning,) = pack(tmp_path, {"conf/a.py": f"\n{text}\n{text}\n"}).warnings
    assert warning == "'conf/a.py' line 2 holds what looks like an access key id (LTAI...); it goes with the job."


@pytest.mark.parametrize("text", ["LTAI", "LTAI5tQkL", "LTAI-5tQkLmNoPqRsTuVw", f"aGVsbG8{KEY_ID}aGVsbG8"])
def test_what_only_begins_like_one_does_not(tmp_path: Path, text: str) -> None:
    assert pack(tmp_path, {"a.py": text}).warnings == ()


@pytest.mark.parametrize(
    ("name", "warns"),
    [
        (".env", True),
        ("sub/.env", True),
        (".env.local", True),
        (".env.example", False),
        (".envrc", False),
        ("env", False),
        ("x.env", False),
    ],
)
def test_dotenv_files_warn(tmp_path: Path, name: str, warns: bool) -> None:
    expected = (f"{name!r} goes with the job; if it holds secrets, name it in .paiignore.",) if warns else ()
    assert pack(tmp_path, {name: "A=1\n"}).warnings == expected
