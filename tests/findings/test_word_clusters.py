"""Clusters of words beside those of documents."""

import io

import numpy as np
import pytest
from numpy.testing import assert_allclose
from rich.console import Console

from coterie import (
    ITCC,
    LDCC,
    ConceptClustering,
    Corpus,
    ExtPLSA,
    MultinomialMixture,
    TextOptions,
    TwoPLSA,
)
from coterie.findings import summarize
from coterie.report import render
from coterie.report.console import word_cluster_table

PETS = ["cat purr mouse whisker", "dog bark bone leash"]
MONEY = ["bank loan rate credit", "share stock bond market"]


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    pools = [" ".join(PETS).split(), " ".join(MONEY).split()]
    texts = [" ".join(rng.choice(pools[i % 2], size=30)) for i in range(40)]
    return Corpus.from_texts(texts, options=TextOptions(language="en", min_df=1))


@pytest.mark.parametrize(
    "model",
    [
        TwoPLSA(2, 2, init="kmeans", n_init=3, random_state=0),
        ITCC(2, 2, init="kmeans", n_init=5, random_state=0),
        LDCC(2, 2, max_iter=60, random_state=0),
        ConceptClustering(2, 2, concept_prior=1.1, n_init=5, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_word_clusters_are_listed_with_the_documents_that_use_them(model, corpus):
    summary = summarize(model.fit(corpus), corpus, method="x")
    assert [cluster.number for cluster in summary.word_clusters] == [1, 2]
    assert sum(cluster.n_words for cluster in summary.word_clusters) == len(corpus.words)
    assert_allclose(sum(cluster.share for cluster in summary.word_clusters), 1)
    for cluster in summary.word_clusters:
        words = {each.word for each in cluster.words}
        assert words <= set(" ".join(PETS).split()) or words <= set(" ".join(MONEY).split())
        number, share = cluster.links[0]
        assert share > 0.9
        names = {each.word for each in summary.clusters[number - 1].words}
        assert words & names
    page = render(summary)
    assert "Clusters of words" in page
    console = Console(width=100, file=io.StringIO())
    console.print(word_cluster_table(summary))
    assert summary.word_clusters[0].words[0].word in console.file.getvalue()
    assert summary.to_json()["word_clusters"][0]["links"]


def test_topics_without_links_are_listed_without(corpus):
    fitted = ExtPLSA(2, 3, init="kmeans", random_state=0).fit(corpus)
    summary = summarize(fitted, corpus, method="ext-plsa")
    assert len(summary.word_clusters) == 3
    assert all(not cluster.links for cluster in summary.word_clusters)
    assert_allclose(
        [cluster.share for cluster in summary.word_clusters],
        np.sort(fitted.word_cluster_weights_)[::-1],
    )


def test_models_without_word_clusters_list_none(corpus):
    fitted = MultinomialMixture(2, random_state=0).fit(corpus)
    summary = summarize(fitted, corpus, method="mm")
    assert summary.word_clusters == ()
    assert "Clusters of words" not in render(summary)
