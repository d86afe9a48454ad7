"""What the code and the committed runs know of a method, as lines of Markdown.

No number is typed: all are read from `benchmarks/results` and `docs/results`.
"""

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from statistics import mean, stdev

from coterie.methods import METHODS, Method

ROOT = Path(__file__).parents[2]
COLLECTIONS = {
    "reuters": "Reuters-21578, 7 classes",
    "news": "20 Newsgroups, 5 classes",
    "five": "20 Newsgroups, 5 classes",
    "groups": "20 Newsgroups, 18 groups",
    "webkb": "WebKB, 4 classes",
    "debian6": "Debian, 6 sections",
    "demo": "built-in corpus, 12 packages",
    "lines": "first lines of the built-in corpus, 12 packages",
    "titles": "Reuters titles, 7 classes",
    "subjects": "subjects of 20 Newsgroups, 18 groups",
    "keywords": "synopses with one of 24 words",
    "kinds": "synopses of 20 sections",
    "leads": "first 25 words of Reuters stories, 7 classes",
    "excerpts": "20 words of Reuters stories, 7 classes",
    "topics": "Reuters-21578, 20 classes",
    "beginnings": "first 15 words of Debian descriptions, 8 sections",
    "german": "Debian in German, 8 sections",
    "french": "Debian in French, 8 sections",
    "spanish": "Debian in Spanish, 8 sections",
    "windows20": "20 words of 20 Newsgroups, 7 groups",
    "windows60": "60 words of 20 Newsgroups, 7 groups",
    "computers": "20 Newsgroups, 5 groups on computers",
    "debates": "20 Newsgroups, 6 groups of debates",
    "leisure": "20 Newsgroups, 4 groups on leisure",
    "sciences": "20 Newsgroups, 4 groups on sciences, 150 each",
    "stems": "synopses by 89 beginnings of names",
    "words": "synopses with one of 20 words",
}
RUNS = {
    "benchmarks/results/quality.json": "python benchmarks/quality.py reuters news webkb groups",
    "benchmarks/results/peers.json": (
        "python benchmarks/peers.py demo debian6 reuters webkb five groups"
    ),
}
LIBRARY = {"benchmarks/results/peers.json": {"lda": "tomotopy's LDA, not this one"}}
"""Rows of another program under the name of a method."""
PAPERS = {  # name of the method in the published tables that have it
    "ext-plsa": {"pessiot-table5": "Ext-PLSA"},
    "mm": {"pessiot-table5": "MM"},
    "plsa": {"pessiot-table5": "PLSA"},
    "c-mm": {"pessiot-table5": "C-MM"},
    "p-mm": {"pessiot-table5": "P-MM"},
    "c-plsa": {"pessiot-table5": "C-PLSA"},
    "p-plsa": {"pessiot-table5": "P-PLSA"},
    "2plsa": {"wang-table2": "2PLSA"},
    "itcc": {"wang-table2": "ITCC", "grimal-table2": "ITCC"},
    "ldcc": {"wang-table2": "LDCC"},
    "bvd": {"grimal-table2": "BVD"},
    "rsn": {"grimal-table2": "RSN"},
    "cosine": {"grimal-table2": "Cosine", "grimal-table3": "Cosine"},
    "lsa": {"grimal-table2": "LSA", "grimal-table3": "LSA"},
    "snos": {"grimal-table2": "SNOS", "grimal-table3": "SNOS"},
    "ctk": {"grimal-table2": "CTK", "grimal-table3": "CTK"},
    "chi-sim": {"grimal-table2": "χ-Sim", "grimal-table3": "χ-Sim"},
    "chi-sim-p": {"grimal-table2": "χ-Sim p", "grimal-table3": "χ-Sim p"},
    "chi-sim-k": {"grimal-table2": "χ-Sim 0.8", "grimal-table3": "χ-Sim 0.8"},
    "chi-sim-pk": {"grimal-table2": "χ-Sim 0.8 p", "grimal-table3": "χ-Sim 0.8 p"},
    "voted-plsa": {"kim-table2": "voted-PLSA"},
    "conc-plsa": {"kim-table2": "conc-PLSA"},
    "fusion-lm": {"kim-table2": "Fusion-LM"},
}
MEASURES = {"precision": "AP", "nmi": "NMI", "recall": "recall", "f1": "F1"}


def slug(heading: str) -> str:
    """The anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@cache
def bibliography() -> dict[str, str]:
    """The anchor of each short citation."""
    text = (ROOT / "docs/bibliography.md").read_text(encoding="utf-8")
    return {heading: slug(heading) for heading in re.findall(r"^### (.*)$", text, re.MULTILINE)}


def reference(method: Method) -> str:
    """A link to the full reference, or to the page of a method that is our own."""
    if method.name == "auto":
        return "this library; [its parts](../automatic.md) name their sources"
    anchor = next(a for name, a in bibliography().items() if name.startswith(method.reference))
    return f"[{method.reference}](../bibliography.md#{anchor})"


@cache
def when(path: str) -> str:
    """The day on which these figures were committed, where git knows it."""
    ask = ["git", "-C", str(ROOT), "log", "-1", "--format=%cs", "--", path]
    try:
        done = subprocess.run(ask, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f", {done.stdout.strip()}" if done.stdout.strip() else ""


@cache
def runs(path: str) -> dict[str, dict[str, list[list[float]]]]:
    """The runs of a benchmark: by collection and method, a list of scores a seed."""
    result: dict[str, dict[str, list[list[float]]]] = {}
    for key, scores in json.loads((ROOT / path).read_text(encoding="utf-8")).items():
        method, collection, *seed = key.split("|")
        if seed:  # else it is a time, not a run
            result.setdefault(collection, {}).setdefault(method, []).append(scores)
    return result


@cache
def item(name: str) -> dict:
    """A published table as computed again."""
    return json.loads((ROOT / f"docs/results/{name}.json").read_text(encoding="utf-8"))


def number(values: Iterable[float]) -> str:
    """Mean and standard deviation."""
    values = list(values)
    return plus_minus(mean(values), stdev(values)) if len(values) > 1 else f"{values[0]:.3f}"


def plus_minus(middle: float, deviation: float) -> str:
    """A mean with its deviation, on one line."""
    return f"{middle:.3f}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{deviation:.3f}"


def table(headings: list[str], rows: list[list[str]]) -> list[str]:
    """The lines of a table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def benchmark(path: str, name: str) -> Iterator[str]:
    """How a method did in a benchmark, beside the best there."""
    rows = []
    most = max(len(each) for methods in runs(path).values() for each in methods.values())
    for collection, methods in runs(path).items():
        if name not in methods or len(methods) == 1:
            continue
        ours = METHODS.keys() - LIBRARY.get(path, {}).keys()
        known = {each: scores for each, scores in methods.items() if each in ours}
        nmi = {each: mean(s[1] for s in scores) for each, scores in known.items()}
        best = max(nmi, key=nmi.__getitem__)
        place = sorted(nmi.values(), reverse=True).index(nmi[name]) + 1
        mine = known[name]
        few = "" if len(mine) == most else f" ({len(mine)} seed{'s' if len(mine) > 1 else ''})"
        rows.append([
            COLLECTIONS[collection] + few, *(number(s[i] for s in mine) for i in range(2)),
            f"{mean(s[3] for s in mine):.1f}", f"{place} of {len(nmi)}",
            f"{nmi[best]:.3f} ({best})",
        ])  # fmt: skip
    if rows:
        yield f"`{RUNS[path]}`{when(path)}: means ± standard deviations over {most}"
        yield "seeds where not said otherwise. Seconds are those of one fit on one thread; the"
        yield "place is by NMI, among our methods in the same run."
        yield ""
        headings = ["collection", "AP", "NMI", "seconds", "place", "best NMI"]
        yield from table(headings, rows)
        yield ""


def paper(name: str, called: str) -> Iterator[str]:
    """How a method did in a published table, and what was published."""
    rows, measures = [], []
    for part in item(name)["tables"]:
        for record in part["records"]:
            if record.get("name") != called:
                continue
            measures = [each for each in MEASURES if each in record]
            row = [part["title"] + (f" ({record['note']})" if record.get("note") else "")]
            for each in measures:
                score = record[each]
                row.append(plus_minus(score["mean"], score["deviation"]))
                row.append("" if score["published"] is None else f"{score['published']:.2f}")
            rows.append([*row, str(record["runs"])])
    headings = ["", *(h for each in measures for h in (MEASURES[each], "published")), "runs"]
    yield f"`coterie reproduce {name}`{when(f'docs/results/{name}.json')}: as “{called}” on the"
    yield f"page of [{name}](../results/{name}.md), which says what was chosen how."
    yield ""
    yield from table(headings, rows)
    yield ""


def scores(name: str) -> Iterator[str]:
    """All that was measured of a method."""
    for path in RUNS:
        if name not in LIBRARY.get(path, {}):
            yield from benchmark(path, name)
    for each, called in PAPERS.get(name, {}).items():
        yield from paper(each, called)


def abilities(method: Method) -> Iterator[str]:
    """What a method can do beyond fitting."""
    yield "clusters of words beside those of documents" if method.has_word_clusters else ""
    yield "needs several views" if method.needs_views else ""
    yield "takes several views too" if method.takes_views and not method.needs_views else ""
    yield "learns in batches (`--online`)" if method.learns_online else ""
    yield "continues from a checkpoint" if method.resumes else ""


def facts(method: Method) -> Iterator[str]:
    """The head of a method's page."""
    yield f"*{method.title[0].upper()}{method.title[1:]}.*"
    yield ""
    can = "; ".join(filter(None, abilities(method)))
    rows = [
        ["good for", method.good_for],
        ["class", f"{{py:class}}`coterie.{type(method.make(2)).__name__}`"],
        ["command", f"`coterie cluster PATH --method {method.name}`"],
        ["reference", reference(method)],
        *([["can", can]] if can else []),
    ]
    yield from table(["", ""], rows)


def all_methods() -> Iterator[str]:
    """The table of all methods."""
    rows = [
        [f"[`{each.name}`]({each.name}.md)", each.title, each.good_for, reference(each)]
        for each in METHODS.values()
    ]
    yield from table(["method", "what it is", "good for", "reference"], rows)
