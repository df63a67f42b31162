"""Secrets in a text that is kept are masked, and what only looks a little like one is left as it is."""

import time

import pytest

from pai_jupyter.contract.masking import masked, masked_output, without_login
from tests.support.patience import SOON


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("+x = 'open-sesame'", "+x = '***'"),
        ("clone https://user:pw@host/x and ftp://u:p@h", "clone https://***@host/x and ftp://***@h"),
        ("https://token123@github.invalid/a", "https://***@github.invalid/a"),
        ("ssh://git@github.invalid/a", "ssh://git@github.invalid/a"),
        ("+AWS_SECRET_ACCESS_KEY=abcd/efgh+1234", "+AWS_SECRET_ACCESS_KEY=***"),
        ("+  api_key: abcdefgh1234", "+  api_key: ***"),
        ('{"api_key": "abcdefgh1234"}', '{"api_key": "***"}'),
        ("os.environ['DB_PASSWORD'] = 'abcdefgh'", "os.environ['DB_PASSWORD'] = '***'"),
        ("Server=h;AccountKey=abcdefgh123;Database=x", "Server=h;AccountKey=***;Database=x"),
        ("ghp_0123456789012345678901234", "***"),
        ("LTAI0123456789abcdef", "***"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\n+MII\n+abc\n-----END RSA PRIVATE KEY-----",
            "***-----END RSA PRIVATE KEY-----",
        ),
    ],
)
def test_what_is_a_secret_is_masked(text: str, shown: str) -> None:
    assert masked(text, ["open-sesame"])[0] == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("RuntimeError: no login at postgres://bob:pw@host/db", "RuntimeError: no login at postgres://***@host/db"),
        ("refused: ghp_0123456789012345678901234!", "refused: ***!"),
        ("OSS AccessKeyId=LTAI5tabcdefghij failed", "OSS AccessKeyId=*** failed"),
        ("GET https://b.host/o?Expires=1&Signature=abc%3D", "GET https://b.host/o?Expires=1"),
        ("it said password: hunter2, and ended", "it said password: ***, and ended"),
        ("the word is open-sesame", "the word is ***"),
        ('notify.webhook = "https://hooks.invalid/services/T00/B00"', 'notify.webhook = "***"'),
        ("epoch 3 loss=0.25 tokens=1000 keys: 3", "epoch 3 loss=0.25 tokens=1000 keys: 3"),
    ],
)
def test_secrets_that_a_job_prints_are_masked(text: str, shown: str) -> None:
    assert masked_output(text, ["open-sesame"]) == shown


@pytest.mark.parametrize(
    "text",
    [
        "password = getpass.getpass()",
        "API_KEY=$OTHER_KEY",
        "lr: 0.00000001",
        "max_tokens = '12345678'",
        "see https://example.invalid/a@b and user@example.invalid",
        'if "-----BEGIN" in text: raise',
        "token = read_token(path)",
        "short = 'open'",
    ],
)
def test_what_is_none_stays(text: str) -> None:
    assert masked(text, ["open-sesame"]) == (text, 0)


def test_each_line_of_a_known_secret_is_masked() -> None:
    assert masked("+first line 1\n+second line\n+x\n", ["first line 1\nsecond line\nx"]) == ("+***\n+***\n+x\n", 2)


@pytest.mark.parametrize(
    "text", ["a" * 10**6, 'a="' * 300_000, "://" * 300_000, "://" + ":" * 10**6, "a.b-" * 250_000, "eyJ" * 300_000]
)
def test_no_text_takes_long(text: str) -> None:
    begun = time.monotonic()
    masked(text, ["open-sesame"])
    assert time.monotonic() - begun < SOON


def test_an_address_that_is_none_is_masked() -> None:
    assert without_login("http://[broken") == "***"
