"""The explorer answers with its page, asks for the token, and ends by Ctrl-C."""

import contextlib
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

COMMAND = Path(sys.executable).with_name("coterie")
process = subprocess.Popen(
    [COMMAND, "explore", "--no-browser"], stdout=subprocess.PIPE, text=True
)
try:
    address, token = re.search(r"(http://\S+/)#(\S+)", process.stdout.readline()).groups()
    page = urllib.request.urlopen(address).read().decode()
    for name in re.findall(r'(?:src|href)="/(static/[^"]+)"', page):
        assert urllib.request.urlopen(address + name).status == 200, name
    with contextlib.suppress(urllib.error.HTTPError):  # 401: no token
        urllib.request.urlopen(f"{address}api/state")
        raise AssertionError("answered without the token")
    asked = urllib.request.Request(f"{address}api/state", headers={"x-coterie-token": token})
    assert b"nodes" in urllib.request.urlopen(asked).read()
finally:
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
