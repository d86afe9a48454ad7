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


@pytest.mark.parametrize("method", ["mm", "plsa", "kmeans"])
def test_moved_documents_keep_their_cluster_and_names_stay(method):
    result = coterie.cluster(TEXTS, 3, method, options=ENGLISH, progress=False)
    (space,), (sport,) = numbers_of(result, slice(0, 12)), numbers_of(result, slice(12, 24))
    result.rename({sport: "Games"}).move(["1", "2"], sport)
    again = result.refit()
    (games,) = [number for number, name in again.names.items() if name == "Games"]
    assert numbers_of(again, slice(0, 2)) == {games} == numbers_of(again, slice(12, 24))
    assert space not in (sport,)
    assert result.names[sport] == "Games"  # the first result is as it was


def test_similar_documents_follow_those_that_were_moved(automatic):
    """Half of the documents of a theme are moved by hand; the others are alike."""
    result = automatic.copy()
    (target,) = numbers_of(result, slice(24, 36))
    moved = [str(i + 1) for i in range(0, 12, 2)]
    again = result.move(moved, target).refit()
    followed = again.labels[np.arange(1, 12, 2)]
    (food,) = numbers_of(again, slice(24, 36))
    assert (followed == food).mean() > 0.5
    without = automatic.refit()
    assert numbers_of(without, np.arange(1, 12, 2)) != numbers_of(without, slice(24, 36))


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
