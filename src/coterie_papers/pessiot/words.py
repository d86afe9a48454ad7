"""Tables 1 and 2 of Pessiot et al.: proportions of classes, clusters of terms."""

from typing import Any

from coterie_papers.cells import Cell, Results, cell
from coterie_papers.items import Claim, Grid, Scope, Sheet
from coterie_papers.pessiot import published
from coterie_papers.pessiot.setup import collections, substitute


def plan_table1(scope: Scope) -> list[Cell]:
    """The shape of each corpus; whole, as reading is all there is to do."""
    whole = Scope(scope.runs, quick=False)
    return [cell("clustering.shape", corpus, "-") for corpus in collections(whole).values()]


def present_table1(scope: Scope, results: Results) -> Sheet:
    """Proportions of the classes."""
    parts: list[Grid] = []
    verdicts = {}
    for title, each in zip(published.COLLECTIONS, plan_table1(scope), strict=True):
        found = results[each]
        documents, words = published.SIZES[title]
        theirs = published.PROPORTIONS[title]
        ours = dict(found["classes"])
        rows = [
            ["documents", f"{found['documents']:,}", f"{documents:,}" if documents else ""],
            ["words", f"{found['words']:,}", f"{words:,}"],
        ]
        records: list[dict[str, Any]] = []
        for name, share in theirs.items():
            mine = ours.pop(published.OUR_CLASSES.get(name, name), None)
            mine = None if mine is None else 100 * mine
            rows.append([f"{name}, %", "" if mine is None else f"{mine:.1f}", f"{share}"])
            records.append({"class": name, "ours": mine, "published": share})
        rows += [[f"class {name}, %", f"{100 * share:.1f}", ""] for name, share in ours.items()]
        known = [record for record in records if record["ours"] is not None]
        if known:
            verdicts[title] = all(abs(r["ours"] - r["published"]) < 1.5 for r in known)
        parts.append(Grid(["", "ours", "published"], rows, records, title=title))
    claims = [Claim("the classes have the published proportions, to 1.5 points", verdicts)]
    held = ", ".join(name for name, holds in verdicts.items() if holds) or "none"
    return Sheet([*parts], claims, substitute(), f"proportions agree: {held}")


def plan_table2(scope: Scope) -> list[Cell]:
    """Concepts by CEM on two collections."""
    chosen = collections(scope)
    return [
        cell("words.concepts", chosen[title], "cem", words=published.CONCEPTS[title], seconds=5)
        for title in published.TERM_CLUSTERS
    ]


def present_table2(scope: Scope, results: Results) -> Sheet:
    """For each published cluster of terms, the one of ours that has most of its words."""
    rows, records, verdicts = [], [], {}
    for each, (title, clusters) in zip(
        plan_table2(scope), published.TERM_CLUSTERS.items(), strict=True
    ):
        found = results[each]["concepts"]
        for number, theirs in enumerate(clusters, start=1):
            ours = max(found, key=lambda concept: len(set(concept["words"]) & set(theirs)))
            known = set().union(*(concept["words"] for concept in found)) & set(theirs)
            shared = [word for word in theirs if word in ours["words"]]
            top = " ".join(ours["top"])
            rows.append([title, " ".join(theirs), top, f"{len(shared)} of {len(known)}"])
            records.append({"collection": title, "published": theirs, "ours": ours["top"],
                            "shared": shared, "known": len(known)})  # fmt: skip
            verdicts[f"{title}, cluster {number}"] = 2 * len(shared) > len(known)
    headings = ["collection", "published", "ours, most distinctive", "published words in ours"]
    note = (
        "CEM has the prior 1.1; without a prior it stops early at a poor optimum. Only "
        "published words that are in our vocabulary are counted."
    )
    claims = [Claim("one of our clusters has most words of a published cluster", verdicts)]
    shares = ", ".join(row[-1] for row in rows)
    return Sheet([Grid(headings, rows, records), note], claims, "",
                 f"published words in one of our clusters: {shares}")  # fmt: skip
