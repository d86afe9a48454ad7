"""Tests run the examples in Markdown of this folder; `tests/docs` runs those of the gallery."""

collect_ignore_glob = [
    "*.py",
    "_ext/*",
    "gallery/*",
    "_build/*",
    "examples/*",
    "api/generated/*",
]
