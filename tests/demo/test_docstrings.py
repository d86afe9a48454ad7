"""What is kept of a docstring, and what is not."""

import pytest

from coterie.demo.docstrings import sentences

FULL = r"""gauge(x, *, unit=None)

Weigh the goods `x`, see :func:`scale` and [1]_.

Heavy goods take longer. Light ones, of mass :math:`\frac{m}{2}`, float::

    weigh(feather)

    weigh(air)

.. versionadded:: 3.1
   Added the unit.
.. math::

    m = \int \rho

After the formula.

Parameters
----------
x : array_like
    The goods.

    In a second paragraph.
unit : str, optional
    The unit of ``mass``.

Returns
-------
mass : float
    The mass found.

See Also
--------
scale : Another thing.

Notes
-----
Found at https://example.org/goods by chance.
%(before_notes)s

References
----------
.. [1] Someone, "Something".

Examples
--------
>>> gauge(3)
3
"""


def test_prose_and_descriptions_are_kept_and_all_else_dropped():
    assert sentences(FULL) == [
        "Weigh the goods x, see scale and.",
        "Heavy goods take longer.",
        "Light ones, of mass, float:",
        "After the formula.",
        "The goods.",
        "In a second paragraph.",
        "The unit of.",
        "The mass found.",
        "Found at by chance.",
    ]


@pytest.mark.parametrize(
    "example",
    [
        ">>> go(1)\n(1, 0)\n>>> go(2)",
        "    >>> go(1)\n    (1, 0)",
        "Example (for a walker named w):\n>>> w.go(1)\n(1, 0)",
        "Examples:\n    go(1)",
    ],
)
def test_examples_end_at_the_next_empty_line(example):
    assert sentences(f"Go on.\n\n{example}\n\nThen stop.") == ["Go on.", "Then stop."]


def test_a_sentence_said_twice_is_kept_once():
    assert sentences("Go on.\n\nGo on.\nStop.") == ["Go on.", "Stop."]


@pytest.mark.parametrize("nothing", ["", "\n\n", "f(x)", ">>> f(1)"])
def test_nothing_said_is_no_sentence(nothing):
    assert sentences(nothing) == []
