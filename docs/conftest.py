"""Of this folder, tests run the examples in Markdown; `tests/docs` runs the scripts of the gallery."""

collect_ignore_glob = ["*.py", "_ext/*", "gallery/*", "_build/*", "examples/*", "api/generated/*"]
