"""What the site must have: every public name, every method, every page in reach."""

import importlib
import inspect
import json
import re
from pathlib import Path

import pytest

import coterie
from coterie.methods import METHODS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MODULES = ("comparison", "demo", "evaluation", "similarity")
"""Modules all of whose names are public, beside those of `coterie` itself."""
API = (DOCS / "api/index.md").read_text(encoding="utf-8")


def listed():
    """The names on the page of the API, with their modules."""
    module, names = "", set()
    for line in API.splitlines():
        if line.startswith(".. currentmodule::"):
            module = line.split()[-1]
        elif re.fullmatch(r"   \w+", line):
            names.add(f"{module}.{line.strip()}")
    return names


def public():
    """The names that people may use."""
    modules = [coterie, *(importlib.import_module(f"coterie.{name}") for name in MODULES)]
    names = {f"{each.__name__}.{name}" for each in modules for name in each.__all__}
    inner = {name for name in names if name.rpartition(".")[2] in coterie.__all__}
    return names - inner | {f"coterie.{name}" for name in coterie.__all__}


def object_of(name):
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def test_every_public_name_is_on_the_page_of_the_api():
    assert sorted(public() - listed()) == []


def test_every_name_of_the_api_exists_and_is_documented():
    assert len(listed()) > 90
    for name in sorted(listed()):
        assert inspect.getdoc(object_of(name)), name


@pytest.mark.parametrize("name", sorted(listed()))
def test_every_public_method_is_documented(name):
    documented = object_of(name)
    if not isinstance(documented, type):
        return
    for member, value in inspect.getmembers(documented):
        own = str(getattr(value, "__module__", "coterie")).startswith("coterie")
        if (
            own
            and not member.startswith("_")
            and (inspect.isfunction(value) or isinstance(value, property))
        ):
            assert inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_its_page(name):
    page = (DOCS / f"methods/{name}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {name}\n\n```{{about-method}} {name}\n```\n")
    idea = page.partition("## Idea\n")[2].partition("$$")[0]
    assert len(re.findall(r"[.!?](?:\s|$)", idea)) >= 3
    assert page.count("$$") == 2
    assert "## When to use it" in page
    assert re.search(rf'>>> result = coterie.cluster\(\w+, 2, "{name}"', page)
    assert f"```{{method-scores}} {name}\n```" in page


def test_every_page_of_a_method_is_of_a_method():
    pages = {page.stem for page in (DOCS / "methods").glob("*.md")} - {"index"}
    assert pages == set(METHODS)
    toctree = (DOCS / "methods/index.md").read_text(encoding="utf-8").splitlines()
    assert all(name in toctree for name in METHODS)


def test_every_method_has_figures_with_their_command(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    figures = importlib.import_module("figures")
    for name in METHODS:
        text = "\n".join(figures.scores(name))
        assert re.search(r"^`(python benchmarks|coterie reproduce)[^`]*`", text), name
        assert re.search(r"\| \d\.\d{3}\s±\s\d\.\d{3} \|", text), name
    quality = json.loads((ROOT / "benchmarks/results/quality.json").read_text(encoding="utf-8"))
    nmi = [scores[1] for key, scores in quality.items() if key.startswith("plsa|webkb|")]
    assert f"{sum(nmi) / len(nmi):.3f}\N{NO-BREAK SPACE}±" in "\n".join(figures.scores("plsa"))
    assert set(figures.PAPERS) <= set(METHODS)


def test_requirements_of_the_site_are_pinned_and_name_no_host():
    text = (DOCS / "requirements.txt").read_text(encoding="utf-8")
    assert "://" not in text
    for name in (DOCS / "requirements.in").read_text(encoding="utf-8").split():
        assert re.search(rf"^{name}==\S+ \\\n    --hash=sha256:", text, re.MULTILINE), name


def test_every_link_between_pages_leads_somewhere():
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        if "_build" in page.parts or "examples" in page.parts:
            continue
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" not in target and not target.startswith(("mailto:", "/")):
                file = (page.parent / target).resolve()
                if file.parent == DOCS / "examples":  # made by the site of the gallery
                    file = DOCS / "gallery" / f"{file.stem}.py"
                assert file.exists(), f"{page.relative_to(ROOT)}: {target}"


def test_the_table_in_the_readme_is_that_of_the_committed_runs():
    runs = json.loads((ROOT / "benchmarks/results/peers.json").read_text(encoding="utf-8"))
    rows = ("auto", "bertopic", "lda", "nmf", "kmeans")
    collections = ("reuters", "groups", "webkb", "debian6", "demo")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("| NMI |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(table) == len(rows)
    for row, line in zip(rows, table, strict=True):
        measured = []
        for collection in collections:
            nmi = [runs[f"{row}|{collection}|{seed}"][1] for seed in range(5)]
            measured.append(f"{sum(nmi) / 5:.3f}")
        assert [cell.strip() for cell in line.split("|")[2:-1]] == measured, row
