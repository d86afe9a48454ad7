"""`coterie explore`: its address, its end, and what it says without the extra."""

import http.client
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

from commands import run
from coterie.commands import exploring
from coterie.errors import InputError
from coterie.explorer import server
from coterie.explorer.guard import TOKEN_HEADER
from coterie.explorer.store import Store, session
from coterie.explorer.workspace import Workspace

ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+/)#([\w-]{43})")


def test_the_command_prints_the_address_and_ends_cleanly(results, tmp_path):
    home = {"XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "coterie", "explore", str(results), "--no-browser"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | home,
    )  # fmt: skip
    try:
        address, token = ADDRESS.search(process.stdout.readline()).groups()
        assert b"<!doctype html>" in urllib.request.urlopen(address, timeout=60).read()
        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            urllib.request.urlopen(f"{address}api/state", timeout=60)
        refused.value.close()
        asked = urllib.request.Request(f"{address}api/state", headers={TOKEN_HEADER: token})
        assert b"results" in urllib.request.urlopen(asked, timeout=60).read()
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert errors == "Ctrl-C ends it; what is open stays saved.\n"
    (folder,) = tmp_path.rglob("explorer/1")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len(Store(folder).nodes) == 1


@pytest.mark.soak
def test_a_kill_loses_no_edit(results, tmp_path):
    """The process is killed right after an edit was answered, three times."""
    for number in range(1, 4):
        with running(tmp_path, *([results] if number == 1 else [])) as (process, ask):
            (node,) = ask("state")["nodes"]
            assert len(ask(f"results/{node['id']}/head")["edits"]) == number - 1
            body = {"edit": "rename", "cluster": 1, "name": f"Name {number}"}
            ask(f"results/{node['id']}/edits", body)
            process.kill()
    with running(tmp_path) as (_, ask):
        (node,) = ask("state")["nodes"]
        head = ask(f"results/{node['id']}/head")
        assert len(head["edits"]) == 3
        assert head["head"]["clusters"][0]["name"] == "Name 3"


@contextmanager
def running(folder, *arguments):
    """A process of the explorer, and a function that asks it."""
    home = {"XDG_DATA_HOME": str(folder), "HOME": str(folder)}
    command = [sys.executable, "-m", "coterie", "explore", *map(str, arguments), "--no-browser"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=os.environ | home,
    )  # fmt: skip
    try:
        address, token = ADDRESS.search(process.stdout.readline()).groups()

        def ask(path, body=None):
            data = None if body is None else json.dumps(body).encode()
            headers = {TOKEN_HEADER: token, "origin": address.rstrip("/")}
            asked = urllib.request.Request(f"{address}api/{path}", data, headers)
            return json.loads(urllib.request.urlopen(asked, timeout=60).read())

        yield process, ask
    finally:
        process.kill()
        process.communicate()


def test_without_the_extra_one_sentence_names_it(monkeypatch):
    monkeypatch.setattr(exploring.importlib.util, "find_spec", lambda _: None)
    done = run("explore", "--no-browser")
    assert done.exit_code == 2
    assert "pip install coterie[explorer]" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_path_that_is_not_there_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    done = run("explore", str(tmp_path / "nothing"), "--no-browser")
    assert done.exit_code == 2
    assert "no such file or folder" in done.stderr


def test_two_explorers_have_sessions_of_their_own(tmp_path):
    with session(tmp_path) as first, session(tmp_path) as second:
        assert (first.root.name, second.root.name) == ("1", "2")
    with session(tmp_path) as again:
        assert again.root.name == "1"


def test_the_server_listens_on_the_loopback_interface_only():
    with server.listening(0) as opened:
        assert opened.getsockname()[0] == "127.0.0.1"


def test_the_token_is_in_no_argument_of_a_program(monkeypatch):
    opened = []
    monkeypatch.setattr(server.webbrowser, "open", opened.append)
    with server.browser_opener("http://127.0.0.1:1/#secret") as show:
        show().join()
        (address,) = opened
        assert "secret" not in address
        file = server.Path(address.removeprefix("file://"))
        assert "url=http://127.0.0.1:1/#secret" in file.read_text()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not file.exists()


@pytest.fixture
def outside(monkeypatch, tmp_path):
    """No mark of a container, wherever these tests run."""
    monkeypatch.delenv("container", raising=False)
    monkeypatch.setattr(server, "MARKS_OF_CONTAINERS", (tmp_path / ".dockerenv",))
    return tmp_path / ".dockerenv"


def test_outside_a_container_no_other_interface_is_listened_on(outside, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert not outside.exists()
    with pytest.raises(InputError, match="this is no container"):
        server.listening(8765, in_container=True)
    done = run("explore", "--in-container", "--port", "8765")
    assert done.exit_code == 2
    assert "others could reach the explorer" in done.stderr


def test_in_a_container_the_port_must_be_told(outside):
    outside.touch()
    with pytest.raises(InputError, match=r"-p 127\.0\.0\.1:8765:8765"):
        server.listening(0, in_container=True)


@pytest.mark.usefixtures("outside")
def test_in_a_container_the_guard_asks_for_the_same(tmp_path, monkeypatch):
    """All interfaces are listened on; only 127.0.0.1 or localhost with the token is let in."""
    monkeypatch.setenv("container", "oci")
    with server.listening(0) as free:
        port = free.getsockname()[1]
    with session(tmp_path) as store:
        served = server.Server(Workspace(store), port, in_container=True)
        thread = threading.Thread(target=served.run, daemon=True)
        thread.start()
        try:
            assert served.socket.getsockname()[0] == "0.0.0.0"
            assert served.address.startswith(f"http://127.0.0.1:{port}/#")
            token = {TOKEN_HEADER: served.guard.token}
            tried = [
                (f"127.0.0.1:{port}", token, 200),
                (f"localhost:{port}", token, 200),
                (f"127.0.0.1:{port}", {}, 401),
                (f"0.0.0.0:{port}", token, 421),
                (f"172.17.0.2:{port}", token, 421),
                (f"coterie:{port}", token, 421),
                (f"127.0.0.1:{port + 1}", token, 421),
            ]
            for host, headers, status in tried:
                assert _status(port, headers | {"host": host}) == status, host
        finally:
            served.end()
            thread.join()


def _status(port, headers):
    """What asking for the state is answered, from another of this machine's addresses."""
    asking = http.client.HTTPConnection("127.0.0.2", port, timeout=10)
    try:
        asking.request("GET", "/api/state", headers=headers)
        return asking.getresponse().status
    finally:
        asking.close()
