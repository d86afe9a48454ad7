"""The two things Coterie raises or warns of that a person can act on."""


class InputError(ValueError):
    """Something given is wrong; the message names it, what was expected and what was found."""


class InterruptedWarning(UserWarning):
    """A fit was stopped by Ctrl-C, and the best result so far was kept."""
