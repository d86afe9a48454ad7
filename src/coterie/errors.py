"""What Coterie raises or warns of that a person can act on."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class InputError(ValueError):
    """Something given is wrong; the message names it, what was expected and what was found."""


class UnreadableError(InputError):
    """A file, or a part of one, that cannot be read; where it is one of many it is skipped."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


class InterruptedWarning(UserWarning):
    """A fit was stopped by Ctrl-C, and the best result so far was kept."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A question after the known name that is most like this one, or nothing.

    Examples
    --------
    >>> nearest("pls", ["mm", "plsa"]), nearest("x", ["mm", "plsa"])
    (" Did you mean 'plsa'?", '')
    """
    near = get_close_matches(name, list(known), n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Refuse a value that is none of the choices.

    Examples
    --------
    >>> check_choice("method", "em", ("cem", "plsa"))
    Traceback (most recent call last):
    coterie.errors.InputError: method='em': expected 'cem' or 'plsa'
    """
    if not isinstance(value, str) or value not in choices:
        expected = " or ".join(repr(choice) for choice in choices)
        raise InputError(f"{name}={value!r}: expected {expected}")
