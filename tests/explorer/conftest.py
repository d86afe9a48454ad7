"""An explorer over a small collection."""

import time

import pytest
from small import ENGLISH, clustered
from starlette.testclient import TestClient

from coterie.explorer import uploads, workspace
from coterie.explorer.api import application
from coterie.explorer.guard import TOKEN_HEADER, Guard
from coterie.explorer.store import Store
from coterie.explorer.workspace import Workspace

PORT = 8123
HOST = f"127.0.0.1:{PORT}"


class Client:
    """A browser that behaves: the right host, origin and token, unless told otherwise."""

    def __init__(self, room, token="the-token"):
        self.room = room
        guard = Guard(application(room), PORT, token)
        self.raw = TestClient(guard, base_url=f"http://{HOST}", raise_server_exceptions=False)
        self.headers = {TOKEN_HEADER: token, "origin": f"http://{HOST}"}

    def get(self, path, **how):
        return self.raw.get(path, headers=self.headers, **how)

    def post(self, path, body=None, **how):
        if body is not None:
            how["json"] = body
        return self.raw.post(path, headers=self.headers, **how)

    def delete(self, path):
        return self.raw.delete(path, headers=self.headers)

    def wait(self, name, seconds=30):
        """Wait until no job of a node is left, and give what the state says of it."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            state = self.get("/api/state").json()
            if not any(job["node"] == name for job in state["jobs"]):
                return next(each for each in state["nodes"] if each["id"] == name)
            time.sleep(0.02)
        raise AssertionError("the job does not end")


@pytest.fixture(autouse=True)
def _small_fits(monkeypatch):
    """Words are counted as in `small`, whatever their number."""
    real = uploads.reading_of

    def reading_of(request):
        from dataclasses import replace

        return replace(real(request), options=ENGLISH)

    monkeypatch.setattr(workspace, "reading_of", reading_of)


@pytest.fixture
def room(tmp_path):
    made = Workspace(Store(tmp_path / "session"))
    yield made
    made.end()


@pytest.fixture
def client(room):
    return Client(room)


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """A folder of results, never changed."""
    return clustered().save(tmp_path_factory.mktemp("saved") / "results")


@pytest.fixture
def results(saved, tmp_path):
    """A folder of results of one's own."""
    import shutil

    return shutil.copytree(saved, tmp_path / "results")


@pytest.fixture
def opened(client, results):
    """The identifier of an open result."""
    return client.room.open_folder(results).id
