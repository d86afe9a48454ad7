"""The number of clusters and the calibration are said in sentences and drawn."""

import dataclasses
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

from coterie.automatic.number import scores
from coterie.findings import summarize
from coterie.findings.trust import (
    CalibrationCurve,
    NumberOfClusters,
    read_calibration,
    read_number_of_clusters,
)
from coterie.report import render
from coterie.report.console import remark_table
from coterie.report.figures import calibration_chart, number_chart
from coterie.report.remarks import about_calibration, about_measures, about_number, remarks

CURVE = {
    "n_clusters": [2, 3, 4, 6],
    "modularity": [0.2, 0.4, 0.5, 0.4],
    "agreement": [0.5, 0.9, 0.8, 0.7],
    "stability": [0.9, 0.8, 0.8, 0.5],
}
BINS = {"predicted": [0.25, 0.79, 0.97], "observed": [0.4, 0.78, 0.96], "n": [10, 100, 90]}


@pytest.fixture
def reporting(model):
    model.n_clusters_curve_, model.calibration_ = CURVE, BINS
    return model


def test_the_score_is_that_by_which_the_number_was_chosen(reporting):
    number = read_number_of_clusters(reporting, 3)
    assert number.scores == pytest.approx(scores(CURVE))
    best = CURVE["n_clusters"][int(np.argmax(scores(CURVE)))]
    assert number.best == best
    assert about_number(read_number_of_clusters(reporting, best)).startswith(
        f"{best} clusters score highest."
    )


def test_the_sentence_says_how_near_the_chosen_number_is_to_the_best():
    scores = (0.1, 0.36, 0.4)
    number = NumberOfClusters(3, (2, 3, 4), scores, {"modularity": scores}, near=(3, 4))
    assert number.share_of_best == pytest.approx(0.9)
    assert about_number(number) == (
        "3 clusters score nearly as well as 4 (90 %) and are fewer. 2 to 4 clusters were tried."
    )
    flat = dataclasses.replace(number, scores=(0.1, 0.4, 0.4), near=(3, 4))
    assert about_number(flat).startswith(
        "3 clusters score highest. Up to 4 clusters score nearly as well. "
    )
    few = dataclasses.replace(number, near=(4,))
    assert about_number(few).startswith("3 clusters score lower than 4 (90 %). ")
    worse = dataclasses.replace(number, scores=(0.5, 0.4, 0.3))
    assert about_number(worse).startswith("3 clusters score lower than 2 (80 %). ")
    hollow = dataclasses.replace(number, n_left_out=1)
    assert "fewer. 1 of them holds no document. 2 to" in about_number(hollow)


def test_numbers_near_the_best_are_named_with_the_chosen(model):
    model.n_clusters_curve_ = CURVE | dict.fromkeys(("agreement", "stability"), [0.8] * 4)
    model.n_clusters_curve_["modularity"] = [0.2, 0.5, 0.5, 0.51]
    number = read_number_of_clusters(model, 3)
    assert number.near == (3, 4, 6)
    assert about_number(number).startswith("3 clusters score nearly as well as 6 (")
    scores = (0.6, 0.9, 0.98, 0.92, 0.97, 0.9)
    number = NumberOfClusters(
        3, (2, 3, 4, 5, 6, 7), scores, {}, near=(3, 4, 5, 6, 7), offered=(2, 3, 6)
    )
    assert "fewer. 2 (score 33 % lower) and 6 (8 % higher) stand out too. 2 to" in about_number(
        number
    )
    one = dataclasses.replace(number, offered=(3, 6))
    assert "fewer. 6 (score 8 % higher) stands out too. 2 to" in about_number(one)


@pytest.mark.parametrize(("asked", "chosen"), [("few", 2), ("auto", 3), ("many", 6), (4, 4)])
def test_the_chosen_number_is_the_one_that_was_asked_for(asked, chosen):
    curve = {"n_clusters": [2, 3, 4, 6, 8], "modularity": [0.7, 0.8, 0.6, 0.85, 0.6]}
    model = SimpleNamespace(n_clusters_curve_=curve, n_clusters=asked)
    number = read_number_of_clusters(model, 2)
    assert (number.chosen, number.n_left_out) == (chosen, chosen - 2)
    assert number.offered == (2, 3, 6)
    del model.n_clusters
    model.components_ = np.ones((7, 2))
    assert read_number_of_clusters(model, 6).chosen == 7


def test_the_page_says_what_the_score_is_made_of(reporting):
    sentence = about_measures(read_number_of_clusters(reporting, 3))
    assert sentence == (
        "The score combines modularity, agreement between methods and stability."
    )


def test_a_number_that_was_not_tried_is_named_without_a_score(reporting):
    assert about_number(read_number_of_clusters(reporting, 5)) == (
        "5 clusters. 4 and 6 stand out too. 2 to 6 clusters were tried."
    )


def test_the_sentence_is_of_the_range_nearest_to_80_with_many_documents(reporting):
    sentences = about_calibration(read_calibration(reporting))
    assert sentences.startswith("Of the 100 documents given 79 %, 78 % stayed in their cluster")
    assert sentences.endswith("the two differ by 2 points on average.")
    few = CalibrationCurve((0.8, 0.9), (0.5, 0.9), (1, 99))
    assert "99 documents given 90 %" in about_calibration(few)


def test_the_gap_is_weighted_by_documents(reporting):
    expected = (10 * 0.15 + 100 * 0.01 + 90 * 0.01) / 200
    assert read_calibration(reporting).error == pytest.approx(expected)


@pytest.mark.parametrize(
    "empty",
    [None, {}, {"n_clusters": [], "modularity": [], "predicted": [], "observed": [], "n": []}],
)
def test_models_that_publish_neither_have_none(model, corpus, empty):
    if empty is not None:
        model.n_clusters_curve_ = model.calibration_ = empty
    summary = summarize(model, corpus, method="m")
    assert summary.number is None
    assert summary.calibration is None
    assert "How reliable this is" not in render(summary)
    assert [about for about, _ in remarks(summary)] == ["Doubtful"]


def test_the_page_draws_both_and_says_what_they_mean(reporting, corpus):
    summary = summarize(reporting, corpus, method="m")
    html = render(summary)
    assert "How reliable this is" in html
    section = html.split('id="trust-title">')[1].split("</section>")[0]
    assert section.count("<circle") == len(CURVE["n_clusters"]) + len(BINS["n"])
    assert len(re.findall(r'<circle[^>]* class="chosen"', section)) == 1
    assert f"3 clusters: score {scores(CURVE)[1]:.3f}" in section
    assert "predicted 79 %, observed 78 %" in section
    plain = summary.to_json()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["calibration"]["observed"] == BINS["observed"]
    assert plain["number"]["tried"] == CURVE["n_clusters"]


def test_the_terminal_has_a_row_for_each(reporting, corpus):
    table = remark_table(summarize(reporting, corpus, method="m"))
    assert list(table.columns[0].cells) == ["Number", "Probabilities", "Doubtful"]


def test_a_curve_of_one_number_or_of_no_finite_score_is_not_drawn(reporting):
    assert number_chart(NumberOfClusters(2, (2,), (0.1,), {"modularity": (0.1,)})) is None
    reporting.n_clusters_curve_ = CURVE | {"stability": [0.5, np.nan, 0.8, 0.7]}
    assert read_number_of_clusters(reporting, 3) is None


def test_labels_of_the_axis_leave_room_for_the_chosen_number():
    def labels(chosen):
        tried = tuple(range(2, 41))
        chart = number_chart(NumberOfClusters(chosen, tried, tuple(map(float, tried)), {}))
        return [dot.label for dot in chart.dots if dot.label]

    assert labels(12) == ["2", "12", "40"]
    assert labels(3) == ["3", "40"]


def test_dots_lie_on_the_diagonal_where_predicted_is_observed():
    chart = calibration_chart(CalibrationCurve((0.3, 0.9), (0.3, 0.9), (5, 5)))
    assert all(dot.x == pytest.approx(chart.height - dot.y) for dot in chart.dots)
