"""The body of a call as fields: what no service could keep is refused."""

import pytest

from pai_jupyter.emulator.protocol.bodies import read_fields
from pai_jupyter.emulator.protocol.refusal import ApiRefusal


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"1", b"\xff", b"[" * 100_000, b'{"Name": "\\ud800"}', b'{"a": [{"\\uDfff": 1}]}']
)
def test_a_body_that_is_no_object_of_texts_is_refused(body: bytes) -> None:
    with pytest.raises(ApiRefusal) as refused:
        read_fields("application/json", body)
    assert (refused.value.status, refused.value.code) == (400, "InvalidParameter")


@pytest.mark.parametrize(
    ("body", "name"), [(b'{"Name": "\\u8bad\\u7ec3"}', "训练"), (b'{"Name": "\\ud83d\\ude00"}', "\N{GRINNING FACE}")]
)
def test_texts_may_be_written_by_the_numbers_of_their_letters(body: bytes, name: str) -> None:
    assert read_fields("application/json", body) == {"Name": name}
