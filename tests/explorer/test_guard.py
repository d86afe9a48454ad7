"""Only the explorer's own page, with the token, gets anything."""

import json
import re

import pytest

from coterie.explorer import guard
from coterie.explorer.api import assets
from coterie.explorer.guard import TOKEN_HEADER
from exploring import HOST, PORT, TOKEN

STATE = "/api/state"


def test_the_page_and_its_scripts_need_no_token(client):
    page = client.raw.get("/")
    assert page.status_code == 200
    for name in re.findall(r'(?:src|href)="/static/([^"]+)"', page.text):
        answer = client.raw.get(f"/static/{name}")
        assert answer.status_code == 200, name
        assert answer.headers["content-type"].startswith("text/")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {TOKEN_HEADER: "another"},
        {TOKEN_HEADER: ""},
        {TOKEN_HEADER: TOKEN[:-1]},
        {"authorization": f"Bearer {TOKEN}"},
        {"cookie": f"token={TOKEN}"},
    ],
)
def test_without_the_token_nothing_is_told(client, opened, headers):
    own = {"origin": f"http://{HOST}"}
    for route in client.raw.app.app.routes:
        path = re.sub(r"\{[^}]+\}", opened, route.path)
        if not path.startswith("/api/"):
            continue
        for method in route.methods - {"HEAD"}:
            answer = client.raw.request(method, path, headers=own | headers)
            assert answer.status_code == 401, (method, path)
            assert set(answer.json()) == {"error"}


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", f"evil.example:{PORT}", "127.0.0.1", "localhost",
        f"127.0.0.1:{PORT + 1}", f"[::1]:{PORT}", f"0.0.0.0:{PORT}", "", f"{HOST}@evil",
        f"127.0.0.1.evil.example:{PORT}", f"2130706433:{PORT}",
    ],
)  # fmt: skip
def test_another_host_is_refused(client, host):
    headers = client.headers | {"host": host}
    for path in ("/", "/static/source.js", STATE):
        assert client.raw.get(path, headers=headers).status_code == 421, path


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example", f"https://{HOST}", "null", f"http://127.0.0.1:{PORT + 1}",
        f"http://{HOST}.evil.example", f"http://localhost:{PORT}", f"{HOST}", f"http://{HOST}/",
    ],
)  # fmt: skip
def test_another_origin_is_refused(client, origin):
    headers = client.headers | {"origin": origin}
    assert client.raw.get(STATE, headers=headers).status_code == 403
    assert client.raw.post("/api/uploads", headers=headers).status_code == 403
    assert not client.room.uploads


def test_a_change_without_an_origin_is_refused(client):
    assert client.raw.post("/api/uploads", headers={TOKEN_HEADER: TOKEN}).status_code == 403
    assert client.raw.get(STATE, headers={TOKEN_HEADER: TOKEN}).status_code == 200


def test_what_another_site_asks_for_is_refused_but_a_link_opens_the_page(client):
    cross = {"sec-fetch-site": "cross-site"}
    script = cross | {"sec-fetch-mode": "no-cors"}
    assert client.raw.get("/static/source.js", headers=script).status_code == 403
    assert (
        client.raw.get("/", headers=cross | {"sec-fetch-mode": "navigate"}).status_code == 200
    )
    asked = client.headers | cross | {"sec-fetch-mode": "cors"}
    assert client.raw.get(STATE, headers=asked).status_code == 403


def test_localhost_is_this_host_too(client):
    host = f"localhost:{PORT}"
    headers = client.headers | {"host": host, "origin": f"http://{host}"}
    assert client.raw.get(STATE, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/static/../api.py", "/static/%2e%2e/api.py", "/static/..%2fapi.py",
        "/static/index.html",
        "/static/%2fetc%2fpasswd", "/../../etc/passwd", "/static/....//api.py", "/api/../etc",
        "/static/source.js%00", "/api/results/..%2f..%2fetc/head", "/api/results/../head",
        "/api/results/%2e%2e/export/csv", "/api/uploads/..%2f../preview",
    ],
)  # fmt: skip
def test_no_address_leads_to_another_file(client, path):
    answer = client.get(path)
    assert answer.status_code in (400, 404), path
    assert set(answer.json()) == {"error"}


def test_bodies_beyond_the_limit_are_refused(client, opened, monkeypatch):
    monkeypatch.setattr(guard, "MOST_IN_BODY", 1000)
    monkeypatch.setattr(guard, "MOST_IN_UPLOAD", 3000)
    path = f"/api/results/{opened}/assign"
    assert client.post(path, {"text": "moon"}).status_code == 200
    assert client.post(path, {"text": "moon " * 1000}).status_code == 413

    def in_pieces():
        yield b'{"text": "'
        for _ in range(100):
            yield b"moon " * 20
        yield b'"}'

    claims = client.headers | {"content-type": "application/json"}
    answer = client.raw.post(path, headers=claims, content=in_pieces())
    assert answer.status_code == 413
    name = client.post("/api/uploads").json()["id"]
    files = [("file", ("a.txt", b"x" * 4000))]
    assert client.post(f"/api/uploads/{name}/files", files=files).status_code == 413
    assert not client.room.uploads[name].names


@pytest.mark.parametrize("body", [b"{", b"[]", b'"text"', b"\xff", b"[" * 100_000, b"null"])
def test_a_body_that_is_no_object_is_refused_in_a_sentence(client, opened, body):
    answer = client.raw.post(
        f"/api/results/{opened}/edits", headers=client.headers, content=body
    )
    assert answer.status_code == 400
    assert "JSON" in answer.json()["error"]


def test_every_answer_forbids_scripts_but_our_own(client, opened):
    for path in ("/", "/static/source.js", STATE, f"/api/results/{opened}/head", "/nothing"):
        for headers in (client.headers, {}):
            found = client.raw.get(path, headers=headers).headers
            policy = found["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert "unsafe" not in policy
            assert "trusted-types 'none'" in policy
            assert found["x-content-type-options"] == "nosniff"
            assert found["cache-control"] == "no-store"
            assert "access-control-allow-origin" not in found


def test_no_cookie_is_set_and_no_script_is_written_in_a_page(client):
    page = client.raw.get("/")
    assert "set-cookie" not in page.headers
    assert not re.search(r"<script(?![^>]*\bsrc=)", page.text)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page.text)


def test_no_module_writes_markup_from_data():
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc"
        r"|setHTMLUnsafe|createContextualFragment|DOMParser"
    )
    names = [name for name in assets() if name.endswith(".js")]
    assert len(names) > 8
    for name in names:
        assert not forbidden.search(assets()[name].read_text(encoding="utf-8")), name


def test_the_token_is_long_random_and_compared_in_constant_time(client, monkeypatch):
    one, other = (guard.Guard(client.raw.app.app, PORT).token for _ in range(2))
    assert one != other
    assert len(one) >= 43
    compared = []
    monkeypatch.setattr(
        guard.secrets, "compare_digest", lambda *pair: bool(compared.append(pair))
    )
    assert client.get(STATE).status_code == 401
    assert compared == [(TOKEN.encode(), TOKEN.encode())]


def test_other_methods_are_refused(client):
    for method in ("PUT", "PATCH", "OPTIONS", "TRACE"):
        assert client.raw.request(method, STATE, headers=client.headers).status_code == 405


def test_a_very_long_address_is_refused(client, opened):
    path = f"/api/results/{opened}/find?query={'a' * 9000}"
    assert client.get(path).status_code == 414


def test_answers_hold_no_number_that_json_does_not_know(client, opened):
    def refuse(name):
        raise AssertionError(name)

    for path in ("head", "doubtful", "suggestions", "members/1", "document?id=d01"):
        text = client.get(f"/api/results/{opened}/{path}").text
        json.loads(text, parse_constant=refuse)
