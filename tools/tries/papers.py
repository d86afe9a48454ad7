"""The commands of the papers."""

import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).with_name("coterie")
for arguments in (["datasets"], ["reproduce", "--help"]):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
