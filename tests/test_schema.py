"""What fitted attributes must be; folders from strangers are refused in words."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp

import coterie
import mutations
from coterie import InputError, load_model, save_model, schema
from coterie.findings.saved import load_saved
from coterie.schema import Distributions, Either, Is, Linkage, Numbers, Sparse, Whole, Wholes
from estimators import ESTIMATORS, clusterer, data, every, fit, fitted, name_of, takes_counts

# The law: every estimator declares what a fit sets, and keeps to it.


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_fitted_attributes_are_as_declared(estimator):
    found = fitted(estimator)
    attributes = {name for name in vars(found) if schema.is_fitted(name)}
    assert attributes <= found._schema.keys()
    sizes = schema.check(found)
    assert sizes["m"] == data_width(estimator)


def data_width(estimator):
    X = data(estimator)
    return sum(X[name].shape[1] for name in ("en", "de")) if isinstance(X, dict) else X.shape[1]


@every(takes_counts)
def test_single_precision_and_empty_documents_keep_to_the_declaration(estimator):
    X = data(estimator).astype(np.float32)
    X = sp.vstack([X, sp.csr_array((2, X.shape[1]), dtype=np.float32)], format="csr")
    schema.check(fit(estimator, X, np.arange(X.shape[0]) % 3))


@every(clusterer)
def test_each_array_of_another_shape_is_refused(estimator):
    found = fitted(estimator)
    for name, value in vars(found).items():
        declared = found._schema.get(name)
        if isinstance(declared, Numbers | Wholes) and declared.shape[0] in "KLmn":
            changed = fit_copy(found)
            setattr(changed, name, np.repeat(value, 2, axis=0))
            with pytest.raises(InputError, match=f"{type(found).__name__}: .*: shape "):
                schema.check(changed)


@pytest.mark.parametrize("model", [coterie.ExtPLSA(3, 5), coterie.TwoPLSA(3, 5)], ids=name_of)
def test_word_clusters_of_a_model_inside_are_counted_as_its_own(model, X, tmp_path):
    found = coterie.ReducedVocabulary(model, n_words=35, random_state=0).fit(X)
    assert schema.check(found)["L"] == 5
    save_model(found, tmp_path / "model")
    assert (load_model(tmp_path / "model").predict(X) == found.labels_).all()


def test_documents_without_weighted_words_have_no_score(X):
    found = fit_copy(fitted(next(e for e in ESTIMATORS if hasattr(e, "n_votes"))))
    found.weighting_ = fit_copy(found.weighting_)
    found.weighting_.word_weights_ = np.zeros(40)
    with pytest.raises(InputError, match="none of the words of the documents has a weight"):
        found.score(X)


# A checkpoint that no start of the model could have led to.


@pytest.mark.filterwarnings("ignore:stopped by Ctrl-C")
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("run_rows", lambda x: x[:-1]),
        ("run_shared_0", lambda x: np.tile(x, 2)),
        ("run_shared_0", lambda x: x * np.nan),
    ],
)
def test_a_checkpoint_of_other_arrays_is_refused(name, change, tmp_path):
    mutations.save_checkpoint(0, tmp_path / "state")
    array = np.load(tmp_path / "state" / f"{name}.npy")
    rewrite(tmp_path / "state", name, change(array))
    with (
        coterie.checkpointing(tmp_path / "state"),
        pytest.raises(InputError, match="its arrays are not those of this model"),
    ):
        fit(ESTIMATORS[0])


ABSURD = {
    "huge": lambda x: np.full_like(x, 1e300),
    "one is huge": lambda x: np.where(np.arange(x.size).reshape(x.shape), x, 1e300),
    "negative": lambda x: -x - 1,
    "zeros": np.zeros_like,
    "tiny": lambda x: np.full_like(x, 1e-310),
}


PLSA_MIXES = {"run_rows", "run_shared_0", "run_shared_3"}
ASTRAY = {
    "PLSA": PLSA_MIXES,
    "ConceptClustering": PLSA_MIXES,
    "ConcPLSA": PLSA_MIXES,
    "BVD": {"best_shared_0", "best_shared_1"},
    "RSN": {"best_shared_0", "best_shared_2", "run_shared_0"},
    "VonMisesFisherMixture": {"best_shared_1", "best_shared_2"},
}
"""Arrays of numbers that may be parameters of another clustering: the fit goes on from them, or
gives them, and they are as the class declares."""


def check_absurd_checkpoints(numbers, tmp_path):
    """Every array of the checkpoints of some estimators, changed in every absurd way."""
    seen = Counter()
    for number in numbers:
        saved, folder = tmp_path / f"saved-{number}", tmp_path / f"checkpoint-{number}"
        mutations.save_checkpoint(number, saved)
        expected = None
        for file in sorted(saved.glob("*.npy")):
            array = np.load(file)
            for change in ABSURD.values() if array.dtype.kind == "f" else ():
                expected = resumed(number, saved, folder) if expected is None else expected
                found = resumed(number, saved, folder, file.stem, change(array))
                seen[judged(number, file.stem, found, expected)] += 1
    return seen


def resumed(number, saved, folder, name=None, array=None):
    """The fit that goes on from a checkpoint in which an array may be another; the refusal."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(saved, folder)
    if name is not None:
        rewrite(folder, name, array)
    found, complaint = None, ""
    try:
        with coterie.checkpointing(folder):
            found = fit(ESTIMATORS[number])
            schema.check(found)
    except InputError as error:
        complaint = str(error)
    assert not complaint or complaint.startswith(f"{folder}: "), complaint
    return found if not complaint else None


def judged(number, name, found, expected):
    """Refused, forgotten, or, where no number is absurd, another answer."""
    if found is None:
        return "refused"
    if np.array_equal(found.memberships_, expected.memberships_):
        return "forgotten"
    kind = type(ESTIMATORS[number]).__name__
    assert name in ASTRAY.get(kind, ()), f"{kind}: another answer by an absurd {name}"
    return "astray"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [coterie.MultinomialMixture, coterie.VonMisesFisherMixture])
def test_absurd_numbers_in_a_checkpoint_are_refused_or_forgotten(kind, tmp_path):
    number = [type(each) for each in ESTIMATORS].index(kind)
    assert check_absurd_checkpoints([number], tmp_path)["refused"] > 0


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore")
def test_absurd_numbers_in_any_checkpoint_are_refused_or_forgotten(tmp_path):
    numbers = [i for i, each in enumerate(ESTIMATORS) if hasattr(each, "fit_predict")]
    seen = check_absurd_checkpoints(numbers, tmp_path)
    print(f"absurd checkpoints: {dict(seen)}")
    assert seen["astray"] < 0.1 * seen.total()


def test_an_error_of_a_fit_that_was_not_resumed_is_its_own(tmp_path, X):
    def fail(_):
        raise ValueError("of the watcher")

    with (
        coterie.checkpointing(tmp_path / "state"),
        coterie.watching(fail),
        pytest.raises(ValueError, match="^of the watcher$"),
    ):
        coterie.PLSA(2, random_state=0).fit(X)


def fit_copy(found):
    changed = type(found).__new__(type(found))
    vars(changed).update(vars(found))
    return changed


# Folders as strangers may send them.


@pytest.fixture
def folder(X, tmp_path):
    save_model(coterie.PLSA(3, random_state=0).fit(X), tmp_path / "model")
    return tmp_path / "model"


def rewrite(folder, name=None, array=None, change=None):
    """Replace an array, or change the values, and correct the checksums."""
    manifest = json.loads((folder / "manifest.json").read_text())
    if change is not None:
        change(manifest["values"])
    if name is not None:
        content = array if isinstance(array, bytes) else mutations.to_bytes(array)
        (folder / f"{name}.npy").write_bytes(content)
    mutations.correct(folder, manifest)


@pytest.mark.parametrize(
    ("name", "change", "complaint"),
    [
        ("weights_", lambda x: np.tile(x, 3), r"weights_: shape \(9,\), expected 3 clusters"),
        ("components_", lambda x: x[:, :5], r"shape \(3, 5\), expected 3 clusters x 40 words"),
        ("components_", lambda x: x * 2, "components_: a row sums to 2, expected 1"),
        ("components_", lambda x: x.astype(">f8"), "of type >f8, expected float32 or float64"),
        ("memberships_", lambda x: x * np.nan, "memberships_: holds nan, expected numbers"),
        ("labels_", lambda x: x + 1, "labels_: holds 3, expected numbers from 0 to 2"),
        ("labels_", lambda x: x - 1, "labels_: holds -1, expected numbers from 0 to 2"),
        ("word_labels_", lambda x: x.astype(float), "of type float64, expected int32 or int64"),
    ],
)
def test_an_array_that_does_not_fit_is_named(folder, name, change, complaint):
    rewrite(folder, f"fitted-{name}", change(np.load(folder / f"fitted-{name}.npy")))
    with pytest.raises(InputError, match=complaint) as error:
        load_model(folder)
    assert str(error.value).startswith(f"{folder}: PLSA: {name}: ")


def test_factors_without_a_number_above_zero_are_refused(X, tmp_path):
    save_model(coterie.NMFBaseline(3, random_state=0).fit(X), tmp_path / "model")
    factors = np.load(tmp_path / "model" / "fitted-factors_.npy")
    rewrite(tmp_path / "model", "fitted-factors_", np.zeros_like(factors))
    with pytest.raises(InputError, match="NMFBaseline: factors_: all zero, expected"):
        load_model(tmp_path / "model")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            lambda v: v["fitted"].pop("weights_"),
            "weights_: not known",
        ),
        (lambda v: v["fitted"].update(evil_=1), "'evil_': not known"),
        (lambda v: v["fitted"].update(predict=1), "is no name of a fitted attribute"),
        (lambda v: v["fitted"].update(n_iter_=10**400), "n_iter_: a huge number, expected a"),
        (lambda v: v["fitted"].update(converged_="yes"), "converged_: 'yes', expected a value"),
        (
            lambda v: v["parameters"].update(n_clusters=4),
            "shape \\(60, 3\\), expected .* x 4 clusters",
        ),
        (lambda v: v["parameters"].update(n_clusters="3"), "n_clusters='3', expected int"),
        (lambda v: v["parameters"].update(tol=-1.0), "tol=-1.0: expected a finite number of"),
        (lambda v: v["parameters"].pop("tol"), "parameter 'tol' is missing or not known"),
        (lambda v: v["parameters"].update(shell="rm"), "parameter 'shell' is missing or not"),
        (lambda v: v.update({"class": "os.system"}), "holds a os.system, which this Coterie"),
        (lambda v: v.update({"class": "Corpus"}), "holds a Corpus, which this Coterie does"),
        (lambda v: v.update(details=3), "details: 3, expected a dictionary"),
        (lambda v: v.update(details={"$what": 1}), "'\\$what' and 0 more, not understood"),
    ],
)
def test_a_value_that_does_not_fit_is_named(folder, change, complaint):
    rewrite(folder, change=change)
    with pytest.raises(InputError, match=complaint) as error:
        load_model(folder)
    assert str(error.value).startswith(f"{folder}: ")
    assert "saved by another version of Coterie; make it again" in str(error.value)


@pytest.mark.parametrize("details", [{"names": 3}, {"names": ["a"]}, {"columns": {"text": 3}}])
def test_details_of_results_are_checked(X, tmp_path, details):
    save_model(coterie.PLSA(3, random_state=0).fit(X), tmp_path / "model", **details)
    with pytest.raises(InputError, match="details: (names|columns: text): "):
        load_saved(tmp_path)


def header(shape, descr="<f8"):
    """A file that claims a shape and holds eight numbers."""
    stream = mutations.io.BytesIO()
    claim = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, claim)
    return stream.getvalue() + b"\0" * 64


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (header((10**12,)), "64 bytes, expected 8,000,000,000,000 by its shape"),
        (header((10**12,), "<U0"), "holds <U0, expected numbers or strings"),
        (header((8,), "|O"), "holds object, expected numbers or strings"),
        (header((-8,)), "its shape is not one"),
        (header((0, 2**40, 2**40)), "its shape is not one"),
        (b"", "not an array as numpy.save writes it"),
        (b"\x93NUMPY\x01\x00\x08\x00((((((((", "not an array as numpy.save writes it"),
    ],
)
def test_a_file_is_not_believed_before_its_size_is_seen(folder, content, complaint):
    rewrite(folder, "fitted-weights_", content)
    with pytest.raises(InputError, match=complaint):
        load_model(folder)


def test_deep_nesting_is_refused(folder):
    deep = []
    for _ in range(150):
        deep = [deep]
    rewrite(folder, change=lambda values: values["details"].update(x=deep))
    with pytest.raises(InputError, match="nested too deeply"):
        load_model(folder)
    (folder / "manifest.json").write_text("[" * 10**5 + "]" * 10**5)
    with pytest.raises(InputError, match="nested too deeply"):
        load_model(folder)


@pytest.mark.parametrize(
    ("part", "change", "complaint"),
    [
        ("indptr", lambda x: x[::-1], "indptr, expected 5 rising numbers from 0"),
        ("indptr", lambda x: x * 1000, "indptr|indices, expected"),
        ("indptr", lambda x: x[:-1], "indptr, expected 5 rising numbers from 0"),
        ("indices", lambda x: x + 10**6, "indices: holds .*, expected numbers from 0 to"),
        ("indices", lambda x: x * 0, "a row has the same column twice"),
        ("data", lambda x: -x, "counts: holds -.*, expected numbers of at least 1e-30"),
        ("data", lambda x: x * 0, "counts: holds 0, expected numbers of at least 1e-30"),
        ("data", lambda x: x[:-1], "data and .* indices, expected"),
    ],
)
def test_a_corpus_of_broken_counts_is_refused(part, change, complaint, tmp_path):
    texts = ["red apples, green apples", "green seas", "red seas in spring", "spring apples"]
    coterie.Corpus.from_texts(texts).save(tmp_path / "corpus")
    assert len(coterie.Corpus.load(tmp_path / "corpus")) == 4
    (file,) = (tmp_path / "corpus").glob(f"*counts-{part}.npy")
    rewrite(tmp_path / "corpus", file.stem, change(np.load(file)))
    with pytest.raises(InputError, match=complaint) as error:
        coterie.Corpus.load(tmp_path / "corpus")
    assert str(error.value).startswith(str(tmp_path / "corpus"))


def test_a_vocabulary_names_no_file_to_read(tmp_path):
    coterie.Corpus.from_texts(["red apples", "green seas"]).save(tmp_path / "corpus")

    def change(values):
        (view,) = values["views"].values()
        view["vocabulary"]["options"]["stop_words"] = "/etc/passwd"

    rewrite(tmp_path / "corpus", change=change)
    with pytest.raises(InputError, match="stop_words: '/etc/passwd', expected words or"):
        coterie.Corpus.load(tmp_path / "corpus")


# Fields by themselves.


def test_a_size_is_that_of_the_first_that_has_it():
    sizes = {}
    Wholes("n V+1").check("votes_", np.zeros((4, 3), int), sizes)
    assert sizes == {"n": 4, "V": 2}
    with pytest.raises(InputError, match=r"x: shape \(3,\), expected 4 documents"):
        Distributions("n").check("x", np.full(3, 1 / 3), sizes)


def test_of_either_the_sizes_are_those_of_the_one_that_fits():
    sizes = {}
    Either((Numbers("a b c"), Numbers("b a"))).check("x", np.ones((2, 3)), sizes)
    assert sizes == {"b": 2, "a": 3}
    with pytest.raises(InputError, match="expected a whole number"):
        Either((Is(type(None)), Whole())).check("x", "y", {})


@pytest.mark.parametrize(
    "merges", [[[0, 1, 1, 2], [0, 3, 1, 3]], [[0, 4, 1, 2], [1, 2, 1, 3]], [[0.5, 1, 1, 2]]]
)
def test_a_tree_merges_each_node_once(merges):
    Linkage("n").check("tree_", np.array([[0.0, 1, 1, 2], [2, 3, 1, 3]]), {})
    with pytest.raises(InputError, match="not a tree"):
        Linkage("n").check("tree_", np.array(merges, dtype=float), {})


def test_columns_of_a_row_may_come_in_any_order_but_once():
    def rows(indices):
        return sp.csr_array((np.ones(3), np.array(indices), np.array([0, 2, 3])), shape=(2, 3))

    Sparse("n m").check("x", rows([2, 0, 1]), {})
    with pytest.raises(InputError, match="same column twice"):
        Sparse("n m").check("x", rows([1, 1, 1]), {})


# Changes at random.


@pytest.mark.filterwarnings("ignore")
def test_mutated_folders_are_refused_or_answer(tmp_path):
    for name in ("saved", "scratch"):
        (tmp_path / name).mkdir()
    mutations.save_all(tmp_path / "saved", every=5)
    for number in range(100):
        outcome = mutations.mutation(tmp_path / "saved", number, tmp_path / "scratch")
        assert outcome["outcome"] in ("answer", "refused"), outcome


@pytest.mark.filterwarnings("ignore")
def test_mutated_results_are_refused_or_answer(tmp_path):
    for name in ("saved", "scratch"):
        (tmp_path / name).mkdir()
    mutations.save_results(tmp_path / "saved")
    for number in range(60):
        outcome = mutations.mutation(tmp_path / "saved", number, tmp_path / "scratch")
        assert outcome["outcome"] in ("answer", "refused"), outcome


@pytest.mark.soak
@pytest.mark.parametrize(("pattern", "share"), [("*", 1), ("results*", 0.5)])
def test_many_mutated_folders_are_refused_or_answer(pattern, share, tmp_path):
    """In processes of their own, so that a crash is seen; refusals take less than a second."""
    mutations.save_all(tmp_path)
    outcomes, slow, batch = Counter(), [], 500
    most = int(share * int(os.environ.get("COTERIE_MUTATIONS", 10_000)))
    for first in range(0, most, batch):
        numbers = map(str, (first, first + batch))
        done = subprocess.run(
            [sys.executable, mutations.__file__, tmp_path, pattern, *numbers],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        crash = signal.Signals(-done.returncode).name if done.returncode < 0 else done.stderr
        assert done.returncode == 0, f"{crash} at {lines[-1]}"
        tried = [line for line in lines if "outcome" in line]
        outcomes.update(line["outcome"] for line in tried)
        slow += [line for line in tried if line["seconds"] > 1 and line["outcome"] == "refused"]
    print(f"mutated folders {pattern}: {dict(outcomes)}")
    assert outcomes.keys() <= {"answer", "refused"}, outcomes
    assert not slow, slow
