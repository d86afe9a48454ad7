"""Compiled loops, kept on disk for the next process where they can be."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit` with a cache, which no user needs to be able to write."""

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            dispatcher = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # neither the package nor the home folder can be written
            return numba.njit(**options)(function)
        save = dispatcher._cache.save_overload

        def save_if_possible(*compiled: Any) -> None:
            with suppress(OSError):  # a full disk
                save(*compiled)

        dispatcher._cache.save_overload = save_if_possible
        return dispatcher

    return compiled
