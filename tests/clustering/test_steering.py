"""A fit again from what people decided."""

import numpy as np
import pandas
import pytest

import coterie
from small import ENGLISH, FOOD, SPACE, SPORT, clustered

TEXTS = [*SPACE * 4, *SPORT * 4, *FOOD * 4]


@pytest.fixture(scope="module")
def automatic():
    return coterie.cluster(TEXTS, 3, options=ENGLISH, progress=False)


def numbers_of(result, positions):
    return set(result.labels[positions].tolist())


@pytest.mark.parametrize(
    "method", ["mm", "kmeans", pytest.param("plsa", marks=pytest.mark.soak)]
)
def test_moved_documents_keep_their_cluster_and_names_stay(method):
    result = coterie.cluster(TEXTS, 3, method, options=ENGLISH, progress=False)
    (sport,) = numbers_of(result, slice(12, 24))
    result.rename({sport: "Games"}).move(["1", "2"], sport)
    again = result.refit()
    (games,) = [number for number, name in again.names.items() if name == "Games"]
    assert numbers_of(again, slice(0, 2)) == {games} == numbers_of(again, slice(12, 24))
    assert result.names[sport] == "Games"  # the first result is as it was


def test_similar_documents_follow_those_that_were_moved():
    """Of six documents alike, between two themes, five are moved by hand; one follows."""
    texts = [*TEXTS, *["rocket ball crowd moon"] * 6]
    result = coterie.cluster(texts, 3, options=ENGLISH, progress=False)
    (before,) = numbers_of(result, slice(36, 42))
    themes = [numbers_of(result, slice(start, start + 12)) for start in (0, 12)]
    (other,) = set.union(*themes) - {before}
    start = 0 if themes[0] == {other} else 12
    again = result.move([str(i) for i in range(37, 42)], other).refit()
    assert numbers_of(again, slice(36, 42)) == numbers_of(again, slice(start, start + 12))


def test_merged_and_dropped_clusters_are_what_is_fitted(automatic):
    merged = automatic.copy().merge([1, 2]).refit()
    assert len(merged.numbers) == 2
    assert merged.model.n_clusters_ == 2
    dropped = automatic.copy().drop(3).refit()
    assert len(dropped.corpus) == 24
    assert len(dropped.numbers) == 2


def test_the_model_assigns_as_any_other_and_is_saved(automatic, tmp_path):
    again = automatic.copy().move("1", 2).refit()
    assert again.model.predict(again.corpus).tolist() == again.model.labels_.tolist()
    folder = again.save(tmp_path / "again")
    loaded = coterie.load(folder)
    assert loaded.labels.tolist() == again.labels.tolist()
    assert np.all(np.diff(np.bincount(again.model.labels_)) <= 0)


def test_nothing_decided_changes_next_to_nothing(automatic):
    assert automatic.compare(automatic.refit()).n_moved == 0


def test_columns_of_the_documents_stay():
    frame = pandas.DataFrame({"text": TEXTS, "stars": range(36)})
    again = clustered(frame, text="text").move("1", 2).refit()
    assert again.documents["stars"].tolist() == list(range(36))
