"""One call for whatever holds documents."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import coterie
from coterie import InputError
from small import ENGLISH, KINDS, TEXTS, clustered

QUIET = {"method": "mm", "options": ENGLISH, "progress": False}


def test_every_kind_of_source_gives_the_same_clusters(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in zip(frame["key"], TEXTS, strict=True):
        (folder / f"{name}.txt").write_text(text)
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(TEXTS)
    expected = clustered().labels
    for source, how in [
        (TEXTS, {}),
        (tuple(TEXTS), {}),
        (np.array(TEXTS, dtype=object), {}),
        (frame["body"], {}),
        (polars.Series(TEXTS), {}),
        (polars.from_pandas(frame), {"text": "body"}),
        (pyarrow.Table.from_pandas(frame), {"text": "body"}),
        (frame, {}),
        (str(tmp_path / "t.csv"), {"text": "body"}),
        (folder, {}),
        (coterie.Corpus.from_texts(TEXTS, options=ENGLISH), {}),
        (counts, {"words": vectorizer.get_feature_names_out()}),
        (counts.toarray(), {"words": vectorizer.get_feature_names_out()}),
    ]:
        result = coterie.cluster(source, 3, **QUIET, **how)
        np.testing.assert_array_equal(result.labels, expected)


def test_tables_are_of_the_library_of_the_source(frame):
    assert isinstance(clustered().documents, pandas.DataFrame)
    ours = coterie.cluster(polars.from_pandas(frame), 3, text="body", **QUIET)
    assert isinstance(ours.clusters, polars.DataFrame)
    assert isinstance(ours.assign(frame), pandas.DataFrame)
    theirs = coterie.cluster(pyarrow.Table.from_pandas(frame), 3, text="body", **QUIET)
    assert isinstance(theirs.clusters, pyarrow.Table)


@pytest.mark.parametrize("method", ["mm", "plsa", "cosine"])
@pytest.mark.parametrize("n_clusters", ["auto", "few", "many"])
def test_the_number_is_estimated_of_very_few_documents(method, n_clusters):
    texts = ["green tea", "dark rum", "green tea leaves"]
    for few in (texts[:2], texts):
        options = {"options": ENGLISH, "progress": False}
        found = coterie.cluster(few, n_clusters, method, **options)
        assert len(found.clusters) <= len(few)
        assert found.model.n_clusters_curve_.keys() == found.model.n_clusters_offered_.keys()


def test_views_and_embeddings(frame):
    both = {"en": TEXTS, "xx": [f"{kind} {kind} other" for kind in KINDS]}
    options = {"method": "auto", "progress": False}
    assert len(coterie.cluster(both, 3, options=ENGLISH, **options).clusters) == 3
    vectors = np.eye(3)[[["space", "sport", "food"].index(kind) for kind in KINDS]]
    named = {"text": "body", "options": ENGLISH}
    found = coterie.cluster(frame, 3, embeddings=vectors, **named, **options)
    assert found.evaluate("kind").nmi == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("source", "how", "complaint"),
    [
        ([], {}, "no texts"),
        ([1, 2, 3], {}, "the number 1, expected a text"),
        (pandas.Series([1.5, 2.0]), {}, "the number 1.5"),
        (pandas.DataFrame(), {}, "0 rows"),
        (pandas.DataFrame({"a": [1, 2]}), {}, "text"),
        (pandas.DataFrame({"a": ["x y", "z"]}), {"text": "b"}, "no column 'b'.*Columns: a"),
        (pandas.DataFrame({"a": [1, 2]}), {"text": "a"}, "'a'"),
        (TEXTS, {"text": "body"}, "text=.* no columns"),
        (object(), {}, "source: object; expected a path"),
        ("nowhere.csv", {}, "nowhere.csv: no such file"),
        ("", {}, "empty"),
        (np.eye(3), {}, "shape"),
        (TEXTS, {"n_clusters": 99}, "99 clusters: more than the 36 documents"),
        (TEXTS, {"n_clusters": 0}, "n_clusters: 0"),
        (TEXTS, {"n_clusters": "several"}, "n_clusters: 'several'"),
        (TEXTS, {"method": "plas"}, "Did you mean 'plsa'"),
        (
            TEXTS,
            {"method": "mm", "n_word_clusters": 3},
            "n_word_clusters: the method mm has no",
        ),
        (["green tea"], {}, "only one document"),
        (["green tea", 7], {}, "entry 2 is the number 7, expected a text"),
        ([{"body": "green tea"}], {"text": "body"}, "the first entry is dict"),
        ({"a": "green tea", "b": "dark rum"}, {}, "view 'a' is one text"),
        (TEXTS, {"seed": -1}, "seed: -1; expected a whole number from 0"),
        (TEXTS, {"label": KINDS}, "label: list; expected the name of a column"),
    ],
)
def test_what_cannot_be_clustered_is_told_in_one_sentence(source, how, complaint):
    with pytest.raises(InputError, match=complaint) as caught:
        coterie.cluster(source, **{"progress": False} | how)
    assert len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)


def test_a_frame_fitted_directly_is_told_what_to_do(frame):
    with pytest.raises(InputError, match="expected texts") as caught:
        coterie.AutoClustering().fit(frame)
    assert len(str(caught.value)) < 300
    assert len(coterie.MultinomialMixture(3, random_state=0).fit(frame["body"]).labels_) == 36


def test_views_of_a_mapping_and_of_a_corpus_count_as_several():
    both = {"en": TEXTS, "xx": [f"{kind} {kind} other" for kind in KINDS]}
    corpus = coterie.Corpus.from_texts(both, options=ENGLISH)
    for source in (both, corpus):
        assert len(coterie.cluster(source, 3, "conc-plsa", progress=False).numbers) == 3
        with pytest.raises(InputError, match="the method mm takes one view"):
            coterie.cluster(source, 3, "mm", progress=False)


def test_missing_texts_are_empty_documents_and_told():
    texts = ["green tea", "black tea", None, float("nan"), "dark rum", "white rum"]
    for source in (texts, pandas.Series(texts), pandas.DataFrame({"text": texts})):
        with pytest.warns(UserWarning, match="2 documents without any word, left empty"):
            found = coterie.cluster(source, 2, progress=False)
        assert found.documents["text"].tolist()[1:5] == ["black tea", "", "", "dark rum"]
        assert "6 documents read" in found.notes


def test_a_column_keeps_its_name_and_a_named_index_is_a_column(frame):
    column = frame.set_index("kind")["body"]
    found = coterie.cluster(column, np.int64(3), progress=False)
    assert {"body", "cluster"} <= set(found.documents.columns)
    whole = coterie.cluster(frame.set_index("kind"), 3, text="body", progress=False)
    assert whole.documents["kind"].tolist() == frame["kind"].tolist()
    others = (pyarrow.chunked_array([frame["body"].tolist()]), iter(frame["body"].tolist()))
    for source in others:
        assert np.array_equal(coterie.cluster(source, 3, progress=False).labels, found.labels)


def test_an_unknown_setting_is_told_the_nearest(frame):
    with pytest.raises(TypeError, match="'n_clutsers'. Did you mean 'n_clusters'"):
        coterie.cluster(frame, text="body", n_clutsers=3)
