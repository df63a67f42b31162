"""The page of a job in a browser tab of its own: behind the login, below any prefix, with nothing that can run but our script."""

from urllib.parse import urljoin

import pytest

from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord
from tests.support.server import PREFIX, Server


def page(server: Server, job: str, **headers: str) -> tuple[int, str, str]:
    """Status, Content-Security-Policy and text of the page, for who is logged in."""
    reply = server.ask(f"/pai-jupyter/jobs/{job}", headers=server.log_in().headers(**headers))
    return reply.status, reply.headers["Content-Security-Policy"], reply.body.decode()


def test_the_page_of_a_job_loads_only_files_of_ours(server: Server, job_id: str) -> None:
    status, policy, text = page(server, job_id)
    assert (status, f'data-job="{job_id}"' in text) == (200, True)
    directives = dict(each.strip().partition(" ")[::2] for each in policy.split(";"))
    assert (directives["default-src"], directives["script-src"], directives["style-src"]) == (
        "'none'",
        "'self'",
        "'self'",
    )
    assert directives["connect-src"] == f"'self' ws://127.0.0.1:{server.port}"
    assert "<style" not in text
    assert text.count("<script") == 1


def test_its_files_are_found_below_the_prefix(server: Server, job_id: str) -> None:
    found = {}
    for name in ("page.js", "page.css"):
        path = urljoin(f"{PREFIX}pai-jupyter/jobs/{job_id}", f"../page/{name}")
        reply = server.ask("/" + path.removeprefix(PREFIX), headers=server.log_in().headers())
        found[name] = (reply.status, reply.headers["Content-Type"].partition(";")[0])
    if found["page.js"][0] == 404:
        pytest.skip("the front end is not built: make pai_jupyter/static/.built")
    assert found == {"page.js": (200, "text/javascript"), "page.css": (200, "text/css")}


@pytest.mark.parametrize("name", ["widget.js", ".built", "..%2f__init__.py", "page.py"])
def test_no_other_file_is(server: Server, name: str) -> None:
    assert server.ask(f"/pai-jupyter/page/{name}", headers=server.log_in().headers()).status == 404


def test_who_is_not_logged_in_is_sent_to_the_login_and_back(server: Server, job_id: str) -> None:
    reply = server.ask(f"/pai-jupyter/jobs/{job_id}", headers={})
    assert reply.status == 302
    assert reply.headers["Location"].startswith(f"{PREFIX}login?next=")
    assert job_id in reply.headers["Location"]
    assert server.ask("/pai-jupyter/page/page.js", headers={}).status in (302, 403)


@pytest.mark.parametrize("job", ["nobody", "%3Cimg%20src=x%3E", "..", "%ff", "a%22b"])
def test_a_job_that_there_is_not_is_one_sentence(server: Server, job: str) -> None:
    status, policy, text = page(server, job)
    assert (status, "there is no job" in text) == (404, True)
    assert "<script" not in text
    assert "<img" not in text
    assert "script-src 'self'" in policy


@pytest.mark.parametrize(("asked", "words"), [("zh-CN,zh;q=0.9", "没有作业"), ("de", "there is no job")])
def test_the_sentence_is_in_the_language_of_the_browser(server: Server, asked: str, words: str) -> None:
    assert words in page(server, "nobody", **{"Accept-Language": asked})[2]


def test_the_language_of_the_address_comes_first(server: Server, job_id: str) -> None:
    text = page(server, f"{job_id}?language=zh", **{"Accept-Language": "en"})[2]
    assert '<html lang="zh">' in text
    assert 'data-language="zh"' in text


def test_a_job_with_a_damaged_record_says_so(server: Server) -> None:
    record = JobRecord(id="damaged-page", spec=JobSpec(name="a", command="true"), backend="process", created=1.0)
    folder = server.store.create(record)
    (folder.path / "job.json").write_text("{")
    status, _, text = page(server, "damaged-page")
    assert (status, "job.json" in text) == (409, True)
    server.store.remove("damaged-page")
