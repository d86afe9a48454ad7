"""Online EM: its equations by plain loops, streams, and what it has in common with `fit`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import coterie
from coterie.evaluation import nmi
from coterie.models import online
from planted import plant

MODELS = [
    coterie.MultinomialMixture(3, random_state=0),
    coterie.MultinomialMixture(3, hard=True, init="kmeans", random_state=0),
    coterie.MultinomialMixture(3, background=0.2, init="kmeans", random_state=0),
    coterie.PLSA(3, 1.1, random_state=0),
    coterie.PLSA(3, init="kmeans", random_state=0),
    coterie.ExtPLSA(3, 4, init="kmeans", random_state=0),
    coterie.TwoPLSA(3, 6, init="kmeans", random_state=0),
]
every = pytest.mark.parametrize("model", MODELS, ids=lambda each: repr(each).partition("(")[0])


@pytest.fixture(scope="module")
def planted():
    return plant(n_documents=900, n_words=60, n_clusters=3, length=40, seed=1)


def fresh(model):
    return type(model)(**model.get_params(deep=False))


@every
def test_a_stream_of_batches_finds_what_a_fit_finds(model, planted):
    X, truth, _ = planted
    streamed = fresh(model)
    for first in range(0, 900, 150):
        streamed.partial_fit(X[first : first + 150])
    assert len(streamed.labels_) == 150  # those of the last batch
    assert_allclose(streamed.components_.sum(axis=1), 1)
    assert_allclose(streamed.weights_.sum(), 1)
    whole = fresh(model).fit_online(X, batch_size=150)
    assert nmi(truth, streamed.predict(X)) > 0.85
    assert nmi(truth, whole.labels_) > 0.85
    assert_array_equal(whole.labels_, whole.predict(X))
    assert np.all(np.diff(np.bincount(whole.labels_)) <= 0)


@every
def test_perplexity_is_that_of_batch_em(model, planted):
    X, _, _ = planted
    batch = fresh(model).set_params(max_iter=500).fit(X[:700])
    streamed = fresh(model).fit_online(X[:700], batch_size=100)
    assert streamed.perplexity(X[700:]) < 1.01 * batch.perplexity(X[700:])


def test_a_step_is_that_of_cappe_and_moulines(planted, monkeypatch):
    """Shares of statistics move by the step size, and the M-step makes parameters of them."""
    monkeypatch.setattr(online, "REFINED", 1)
    X, _, _ = planted
    old, new = X[:500], X[500:520].toarray()
    model = coterie.MultinomialMixture(3, init="kmeans", random_state=0).fit(old)
    alpha, beta = model.weights_.copy(), model.components_.copy()
    joint = np.zeros((20, 3))
    for d in range(20):
        for k in range(3):
            joint[d, k] = np.log(alpha[k])
            for w in range(60):
                joint[d, k] += new[d, w] * np.log(beta[k, w])
    posterior = np.exp(joint - joint.max(axis=1, keepdims=True))
    posterior /= posterior.sum(axis=1, keepdims=True)
    n_k, n_kw = posterior.sum(axis=0), posterior.T @ new
    step = (2 + model.step_delay) ** -model.step_decay  # the fit was the first
    s_k = (1 - step) * alpha + step * n_k / n_k.sum()
    s_kw = (1 - step) * alpha[:, None] * beta + step * n_kw / n_kw.sum()
    s_kw = s_kw * (500 + n_kw.sum()) + model.word_prior - 1

    model.partial_fit(X[500:520])

    assert_allclose(model.weights_, s_k / s_k.sum(), rtol=1e-6)
    assert_allclose(model.components_, s_kw / s_kw.sum(axis=1, keepdims=True), rtol=1e-6)


@every
def test_memory_does_not_grow_with_the_stream(model, planted):
    X, _, _ = planted
    streamed = fresh(model).partial_fit(X[:300])

    def n_numbers():
        stream = streamed._stream
        return sum(np.size(each) for each in (*stream.shared, *stream.shares, *stream.latest))

    before = n_numbers()
    for _ in range(3):
        streamed.partial_fit(X[300:600])
    assert n_numbers() == before


def test_a_word_that_the_first_batch_lacks_is_learned(planted):
    X, _, _ = planted
    missing = X[:300].tolil()
    missing[:, 5] = 0
    for model in (coterie.PLSA(3, random_state=0), coterie.ExtPLSA(3, 4, random_state=0),
                  coterie.TwoPLSA(3, 3, random_state=0)):  # fmt: skip
        model.partial_fit(missing.tocsr())
        for first in (300, 600):
            model.partial_fit(X[first : first + 300])
        expected = X[300:, [5]].sum() / X[300:].sum()
        assert model.weights_ @ model.components_[:, 5] > 0.3 * expected


def test_a_fit_forgets_the_stream(planted):
    X, _, _ = planted
    model = coterie.PLSA(3, random_state=0).partial_fit(X[:300]).fit(X)
    assert_array_equal(model.components_, coterie.PLSA(3, random_state=0).fit(X).components_)


def test_a_stream_of_texts_is_counted_by_the_first_batch():
    model = coterie.PLSA(2, 1.1, random_state=0).partial_fit(["green tea", "dark rum"] * 5)
    model.partial_fit(["tea with unknown words", "white rum"])
    assert len(model.labels_) == 2
    assert len(model.vocabulary_) == 4


def test_bad_batches_and_numbers_are_refused(planted):
    X, _, _ = planted
    model = coterie.PLSA(3, random_state=0).partial_fit(X[:300])
    with pytest.raises(ValueError, match="60 features"):
        model.partial_fit(X[:, :50])
    with pytest.raises(coterie.InputError, match="n_passes=0"):
        model.fit_online(X, n_passes=0)


@every
def test_a_fitted_model_goes_on_from_where_it_is(model, planted):
    X, _, _ = planted
    fitted = fresh(model).fit(X)
    before = fitted.perplexity(X)
    labels = fitted.labels_.copy()
    fitted.partial_fit(X[:200])
    assert np.mean(fitted.predict(X) == labels) > 0.95
    assert fitted.perplexity(X) < 1.02 * before


@every
def test_the_number_of_threads_changes_nothing(model, planted):
    X, _, _ = planted
    fits = []
    for n_threads in (1, 2):
        with coterie.run_on("threads", n_threads=n_threads):
            fits.append(fresh(model).fit_online(X, n_passes=1, batch_size=300))
    assert_array_equal(fits[0].components_, fits[1].components_)
    assert_array_equal(fits[0].memberships_, fits[1].memberships_)
