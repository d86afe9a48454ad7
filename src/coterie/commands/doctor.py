"""The command that says what is installed, what is missing and where things lie.

It must work where little else does: each question is asked by itself, what fails is a problem
with what to do about it, and nothing but the command line itself is imported before.
"""

import importlib
import json
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from coterie import __version__, terminal

NAME = "coterie"
BROKEN = 1
"""Exit code where something is broken."""

HIDDEN_EXTRAS = ("dev",)
REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[\w,-]+\])?(?:>=([\d.]+))?")
EXTRA = re.compile(r"""extra == ['"]([\w-]+)['"]""")
REINSTALL = "pip install --force-reinstall coterie"
option = partial(click.option, cls=terminal.Option)


class Problems:
    """What is broken, each with what to do."""

    def __init__(self) -> None:
        self.found: list[dict[str, str]] = []

    def add(self, what: str, advice: str) -> None:
        """Note a problem."""
        self.found.append({"what": " ".join(what.split()), "do": advice})

    def tried(self, what: str, ask: Callable[[], Any], otherwise: Any, advice: str) -> Any:
        """The answer to a question, or `otherwise` and a problem where it fails."""
        try:
            return ask()
        except Exception as error:  # a broken installation fails in any way
            self.add(f"{what}: {type(error).__name__}: {error}", advice)
            return otherwise


@click.command(cls=terminal.Command)
@option("--json", "as_json", is_flag=True, help="Everything as JSON, sizes in bytes.")
def doctor(as_json: bool) -> None:
    """Show what is installed, what is missing and where things lie.

    Versions, extras and how to install those that are missing, threads, memory, disk, GPU,
    browser, the folders of caches and their sizes, and whether a small fit works. The exit
    code is 0, or 1 where something is broken; then the last lines say what to do.

    \b
    Examples:
      coterie doctor
      coterie doctor --json > report.json
    """
    found = examine()
    if as_json:
        click.echo(json.dumps(found, indent=1))
    else:
        _show(found)
    if found["problems"]:
        raise click.exceptions.Exit(BROKEN)


def examine() -> dict[str, Any]:
    """Everything that the command shows, as plain values.

    Examples
    --------
    >>> found = examine()
    >>> found["python"].split(".")[0], "numpy" in found["packages"], found["problems"]
    ('3', True, [])
    """
    problems = Problems()
    required, extras = requirements()
    packages = {name: version_of(name) for name, _ in required}
    _judge(required, packages, problems)
    found = {
        "coterie": __version__,
        "installed_in": str(Path(__file__).parents[1]),
        "python": platform.python_version(),
        "python_in": sys.executable,
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": packages,
        "extras": {name: extra(name, needed) for name, needed in extras.items()},
        "small_fit": problems.tried("a small fit", _fits, False, REINSTALL),
        "threads": problems.tried("threads", _threads, None, "unset COTERIE_THREADS"),
        "cores": os.cpu_count(),
        "blas": problems.tried("BLAS", _blas, [], REINSTALL),
        "memory_free": problems.tried("memory", _memory, None, REINSTALL),
        "disk_free": {path: shutil.disk_usage(path).free for path in _disks()},
        "gpu": _gpu(),
        "browser": _browser(),
        "folders": _folders(problems),
    }
    return {**found, "problems": problems.found}


def requirements() -> tuple[list[tuple[str, str]], dict[str, list[tuple[str, str]]]]:
    """Packages with their least version, as the installed metadata says: needed, by extra."""
    required: list[tuple[str, str]] = []
    extras: dict[str, list[tuple[str, str]]] = {}
    try:
        lines = metadata.requires(NAME) or []
    except metadata.PackageNotFoundError:  # run from its source folder, not installed
        lines = []
    for line in lines:
        match, of_extra = REQUIREMENT.match(line), EXTRA.search(line)
        if match is None or (of_extra and of_extra[1] in HIDDEN_EXTRAS):
            continue
        group = extras.setdefault(of_extra[1], []) if of_extra else required
        group.append((match[1], match[2] or ""))
    return required, extras


def version_of(name: str) -> str | None:
    """The installed version of a distribution, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def extra(name: str, needed: list[tuple[str, str]]) -> dict[str, Any]:
    """Which packages of an extra are there, and the command for those that are missing."""
    versions = {each: version_of(each) for each, _ in needed}
    whole = all(is_enough(versions[each], least) for each, least in needed)
    command = None if whole else f'pip install "{NAME}[{name}]"'
    return {"installed": whole, "packages": versions, "command": command}


def is_enough(version: str | None, least: str) -> bool:
    """Tell whether a version is at least another, by its numbers.

    Examples
    --------
    >>> is_enough("2.10.1", "2.9"), is_enough("1.9", "1.15"), is_enough(None, "")
    (True, False, False)
    """
    if version is None:
        return False
    numbers, wanted = (
        [int(part) for part in re.findall(r"\d+", each)] for each in (version, least)
    )
    return [*numbers, *[0] * len(wanted)] >= wanted


def _judge(
    required: list[tuple[str, str]], packages: dict[str, str | None], problems: Problems
) -> None:
    for name, least in required:
        version = packages[name]
        if not is_enough(version, least):
            state = "is not installed" if version is None else f"is {version}"
            wanted = f"{name}>={least}" if least else name
            problems.add(f"{name} {state}, expected {wanted}", f'pip install "{wanted}"')


def _fits() -> bool:
    """Count words and fit a mixture: this needs most packages, and compiled code."""
    import coterie

    texts = ["bread butter flour", "butter bread oven", "moon orbit star", "orbit moon comet"]
    options = coterie.TextOptions(language="en", min_df=1)
    corpus = coterie.Corpus.from_texts(texts, options=options)
    fitted = coterie.MultinomialMixture(2, random_state=0).fit(corpus)
    return bool(len(fitted.labels_) == len(texts))


def _threads() -> int:
    from coterie.executors import available_threads

    return available_threads()


def _blas() -> list[str]:
    from threadpoolctl import threadpool_info

    importlib.import_module("scipy.linalg")
    known = {
        f"{each['internal_api']} {each['version'] or ''} ({each['num_threads']} threads)"
        for each in threadpool_info()
        if each["user_api"] == "blas"
    }
    return sorted(known)


def _memory() -> int:
    from coterie.memory import available_bytes

    return available_bytes()


def _disks() -> list[str]:
    """Here, and where temporary files are written."""
    return list(dict.fromkeys([str(Path.cwd()), tempfile.gettempdir()]))


def _gpu() -> str:
    """The GPU that CuPy finds, or why there is none; not having one is no problem."""
    driver = shutil.which("nvidia-smi") or Path("/proc/driver/nvidia/version").exists()
    try:
        from coterie.kernels.gpu import Device

        device = Device()
        device.check()
        properties = device.xp.cuda.runtime.getDeviceProperties(0)
        return f"{properties['name'].decode()}, {properties['totalGlobalMem'] >> 30} GB"
    except ImportError:
        return 'an NVIDIA GPU, unused: pip install "coterie[gpu]"' if driver else "none"
    except Exception as error:
        return f"none that can be used ({' '.join(str(error).split())})"


def _browser() -> str | None:
    """The name of the browser that the explorer would open."""
    import webbrowser

    try:
        return getattr(webbrowser.get(), "name", None) or "the default one"
    except webbrowser.Error:
        return None


def _folders(problems: Problems) -> dict[str, dict[str, Any]]:
    """Where caches and data lie, and how large they are."""
    asked: dict[str, Callable[[], Path]] = {
        "compiled code": _compiled,
        "cache": _cache,
        "vectors": _vectors,
        "explorer": _explorer,
    }
    if "COTERIE_DATA" in os.environ:
        asked["collections"] = lambda: Path(os.environ["COTERIE_DATA"])
    found = {}
    for name, ask in asked.items():
        path = problems.tried(f"the folder of {name}", ask, None, REINSTALL)
        if path is None:
            continue
        can_write = _is_writable(path)
        if not can_write and name in ("compiled code", "explorer"):
            advice = (
                "set NUMBA_CACHE_DIR to a folder you can write"
                if name == "compiled code"
                else "set XDG_DATA_HOME to a folder you can write"
            )
            problems.add(f"{path}: cannot be written ({name})", advice)
        pattern = "*.nb[ic]" if name == "compiled code" else "*"
        known = name != "collections"  # which may be large and on a slow disk
        size = _size(path, pattern) if known else None
        found[name] = {"path": str(path), "bytes": size, "writable": can_write}
    return found


def _compiled() -> Path:
    from coterie.kernels import sums

    in_use = sums._word_sums.stats.cache_path
    return Path(in_use or Path(sums.__file__).with_name("__pycache__"))


def _cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path(NAME)


def _vectors() -> Path:
    from coterie.corpus.vector_cache import default_folder

    return default_folder()


def _explorer() -> Path:
    from coterie.explorer.store import sessions_folder

    return sessions_folder()


def _is_writable(path: Path) -> bool:
    """Whether a folder can be written, or made where there is none yet."""
    there = next(each for each in (path, *path.parents) if each.exists())
    return there.is_dir() and os.access(there, os.W_OK)


def _size(folder: Path, pattern: str) -> int:
    files = (each for each in folder.rglob(pattern) if not each.is_symlink())
    return sum(each.stat().st_size for each in files if each.is_file())


def _in_words(n_bytes: int | None) -> str:
    if n_bytes is None:
        return ""
    if n_bytes >> 30:
        return f"{n_bytes / (1 << 30):.1f} GB"
    return f"{n_bytes / (1 << 20):.1f} MB" if n_bytes else "empty"


def _show(found: dict[str, Any]) -> None:
    versions = [f"{name} {version or 'MISSING'}" for name, version in found["packages"].items()]
    disks = [f"{_in_words(free)} free in {path}" for path, free in found["disk_free"].items()]
    facts = [
        ["Coterie", f"{found['coterie']} in {found['installed_in']}"],
        ["Python", f"{found['python']} on {found['platform']}, {found['python_in']}"],
        ["Packages", ", ".join(versions) or "not known: run from source, not installed"],
        ["Threads", f"{found['threads']} used, the machine has {found['cores']} cores"],
        ["BLAS", ", ".join(found["blas"])],
        ["Memory", f"{_in_words(found['memory_free'])} free"],
        ["Disk", "; ".join(disks)],
        ["GPU", found["gpu"]],
        ["Browser", found["browser"] or "none found: coterie explore prints the address"],
        ["Small fit", "works" if found["small_fit"] else "FAILS"],
    ]
    extras = [
        [name, "installed" if each["installed"] else f"missing: {each['command']}"]
        for name, each in found["extras"].items()
    ]
    folders = [
        [name, f"{each['path']}  {_in_words(each['bytes'])}"]
        for name, each in found["folders"].items()
    ]
    terminal.show(terminal.listing(["", ""], facts), "")
    terminal.show(terminal.listing(["Extra", ""], extras), "")
    terminal.show(terminal.listing(["Folder", ""], folders), "")
    if not found["problems"]:
        terminal.show("Nothing is broken.")
    for problem in found["problems"]:
        click.echo(f"Broken: {problem['what']}. Do: {problem['do']}")


COMMANDS = (doctor,)
