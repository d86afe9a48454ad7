"""Build the wheel and the sdist, look into them, and try them where nothing of Coterie is.

The wheel is built from the sdist, so that both hold the same. Every try has a clean environment
in a temporary folder, and no variable or folder of this repository. Needs uv and hatchling.
`--with NAME==VERSION` fixes the version of a dependency; `--only NAME` makes one try.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TRIES = ROOT / "tools" / "tries"
DIST = ROOT / "dist"
WITHOUT_EXTRA = ("demo", "folder")
EXTRAS = ("selection", "documents", "plots", "papers", "dask", "explorer", "vectors")
MOST_IN_WHEEL, MOST_IN_SDIST = 1 << 20, 2 << 20
NEEDED_IN_WHEEL = {
    "coterie/py.typed",
    "coterie/kernels/gpu.cu",
    "coterie/report/templates/report.html.jinja",
    "coterie/report/web/page.js",
    "coterie/report/web/front.css",
    "coterie/explorer/static/index.html",
    "coterie/explorer/static/explorer.js",
    "coterie_papers/cli.py",
}
NEEDED_IN_SDIST = {
    "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "SECURITY.md",
    "PKG-INFO", "src/coterie/py.typed", "tests/test_house.py",
}  # fmt: skip
KINDS = {".py", ".typed", ".cu", ".js", ".css", ".html", ".jinja", ".md"}
"""Kinds of files a wheel holds besides its metadata: no corpora, no pictures."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--with", dest="fixed", action="append", default=[])
    arguments.add_argument("--only", action="append", choices=[*WITHOUT_EXTRA, *EXTRAS, "gpu"])
    asked = arguments.parse_args()
    sdist, wheel = build()
    look_into(sdist, wheel)
    for name in asked.only or [*WITHOUT_EXTRA, *EXTRAS, "gpu"]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with tempfile.TemporaryDirectory(prefix=f"coterie-{name}-") as folder:
            if name == "gpu":
                resolve(wheel, name, Path(folder), asked.fixed)
            else:
                try_out(wheel, sdist, name, Path(folder), asked.fixed)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        done = "resolves" if name == "gpu" else "works"
        print(f"{name}: {done} ({seconds:.0f} CPU s)", flush=True)


def build() -> tuple[Path, Path]:
    """The sdist of this folder, and the wheel of that sdist."""
    shutil.rmtree(DIST, ignore_errors=True)
    run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", DIST], ROOT)
    (sdist,) = DIST.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(sdist) as tape:
            tape.extractall(folder, filter="data")
        (source,) = Path(folder).iterdir()
        run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", DIST], source)
    (wheel,) = DIST.glob("*.whl")
    return sdist, wheel


def look_into(sdist: Path, wheel: Path) -> None:
    """Refuse what is missing, what does not belong there, and what is too large."""
    in_wheel = set(zipfile.ZipFile(wheel).namelist())
    with tarfile.open(sdist) as tape:
        in_sdist = {each.name.partition("/")[2] for each in tape if each.isfile()}
    refuse("missing in the wheel", NEEDED_IN_WHEEL - in_wheel)
    refuse("missing in the sdist", NEEDED_IN_SDIST - in_sdist)
    tracked = subprocess.run(
        ["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    refuse("in src but not in the wheel", {each[4:] for each in tracked} - in_wheel)
    strange = {
        each for each in in_wheel
        if ".dist-info/" not in each and Path(each).suffix not in KINDS
    }  # fmt: skip
    refuse("not expected in the wheel", strange)
    if not any(each.endswith("licenses/LICENSE") for each in in_wheel):
        refuse("missing in the wheel", {"LICENSE"})
    for file, names, most in (
        (wheel, in_wheel, MOST_IN_WHEEL),
        (sdist, in_sdist, MOST_IN_SDIST),
    ):
        size = file.stat().st_size
        print(f"{file.name}: {size:,} bytes, {len(names)} files", flush=True)
        if size > most:
            sys.exit(f"{file.name}: larger than {most:,} bytes")


def refuse(what: str, names: set[str]) -> None:
    if names:
        sys.exit(f"{what}: {', '.join(sorted(names))}")


def try_out(wheel: Path, sdist: Path, name: str, folder: Path, fixed: list[str]) -> None:
    """Install into a clean environment and run the try of that name there."""
    python = folder / "env" / "bin" / "python"
    run(["uv", "venv", "--quiet", "--python", sys.executable, folder / "env"], folder)
    wanted = wheel if name in WITHOUT_EXTRA else f"coterie[{name}] @ {wheel.as_uri()}"
    needed = fixed if name == "vectors" else []
    install = ["uv", "pip", "install", "--quiet", "--python", python]
    run([*install, wanted, *needed], folder)
    script = shutil.copy(TRIES / f"{name}.py", folder / f"try_{name}.py")
    run([python, script], folder)
    if name == "demo":
        run([*install, "--no-deps", "--reinstall", sdist], folder)
        version = run([folder / "env/bin/coterie", "--version"], folder)
        print(f"from the sdist: {version.strip()}", flush=True)


def resolve(wheel: Path, name: str, folder: Path, fixed: list[str]) -> None:
    """Resolve an extra that cannot be tried here."""
    (folder / "in.txt").write_text("\n".join([f"coterie[{name}] @ {wheel.as_uri()}", *fixed]))
    found = run(["uv", "pip", "compile", "--quiet", "--no-header", "in.txt"], folder)
    print(*re.findall(r"^cupy\S+", found, re.MULTILINE), flush=True)


def run(command: list[object], folder: Path) -> str:
    """What a command prints, run in a folder without anything of this repository."""
    hidden = ("PYTHONPATH", "VIRTUAL_ENV", "COTERIE_DATA", "XDG_CACHE_HOME", "XDG_DATA_HOME")
    kept = {key: value for key, value in os.environ.items() if key not in hidden}
    home = {"HOME": str(folder), "UV_CACHE_DIR": _uv_cache(), "PATH": kept["PATH"]}
    words = [str(each) for each in command]
    done = subprocess.run(
        words, cwd=folder, env=kept | home, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}failed ({done.returncode})")
    return done.stdout


def _uv_cache() -> str:
    return os.environ.get("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv"))


if __name__ == "__main__":
    main()
