"""Means, deviations, marks and verdicts of ours beside published."""

import numpy as np
import pytest

from coterie.evaluation import mark
from coterie_papers.comparison import (
    Row,
    above,
    as_published,
    compare,
    shown,
    significantly_above,
    verdicts,
)
from coterie_papers.items import Value

LOW, HIGH = [0.41, 0.44, 0.39, 0.40, 0.42], [0.51, 0.55, 0.50, 0.58, 0.53]
MEASURES = {"precision": "AP", "nmi": "NMI"}


def row(group, name, scores, published=None, **more):
    runs = [{"precision": s, "nmi": 1 - s, "seconds": 2.0} for s in scores]
    return Row(group, name, runs, published or {}, **more)


@pytest.fixture
def rows():
    return [
        row("tea", "MM", LOW, {"precision": Value(0.5, worse=True)}),
        row("tea", "PLSA", HIGH, {"precision": Value(0.6)}, note="10 concepts"),
        row("rum", "MM", HIGH),
        row("rum", "PLSA", LOW),
    ]


def test_a_table_for_each_group_has_ours_with_marks_beside_published(rows):
    tea, rum = compare(rows, MEASURES, 0.01)
    assert (tea.title, rum.title) == ("tea", "rum")
    assert tea.headings == ["method", "AP", "AP published", "NMI", "NMI published",
                            "seconds", "runs"]  # fmt: skip
    mean, deviation = np.mean(LOW), np.std(LOW, ddof=1)
    assert tea.rows[0][:3] == ["MM", f"{mean:.3f} ± {deviation:.3f} ↓", "0.50 ↓"]
    assert tea.rows[1][0] == "PLSA (10 concepts)"
    assert "↓" not in tea.rows[1][1]
    assert tea.rows[1][3].endswith("↓")
    assert rum.rows[1][1].endswith("↓")
    assert tea.rows[0][-2:] == ["2", "5"]


def test_marks_are_those_of_the_rank_sum_test_at_the_level(rows):
    (tea, _) = compare(rows, MEASURES, 0.001)
    assert not any("↓" in line[1] for line in tea.rows)
    assert mark({"MM": LOW, "PLSA": HIGH}, 0.01)["MM"]
    assert not mark({"MM": LOW, "PLSA": HIGH}, 0.001)["MM"]


def test_records_hold_the_numbers(rows):
    (tea, _) = compare(rows, MEASURES, 0.01)
    record = tea.records[0]
    assert record["precision"]["mean"] == pytest.approx(np.mean(LOW))
    assert record["precision"]["published"] == 0.5
    assert record["precision"]["worse"]
    assert record["runs"] == 5


def test_one_run_has_neither_deviation_nor_mark():
    (only,) = compare([row("tea", "MM", [0.4]), row("tea", "PLSA", [0.9])], MEASURES, 0.05)
    assert only.rows[0][1] == "0.400"
    assert shown(0.5) == "0.500"


def test_seconds_are_shown_where_all_runs_have_them(rows):
    assert compare(rows, MEASURES, 0.01)[0].records[0]["seconds"] == 2.0
    untimed = [Row("tea", "MM", [{"precision": 0.5, "nmi": 0.1}], {})]
    (only,) = compare(untimed, MEASURES, 0.01)
    assert only.headings[-2:] == ["NMI published", "runs"]
    assert len(only.rows[0]) == len(only.headings)


def test_verdicts_are_given_for_every_group_and_measure(rows):
    assert above(rows, "PLSA", "MM", MEASURES) == {
        "tea, AP": True, "rum, AP": False, "tea, NMI": False, "rum, NMI": True,
    }  # fmt: skip
    assert verdicts(rows, ("MM", "LDA"), "precision", float.__gt__) == {}


def test_significance_is_that_of_the_rank_sum_test_at_the_level(rows):
    both = {"tea, AP": True, "rum, AP": False}
    assert significantly_above(rows, "PLSA", "MM", {"precision": "AP"}, 0.01) == both
    strict = significantly_above(rows, "PLSA", "MM", {"precision": "AP"}, 0.001)
    assert strict == {"tea, AP": False, "rum, AP": False}
    single = [row("tea", "MM", [0.1]), row("tea", "PLSA", HIGH)]
    assert significantly_above(single, "PLSA", "MM", MEASURES, 0.01) == {}


def test_methods_compare_as_published_where_means_or_ties_do():
    def verdict(ours, published):
        names = ("PLSA", "MM")
        made = [
            row("tea", name, scores, {"precision": Value(value)})
            for name, scores, value in zip(names, ours, published, strict=True)
        ]
        return as_published(made, *names, {"precision": "AP"}, 0.01)["tea, AP"]

    assert verdict((HIGH, LOW), (0.6, 0.5))
    assert not verdict((LOW, HIGH), (0.6, 0.5))
    assert verdict((LOW, HIGH), (0.5, 0.6))
    assert verdict((HIGH, LOW), (0.5, 0.5))
    assert verdict((LOW, LOW), (0.5, 0.5))
    assert not verdict((LOW, HIGH), (0.5, 0.5))
    assert verdict((LOW[:1], LOW[:1]), (0.5, 0.5))


def test_rows_of_ours_are_neither_marked_nor_compared_with(rows):
    ours = row("tea", "ours: auto", [score + 0.3 for score in HIGH])
    (tea, _) = compare([*rows[:2], ours, *rows[2:]], MEASURES, 0.01)
    assert not any("↓" in text for text in tea.rows[2])
    assert "↓" not in tea.rows[1][1]
    assert "↓" in tea.rows[0][1]
