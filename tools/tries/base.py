"""Coterie without extras: the command, a folder, results, Python, missing extras."""

import json
import subprocess
import sys
from pathlib import Path

import coterie

assert "site-packages" in coterie.__file__, coterie.__file__
COMMAND = [Path(sys.executable).with_name("coterie")]
KITCHEN = ["bread", "butter", "flour", "oven", "salt", "dough"]
SKY = ["moon", "orbit", "star", "comet", "planet", "rocket"]


def run(*arguments: object, code: int = 0) -> str:
    done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


print(run("--version"))
assert "cluster" in run("--help")
found = json.loads(run("doctor", "--json"))
assert not found["problems"], found["problems"]
assert found["extras"]["explorer"]["command"] == 'pip install "coterie[explorer]"'
assert "pandas" not in found["packages"]
assert "Cluster" in run("demo", "--method", "mm", "--n-init", 1)

texts = Path("texts")
texts.mkdir()
for number in range(20):
    words = KITCHEN if number % 2 else SKY
    turned = words[number % 6 :] + words[: number % 6]
    (texts / f"{number:02}.txt").write_text(" ".join(turned[:5] * 3) + "\n")
run("cluster", texts, "-k", 2, "--out", "results")
assert "<html" in (Path("results") / "report.html").read_text()
assert run("show", "results")
assert run("assign", "results", texts, "--out", "assigned.csv")
assert "pip install coterie[explorer]" in run("explore", "--no-browser", code=2)

labels = [row % 2 for row in range(20)]
model = coterie.MultinomialMixture(2, init="kmeans", random_state=0)
fitted = model.fit([file.read_text() for file in sorted(texts.iterdir())])
assert len({(a, b) for a, b in zip(fitted.labels_.tolist(), labels, strict=True)}) == 2
