"""The language pack of 中文 as JupyterLab finds it: by its own functions, and with all that it would look up in it."""

import json
import re
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path
from typing import Any

import pytest
from jupyterlab_server.translation_utils import get_installed_packages_locale, get_language_pack, translator

from tests.support.needs import lacking
from tests.support.paths import ROOT

PACK = ROOT / "pai_jupyter" / "locale" / "zh_CN" / "LC_MESSAGES" / "pai_jupyter.json"
SCHEMAS = sorted((ROOT / "labextension" / "schema").glob("*.json"))
BEHIND_CONTEXT = "\x04"
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(scope="module")
def pack() -> Any:  # Any: JSON values
    """What JupyterLab reads of ours."""
    if not PACK.is_file():
        lacking("node", "the front end is not built")
    packs, _ = get_installed_packages_locale("zh_CN")
    return packs["pai_jupyter"]


class Listener(NullTranslations):
    """A translator that only hears what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def pgettext(self, context: str, message: str) -> str:
        self.heard.append(context + BEHIND_CONTEXT + message)
        return message


def asked(schema: Any) -> Iterator[str]:  # Any: JSON values
    """What JupyterLab looks up for the settings of this schema."""
    listener = Listener()
    translator._translate_schema_strings(listener, schema)
    yield from listener.heard


def test_jupyterlab_finds_the_pack_by_its_domain(pack: Any) -> None:
    assert pack[""]["domain"] == "pai_jupyter"
    assert pack[""]["language"] == "zh-CN"


@pytest.mark.usefixtures("pack")
def test_the_pack_goes_to_the_page_with_that_of_jupyterlab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JupyterLab knows a language only where a pack of its own is installed; here is one with nothing in it."""
    facts = tmp_path / "jupyterlab_language_pack_zh_CN-4.6.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: jupyterlab-language-pack-zh-CN\nVersion: 4.6\n")
    (facts / "entry_points.txt").write_text("[jupyterlab.languagepack]\nzh_CN = jupyterlab_language_pack_zh_CN\n")
    (tmp_path / "jupyterlab_language_pack_zh_CN").mkdir()
    (tmp_path / "jupyterlab_language_pack_zh_CN" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    packs, trouble = get_language_pack("zh_CN")
    assert trouble.strip() == ""
    assert packs["pai_jupyter"]["Training jobs"] == ["训练作业"]


def test_every_text_of_the_pack_is_one_in_chinese_with_the_same_places(pack: Any) -> None:
    def places(text: str) -> list[str]:
        return sorted(re.findall(r"\{\w+\}", text))

    texts = {text: chinese for text, chinese in pack.items() if text}
    assert len(texts) > 200
    odd = {text: said for text, said in texts.items() if len(said) != 1 or places(said[0]) != places(text)}
    assert odd == {}


@pytest.mark.parametrize("file", SCHEMAS, ids=lambda file: file.stem)
def test_the_pack_has_all_texts_of_the_settings(pack: Any, file: Path) -> None:
    texts = [*asked(json.loads(file.read_text()))]
    assert texts
    assert [text for text in texts if not CHINESE.search(pack.get(text, [""])[0])] == []


@pytest.mark.parametrize("file", SCHEMAS, ids=lambda file: file.stem)
def test_the_settings_are_looked_up_in_our_domain(file: Path) -> None:
    assert json.loads(file.read_text())["jupyter.lab.internationalization"] == {"domain": "pai_jupyter"}


def test_the_pack_has_the_words_of_all_views(pack: Any) -> None:
    """Those that stand on a line of their own in the sources, which the build reads with a compiler."""
    sources = [file.read_text() for file in (ROOT / "labextension" / "src" / "zh").glob("*.ts")]
    pair = re.compile(r"^  (?:'([^'\\\n]+)'|(\w+)): '([^'\\\n]+)',?$", re.MULTILINE)
    words = {quoted or bare: chinese for source in sources for quoted, bare, chinese in pair.findall(source)}
    assert len(words) > 200
    assert {text: pack.get(text) for text in words} == {text: [chinese] for text, chinese in words.items()}
