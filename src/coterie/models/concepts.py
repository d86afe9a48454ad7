"""Concept space: clusters of words in place of words (Pessiot et al., section 2.4)."""

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from coterie import engine, executors, fitting, starts
from coterie.base import (
    WORD_CLUSTERS,
    EMEstimator,
    TakesCounts,
    diagonal,
    seeds_from,
    warn_of_the_end,
)
from coterie.engine import Expected, Shared
from coterie.errors import InputError, check_choice
from coterie.memory import Size
from coterie.models.clusters import log
from coterie.models.mixture import MultinomialMixture
from coterie.models.plsa import PLSA
from coterie.schema import Field, Is, Numbers, Shares, Sizes, Whole, Wholes
from coterie.types import Array, Counts, Labels, Ops

WORD_MODELS: dict[str, Any] = {
    "cem": lambda n, prior: MultinomialMixture(n, word_prior=prior, hard=True, init="random"),
    "plsa": PLSA,
}
DOCUMENT_MODELS: dict[str, tuple[type[Any], str]] = {
    "mm": (MultinomialMixture, "dirichlet"),
    "plsa": (PLSA, "random"),
}


@dataclass(eq=False, repr=False)
class ConceptSpace(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TakesCounts):
    r"""Words grouped into concepts, documents as bags of concepts.

    Words that occur in the same documents with the same frequencies are taken to mean the
    same. By `method="cem"` a word draws a concept *l* with probability :math:`\pi_l`, then
    its occurrences from :math:`q_{\cdot l}`, so that :math:`p(\vec w \mid \beta_l) \propto
    \prod_i q_{il}^{n(d_i, w)}` (eqs. 6 and 8 of [1]_), and classification EM climbs the
    likelihood of words and concepts together (eq. 7, Algorithm 1): each word goes to its most
    probable concept, then

    .. math::
        \pi_l \propto \textstyle\sum_j C_{lj}, \qquad
        q_{il} \propto \textstyle\sum_j C_{lj}\, n(d_i, w_j).

    This is the hard `MultinomialMixture` of the transposed counts. By
    `method="plsa"` a word goes to its topic of a `PLSA` by the Bayes rule (eq. 5).

    A document becomes the number of occurrences of each concept's words in it. Words of no
    training document belong to no concept and are left out. A concept may be empty: empty
    ones come last, and their columns are zero.

    Parameters
    ----------
    n_word_clusters : int, default=20
        Number of concepts, L; there may be fewer words.
    method : "cem" or "plsa", default="cem"
        How words are grouped.
    prior : float, default=1.0
        Dirichlet prior of the concepts: of their documents by CEM, of their words by PLSA. 1
        is none, as in the paper. Without one, CEM never gives a concept a word of a document
        where the concept has not occurred, and stops early at a poor optimum.
    max_iter, tol, n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    word_labels_ : ndarray of shape (n_words,)
        The concept of each word; -1 for words of no training document.
    word_components_ : ndarray of shape (n_word_clusters, n_words)
        :math:`p(w \mid c)`, the share of the word in the occurrences of its concept.
    word_scores_ : ndarray of shape (n_words,)
        How distinctive each word is: by how much its concept rather than the whole collection
        raises the log-likelihood of the documents it occurs in.
    n_empty_ : int
        Number of empty concepts.
    history_, n_iter_, converged_, interrupted_, vocabulary_
        See `EMEstimator`.

    References
    ----------
    .. [1] Pessiot et al. in docs/bibliography.md.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> space = ConceptSpace(2, n_init=5, random_state=0).fit(X)
    >>> space.transform(X).toarray()
    array([[0., 6.],
           [0., 6.],
           [7., 0.],
           [6., 0.]])
    >>> space.top_words(["cat", "dog", "moon", "star"], n=1)
    [['star'], ['cat']]
    """

    _schema: ClassVar[dict[str, Field]] = {
        **TakesCounts._schema,
        "word_labels_": Wholes("m", ("L",), low=-1),
        "word_components_": Shares("L m"),
        "word_scores_": Numbers("m"),
        "n_empty_": Whole(),
        "history_": Numbers("*", finite=False),
        "n_iter_": Whole(),
        "converged_": Is(bool),
        "interrupted_": Is(bool),
    }

    n_word_clusters: int = 20
    method: str = "cem"
    prior: float = 1.0
    _: KW_ONLY
    max_iter: int = 100
    tol: float = 1e-5
    n_init: int = 1
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: Any, y: None = None) -> Self:  # noqa: ARG002
        """Group the words of texts, a Corpus, or counts, a row a document."""
        X = self._read(X)
        self._check_parameters(X)
        self._check_memory(X)
        model = WORD_MODELS[self.method](self.n_word_clusters, self.prior)
        counts = _turned(X, self.method)
        with fitting.session() as session:
            run = engine.fit(
                model,
                counts,
                executors.current(),
                seeds_from(self.random_state, self.n_init),
                engine.Stopping(self.max_iter, self.tol),
                lambda: model._identity(counts),
            )
        self.interrupted_ = session.stopped
        self.history_, self.n_iter_ = np.array(run.history), len(run.history)
        self.converged_ = run.converged
        self._publish(X, _word_labels(model, X, run))
        warn_of_the_end(self)
        return self

    def _needed_bytes(self, size: Size) -> int:
        """Those of the model of words, and scores of words in double precision."""
        L = self.n_word_clusters
        model = WORD_MODELS[self.method](L, self.prior)
        model.n_init = self.n_init
        gains = 3 * size.doubles(size.n_words, L)  # sparse, where most are not zero
        published = size.numbers(size.n_words, L) + gains + 5 * size.data
        of_words: int = model._needed_bytes(_turned_size(size, self.method))
        return max(of_words, published) + size.data

    def transform(self, X: Any) -> Counts:
        """Documents as bags of concepts: a sparse matrix, a column a concept."""
        X = self._read_new(X)
        return X @ _indicator(self.word_labels_, self.n_word_clusters, X.dtype)

    def top_words(self, words: Any = None, n: int = 10) -> list[list[str]]:
        """The most distinctive words of each concept, by `word_scores_`.

        `words` names the columns; it may be left out where the space was fitted to a Corpus.
        """
        check_is_fitted(self)
        if words is None and self.vocabulary_ is not None:
            words = self.vocabulary_.words
        if words is None or len(words) != len(self.word_labels_):
            given = "none" if words is None else len(words)
            expected = f"expected {len(self.word_labels_)}, one a column"
            raise InputError(f"words: {expected}; got {given}")
        order = np.argsort(-self.word_scores_, kind="stable")
        concepts = (order[self.word_labels_[order] == c] for c in range(self.n_word_clusters))
        return [[str(words[w]) for w in concept[:n]] for concept in concepts]

    @property
    def _n_features_out(self) -> int:
        return self.n_word_clusters

    def _check_fitted(self, sizes: Sizes) -> None:
        self._check_parameters(diagonal(1, sizes["m"]))

    def _check_parameters(self, X: Counts) -> None:
        for name in ("n_word_clusters", "max_iter", "n_init"):
            self._check_number(name, Integral, 1)
        self._check_number("tol", Real, 0)
        self._check_number("prior", Real, 1)
        check_choice("method", self.method, WORD_MODELS)
        if not X.nnz:
            raise InputError(f"no counts: all {X.shape[0]} documents are empty")

    def _publish(self, X: Counts, columns: Labels) -> None:
        self.word_labels_ = columns
        self.n_empty_ = self.n_word_clusters - int(columns.max() + 1)
        within = _within(X, columns)
        self.word_components_ = _spread(within, columns, self.n_word_clusters, X.dtype)
        self.word_scores_ = _word_scores(X, columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@dataclass(eq=False, repr=False)
class ConceptClustering(EMEstimator):
    r"""Documents clustered by a mixture or by PLSA in a learned concept space.

    Words are first grouped into concepts, as in `ConceptSpace`; documents are then clustered
    as bags of concepts, as in `MultinomialMixture` or `PLSA`. With `concepts` and `model`
    these are the C-MM, P-MM, C-PLSA and P-PLSA of section 3 of [1]_.

    A word *w* of concept *c* has :math:`p(w \mid k) = p(c \mid k)\, p(w \mid c)`. The second
    factor is fixed and the same for all clusters, so that posteriors computed with words are
    those of the bags of concepts, and the objective is the likelihood of the words. Only
    that one compares concept spaces: each restart learns its own, and the best is kept.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of document clusters, K.
    n_word_clusters : int, default=20
        Number of concepts, L.
    concepts : "cem" or "plsa", default="cem"
        How words are grouped: the method of `ConceptSpace`.
    model : "mm" or "plsa", default="mm"
        How documents are clustered, with the priors of that model by default.
    concept_prior : float, default=1.0
        The prior of `ConceptSpace`; 1 is none, as in the paper, 1.1 a sensible choice.
    init : "dirichlet", "random", "kmeans", Dirichlet, array or None, default=None
        Start of the document clusters, as in the model; None is the model's own.
    max_iter, tol
        See `EMEstimator`; they hold for the concepts, and again for the clusters.
    n_init, random_state
        See `EMEstimator`.

    Attributes
    ----------
    components_ : ndarray of shape (n_clusters, n_words)
        :math:`p(w \mid k) = \sum_c p(c \mid k)\, p(w \mid c)`. A word of no training document
        is impossible: new documents with such words are placed by the others, and their
        likelihood is zero.
    cluster_word_clusters_ : ndarray of shape (n_clusters, n_word_clusters)
        :math:`p(c \mid k)`.
    word_components_ : ndarray of shape (n_word_clusters, n_words)
        :math:`p(w \mid c)`.
    word_labels_ : ndarray of shape (n_words,)
        The concept of each word; -1 for words of no training document.
    memberships_, labels_, weights_, history_, n_iter_, converged_, interrupted_
        See `EMEstimator`.

    References
    ----------
    .. [1] Pessiot et al. in docs/bibliography.md.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> model = ConceptClustering(2, 2, n_init=5, random_state=0).fit(X)
    >>> model.labels_, model.word_labels_
    (array([0, 0, 1, 1]), array([1, 1, 0, 0]))
    """

    _schema: ClassVar[dict[str, Field]] = {
        **EMEstimator._schema,
        **WORD_CLUSTERS,
    }

    n_clusters: int = 10
    n_word_clusters: int = 20
    concepts: str = "cem"
    model: str = "mm"
    concept_prior: float = 1.0
    init: Any = None

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        self._check_number("n_word_clusters", Integral, 1)
        self._check_number("concept_prior", Real, 1)
        check_choice("concepts", self.concepts, WORD_MODELS)
        check_choice("model", self.model, DOCUMENT_MODELS)
        starts.check_init(self.init)

    def _stage_bytes(self, size: Size) -> dict[str, int]:
        """Those of the concepts' model, and those of the documents' model."""
        concepts = WORD_MODELS[self.concepts](self.n_word_clusters, self.concept_prior)
        of_concepts = concepts._stage_bytes(_turned_size(size, self.concepts))
        names = ["start", "iterations"]
        if self.concepts == "plsa":  # publishes words, its start being held
            names.append("words")
            of_concepts["words"] += size.padded(size.n_words, self.n_word_clusters)
        stages = {f"concepts, {name}": of_concepts[name] for name in names}
        extra = size.padded(size.n_words, self.n_clusters)
        of_documents = self._document_model()._stage_bytes(size).items()
        stages |= {name: held + extra for name, held in of_documents}
        stages["start"] += 2 * size.data
        return stages

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, Shared]:
        """A concept space of this restart's own, and a start of the model in it."""
        columns = self._find_concepts(X, rng)
        bags = X @ _indicator(columns, columns.max() + 1, X.dtype)
        rows, (*shares, by_concept) = self._document_model()._start(bags, rng)
        return rows, self._in_words(shares, by_concept, columns, _within(X, columns))

    def _visible(self, shared: Shared) -> Shared:
        """E-steps see what those of the model do, with words."""
        return shared[:-3]

    def _e_step(self, X: Counts, rows: Any, shared: Any, ops: Ops) -> Expected:
        """The model's own."""
        expected: Expected = self._document_model()._e_step(X, rows, shared, ops)
        return expected

    def _m_step(self, shared: Shared, *statistics: Array) -> Shared:
        """The model's own, from counts of concepts by cluster."""
        *others, n_wk = statistics
        columns, within = shared[-2:]
        n_ck = _indicator(columns, columns.max() + 1, np.float64).T @ n_wk
        new = self._document_model()._m_step((), *others, n_ck.astype(n_wk.dtype))
        return self._in_words(new[:-1], new[-1], columns, within)

    def _log_prior(self, shared: Shared) -> float:
        """That of the model in the concept space."""
        prior: float = self._document_model()._log_prior((*shared[:-4], shared[-3]))
        return prior

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """The model's own; documents without a word of any concept lean nowhere."""
        model = self._document_model()
        model.weights_, model.components_ = self.weights_, self.components_
        memberships, log_likelihood = model._assign(X, ops)
        known = (self.word_labels_ >= 0).astype(X.dtype)
        memberships[X @ known == 0] = 1 / len(self.components_)
        return memberships, log_likelihood

    def _publish(self, X: Counts, rows: Array, shared: Shared) -> None:
        """What the model publishes, and the concepts."""
        model = self._document_model()
        model._publish(X, rows, shared[:-3])
        for name in ("weights_", "components_", "memberships_", "labels_"):
            setattr(self, name, getattr(model, name))
        columns, within = shared[-2:]
        self.word_labels_ = columns
        self.word_components_ = _spread(within, columns, self.n_word_clusters, X.dtype)
        indicator = _indicator(columns, self.n_word_clusters, X.dtype)
        self.cluster_word_clusters_ = np.ascontiguousarray((indicator.T @ self.components_.T).T)

    def _document_model(self) -> Any:
        build, start = DOCUMENT_MODELS[self.model]
        init = start if self.init is None else self.init
        return build(self.n_clusters, init=init)

    def _find_concepts(self, X: Counts, rng: np.random.Generator) -> Labels:
        """One run for the concepts, which nobody watches and no checkpoint keeps."""
        model = WORD_MODELS[self.concepts](self.n_word_clusters, self.concept_prior)
        counts = _turned(X, self.concepts)
        rows, shared = model._start(counts, rng)
        begun = engine.Run(lambda: rows, shared)
        blocks, stopping = engine.shards(counts), engine.Stopping(self.max_iter, self.tol)
        run = begun
        for latest in engine.iterate(model, blocks, begun, executors.current(), stopping):
            run = latest
            if fitting.stopped():
                break
        if not run.converged and not fitting.stopped():
            _warn_of_concepts(self.max_iter)
        return _word_labels(model, X, run)

    def _in_words(
        self, shares: Sequence[Array], by_concept: Array, columns: Labels, within: Array
    ) -> Shared:
        """The model's parameters with words, with concepts, and what leads across."""
        factor = within.astype(by_concept.dtype)[:, None]
        expanded = by_concept[columns]
        in_words = expanded * factor if self.model == "plsa" else expanded + log(factor)
        return (*shares, in_words, by_concept, columns, within)


def _turned(X: Counts, method: str) -> Counts:
    return X if method == "plsa" else X[np.diff(X.indptr) > 0].T.tocsr()


def _turned_size(size: Size, method: str) -> Size:
    return size if method == "plsa" else size.turned


def _word_labels(model: Any, X: Counts, run: engine.Run) -> Labels:
    """The concept of each word, numbered without gaps; -1 for words that do not occur."""
    if isinstance(model, PLSA):
        model._publish(X, run.rows, run.shared)
        labels = model.word_labels_
    else:
        labels = run.rows.argmax(axis=1)
    used = X.sum(axis=0) > 0
    columns = np.full(X.shape[1], -1)
    columns[used] = np.unique(labels[used], return_inverse=True)[1]
    return columns


def _indicator(columns: Labels, n_word_clusters: int, dtype: Any) -> Counts:
    """Words by concepts, with a one where a word belongs to a concept."""
    used = columns >= 0
    indptr = np.concatenate([[0], np.cumsum(used)]).astype(np.int32)
    ones, indices = np.ones(indptr[-1], dtype), columns[used].astype(np.int32)
    return sp.csr_array((ones, indices, indptr), shape=(len(columns), n_word_clusters))


def _within(X: Counts, columns: Labels) -> Array:
    """Share of each word in the occurrences of its concept."""
    n_w = X.sum(axis=0, dtype=np.float64)
    used = columns >= 0
    n_c = np.bincount(columns[used], n_w[used])
    shares: Array = np.divide(n_w, n_c[columns], out=np.zeros_like(n_w), where=used)
    return shares


def _spread(within: Array, columns: Labels, n_word_clusters: int, dtype: Any) -> Array:
    table = np.zeros((n_word_clusters, len(columns)), dtype)
    used = columns >= 0
    table[columns[used], np.flatnonzero(used)] = within[used]
    return table


def _word_scores(X: Counts, columns: Labels) -> Array:
    """Sum over documents of n(d, w) log p(d | concept of w) / p(d)."""
    counts = X.astype(np.float64)
    indicator = _indicator(columns, columns.max() + 1, np.float64)
    bags = (counts @ indicator).tocoo()
    n_d, n_c = counts.sum(axis=1), indicator.T @ counts.sum(axis=0)
    documents, concepts = bags.coords
    lift = np.log(bags.data * n_d.sum() / (n_d[documents] * n_c[concepts]))
    gains = counts.T @ sp.csr_array((lift, bags.coords), shape=bags.shape)
    scores: Array = gains.multiply(indicator).sum(axis=1)
    return scores


def _warn_of_concepts(max_iter: int) -> None:
    message = f"the concepts did not converge in max_iter={max_iter}; raise it or tol"
    warnings.warn(message, ConvergenceWarning, stacklevel=3)
