"""The tables of Wang: what is counted, what is tried, what is told."""

import numpy as np
import pytest

from coterie_papers.cells import cell, compute
from coterie_papers.comparison import OURS
from coterie_papers.items import Scope
from coterie_papers.running import item
from coterie_papers.wang import published, table2, tables

SCOPE = Scope(2)


def made_up(each, scores):
    soft = scores.get((each.corpus, each.method, each.setting("words")), [0.5, 0.5, 0.5])
    found = dict(zip(table2.MEASURES, soft, strict=True))
    return {**found, "hard": [0.6, 0.6, 0.6], "seconds": 5.0 if each.method == "ldcc" else 1.0}


def sheet_of(scores):
    cells = item("wang-table2").plan(SCOPE)
    results = {each: made_up(each, scores) for each in cells}
    return table2.present_table2(SCOPE, results)


def claim_of(sheet, text):
    (claim,) = [claim for claim in sheet.claims if claim.text == text]
    return claim


@pytest.mark.usefixtures("planted")
def test_an_even_random_partition_has_the_precision_of_chance():
    cells = [cell("wang.partitions.even", "nine-groups", "even", seed, clusters=15)
             for seed in range(20)]  # fmt: skip
    found = [compute(each) for each in cells]
    assert np.mean([run["precision"] for run in found]) == pytest.approx(0.25, abs=0.03)
    assert np.mean([run["recall"] for run in found]) == pytest.approx(7 / 119, abs=0.01)


def test_both_numbers_of_topics_are_shown_on_even_and_on_skewed_classes():
    sheet = sheet_of({})
    titles = [part.title for part in sheet.parts[1:]]
    assert titles == ["15 topics", "20 topics", "15 topics, skewed classes",
                      "20 topics, skewed classes"]  # fmt: skip
    rows = {row[0]: row for row in sheet.parts[3].rows}
    assert rows["ITCC"][2] == "0.3106"
    assert rows[f"{OURS}2PLSA, pairs by label"][1].startswith("0.600")
    assert rows["2PLSA"][1].startswith("0.500")
    assert table2.RANDOM in rows
    assert "584, 310" in sheet.substitute


def test_the_lowest_recall_is_below_both_others():
    low = {("nine-groups", "itcc", 50): [0.5, 0.1, 0.2]}
    low |= {("nine-groups-skewed", "itcc", 50): [0.5, 0.4, 0.2],
            ("nine-groups-skewed", "2plsa", 50): [0.5, 0.3, 0.2]}  # fmt: skip
    claim = claim_of(sheet_of(low), "ITCC has the lowest recall")
    assert claim.verdicts == {
        "15 topics, recall": True, "20 topics, recall": True,
        "15 topics, skewed classes, recall": False, "20 topics, skewed classes, recall": False,
    }  # fmt: skip
    assert "0.3106/0.0744 with 15 and 0.3106/0.0616 with 20 topics" in claim.reason
    assert "an even random partition 0.50/0.50" in claim.reason


def test_the_nearest_trial_of_itcc_is_named():
    near = {("nine-groups-skewed", "itcc", 200): [0.31, 0.07, 0.1]}
    results = {each: made_up(each, near) for each in item("wang-table2").plan(SCOPE)}
    for each, scores in results.items():
        if each.setting("words") == 200 and each.corpus == "nine-groups-skewed":
            scores["hard"] = [0.31, 0.0744, 0.1]
    reason = claim_of(
        table2.present_table2(SCOPE, results), "ITCC has the lowest recall"
    ).reason
    assert "“ITCC, 200 word clusters, pairs by label” comes nearest" in reason
    assert "for 15 topics, skewed classes" in reason


def test_time_is_a_statement_of_the_paper():
    claim = claim_of(sheet_of({}), "2PLSA takes less time than LDCC")
    assert claim.holds
    assert not claim.ours


def test_reasons_and_notes_have_the_values():
    sheet = sheet_of({("nine-groups-skewed", "2plsa", 50): [0.4, 0.3, 0.35]})
    reason = claim_of(sheet, "2PLSA has a higher F1 than ITCC").reason
    assert "above in 0 of 4 tables" in reason
    assert "by label, as those of ITCC are: then it is above in 4 of 4" in reason
    notes = " ".join(sheet.notes)
    assert "0.3856/0.7038/0.4883" in notes
    assert "2PLSA 0.40/0.30/0.35" in notes
    assert "fewer than three messages" in notes


def test_trials_are_of_the_corpora_and_methods_they_name():
    cells = item("wang-table2").plan(SCOPE)
    assert {each.corpus for each in cells} == {"nine-groups", "nine-groups-skewed"}
    one = [each for each in cells if each.setting("max_iter") == 1]
    assert {each.method for each in one} == {"itcc"}
    few = {(each.method, each.setting("words")) for each in cells}
    assert {("2plsa", 2), ("2plsa", 5), ("itcc", 5), ("itcc", 200), ("even", None)} <= few


def test_table_1_tells_how_many_clusters_it_chooses_from():
    results = {}
    for each in tables.plan_table1(SCOPE):
        best = ["imag", "graphic", "file"][: 3 - each.seed]
        results[each] = {"topics": [[*best, "tea"], ["rum"]]}
    sheet = tables.present_table1(SCOPE, results)
    (first, *_), (second, *_) = sheet.parts[1].rows, sheet.parts[2].rows
    assert first[3:] == second[3:] == ["3 of 5", "2.5"]
    assert "one of 100 word clusters, 50 from each of 2 starts" in sheet.notes[0]
    assert "2.5, 0.0" in sheet.notes[0]
    assert sheet.claims[0].verdicts["comp.graphics"]
    assert not sheet.claims[0].verdicts["sci.space"]
    assert len(published.TOPICS) == len(sheet.parts[1].rows)


def test_figure_1_says_that_its_blocks_are_matched():
    (each,) = tables.plan_figure1(SCOPE)
    found = {"shape": [3, 4], "contrast": [0.5, 1.0], "before": [[0]], "after": [[1]]}
    sheet = tables.present_figure1(SCOPE, {each: found})
    assert "the paper does not match them" in sheet.parts[1]
    assert "fewer than three messages" in sheet.notes[0]
