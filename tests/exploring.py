"""A browser that behaves, for tests of the explorer."""

import time

from starlette.testclient import TestClient

from coterie.explorer.api import application
from coterie.explorer.guard import TOKEN_HEADER, Guard

PORT = 8123
HOST = f"127.0.0.1:{PORT}"
TOKEN = "the-token"


class Client:
    """Asks with the right host, origin and token; `raw` asks as it is told."""

    def __init__(self, room):
        self.room = room
        guard = Guard(application(room), PORT, TOKEN)
        self.raw = TestClient(guard, base_url=f"http://{HOST}", raise_server_exceptions=False)
        self.headers = {TOKEN_HEADER: TOKEN, "origin": f"http://{HOST}"}

    def get(self, path, **how):
        return self.raw.get(path, headers=self.headers, **how)

    def post(self, path, body=None, **how):
        if body is not None:
            how["json"] = body
        return self.raw.post(path, headers=self.headers, **how)

    def delete(self, path):
        return self.raw.delete(path, headers=self.headers)

    def send(self, files):
        """Send files by name, and give the identifier of the upload."""
        name = self.post("/api/uploads").json()["id"]
        parts = [("file", (each, content)) for each, content in files.items()]
        answer = self.post(f"/api/uploads/{name}/files", files=parts)
        assert answer.status_code == 200, answer.text
        return name

    def wait(self, name, seconds=60):
        """Wait until no job of a node is left, and give what the state says of it."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            state = self.get("/api/state").json()
            if not any(job["node"] == name for job in state["jobs"]):
                return next(each for each in state["nodes"] if each["id"] == name)
            time.sleep(0.02)
        raise AssertionError("the job does not end")
