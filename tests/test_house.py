"""The house itself: imports, exported names, collected tests."""

import importlib
import pkgutil
import re
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import coterie

ROOT = Path(__file__).parents[1]
EXTRAS = (
    "dask", "distributed", "cupy", "torch", "matplotlib", "fastapi", "umap", "pypdf",
    "starlette", "uvicorn", "playwright",
)  # fmt: skip


def python(code):
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_module_imports():
    modules = [m.name for m in pkgutil.walk_packages(coterie.__path__, "coterie.")]
    assert len(modules) > 20
    for module in modules:
        if not module.endswith("__main__"):
            importlib.import_module(module)


def test_exported_names_exist_and_nothing_else_is_public():
    for name in coterie.__all__:
        assert getattr(coterie, name) is not None
    assert set(coterie.__all__) == set(coterie._HOMES)
    assert sorted(dir(coterie)) == sorted([*coterie.__all__, "__version__"])


def test_import_brings_no_extra_and_nothing_heavy():
    loaded = python("import sys, coterie; print(*sys.modules)").split()
    heavy = ("numpy", "scipy", "sklearn", "numba", "pyarrow", *EXTRAS)
    assert not {name.partition(".")[0] for name in loaded} & set(heavy)


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from coterie.cli import main; sys.argv = ['coterie', '--help']\n"
        "try: main()\nexcept SystemExit: pass\nprint('MODULES', *sys.modules)"
    )
    loaded = python(code).partition("MODULES")[2].split()
    assert not {"numpy", "scipy", "sklearn", "numba", "pyarrow"} & set(loaded)


def test_names_of_methods_import_nothing_heavy():
    """The shell asks for them at each press of a key."""
    loaded = python("import sys, coterie.methods; print(*sys.modules)").split()
    assert not {"numpy", "scipy", "sklearn", "numba", "pyarrow"} & set(loaded)


def test_models_bring_no_extra():
    loaded = python("import sys, coterie; coterie.PLSA; print(*sys.modules)").split()
    assert not {name.partition(".")[0] for name in loaded} & set(EXTRAS)


def test_no_module_of_the_report_may_touch_a_model():
    config = ConfigParser()
    config.read(ROOT / ".importlinter")
    contract = config["importlinter:contract:report"]
    covered = tuple(contract["source_modules"].split())
    package = importlib.import_module("coterie.report")
    modules = [m.name for m in pkgutil.walk_packages(package.__path__, "coterie.report.")]
    assert "coterie.report.tables" in modules
    for module in ("coterie.report", *modules):
        assert any(module == each or module.startswith(f"{each}.") for each in covered), module
    assert {"coterie.models", "coterie.engine", "coterie.base"} <= {
        *contract["forbidden_modules"].split()
    }
    assert contract["ignore_imports"].split("\n")[1:] == [
        "coterie.report.results -> coterie.storage"
    ]


def test_every_file_with_tests_is_collected():
    for file in (ROOT / "tests").rglob("*.py"):
        if re.search(r"^def test_", file.read_text(encoding="utf-8"), re.MULTILINE):
            assert file.name.startswith("test_"), file


def test_no_test_is_defined_twice():
    for file in (ROOT / "tests").rglob("test_*.py"):
        names = re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(names) == len(set(names)), file


def test_names_of_tests_hold_no_files(request):
    assert not [item.nodeid for item in request.session.items if r"PK\x03\x04" in item.nodeid]


def test_requirements_name_no_host():
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert "--hash=sha256:" in text


def test_the_version_is_said_once():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'dynamic = ["version"]' in text
    assert not re.search(r"^version =", text, re.MULTILINE)
