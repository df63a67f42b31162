"""The form in a cell has the sections of the model, in its order and words; what was changed can be taken back."""

import re
from pathlib import Path

import ipywidgets

import pai_jupyter
from pai_jupyter.form import HyperparameterForm, translator
from pai_jupyter.form.inputs import INPUT
from pai_jupyter.form.words import CHINESE
from pai_jupyter.training import LineContext
from pai_jupyter.wire.schema.form import SECTIONS
from tests.support.forms import make, press, row, submitted, type_into

ZH = Path(pai_jupyter.__file__).parents[1] / "labextension" / "src" / "zh"


def headings(form: HyperparameterForm) -> list[str]:
    boxes = [it.children[0] if isinstance(it, ipywidgets.HBox) else it for it in form.widget.children]
    found = (re.fullmatch(r"<b>(.*)</b>", str(getattr(it, "value", ""))) for it in boxes)
    return [it[1] for it in found if it]


def test_sections_stand_in_the_order_of_the_model() -> None:
    form = make(
        taken={"np": 1}, offered={"df": ""}, assigned=["model"], variables=["TOKEN"], findings=["odd"], name="iris"
    )
    titles = [section["title"] for section in SECTIONS if section["key"] not in ("name", "line")]
    assert headings(form) == titles
    assert form.widget.children[0] is form.name.widget
    assert headings(HyperparameterForm(form._schema)) == ["Hyperparameters", "Inputs", "Run on"]


def test_words_of_both_renderings_are_the_same_in_chinese() -> None:
    told = "".join(path.read_text(encoding="utf-8") for path in sorted(ZH.glob("*.ts")))
    pairs = re.findall(r"^  (?:'((?:[^'\\]|\\.)+)'|(\w+)):\s+'((?:[^'\\]|\\.)*)'", told, re.MULTILINE)
    in_dialog: dict[str, set[str]] = {}
    for quoted, plain, chinese in pairs:
        in_dialog.setdefault(quoted or plain, set()).add(chinese)
    words = [
        text for it in SECTIONS for text in (it["title"], *(f[k] for f in it["fields"] for k in ("label", "help")))
    ]
    words += ["Reset", "Reset all", "Add an input", "Copy as %%pai_train line", "not declared by the script", "default"]
    others = {word: in_dialog.get(word) for word in words if word and CHINESE[word] not in in_dialog.get(word, ())}
    others.pop("Pass on variables of the kernel")  # the server does not know them
    assert others == {}


def shows(form: HyperparameterForm, name: str) -> bool:
    return bool(row(form, name).reset.layout.visibility != "hidden")


def test_reset_is_there_only_where_a_value_is_not_the_default() -> None:
    form = make(values={"depth": 9})
    assert [it.name for it in form.rows if shows(form, it.name)] == ["depth"]
    type_into(form, "lr", "1e-2")
    assert not shows(form, "lr")
    type_into(form, "lr", "x")
    assert shows(form, "lr")
    press(row(form, "lr").reset)
    assert not shows(form, "lr")


def test_reset_all_brings_every_default_back_and_goes() -> None:
    form = make(values={"depth": 9, "lr": "many", "other": 1})
    assert form.reset_all.layout.display is None
    press(form.reset_all)
    assert form.values() == {}
    assert form.errors() == {}
    assert form.reset_all.layout.display == "none"
    assert form.line.value == "%%pai_train"


def test_name_is_on_the_line_and_cannot_be_an_option() -> None:
    form = make(name="iris")
    assert form.line.value == "%%pai_train iris"
    form.name.control.set("a {b}")
    assert form.line.value == "%%pai_train 'a {''b}'"
    form.name.control.set("-x")
    assert form.submit.disabled
    assert form.name.error == 'A name cannot begin with "-".'
    form.name.control.set(" ")
    (got,) = submitted(form)
    assert got.name is None


def test_line_keeps_what_the_form_has_no_field_for() -> None:
    before = 'iris --wait --env "A=b c" -p lr={lr} --params p.json --max-time 2h'
    form = make(name="iris", values={"lr": 0.5}, line=LineContext(magic="%pai_train", before=before))
    assert form.line.value == '%pai_train iris --wait --env "A=b c" --max-time 2h -p lr=0.5'


def test_input_is_added_checked_and_removed() -> None:
    form = make(inputs={"more": "./m"})
    (given,) = form.inputs.free
    assert given.pair == ("more", "./m")
    press(form.inputs.add)
    added = form.inputs.free[1]
    added.name_box.set_state({"value": "more"})
    assert "a name and a path" in form.errors()[INPUT]
    added.place_box.set_state({"value": "./b"})
    assert form.inputs.error == "There are two inputs called more. Keep one of them."
    assert form.submit.disabled
    added.name_box.set_state({"value": "extra"})
    assert form.line.value == "%%pai_train -i more=./m -i extra=./b"
    press(given.remove)
    assert form.read().inputs == {"extra": "./b"}


def test_form_in_chinese_says_what_is_wrong_with_an_input() -> None:
    form = make(translate=translator("zh"))
    press(form.inputs.add)
    form.inputs.free[0].name_box.set_state({"value": "x"})
    assert form.inputs.error == "输入需要名称和路径，例如 train 和 ./data。"
