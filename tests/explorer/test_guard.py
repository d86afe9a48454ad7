"""Only the explorer's own page, with the token, gets anything."""

import pytest

from coterie.explorer import guard
from explorer_client import HOST, PORT

STATE = "/api/state"


def test_the_page_and_its_scripts_need_no_token_and_hold_nothing_private(client):
    answer = client.raw.get("/")
    assert answer.status_code == 200
    assert "<script" in answer.text
    assert "script>" in answer.text
    assert client.raw.get("/static/source.js").headers["content-type"].startswith("text/javascript")
