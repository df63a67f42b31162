"""%pai_config wizard: the questions, what the answers become, and what is written where."""

import builtins
import getpass
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from pai_jupyter.cloud.session import need_session
from pai_jupyter.cloud.session.account import Account, Choice
from pai_jupyter.config import settings
from pai_jupyter.errors import SpecError
from pai_jupyter.magics import wizard
from pai_jupyter.magics.wizard import TRIES, Wizard
from tests.support.sessions import KEY, SECRET, TOKEN, Surroundings, surroundings
from tests.support.shells import Shell


@dataclass(frozen=True, kw_only=True)
class Small(Account):
    """An account that has a little of everything; without a key it shows nothing."""

    def regions(self) -> list[Choice]:
        self.credentials.get()
        return [Choice(value="cn-beijing"), Choice(value="cn-shanghai")]

    def workspaces(self, region: str) -> list[Choice]:
        self.credentials.get()
        return [Choice(value="12345", label="训练"), Choice(value="777", label="other")]

    def buckets(self, region: str) -> list[Choice]:
        self.credentials.get()
        return [Choice(value=f"{region}-bucket"), Choice(value="usual-bucket")]

    def default_bucket(self, region: str, workspace: str) -> str | None:
        return "usual-bucket" if workspace == "12345" else None


class Person:
    """Answers questions by the words in them; a question that has no answer is an error of the test."""

    def __init__(self, **answers: str) -> None:
        self.answers = {"name of the profile": "", "access key id": "", "write the key": "", **answers}
        self.told: list[str] = []
        self.asked: list[str] = []

    def ask(self, question: str) -> str:
        self.asked.append(question)
        key = next(key for key in self.answers if key.replace("_", " ") in question)
        return self.answers[key]

    def run(self) -> str:
        """All that was asked and told."""
        Wizard(ask=self.ask, ask_secret=self.ask, tell=self.told.append, account=Small).run()
        return "\n".join([*self.asked, *self.told])


KEYS = {"access key id": KEY, "access key secret": SECRET}
PLACES = {"region, by": "2", "workspace, by": "1", "bucket, by": ""}
WRITTEN = {"region": "cn-shanghai", "workspace": "12345", "bucket": "usual-bucket"}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    with surroundings(tmp_path, monkeypatch) as place:
        yield place


def profiles(place: Surroundings) -> object:
    return tomllib.loads(place.user.read_text())["profiles"]


def test_a_key_is_written_when_its_owner_says_so(place: Surroundings) -> None:
    told = Person(**KEYS, **PLACES, **{"write the key": "y"}).run()
    assert profiles(place) == {"default": {**WRITTEN, "access_key_id": KEY, "access_key_secret": SECRET}}
    assert place.user.stat().st_mode & 0o777 == 0o600
    assert "2  cn-shanghai" in told
    assert "1  12345  训练" in told
    assert SECRET not in told


def test_else_it_stays_in_this_kernel(place: Surroundings) -> None:
    Person(**KEYS, **PLACES).run()
    assert profiles(place) == {"default": WRITTEN}
    assert need_session().credentials.get().access_key_secret == SECRET
    assert not [path for path, text in place.texts() if SECRET in text]


def test_a_temporary_key_is_asked_for_its_token(place: Surroundings) -> None:
    temporary = {"access key id": "STS.abc", "access key secret": SECRET, "security token": TOKEN}
    Person(**temporary, **PLACES).run()
    assert need_session().credentials.get().security_token == TOKEN


def test_the_profile_is_in_force_at_once_and_goes_before_what_was_set(place: Surroundings) -> None:
    settings().update({"region": "cn-before", "workspace": "1"})
    Person(**{"name of the profile": "work"}, **KEYS, **PLACES).run()
    assert (need_session().region_id, need_session().workspace_id) == ("cn-shanghai", "12345")
    assert settings().resolve("region").origin == "profile 'work'"


def test_a_profile_keeps_its_key_when_no_other_is_given(place: Surroundings) -> None:
    key = f'access_key_id = "{KEY}"\naccess_key_secret = "{SECRET}"\n'
    place.write(place.user, f'# mine\n[profiles.default]\nregion = "cn-old"\n{key}[profiles.zoo]\nregion = "cn-z"\n')
    asked = Person(**PLACES).run()
    assert "[keys from profile 'default']" in asked
    expected = {**WRITTEN, "access_key_id": KEY, "access_key_secret": SECRET}
    assert profiles(place) == {"default": expected, "zoo": {"region": "cn-z"}}
    assert place.user.read_text().startswith("# mine\n")


def test_names_may_be_typed_and_where_nothing_can_be_listed_they_must_be(place: Surroundings) -> None:
    typed = {"region, by": "cn-hangzhou", "workspace, by": "", "bucket, by": ""}
    told = Person(**typed).run()
    assert profiles(place) == {"default": {"region": "cn-hangzhou"}}
    assert "(no list: there is no Alibaba Cloud access key." in told
    assert place.reached == []


@pytest.mark.parametrize(
    ("answers", "field"),
    [({"region, by": "Shang hai"}, "region"), ({"region, by": ""}, "region"), ({"bucket, by": "_"}, "bucket")],
)
def test_wrong_answers_are_told_and_end_in_nothing(place: Surroundings, answers: dict[str, str], field: str) -> None:
    person = Person(**{**KEYS, **PLACES, "workspace, by": "", **answers})
    with pytest.raises(SpecError, match=f"no {field} was given. Nothing was written"):
        person.run()
    assert len([told for told in person.told if f"`{field}` is" in told]) == TRIES
    assert not place.user.exists()


@pytest.mark.parametrize("secret", ["", "with a blank"])
def test_a_secret_that_is_none_is_asked_for_again(place: Surroundings, secret: str) -> None:
    person = Person(**{**KEYS, "access key secret": secret})
    with pytest.raises(SpecError, match="no access key was given"):
        person.run()
    assert "with a blank" not in "".join(person.told)


def test_it_runs_in_a_shell_through_input_and_getpass(place: Surroundings, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(**{"region, by": "cn-a", "workspace, by": "7", "bucket, by": "my-bucket"}, **KEYS)
    monkeypatch.setattr(wizard, "Wizard", partial(Wizard, account=Small))
    monkeypatch.setattr(builtins, "input", person.ask)
    monkeypatch.setattr(getpass, "getpass", person.ask)
    monkeypatch.setattr(sys, "stdin", Terminal())
    with Shell() as shell:
        result = shell.run("%pai_config wizard")
    assert result.error is None, result.text
    assert "profile 'default'" in result.text
    assert profiles(place) == {"default": {"region": "cn-a", "workspace": "7", "bucket": "my-bucket"}}
    assert SECRET not in result.text


class Terminal:
    def isatty(self) -> bool:
        return True


def test_an_interrupt_ends_it_with_a_sentence_and_nothing_is_written(
    place: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(builtins, "input", interrupt)
    monkeypatch.setattr(sys, "stdin", Terminal())
    with Shell() as shell:
        result = shell.run("%pai_config wizard")
    assert (result.error, result.text) == (None, "nothing was changed: you interrupted the questions\n")
    assert not settings().user_path().exists()


@pytest.mark.parametrize("stdin", [None, "ended"])
def test_where_nobody_can_answer_it_says_what_to_do_instead(monkeypatch: pytest.MonkeyPatch, stdin: str | None) -> None:
    def end(_: str) -> str:
        raise EOFError

    monkeypatch.setattr(sys, "stdin", Terminal() if stdin else None)
    monkeypatch.setattr(builtins, "input", end)
    with Shell() as shell:
        result = shell.run("%pai_config wizard")
    assert isinstance(result.error, SpecError)
    assert "%pai_config wizard cannot ask here" in str(result.error)
    assert "PAI_REGION_ID" in str(result.error)


def test_it_is_for_the_cloud_and_not_for_an_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    with Shell() as shell:
        settings().use_emulator("http://127.0.0.1:4711")
        result = shell.run("%pai_config wizard")
    assert "%pai_config use emulator --stop" in str(result.error)
