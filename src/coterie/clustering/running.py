"""A corpus clustered by a named method: the method is checked, the model fitted."""

import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coterie import progress
from coterie.clustering.languages import note_on_languages
from coterie.corpus.limits import size_in_words
from coterie.errors import InputError
from coterie.methods import AUTO, METHODS, Method, method, methods_that_fit, usual_restarts
from coterie.types import ASKED

if TYPE_CHECKING:
    from coterie.corpus import Corpus


@dataclass(frozen=True)
class Settings:
    """How a corpus is clustered; None stands for the default of the method."""

    n_clusters: int | str = AUTO
    method: str = AUTO
    seed: int = 0
    n_word_clusters: int | None = None
    init: str | None = None
    n_init: int | None = None
    max_iter: int | None = None
    threads: int | None = None
    on: str = "threads"
    scheduler: str | None = None
    checkpoint: Path | None = None
    memory: str | None = None
    online: bool = False
    accelerated: bool = False
    quiet: bool = False
    verbose: bool = False


class Fit(NamedTuple):
    """A fitted model, how long the fit took, and what there is to say of its end.

    `remarks` are what people should know before they use the result.
    """

    model: Any
    seconds: float
    notes: tuple[str, ...]
    remarks: tuple[str, ...]


def spelled_in_python(name: str, value: str = "") -> str:
    """A parameter as a call has it, for messages.

    Examples
    --------
    >>> spelled_in_python("method", "plsa"), spelled_in_python("embeddings")
    ("method='plsa'", 'embeddings')
    """
    return f"{name}={value!r}" if value else name


def check_method(
    name: str,
    views: Sequence[str] | None = None,
    *,
    vectors: bool = False,
    spelled: Callable[..., str] = spelled_in_python,
) -> Method:
    """The method of that name, if it takes these views: columns or folders, and vectors."""
    n_views = len(views or ["text"]) + vectors
    if views and len(set(views)) < len(views):
        raise InputError(f"{spelled('views', ','.join(views))}: the same view twice")
    if views and n_views == 1:
        raise InputError(
            f"{spelled('views', views[0])}: only one view, expected several; "
            f"use {spelled('text', views[0])}"
        )
    chosen = method(name)
    if n_views > 1 and not chosen.takes_views:
        several = ", ".join(each.name for each in METHODS.values() if each.takes_views)
        named = spelled("views" if views else "embeddings")
        raise InputError(
            f"{named}: the method {chosen.name} takes one view; {several} take several"
        )
    if n_views == 1 and chosen.needs_views:
        raise InputError(
            f"{spelled('method', chosen.name)}: needs several views; name them by "
            f"{spelled('views')}, or add {spelled('embeddings')}"
        )
    return chosen


def check_settings(settings: Settings, spelled: Callable[..., str] = spelled_in_python) -> None:
    """Refuse settings that the method has no use for; `spelled` is how a person wrote them."""
    chosen = method(settings.method)
    for name in chosen.unused:
        name = "n_word_clusters" if name == "word_clusters" else name
        if getattr(settings, name) is not None:
            raise InputError(f"{spelled(name)}: the method {chosen.name} has no such option")
    if settings.checkpoint and not chosen.resumes:
        raise InputError(
            f"{spelled('checkpoint')}: the method {chosen.name} cannot continue from one"
        )
    if settings.online and not chosen.learns_online:
        able = ", ".join(each.name for each in METHODS.values() if each.learns_online)
        raise InputError(f"{spelled('online')}: the method {chosen.name} cannot; {able} can")
    check_place(settings.on, settings.scheduler, spelled)
    seed = settings.seed
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise InputError(
            f"{spelled('seed')}: {seed!r}; expected a whole number from 0 to {2**32 - 1}"
        )


def whole_number(value: Any) -> Any:
    """A whole number of NumPy as one of Python, anything else as it is."""
    return int(value) if isinstance(value, np.integer) else value


def check_place(on: str, scheduler: str | None, spelled: Callable[[str], str] = str) -> None:
    """Refuse a place that there is not, and a scheduler that nobody would ask."""
    from coterie import executors

    executors.check_place(on)
    if scheduler is not None and on != "dask":
        raise InputError(
            f"{spelled('scheduler')} {scheduler}: only for {spelled('on')} dask, not {on}"
        )


def place(on: str, threads: int | None = None, scheduler: str | None = None) -> Any:
    """The context in which fits run where they were asked to."""
    from coterie import run_on
    from coterie.executors import reading_cluster

    if on == "dask":
        outer = reading_cluster()
        if outer is not None:  # a cluster that reading began with
            return nullcontext(outer)
        return run_on(on, scheduler=scheduler, n_workers=threads)
    return run_on(on, n_threads=threads) if on == "threads" else run_on(on)


def place_to_read(settings: Settings) -> Any:
    """The context in which documents are read: workers of a cluster read too."""
    if settings.on != "dask":
        return nullcontext()
    return place(settings.on, settings.threads, settings.scheduler)


def check_number(n_clusters: Any, n_documents: int) -> None:
    """Refuse a number of clusters that so many documents cannot have."""
    if isinstance(n_clusters, str) and n_clusters in ASKED:
        if n_documents == 1:
            raise InputError("only one document, expected at least two")
        return
    if isinstance(n_clusters, bool) or not isinstance(n_clusters, int) or n_clusters < 1:
        raise InputError(
            f"n_clusters: {n_clusters!r}; expected a whole number of at least 1, or 'auto', "
            "'few' or 'many'"
        )
    if n_clusters > n_documents:
        raise InputError(f"{n_clusters} clusters: more than the {n_documents} documents")


def fit(
    corpus: "Corpus", settings: Settings, spelled: Callable[..., str] = spelled_in_python
) -> Fit:
    """Cluster a corpus; progress is shown where a person can see it."""
    from coterie import accelerating, checkpointing, memory_limit, watching
    from coterie.memory import TooLargeError

    check_number(settings.n_clusters, len(corpus))
    started = time.perf_counter()
    with ExitStack() as stack:
        stack.enter_context(place(settings.on, settings.threads, settings.scheduler))
        caught = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        shown = stack.enter_context(progress.fitting(settings.quiet))
        stack.enter_context(watching(shown))
        needed: list[str] = []
        told = partial(_tell_memory, settings, needed)
        stack.enter_context(memory_limit(settings.memory, told))
        model, curve = _unfitted(corpus, settings)
        if settings.checkpoint:
            stack.enter_context(checkpointing(settings.checkpoint))
        if settings.accelerated:
            stack.enter_context(accelerating())
        try:
            (model.fit_online if settings.online else model.fit)(corpus)
        except TooLargeError as error:
            raise _with_other_methods(error, corpus, settings, model) from error
    if curve is not None:
        from coterie.automatic.number import offers

        model.n_clusters_curve_, model.n_clusters_offered_ = curve, offers(curve)
    seconds = time.perf_counter() - started
    notes = [*needed, *_estimated(model, settings, spelled)]
    remarks = _remarks(model, caught, settings, spelled)
    on_languages = note_on_languages(corpus, model.labels_)
    return Fit(model, seconds, tuple(notes), tuple(filter(None, [*remarks, on_languages])))


def _tell_memory(settings: Settings, notes: list[str], needed: int, allowed: int) -> None:
    if settings.verbose:
        of = f"{size_in_words(allowed)} {'allowed' if settings.memory else 'free'}"
        notes[:] = [f"Memory: about {size_in_words(needed)} needed of {of}."]


def _with_other_methods(error: Any, corpus: "Corpus", settings: Settings, model: Any) -> Any:
    """The same refusal, with the first other method that would fit."""
    has_views = len(corpus.views) + len(corpus.vectors) > 1
    others = methods_that_fit(
        error.size, error.allowed, model._most_clusters, has_views=has_views
    )
    names = [f"the method {each.name}" for each in others if each.name != settings.method]
    return error.instead(*names[:1])


def _unfitted(
    corpus: "Corpus", settings: Settings
) -> tuple[Any, dict[str, list[float]] | None]:
    """The estimator, and the curve behind its number of clusters where that is estimated here.

    The default estimates the number itself. The curve is empty where documents are very few.
    """
    check_settings(settings)  # those of a saved result may be anybody's
    chosen, n_clusters = method(settings.method), settings.n_clusters
    curve: dict[str, list[float]] | None = None
    if isinstance(n_clusters, str) and chosen.name != AUTO:
        from coterie.automatic import number_of_clusters

        n_clusters, curve = number_of_clusters(corpus, n_clusters, random_state=settings.seed)
    model = chosen.make(
        n_clusters,
        seed=settings.seed,
        n_init=settings.n_init or usual_restarts(corpus),
        max_iter=settings.max_iter,
        init=settings.init,
        n_word_clusters=settings.n_word_clusters,
    )
    return model, curve


def _estimated(model: Any, settings: Settings, spelled: Callable[..., str]) -> list[str]:
    if not isinstance(settings.n_clusters, str):
        return []
    number = len(model.components_)
    clusters = "1 cluster" if number == 1 else f"{number} clusters"
    others = [k for k in model.n_clusters_offered_.get("n_clusters", ()) if k != number]
    if not others:
        return [f"{clusters} estimated; {spelled('n_clusters')} sets another number"]
    numbers = " and ".join(map(str, others))
    ways = ", ".join(spelled("n_clusters", str(other)) for other in others)
    return [f"{clusters} estimated; {numbers} stand{'s' * (len(others) == 1)} out too: {ways}"]


def _remarks(
    model: Any, caught: list[Any], settings: Settings, spelled: Callable[..., str]
) -> list[str]:
    """What there is to say of a fit that ended early."""
    from coterie.errors import InterruptedWarning

    stops = [w.message for w in caught if issubclass(w.category, InterruptedWarning)]
    if stops:
        saved = settings.checkpoint and settings.checkpoint.exists()
        resume = "; the same command continues from there" if saved else ""
        return [f"{stops[-1]}{resume}"]
    if model.converged_:
        return []
    iterations = f"{model.n_iter_} iteration" + ("s" if model.n_iter_ != 1 else "")
    return [f"not converged after {iterations}; {spelled('max_iter')} allows more"]
