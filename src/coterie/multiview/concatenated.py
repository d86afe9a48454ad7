"""PLSA on the concatenated views (paper 003, section 3: conc-PLSA)."""

from dataclasses import dataclass
from typing import Any

from coterie.multiview.estimator import ViewsEstimator
from coterie.multiview.views import Views


@dataclass(eq=False, repr=False)
class ConcPLSA(ViewsEstimator):
    """PLSA on the words of all views side by side, as if they were one text.

    Vectors, where there are any, are drawn from the same mixes as the words.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    init
        Start, as in `PLSA`.
    vectors, vector_weight, max_iter, tol, n_init, random_state
        See `ViewsEstimator`.

    Attributes
    ----------
    memberships_, labels_, components_, view_components_, weights_, history_
        See `ViewsEstimator`.

    References
    ----------
    .. [1] Y.-M. Kim, M.-R. Amini, C. Goutte, P. Gallinari. Multi-view clustering of
       multilingual documents. SIGIR 2010.

    Examples
    --------
    >>> en = [[4, 0], [3, 0], [0, 5], [0, 3]]
    >>> de = [[0, 2], [0, 3], [4, 0], [0, 0]]
    >>> ConcPLSA(2, random_state=0).fit({"en": en, "de": de}).labels_.tolist() in (
    ...     [0, 0, 1, 1], [1, 1, 0, 0])
    True
    """

    n_clusters: int = 10
    init: Any = "random"

    def learn(self, views: Views) -> None:
        """Fit PLSA to all views at once."""
        settings = {"init": self.init, "n_init": self.n_init, "random_state": self.random_state}
        self.take(self.joint(views, **settings).fit(views.words))
