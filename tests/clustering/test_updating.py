"""Documents added to a clustering: what stays, what is learned, what is said of it."""

import numpy as np
import pytest

import coterie
from commands import refuse, succeed
from coterie.clustering.updating import update
from coterie.methods import METHODS

TEA = ["tea", "milk", "cup", "leaf", "kettle", "sugar"]
RUM = ["rum", "ship", "sail", "lime", "barrel", "anchor"]
WAR = ["cannon", "battle", "admiral", "fleet", "powder", "rum"]


def texts(words, n, seed, length=12):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(words, size=length)) for _ in range(n)]


@pytest.fixture(scope="module")
def result():
    """Tea and rum; the words of war are known, but rare."""
    given = [*texts(TEA, 60, 0), *texts(RUM, 50, 1), *texts(WAR, 4, 2)]
    return coterie.cluster(given, 2, "mm", init="kmeans", progress=False).rename({2: "Rum"})


def by_name(updated):
    return {change.name: change for change in updated.changes}


def test_more_of_the_same_makes_a_cluster_grow_and_no_more(result):
    updated = update(result, texts(RUM, 40, 3))
    rum = by_name(updated)["Rum"]
    assert (rum.before, rum.new) == (54, 40)
    assert rum.grew
    assert not rum.drifted
    assert not rum.wants_split
    assert rum.sentence() == "2 · Rum grew: 40 new documents beside 54."
    assert len(updated.result.corpus) == len(updated.result.model.labels_) == 154
    assert len(result.corpus) == 114  # as it was


def test_other_words_are_a_drift_and_ask_for_a_split(result):
    rum = by_name(update(result, texts(WAR, 40, 4)))["Rum"]
    assert rum.drifted
    assert rum.wants_split
    assert set(rum.rising) <= set(WAR)
    assert "drifted: new documents speak of" in rum.sentence()


def test_as_before_there_is_nothing_to_say(result):
    updated = update(result, [*texts(TEA, 33, 5), *texts(RUM, 27, 6), *texts(WAR, 2, 7)])
    assert [change.sentence() for change in updated.changes] == ["", ""]


def test_models_of_online_em_learn_and_the_default_assigns(result):
    assert update(result, texts(RUM, 5, 8)).learned
    automatic = coterie.cluster([*texts(TEA, 20, 9), *texts(RUM, 25, 10)], 2, progress=False)
    updated = update(automatic, texts(TEA, 5, 11))
    assert not updated.learned
    tea = automatic.predict(["tea milk cup"])[0]
    assert updated.result.labels[-5:].tolist() == [tea] * 5
    assert len(updated.result.summary.clusters) == 2


def test_ids_stay_unique_and_edits_stay(result):
    updated = update(result, texts(TEA, 3, 12)).result
    assert len(set(updated.corpus.ids)) == len(updated.corpus)
    assert updated.names[2] == "Rum"


def test_the_command_adds_documents_to_a_folder(result, tmp_path):
    folder, new = tmp_path / "results", tmp_path / "new"
    result.save(folder)
    new.mkdir()
    for number, text in enumerate(texts(RUM, 40, 13)):
        (new / f"{number}.txt").write_text(text)
    done = succeed("update", folder, new)
    assert "2 · Rum grew: 40 new documents beside 54." in done.stderr
    again = coterie.load(folder)
    assert len(again.corpus) == 154
    assert again.names[2] == "Rum"
    (new / "other").mkdir()
    (new / "other" / "a.txt").write_text("nothing known here")
    refuse("no new document has a word", "update", folder, new / "other")


@pytest.mark.parametrize("seed", range(3))
def test_clusters_without_documents_are_merged_without_a_warning(seed):
    given = [*texts(TEA, 4, seed, length=8), *texts(RUM, 3, seed, length=8)]
    found = coterie.cluster(given, 7, "mm-incremental", progress=False)
    assert len(found.at(2).clusters) == 2


ONE_VIEW = [each.name for each in METHODS.values() if not each.needs_views]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ONE_VIEW)
def test_a_result_of_any_method_is_updated_and_read_back_or_stays(method, tmp_path):
    given = [*texts(TEA, 6, 0), *texts(RUM, 6, 1)]
    folder = coterie.cluster(given, 2, method, progress=False).save(tmp_path / "out")
    n_new = 3
    try:
        update(coterie.load(folder), [*texts(TEA, 2, 2), *texts(RUM, 1, 3)]).result.save()
    except coterie.InputError as error:
        assert "cluster all of them again" in str(error)  # noqa: PT017
        assert not method.startswith(("auto", "mm", "plsa", "kmeans"))
        n_new = 0
    again = coterie.load(folder)
    assert len(again.labels) == len(given) + n_new
    assert set(again.predict(given)) <= {1, 2}
