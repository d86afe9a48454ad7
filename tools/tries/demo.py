"""Coterie without extras: the command, its doctor, the demo, what an extra is asked for."""

import json
import subprocess
import sys
from pathlib import Path

import coterie

assert "site-packages" in coterie.__file__, coterie.__file__


def run(*arguments: str, code: int = 0) -> str:
    command = [Path(sys.executable).with_name("coterie"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout or done.stderr


assert run("--version").split()[-1] == coterie.__version__
assert "cluster" in run("--help")
found = json.loads(run("doctor", "--json"))
assert not found["problems"], found["problems"]
assert found["extras"]["explorer"]["command"] == 'pip install "coterie[explorer]"'
assert "pip install coterie[explorer]" in run("explore", "--no-browser", code=2)
shown = json.loads(run("demo", "--method", "mm", "--n-init", "1", "--json"))
assert len(shown["clusters"]) == 12
