"""What a form says when something is wrong with the job: each sentence on a line of its own, as text."""

import re

from pai_jupyter.errors import SpecError
from pai_jupyter.form import FormValues
from pai_jupyter.form.rows import alert
from tests.support.forms import make

SENTENCES = "the image is missing.\nno workspace is set.\n<b>训练</b>"


def test_every_sentence_of_a_refusal_is_a_line() -> None:
    form = make("lr: float = 0.1")

    def refuse(_: FormValues) -> None:
        raise SpecError(SENTENCES)

    form.on_submit(refuse)
    form.submit.click()
    said = form.message.value
    assert "the image is missing.\nno workspace is set.\n&lt;b&gt;训练" in said
    assert re.search(r'style="[^"]*white-space: pre-line', said)


def test_an_alert_is_announced() -> None:
    assert 'role="alert"' in alert("x")
