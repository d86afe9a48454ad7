"""Sheets as files: pages in Markdown, data in JSON, pictures in SVG, and an index."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from coterie_papers.items import (
    PAPERS,
    Chart,
    Claim,
    Grid,
    Item,
    Matrix,
    Part,
    Scope,
    Sheet,
    count_held,
    summarize,
)
from coterie_papers.pictures import line_chart, matrix_picture

INDEX = "README.md"
HEADINGS = (
    "item",
    "content",
    "ours (published)",
    "statements of the paper that hold",
    "of ours",
)


def write_sheet(
    folder: Path, item: Item, scope: Scope, sheet: Sheet, cells: Iterable[Any] = ()
) -> list[Path]:
    """Write the page, data and pictures of one item over older ones; return the files.

    `cells` are the saved records of the cells it was made of, which its data keep.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for part in sheet.parts:
        if isinstance(part, Chart | Matrix):
            picture = line_chart(part) if isinstance(part, Chart) else matrix_picture(part)
            written.append(_write(folder / _picture(item, part), picture))
    written.append(_write(folder / f"{item.name}.md", markdown(item, scope, sheet)))
    content = json.dumps(_data(item, scope, sheet), indent=1, ensure_ascii=False)
    lines = [json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in cells]
    listed = ",\n".join(lines)
    content = f'{content.removesuffix("}").rstrip()},\n "cells": [\n{listed}\n]}}\n'
    written.append(_write(folder / f"{item.name}.json", content))
    return written


def markdown(item: Item, scope: Scope, sheet: Sheet) -> str:
    """The page of one item; where corpora are substitutes, its first line says so."""
    lines = [f"{sheet.substitute}\n"] if sheet.substitute else []
    lines.append(f"# {item.name}: {item.title}\n")
    quick = ", a quick run on samples" if scope.quick else ""
    lines.append(f"{PAPERS[item.paper]}, {item.where}. `{_command(item, scope)}`{quick}.\n")
    for part in sheet.parts:
        lines.append(_part(item, part))
    if sheet.claims:
        lines.append(what_holds(sheet.claims))
    if sheet.notes:
        lines += ["## Notes\n", *(f"- {note}" for note in sheet.notes), ""]
    return "\n".join(lines)


def what_holds(claims: Sequence[Claim]) -> str:
    """The section of a page on the claims: how many hold, then each with its verdict."""
    verdicts = [_claim(claim) for claim in claims]
    return "\n".join(["## What holds\n", f"{summarize(claims)}\n", *verdicts, ""])


def _command(item: Item, scope: Scope) -> str:
    runs = f" --runs {scope.runs}" if scope.runs != item.runs and not scope.quick else ""
    return f"coterie reproduce {item.name}{' --quick' if scope.quick else ''}{runs}"


def _part(item: Item, part: Part) -> str:
    if isinstance(part, str):
        return f"{part}\n"
    if isinstance(part, Grid):
        title = f"## {part.title}\n\n" if part.title else ""
        return title + grid(part.headings, part.rows) + "\n"
    return f"![{part.title}]({_picture(item, part)})\n"


def grid(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown.

    Examples
    --------
    >>> print(grid(["a", "b"], [["1", "2|3"]]))
    | a | b |
    |---|---|
    | 1 | 2\\|3 |
    <BLANKLINE>
    """
    lines = [headings, ["---"] * len(headings), *rows]
    text = [
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    ]
    text[1] = text[1].replace(" ", "")
    return "\n".join(text) + "\n"


def _claim(claim: Claim) -> str:
    text = f"(ours) {claim.text}" if claim.ours else claim.text
    held = [name for name, holds in claim.verdicts.items() if holds]
    missed = [name for name, holds in claim.verdicts.items() if not holds]
    if not missed:
        return f"- holds: {text}"
    why = f". {claim.reason}" if claim.reason else ""
    if not held:
        return f"- does not hold: {text}{why}"
    where = f"holds for {'; '.join(held)}; not for {'; '.join(missed)}"
    return f"- holds in part: {text} ({where}){why}"


def write_index(folder: Path, items: Sequence[Item]) -> Path:
    """Write the page that lists every item of the folder: values and claims."""
    rows, pages, everything = [], [], list[Claim]()
    for item in items:
        file = folder / f"{item.name}.json"
        if not file.is_file():
            rows.append([item.name, item.title, "not run", "", ""])
            continue
        data = json.loads(file.read_text(encoding="utf-8"))
        claims = [Claim(**claim) for claim in data["claims"]]
        counts = [count_held(claims, ours=False), count_held(claims, ours=True)]
        quick = " (quick)" if data["quick"] else ""
        link = f"[{item.name}]({item.name}.md){quick}"
        rows.append([link, item.title, data["headline"], *counts])
        pages += _index_claims(item, data, claims)
        everything += claims
    parts = [
        "# The published tables and figures, computed again\n",
        "`coterie reproduce all` writes these pages; `coterie reproduce` lists the collections "
        "that each item needs. An item is named after its paper: "
        + "; ".join(f"`{name}` is {citation}" for name, citation in PAPERS.items())
        + ".\n",
        "Our scores are means over the runs of a page, with the sample standard deviation "
        "after ±. ↓ marks a score that the rank-sum test, at the paper's level, finds worse "
        "than the best. Seconds are those of one thread. `auto` is the default method of "
        "Coterie, which combines methods of the papers. Rows and statements marked as ours are "
        "not in the papers. The last columns count the statements that hold on all "
        "collections they are tested on, the paper's and ours apart.\n",
        grid(HEADINGS, rows),
        "## What holds and what does not\n",
        f"{summarize(everything)}\n".replace("the paper", "the papers"),
        *pages,
    ]
    return _write(folder / INDEX, "\n".join(parts) + "\n")


def _index_claims(item: Item, data: Mapping[str, Any], claims: Sequence[Claim]) -> list[str]:
    if not claims:
        return []
    lines = [f"### [{item.name}]({item.name}.md): {item.title}\n"]
    if data["substitute"]:
        lines.append(f"{data['substitute']}\n")
    lines += [_claim(claim) for claim in claims]
    lines += [f"- note: {note}" for note in data["notes"]]
    return [*lines, ""]


def _data(item: Item, scope: Scope, sheet: Sheet) -> dict[str, Any]:
    return {
        "item": item.name,
        "title": item.title,
        "where": item.where,
        "substitute": sheet.substitute,
        "quick": scope.quick,
        "runs": scope.runs,
        "level": item.level,
        "headline": sheet.headline,
        "claims": [asdict(claim) for claim in sheet.claims],
        "notes": sheet.notes,
        "tables": [
            {"title": part.title, "records": list(part.records)}
            for part in sheet.parts
            if isinstance(part, Grid) and part.records
        ],
        "charts": [asdict(part) for part in sheet.parts if isinstance(part, Chart)],
    }


def _picture(item: Item, part: Chart | Matrix) -> str:
    return f"{item.name}-{part.name}.svg"


def _write(file: Path, text: str) -> Path:
    temporary = file.with_name(file.name + ".part")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, file)
    return file
