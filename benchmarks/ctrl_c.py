"""How long the command takes to end after Ctrl-C, at several moments of a fit and its writing.

    python benchmarks/ctrl_c.py PATH [METHOD]

clusters PATH into 20 clusters, once to its end, then with Ctrl-C after shares of that time. For
each moment: seconds of the clock and of the CPU from Ctrl-C to the end, the exit code, and the
last line that the command prints.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MOMENTS = (0.02, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.95)
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """CPU seconds of a process so far, on Linux."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def run(command, after=None):
    """Seconds of the clock and the CPU from Ctrl-C, or from the start, to the end.

    Ctrl-C after its end does nothing.
    """
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    begun, used = time.perf_counter(), 0.0
    if after is not None:
        time.sleep(after)
        begun, used = time.perf_counter(), cpu_seconds(process.pid)
        os.kill(process.pid, signal.SIGINT)  # also one that has ended, and was not waited for
    notes = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    spent = usage.ru_utime + usage.ru_stime - used
    last = notes.strip().splitlines()[-1] if notes.strip() else ""
    return time.perf_counter() - begun, spent, os.waitstatus_to_exitcode(status), last


def main():
    path, method = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "auto"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "coterie", "cluster", path, "-k", "20", "-q"]
        command += ["--method", method, "--out", f"{folder}/out"]
        whole, cpu, *_ = run(command)
        print(f"to the end: {whole:.1f} s, {cpu:.1f} s of CPU time")
        print("| Ctrl-C after | s to the end | CPU s | exit code | last line |")
        print("|---|---|---|---|---|")
        for share in MOMENTS:
            seconds, spent, code, last = run(command, share * whole)
            shown = last.replace(folder, "")
            print(
                f"| {share:.0%} | {seconds:.2f} | {spent:.2f} | {code} | {shown} |", flush=True
            )


if __name__ == "__main__":
    main()
