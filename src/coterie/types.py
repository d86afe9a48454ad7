"""Names for the arrays that travel between rooms, and the kernels a backend must offer."""

from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array: TypeAlias = npt.NDArray[np.floating[Any]]
Labels: TypeAlias = npt.NDArray[np.integer[Any]]
Strings: TypeAlias = npt.NDArray[np.object_]
Counts: TypeAlias = sp.csr_array

ASKED = ("auto", "few", "many")  # words that stand for an estimated number of clusters


class Ops(Protocol):
    """The kernels of one backend; `coterie.kernels.reference` says what each must compute."""

    def topic_counts(self, X: Counts, theta: Any, phi: Any) -> tuple[Any, Any, float]:
        """One PLSA sweep."""

    def fold_in(
        self, X: Counts, phi: Any, n_topics: int, max_iter: int, tol: float
    ) -> tuple[Any, Any]:
        """Topic mixes of new documents under fixed topics, and their log-likelihoods."""

    def cluster_posteriors(
        self, X: Counts, log_alpha: Any, log_beta: Any, hard: bool
    ) -> tuple[Any, Any, Any, Any]:
        """One mixture sweep."""
