"""What a model tells of its choices is said in a sentence and drawn."""

import dataclasses
import json
import re

import numpy as np
import pytest

from coterie.automatic.number import scores
from coterie.report import render, summarize
from coterie.report.console import remark_table
from coterie.report.figures import calibration_chart, number_chart
from coterie.report.remarks import about_calibration, about_number, remarks
from coterie.report.trust import Calibration, NumberOfClusters, calibration, number_of_clusters

CURVE = {
    "k": [2, 3, 4, 6],
    "modularity": [0.2, 0.4, 0.5, 0.4],
    "concord": [0.5, 0.9, 0.8, 0.7],
    "stability": [0.9, 0.8, 0.8, 0.5],
}
BINS = {"said": [0.25, 0.79, 0.97], "seen": [0.4, 0.78, 0.96], "n": [10, 100, 90]}


@pytest.fixture
def telling(model):
    model.n_clusters_curve_, model.calibration_ = CURVE, BINS
    return model


def test_the_score_is_that_by_which_the_number_was_chosen(telling):
    number = number_of_clusters(telling, 3)
    assert number.scores == pytest.approx(scores(CURVE))
    best = CURVE["k"][int(np.argmax(scores(CURVE)))]
    assert number.best == best
    assert about_number(number_of_clusters(telling, best)).endswith("is the highest")


def test_the_sentence_says_how_near_the_chosen_number_is_to_the_best():
    number = NumberOfClusters(3, (2, 3, 4), (0.1, 0.36, 0.4), {"modularity": (0.1, 0.36, 0.4)})
    assert number.share_of_best == pytest.approx(0.9)
    assert about_number(number).endswith("is 90.0% of the highest, that of 4")
    near = dataclasses.replace(number, near=(3, 4))
    assert about_number(near).endswith("up to 4 would do nearly as well, most of all 4")
    flat = dataclasses.replace(near, scores=(0.1, 0.4, 0.4))
    assert about_number(flat).endswith("is the highest; up to 4 would do nearly as well")


def test_numbers_near_the_best_are_told_with_the_chosen(model):
    model.n_clusters_curve_ = CURVE | dict.fromkeys(("concord", "stability"), [0.8] * 4)
    model.n_clusters_curve_["modularity"] = [0.2, 0.5, 0.5, 0.51]
    number = number_of_clusters(model, 3)
    assert number.near == (3, 4, 6)
    said = about_number(number)
    assert "their modularity, concord and stability score" in said
    assert said.endswith("; up to 6 would do nearly as well, most of all 6")


def test_a_number_that_was_not_tried_is_told_without_a_score(telling):
    assert about_number(number_of_clusters(telling, 5)) == "5 clusters, of 2 to 6 tried"


def test_the_sentence_is_of_the_range_nearest_to_80_with_many_documents(telling):
    said = about_calibration(calibration(telling))
    assert said.startswith("of 100 documents said at 79%, 78% were found again")
    assert said.endswith("2 points apart on average")
    few = Calibration((0.8, 0.9), (0.5, 0.9), (1, 99))
    assert "99 documents said at 90%" in about_calibration(few)


def test_the_gap_is_weighted_by_documents(telling):
    expected = (10 * 0.15 + 100 * 0.01 + 90 * 0.01) / 200
    assert calibration(telling).gap == pytest.approx(expected)


@pytest.mark.parametrize(
    "empty", [None, {}, {"k": [], "modularity": [], "said": [], "seen": [], "n": []}]
)
def test_models_that_do_not_tell_have_none(model, corpus, empty):
    if empty is not None:
        model.n_clusters_curve_ = model.calibration_ = empty
    summary = summarize(model, corpus, method="m")
    assert summary.number is None
    assert summary.calibration is None
    assert "How sure this is" not in render(summary)
    assert [about for about, _ in remarks(summary)] == ["Doubtful"]


def test_the_page_draws_both_and_says_what_they_mean(telling, corpus):
    summary = summarize(telling, corpus, method="m")
    html = render(summary)
    assert "How sure this is" in html
    section = html.split("How sure this is")[1].split("</section>")[0]
    assert section.count("<circle") == len(CURVE["k"]) + len(BINS["n"])
    assert len(re.findall(r'<circle[^>]* class="chosen"', section)) == 1
    assert f"3 clusters: {scores(CURVE)[1]:.3f}" in section
    assert "said 79%, seen 78%" in section
    plain = summary.to_json()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["calibration"]["seen"] == BINS["seen"]
    assert plain["number"]["tried"] == CURVE["k"]


def test_the_terminal_says_it_in_a_line_each(telling, corpus):
    table = remark_table(summarize(telling, corpus, method="m"))
    assert list(table.columns[0].cells) == ["Number", "Probabilities", "Doubtful"]


def test_a_curve_of_one_number_or_of_no_finite_score_is_not_drawn(telling):
    assert number_chart(NumberOfClusters(2, (2,), (0.1,), {"modularity": (0.1,)})) is None
    telling.n_clusters_curve_ = CURVE | {"concord": [0.5, np.nan, 0.8, 0.7]}
    assert number_of_clusters(telling, 3) is None


def test_labels_of_the_axis_leave_room_for_the_chosen_number():
    def labels(chosen):
        tried = tuple(range(2, 41))
        chart = number_chart(NumberOfClusters(chosen, tried, tuple(map(float, tried)), {}))
        return [dot.label for dot in chart.dots if dot.label]

    assert labels(12) == ["2", "12", "40"]
    assert labels(3) == ["3", "40"]


def test_dots_lie_on_the_diagonal_where_what_was_said_was_seen():
    chart = calibration_chart(Calibration((0.3, 0.9), (0.3, 0.9), (5, 5)))
    assert all(dot.x == pytest.approx(chart.height - dot.y) for dot in chart.dots)
