"""The files around the code: workflows, templates, citation, container."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import coterie

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
HASHED = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")


def loaded(file):
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def steps(file):
    return [step for job in loaded(file)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_has_few_rights_fixed_actions_and_no_secret(file):
    content = loaded(file)
    assert content["permissions"] in ({}, {"contents": "read"})
    assert "secrets." not in file.read_text(encoding="utf-8")
    for job in content["jobs"].values():
        assert job["timeout-minutes"] <= 60
    for step in steps(file):
        assert "uses" not in step or HASHED.fullmatch(step["uses"]), step
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
        assert "${{" not in step.get("run", ""), "values come by env, not by text"


def test_there_are_workflows_for_tests_and_publishing():
    assert [file.name for file in WORKFLOWS] == ["publish.yml", "tests.yml"]
    jobs = loaded(WORKFLOWS[1])["jobs"]
    declared = re.findall(r'Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert jobs["tests"]["strategy"]["matrix"]["python"] == declared


def test_only_what_was_built_and_tried_is_published():
    jobs = loaded(WORKFLOWS[0])["jobs"]
    assert jobs["publish"]["needs"] == "build"
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["build"]["permissions"] == {"contents": "read"}
    assert not any("run" in step for step in jobs["publish"]["steps"])


def test_templates_ask_for_what_helps():
    names = ("fault", "wish")
    forms = [loaded(ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml") for name in names]
    for form in forms:
        assert {"name", "description", "body"} <= form.keys()
        fields = [each for each in form["body"] if each["type"] != "markdown"]
        assert len({each["id"] for each in fields}) == len(fields)
    assert any(
        "coterie doctor" in each["attributes"].get("label", "") for each in forms[0]["body"]
    )


def test_the_citation_names_this_version():
    citation = loaded(ROOT / "CITATION.cff")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = dict(re.findall(r"^## (\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)$", changes, re.MULTILINE))
    assert citation["license"] == "BSD-3-Clause"
    if "version" in citation:
        assert dated[citation["version"]] == str(citation["date-released"])
    if "dev" not in coterie.__version__:
        assert citation["version"] == coterie.__version__


def test_the_container_runs_a_command_that_there_is_as_nobody_special():
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert re.findall(r"^USER (.+)$", lines, re.MULTILINE)[-1] == "10001"
    (command,) = re.findall(r"^CMD \[(.+)\]$", lines, re.MULTILINE)
    words = re.findall(r'"([^"]+)"', command)
    explore = import_module("coterie.cli").main.commands[words[0]]
    context = explore.make_context("explore", words[1:], resilient_parsing=False)
    assert context.params["in_container"] is True
    assert f"EXPOSE {context.params['port']}" in lines
    assert f"127.0.0.1:{context.params['port']}/" in lines
    (extras,) = re.findall(r"'\.\[([\w,]+)\]'", lines)
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert all(f"\n{extra} = [" in declared for extra in extras.split(","))


def test_the_versions_of_the_container_are_those_that_are_tested():
    pattern = re.search(
        r"grep -oE '(.+?)' requirements", (ROOT / "Containerfile").read_text("utf-8")
    )
    pinned = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    found = [match[0] for match in re.finditer(pattern[1], pinned, re.MULTILINE)]
    assert len(found) == len(re.findall(r"^\w[\w.-]*==", pinned, re.MULTILINE)) > 50
    assert not any("--hash" in each or each.endswith("\\") for each in found)
