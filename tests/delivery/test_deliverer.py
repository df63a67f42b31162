"""Messages to a webhook that is away, fails, is slow, cuts off: nothing is lost, nothing doubled, and no job is disturbed."""

import threading

import pytest

from pai_jupyter.delivery import deliverer as deliverer_module
from pai_jupyter.delivery import posting
from pai_jupyter.delivery.deliverer import MAX_PAUSE
from pai_jupyter.delivery.outbox import Outbox
from pai_jupyter.delivery.webhook import GIVE_UP
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Notice, Status
from pai_jupyter.store import JobStore
from tests.delivery.conftest import Desk, alert, end, happen
from tests.support.webhooks import Webhook, webhook


class KilledError(BaseException):
    """The process is gone, as by SIGKILL: nothing behind it runs."""


def notices(desk: Desk, job_id: str = "j1") -> list[str]:
    return [it.text for it in JobStore(desk.home).open(job_id).read().state.notices if not it.alert]


def test_alerts_of_a_job_arrive_in_order_and_once(desk: Desk, hook: Webhook) -> None:
    folder = desk.job()
    happen(folder, alert(1), alert(2, "stalled"))
    process = desk.deliverer()
    assert desk.pass_time(process, 30) is not None  # the job runs
    assert hook.alerts == ["nan", "stalled"]
    happen(folder, end(Status.FAILED))
    assert desk.pass_time(process, 30) is None
    assert hook.alerts == ["nan", "stalled", "failed"]
    assert desk.left == []
    assert hook.taken[0].headers["Idempotency-Key"] == hook.taken[0].body["id"]


def test_no_secret_is_told_that_a_failure_names(desk: Desk, hook: Webhook) -> None:
    folder = desk.job(values={"api_key": "tell-nobody-of-it"})
    said = "no login at postgres://bob:hunter2hunter2@host with tell-nobody-of-it, ghp_0123456789012345678901"
    happen(folder, Notice(text=said, time=desk.clock(), level="warning", alert="nan"))
    desk.pass_time(desk.deliverer(), 30)
    assert "no login at postgres://***@host with ***, ***\n" in str(hook.taken[0].body["text"])
    assert not any(
        secret in path.read_text()
        for path in (desk.home / "delivery").rglob("*.jsonl")
        for secret in ("hunter2", "tell-nobody", "ghp_")
    )


def test_a_job_that_nobody_follows_is_followed(desk: Desk) -> None:
    folder = desk.job()
    process = desk.deliverer()
    lock = folder.try_lock()
    assert lock is not None
    with lock:
        desk.pass_time(process, 12)
        assert desk.followed == []
    desk.pass_time(process, 12)
    assert "j1" in desk.followed


@pytest.mark.parametrize("trouble", ["away", (500, "oops"), (503, ""), (429, "")])
def test_after_minutes_of_trouble_all_has_arrived_once(desk: Desk, hook: Webhook, trouble: object) -> None:
    for job_id in ("j1", "j2"):
        happen(desk.job(job_id), alert(1), alert(2), end())
    if trouble == "away":
        hook.stop()
    else:
        hook.usual = trouble
    process = desk.deliverer()
    desk.pass_time(process, 900)
    assert hook.taken == []
    assert desk.left == ["j1", "j2"]
    hook.usual = (200, "")
    if trouble == "away":
        hook.start()
    assert desk.pass_time(process, 2 * MAX_PAUSE) is None
    assert sorted((it.body["job"], it.body["alert"], it.body["reason"]) for it in hook.taken) == sorted(
        (job_id, *rest)
        for job_id in ("j1", "j2")
        for rest in (("nan", "`m1` became nan."), ("nan", "`m2` became nan."), ("end", "it has ended"))
    )
    assert desk.left == []
    late = [text for text in notices(desk) if "has not arrived yet" in text]
    assert len(late) == 1  # once, of the message that was tried; the others of the job waited behind it


def test_tries_become_rare(desk: Desk, hook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliverer_module, "IDLE_PAUSE", MAX_PAUSE)  # steps that do nothing
    hook.usual = (500, "")
    happen(desk.job(), end())
    desk.pass_time(desk.deliverer(), 8 * 3600)
    assert 8 * 3600 / MAX_PAUSE <= hook.asked <= 8 * 3600 / MAX_PAUSE + 12


def test_a_message_is_given_up_after_days_and_the_job_says_so(desk: Desk, hook: Webhook) -> None:
    hook.usual = (500, "oops")
    happen(desk.job(), end())
    process = desk.deliverer()
    desk.pass_time(process, 60)
    desk.clock.now += GIVE_UP
    assert desk.pass_time(process, 2 * MAX_PAUSE) is None
    assert desk.left == []
    assert notices(desk)[-1] == (
        "The alert about its end was not taken: it answers 500: oops. It is not sent again. Check with %pai_config test"
    )


def test_a_refused_message_is_not_sent_again(desk: Desk, hook: Webhook) -> None:
    hook.answers = [(403, "invalid_token")]
    happen(desk.job(), alert(1), end())
    assert desk.pass_time(desk.deliverer(), 60) is None
    assert (hook.asked, hook.alerts) == (2, ["end"])
    assert [text for text in notices(desk) if "403: invalid_token" in text]


def test_a_message_that_is_never_taken_does_not_hold_up_other_jobs(desk: Desk, hook: Webhook) -> None:
    happen(desk.job("j1"), end())
    process = desk.deliverer()
    hook.answers = [(500, "")]
    process.step()
    happen(desk.job("j2"), end())
    desk.pass_time(process, 3)
    assert hook.taken[0].body["job"] == "j2"


def test_a_webhook_that_is_away_does_not_hold_up_another(desk: Desk, hook: Webhook) -> None:
    with webhook() as gone:
        gone.usual = (500, "")
        (desk.home / "config.toml").write_text(f'[profiles.gone]\n"notify.webhook" = "{gone.address}"\n')
        happen(desk.job("j1", profile="gone"), alert(1), end())
        process = desk.deliverer()
        desk.pass_time(process, 3600)
        assert gone.asked > 5
        happen(desk.job("j2"), alert(2), end())
        desk.pass_time(process, 15)
        assert hook.alerts == ["nan", "end"]
        tries = gone.asked
        desk.pass_time(process, MAX_PAUSE - 60)
        assert gone.asked <= tries + 1  # and it is not asked more often for that
        gone.usual = (200, "")
        assert desk.pass_time(process, 2 * MAX_PAUSE) is None
        assert gone.alerts == ["nan", "end"]


def test_an_outbox_that_was_deleted_is_forgotten(desk: Desk, hook: Webhook) -> None:
    hook.usual = (500, "")
    happen(desk.job(), end())
    process = desk.deliverer()
    desk.pass_time(process, 60)
    desk.outbox().path.unlink()
    hook.usual = (200, "")
    assert desk.pass_time(process, 2 * MAX_PAUSE) is None
    assert hook.taken == []
    assert desk.left == []


def test_a_plain_receiver_gets_a_lost_answer_s_message_again_with_its_key(desk: Desk, hook: Webhook) -> None:
    hook.answers = ["cut"]
    happen(desk.job(), end())
    assert desk.pass_time(desk.deliverer(), 60) is None
    keys = [it.headers["Idempotency-Key"] for it in hook.taken]
    assert len(keys) == 2
    assert len(set(keys)) == 1


@pytest.mark.parametrize(("kind", "taken"), [("slack", "ok"), ("dingtalk", '{"errcode":0}'), ("feishu", '{"code":0}')])
def test_a_chat_gets_it_once_and_the_job_says_that_it_may_be_lost(
    desk: Desk, hook: Webhook, kind: str, taken: str
) -> None:
    desk.kind, hook.answers, hook.usual = kind, ["cut"], (200, taken)
    happen(desk.job(), alert(1), end())
    assert desk.pass_time(desk.deliverer(), 60) is None
    assert len(hook.taken) == 2
    assert [
        text
        for text in notices(desk)
        if text.startswith("The alert about a metric that became NaN or infinite may not")
    ]


def test_a_slow_answer_is_waited_for(desk: Desk, hook: Webhook) -> None:
    hook.answers = ["slow"]
    hook.on_request = lambda: threading.Timer(0.3, hook.go.set).start()
    happen(desk.job(), end())
    assert desk.pass_time(desk.deliverer(), 60) is None
    assert hook.asked == 1


def test_an_answer_that_never_comes_is_a_lost_one(desk: Desk, hook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "READ", 0.2)
    desk.kind, hook.answers = "slack", ["slow"]
    happen(desk.job(), end())
    assert desk.pass_time(desk.deliverer(), 60) is None
    assert hook.asked == 1
    assert "no answer within" in notices(desk)[-1]


def test_a_limit_per_minute_is_kept_to(desk: Desk, hook: Webhook) -> None:
    desk.kind, hook.usual = "dingtalk", (200, '{"errcode":0}')
    hook.answers = [(200, '{"errcode":130101,"errmsg":"send too fast"}')]
    happen(desk.job(), *(alert(number) for number in range(10)))
    process = desk.deliverer()
    desk.pass_time(process, 60)
    assert hook.asked == 1
    desk.pass_time(process, 60)
    assert len({it.body["text"]["content"] for it in hook.taken[1:]}) == 10  # one was counted and not taken
    assert hook.asked == 11


STAGES = ["due", "begin", "sent"]


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kind", ["json", "slack"])
def test_a_killed_process_loses_and_doubles_nothing(
    desk: Desk, hook: Webhook, monkeypatch: pytest.MonkeyPatch, stage: str, kind: str
) -> None:
    """Killed behind the entry that says what is due, behind that of a try, and before that of its outcome."""
    desk.kind = kind
    happen(desk.job(), alert(1), end())
    with monkeypatch.context() as patch:
        write = Outbox._write

        def killed(self: Outbox, entry: dict[str, object]) -> None:
            if stage == "sent" and "sent" in entry:
                raise KilledError
            write(self, entry)
            if (stage == "due" and "due" in entry) or (stage == "begin" and "begins" in entry):
                raise KilledError

        patch.setattr(Outbox, "_write", killed)
        with pytest.raises(KilledError):
            desk.pass_time(desk.deliverer(), 60)
    assert desk.pass_time(desk.deliverer(), 60) is None
    alerts = [it.body.get("alert") or it.body["text"] for it in hook.taken]
    has_broken = {"due": [], "begin": [], "sent": ["first"]}[stage]
    if kind == "json":
        keys = [it.headers["Idempotency-Key"] for it in hook.taken]
        assert len(set(keys)) == 2  # nothing is lost
        assert len(keys) == 2 + len(has_broken)  # what was sent twice can be told by its key
    else:
        assert len(alerts) == (1 if stage == "begin" else 2)  # a chat is told nothing twice
        assert bool([it for it in notices(desk) if "may not have arrived" in it]) == (stage != "due")


def test_half_an_entry_is_none(desk: Desk, hook: Webhook) -> None:
    happen(desk.job(), end())
    path = desk.outbox().path
    with path.open("ab") as file:
        file.write(b'{"due":[{"id"')
    assert desk.pass_time(desk.deliverer(), 60) is None
    assert hook.alerts == ["end"]


def test_a_damaged_outbox_stops_nobody_else(desk: Desk, hook: Webhook, capfd: pytest.CaptureFixture[str]) -> None:
    happen(desk.job("j1"), end())
    happen(desk.job("j2"), end())
    desk.outbox("j1").path.write_bytes(b"[]\n")
    assert desk.pass_time(desk.deliverer(), 60) is None
    assert [it.body["job"] for it in hook.taken] == ["j2"]
    assert "is damaged" in capfd.readouterr().err


def test_what_could_not_be_written_down_is_when_it_can_be(
    desk: Desk, hook: Webhook, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise PaiJupyterError("cannot write the outbox: No space left on device")

    happen(desk.job("j1"), end())
    with monkeypatch.context() as patch:
        patch.setattr(Outbox, "add", full)
        process = desk.deliverer()
        desk.pass_time(process, 20)
        assert desk.left == ["j1"]
    assert desk.pass_time(process, 60) is None
    assert hook.alerts == ["end"]
    assert capfd.readouterr().err.count("No space left") == 1


def test_a_job_that_stays_damaged_is_forgotten_in_the_end(desk: Desk, hook: Webhook) -> None:
    folder = desk.job("j1")
    (folder.path / "job.json").write_text("{")
    desk.pass_time(desk.deliverer(), 20)
    assert desk.left == ["j1"]
    desk.clock.now += GIVE_UP
    desk.pass_time(desk.deliverer(), 20)
    assert desk.left == []


def test_what_is_no_folder_any_more_is_forgotten(desk: Desk, hook: Webhook) -> None:
    desk.job("j1")
    JobStore(desk.home).remove("j1")
    process = desk.deliverer()
    desk.pass_time(process, 20)
    assert desk.left == []
    assert hook.asked == 0


def test_messages_of_a_deleted_job_still_arrive(desk: Desk, hook: Webhook) -> None:
    hook.answers = [(500, "")]
    happen(desk.job("j1"), end())
    process = desk.deliverer()
    desk.pass_time(process, 1)
    JobStore(desk.home).remove("j1")
    assert desk.pass_time(process, 60) is None
    assert hook.alerts == ["end"]


def test_without_an_address_there_is_nothing_to_do(desk: Desk, hook: Webhook) -> None:
    happen(desk.job(), end())
    process = desk.deliverer()
    del desk.environ["PAI_JUPYTER_WEBHOOK"]
    assert process.step() is None
    assert desk.left == ["j1"]
    desk.environ["PAI_JUPYTER_WEBHOOK"] = hook.address
    assert desk.pass_time(process, 60) is None
    assert hook.alerts == ["end"]


def test_neither_address_nor_secret_is_in_any_file(desk: Desk, hook: Webhook) -> None:
    hook.answers = [(500, "oops"), "cut"]
    happen(desk.job(), alert(1))
    desk.pass_time(desk.deliverer(), 300)
    files = [path for path in desk.home.rglob("*") if path.is_file()]
    assert any(path.name == "j1.jsonl" for path in files)
    assert not [path for path in files if b"s3cr3t-token" in path.read_bytes() or b"127.0.0.1" in path.read_bytes()]


def test_many_metrics_are_read_in_windows(desk: Desk, hook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliverer_module, "_WINDOW", 200)
    happen(desk.job(), *(alert(number) for number in range(12)), end())
    assert desk.pass_time(desk.deliverer(), 300) is None
    assert hook.alerts == ["nan"] * 12 + ["end"]
