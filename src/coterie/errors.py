"""The two things Coterie raises or warns of that a person can act on."""

from typing import Any


class InputError(ValueError):
    """Something given is wrong; the message names it, what was expected and what was found."""


class InterruptedWarning(UserWarning):
    """A fit was stopped by Ctrl-C, and the best result so far was kept."""


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
