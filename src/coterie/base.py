"""What estimators share: parameters, validation, restarts, and the scikit-learn contract."""

import hashlib
import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    clone,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from coterie import engine, evaluation, executors
from coterie.corpus import Corpus
from coterie.errors import InputError
from coterie.kernels import normalize_columns
from coterie.types import Array, Counts, Labels, Ops


class TakesCounts(BaseEstimator):
    """What takes counts, a row a document, or a Corpus: checked, in one canonical form."""

    vocabulary_: Any

    def _check_number(self, name: str, kind: Any, least: float) -> None:
        value = getattr(self, name)
        number = isinstance(value, kind) and not isinstance(value, bool)
        if not number or not least <= value < np.inf:
            sort = "a whole number" if kind is Integral else "a finite number"
            raise InputError(f"{name}={value!r}: expected {sort} of at least {least}")

    def _check_counts(self, X: Any, *, reset: bool) -> Counts:
        if isinstance(X, Corpus):
            if not reset:
                self._refuse_other_vocabulary(X)
            X = X.counts
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
        X = sp.csr_array(X)
        self._refuse_bad_counts(X)
        if not X.has_canonical_format or not np.all(X.data):
            X = X.copy()
            X.sum_duplicates()
            X.eliminate_zeros()
        if X.indices.dtype != np.int32 and max(X.nnz, X.shape[1]) < 2**31:
            indices = X.indices.astype(np.int32), X.indptr.astype(np.int32)
            X = sp.csr_array((X.data, *indices), shape=X.shape)
        return X

    def _refuse_other_vocabulary(self, corpus: Corpus) -> None:
        words = getattr(self.vocabulary_, "words", None)
        if words is not None and not np.array_equal(words, corpus.words):
            raise InputError(
                f"the corpus has other words than the {len(words)} the model was fitted to; "
                "count its texts with model.vocabulary_.count"
            )

    def _refuse_bad_counts(self, X: Counts) -> None:
        name = type(self).__name__
        for bad, complaint in (
            (np.isnan, f"Input X contains NaN, which {name} does not accept"),
            (np.isinf, f"Input X contains infinity, which {name} does not accept"),
            (np.signbit, f"Negative values in data passed to {name}"),
        ):
            wrong = np.flatnonzero(bad(X.data) & (X.data != 0))
            if len(wrong):
                row = np.searchsorted(X.indptr, wrong[0], side="right") - 1
                place = f"row {row}, column {X.indices[wrong[0]]}"
                raise InputError(
                    f"{complaint}: {place} holds {X.data[wrong[0]]}, "
                    "expected counts of zero or more"
                )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


class CountEstimator(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, TakesCounts
):
    """Base of all models of counts: validation, new documents, the scikit-learn contract.

    A subclass writes `fit`, and `place` for new documents.
    """

    def predict(self, X: Any) -> Labels:
        """The heaviest cluster of each document."""
        labels: Labels = self._placed(X)[0].argmax(axis=1)
        return labels

    def predict_proba(self, X: Any) -> Array:
        """Share or probability of each cluster in each document, each placed on its own."""
        return self._placed(X)[0]

    def transform(self, X: Any) -> Array:
        """Same as `predict_proba`: documents described by their clusters."""
        return self.predict_proba(X)

    def log_likelihood(self, X: Any) -> float:
        """Sum of log p(document), without the multinomial coefficient."""
        return float(self._placed(X)[1].sum())

    def score(self, X: Any, y: None = None) -> float:  # noqa: ARG002
        """Log-likelihood per word of documents, for which higher is better."""
        total, n_words = self._likelihood_and_length(X)
        return total / n_words

    def perplexity(self, X: Any) -> float:
        """How many words a model that knew nothing would hesitate between: exp(-score)."""
        return evaluation.perplexity(*self._likelihood_and_length(X))

    def check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        self._check_number("n_clusters", Integral, 1)
        size, n_documents = self.n_clusters, X.shape[0]
        if size > n_documents:
            raise InputError(
                f"n_clusters={size}: larger than the number of documents "
                f"(n_samples={n_documents})"
            )
        if not X.nnz:
            raise InputError(f"no counts: all {n_documents} documents are empty")

    def place(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """Memberships of new documents in the fitted model, and their log-likelihoods."""
        raise NotImplementedError

    def _placed(self, X: Any) -> tuple[Array, Array]:
        check_is_fitted(self)
        return self._place(self._check_counts(X, reset=False))

    def _likelihood_and_length(self, X: Any) -> tuple[float, float]:
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        if not X.nnz:
            raise InputError(f"no counts: all {X.shape[0]} documents are empty")
        return float(self._place(X)[1].sum()), float(X.sum(dtype=np.float64))

    def _place(self, X: Counts) -> tuple[Array, Array]:
        parts = engine.each_shard(self.place, X, executors.current())
        memberships, log_likelihood = zip(*parts, strict=True)
        return np.concatenate(memberships), np.concatenate(log_likelihood)

    def _identity(self, X: Counts) -> dict[str, Any]:
        """What tells this fit from another; the seeds are the checkpoint's own."""
        parameters = {
            name: value if isinstance(value, str | int | float | None) else _digest(value)
            for name, value in self.get_params().items()
            if not isinstance(value, np.random.RandomState)
        }
        return {
            "model": type(self).__name__,
            "parameters": parameters,
            "data": [*X.shape, str(X.dtype), _digest(X.indptr, X.indices, X.data)],
        }

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@dataclass(eq=False, repr=False)
class EMEstimator(CountEstimator):
    """Base of all models fitted by the one loop.

    A subclass writes the mathematics: `start`, `e_step`, `m_step` (and `log_prior`) for the
    loop, `place` for new documents, `publish` for what people read.

    Parameters
    ----------
    max_iter : int, default=200
        Stop a restart after this many iterations.
    tol : float, default=1e-5
        Stop a restart when the relative gain of the objective falls to this.
    n_init : int, default=1
        Number of restarts, each with its own seed; the one with the best objective is kept.
    random_state : int, RandomState or None, default=None
        Seed of the restarts. The same seed gives the same bits on any number of threads.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_documents, K)
        Share or probability of each cluster in each document.
    labels_ : ndarray of shape (n_documents,)
        The heaviest cluster of each document.
    components_ : ndarray of shape (K, n_words)
        Word distribution of each cluster.
    weights_ : ndarray of shape (K,)
        Share of each cluster in the collection.
    word_labels_ : ndarray of shape (n_words,)
        The cluster each word belongs to, by the Bayes rule.
    history_ : ndarray of shape (n_iter_,)
        Objective at the start of each iteration of the restart that was kept.
    n_iter_ : int
        Number of iterations of that restart.
    converged_ : bool
        Whether it stopped by `tol`.
    interrupted_ : bool
        Whether Ctrl-C ended the fit early, the best so far being kept.
    vocabulary_ : Vocabulary or None
        How to count words of new texts, where the model was fitted to a Corpus.
    """

    _: KW_ONLY
    max_iter: int = 200
    tol: float = 1e-5
    n_init: int = 1
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: Any, y: None = None) -> Self:  # noqa: ARG002
        """Fit the model to counts, a row a document: a sparse or dense matrix, or a Corpus."""
        vocabulary = X.vocabulary if isinstance(X, Corpus) else None
        X = self._check_counts(X, reset=True)
        self.check_parameters(X)
        model = clone(self)  # parameters only: nothing an earlier fit left can be read
        seeds = check_random_state(self.random_state).randint(2**31, size=self.n_init)
        run, interrupted = engine.fit(
            model,
            X,
            executors.current(),
            [int(seed) for seed in seeds],
            engine.Stopping(self.max_iter, self.tol),
            lambda: self._identity(X),
        )
        self.history_ = np.array(run.history)
        self.n_iter_ = len(run.history)
        self.converged_ = run.converged
        self.interrupted_ = interrupted
        self.vocabulary_ = vocabulary
        self.publish(X, run.rows, run.shared)
        if not run.converged and not interrupted:
            message = f"{type(self).__name__} did not converge in max_iter={self.max_iter}"
            warnings.warn(f"{message}; raise it or tol", ConvergenceWarning, stacklevel=2)
        return self

    def check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super().check_parameters(X)
        self._check_number("max_iter", Integral, 1)
        self._check_number("n_init", Integral, 1)
        self._check_number("tol", Real, 0)

    def start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, engine.Shared]:
        """Rows and shared parameters to begin from."""
        raise NotImplementedError

    def visible(self, shared: engine.Shared) -> engine.Shared:
        """By default, E-steps see all shared parameters."""
        return shared

    def e_step(self, X: Counts, rows: Any, shared: Any, ops: Ops) -> engine.Expected:
        """Expectation on one shard."""
        raise NotImplementedError

    def m_step(self, shared: engine.Shared, *statistics: Array) -> engine.Shared:
        """Shared parameters from the statistics of all shards."""
        raise NotImplementedError

    def log_prior(self, shared: engine.Shared) -> float:  # noqa: ARG002
        """By default, shared parameters have a flat prior."""
        return 0.0

    def publish(self, X: Counts, rows: Array, shared: engine.Shared) -> None:
        """Set the fitted attributes from the parameters of the best run."""
        raise NotImplementedError


def distributions(weights: Array) -> Array:
    """Rows that sum to one; a row of zeros becomes uniform.

    Examples
    --------
    >>> distributions(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    return np.ascontiguousarray(normalize_columns(weights.T.copy(), len(weights)).T)


def shares(rows: Array) -> Array:
    """Rows over their sums; a row of zeros stays one.

    Examples
    --------
    >>> shares(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.  , 0.  ]])
    """
    sums = rows.sum(axis=1, keepdims=True)
    found: Array = np.divide(rows, sums, out=np.zeros_like(rows), where=sums > 0)
    return found


def words_by_cluster(X: Counts, memberships: Array, components: Array) -> Labels:
    """The cluster each word belongs to by the Bayes rule, clusters weighing by their words."""
    words = X.sum(axis=1, dtype=np.float64) @ memberships.astype(np.float64)
    labels: Labels = (components * words[:, None]).argmax(axis=0)
    return labels


def log_likelihood_of_mixes(X: Counts, memberships: Array, components: Array) -> Array:
    """Log-likelihood of each document under the mix of word distributions it is."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    p = np.einsum("ik,ki->i", memberships[rows], components[:, X.indices])
    with np.errstate(divide="ignore"):
        terms = X.data * np.log(p)
    log_likelihood: Array = np.bincount(rows, terms, X.shape[0]).astype(np.float64)
    return log_likelihood


def _digest(*arrays: Any) -> str:
    content = hashlib.sha256()
    for array in arrays:
        content.update(np.ascontiguousarray(array).data)
    return content.hexdigest()[:16]
