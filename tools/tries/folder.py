"""Coterie without extras: a folder of texts, its results, and the same from Python."""

import subprocess
import sys
from pathlib import Path

import coterie

KITCHEN = ["bread", "butter", "flour", "oven", "salt", "dough"]
SKY = ["moon", "orbit", "star", "comet", "planet", "rocket"]


def run(*arguments: str) -> str:
    command = [Path(sys.executable).with_name("coterie"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


texts = Path("texts")
texts.mkdir()
for number in range(20):
    words = KITCHEN if number % 2 else SKY
    turned = words[number % 6 :] + words[: number % 6]
    (texts / f"{number:02}.txt").write_text(" ".join(turned[:5] * 3) + "\n")
run("cluster", "texts", "-k", "2", "--out", "results")
assert "<html" in (Path("results") / "report.html").read_text()
assert run("show", "results")
run("assign", "results", "texts", "--out", "assigned.csv")
assert len(Path("assigned.csv").read_text().splitlines()) == 21

model = coterie.MultinomialMixture(2, init="kmeans", random_state=0)
fitted = model.fit([file.read_text() for file in sorted(texts.iterdir())])
pairs = {(label, number % 2) for number, label in enumerate(fitted.labels_.tolist())}
assert len(pairs) == 2, pairs
assert len(set(coterie.load("results").labels.tolist())) == 2
