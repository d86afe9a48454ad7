"""Tests run the examples in Markdown of this folder; `tests/docs` runs those of the gallery."""

from importlib.util import find_spec

collect_ignore_glob = [
    "*.py",
    "_ext/*",
    "gallery/*",
    "_build/*",
    "examples/*",
    "api/generated/*",
]
if find_spec("gensim") is None:  # as with the oldest and the newest dependencies
    collect_ignore_glob.append("how_to/from_gensim.md")
