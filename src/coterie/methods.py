"""The clustering methods by name: what the command line offers, and what each is good for."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from coterie.errors import InputError


@dataclass(frozen=True)
class Method:
    """A named way of clustering: an estimator with its parameters set."""

    name: str
    title: str
    reference: str
    good_for: str
    estimator: str
    size: str
    parameters: tuple[tuple[str, Any], ...] = ()

    def make(self, n_clusters: int, *, seed: int, n_init: int = 1, **others: Any) -> Any:
        """An unfitted estimator for this many clusters.

        Examples
        --------
        >>> method("mm").make(3, seed=0)
        MultinomialMixture(n_clusters=3, random_state=0)
        """
        module, _, name = self.estimator.rpartition(".")
        build = getattr(import_module(module), name)
        settings = {**dict(self.parameters), **others}
        return build(**{self.size: n_clusters}, n_init=n_init, random_state=seed, **settings)


METHODS = {
    method.name: method
    for method in (
        Method(
            "mm",
            "multinomial mixture",
            "Rigouste, Cappé, Yvon",
            "documents with one theme each; fast, firm assignments",
            "coterie.models.mixture.MultinomialMixture",
            "n_clusters",
        ),
        Method(
            "plsa",
            "probabilistic latent semantic analysis",
            "Pessiot, Kim, Amini, Gallinari",
            "documents that mix several themes",
            "coterie.models.plsa.PLSA",
            "n_components",
        ),
    )
}


def method(name: str) -> Method:
    """The method of that name.

    Examples
    --------
    >>> method("plsa").title
    'probabilistic latent semantic analysis'
    """
    if name not in METHODS:
        raise InputError(f"method {name!r}: not known; there are {', '.join(METHODS)}")
    return METHODS[name]
