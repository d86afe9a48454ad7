# `make demo` clusters the built-in corpus, `make test` runs the tests: nothing to install first.
PYTHON ?= python3
unexport PYTHONDONTWRITEBYTECODE # compiled once, not by each of the many processes of the tests
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test check lint format docs links pictures bench soak oldest newest dist lock clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    cluster the built-in corpus and show what was found"
	@echo "make test    run the tests"
	@echo "make lint    lint, types, layers, spelling"
	@echo "make check   the same, then the tests"
	@echo "make format  format the code"
	@echo "make docs    build the site in docs/_build/html"
	@echo "make links   follow the links of the site to other sites (needs a network)"
	@echo "make pictures take the pictures in docs/pictures (needs Chromium)"
	@echo "make bench   compare speed and memory with other libraries"
	@echo "make soak    run the long tests and break the code on purpose (an hour or two)"
	@echo "make oldest  run the tests with the oldest supported dependencies (needs uv)"
	@echo "make newest  run the tests with the newest dependencies (needs uv)"
	@echo "make dist    build wheel and sdist and try them in clean environments (needs uv)"
	@echo "make lock    pin the newest dependencies again (needs uv)"
	@echo "make clean   remove the virtual environment and caches"

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Coterie needs Python 3.11 or newer; $$($(PYTHON) --version) found. Try: make PYTHON=python3.12 demo"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(READY)

demo: $(READY)
	@$(BIN)/coterie demo

test: $(READY)
	@$(BIN)/python -m pytest -q -n auto --dist worksteal

check: lint
	$(MAKE) --no-print-directory test

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

BENCH := .venv-bench
$(BENCH)/.ready: requirements.txt benchmarks/requirements.txt
	$(PYTHON) -m venv --clear $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt -r benchmarks/requirements.txt
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(BENCH)/.ready

pictures: $(READY)
	$(BIN)/python benchmarks/screenshots.py docs/pictures
	$(BIN)/python benchmarks/explorer_screenshots.py docs/pictures

SITE := .venv-docs
$(SITE)/.ready: requirements.txt docs/requirements.txt pyproject.toml
	$(PYTHON) -m venv --clear $(SITE)
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt -r docs/requirements.txt
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(SITE)/.ready

SPHINX := $(SITE)/bin/python -m sphinx --fail-on-warning --keep-going --nitpicky --jobs auto --doctree-dir docs/_build/doctrees
docs: $(SITE)/.ready
	$(SPHINX) --quiet docs docs/_build/html
	@echo "The site is in docs/_build/html/index.html"

links: $(SITE)/.ready
	$(SPHINX) --builder linkcheck docs docs/_build/links

bench: $(BENCH)/.ready
	$(BENCH)/bin/python benchmarks/plsa.py
	$(BENCH)/bin/python benchmarks/counting.py

soak: $(READY)
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m soak -rP -o faulthandler_timeout=14400
	$(BIN)/python tests/soak/mutate.py

EXTRAS := --extra papers --extra documents --extra dask --extra explorer
# Dependencies of the library as old or as new as pyproject.toml allows, tools of the tests at their newest.
.venv-lowest-direct/.ready .venv-highest/.ready: .venv-%/.ready: pyproject.toml
	uv venv --quiet --clear --python $(PYTHON) $(@D)
	uv pip compile --quiet --no-config --no-header --no-annotate --only-binary :all: --python $(@D)/bin/python \
	  --resolution $* pyproject.toml $(EXTRAS) -o $(@D)/versions.txt
	uv pip install --quiet --no-config --python $(@D)/bin/python -r $(@D)/versions.txt \
	  pytest pytest-xdist hypothesis pandas polars httpx httpx2 hatchling editables
	uv pip install --quiet --no-config --python $(@D)/bin/python --no-deps --no-build-isolation -e .
	@touch $@

TESTS :=
oldest: .venv-lowest-direct/.ready
	@.venv-lowest-direct/bin/python -m pytest -q -n auto --dist worksteal $(TESTS)

newest: .venv-highest/.ready
	@.venv-highest/bin/python -m pytest -q -n auto --dist worksteal $(TESTS)

# What could be published: built, looked into, and tried outside the repository with each extra.
# DIST := --with torch==2.13.0 fixes a version, DIST := --only explorer makes one try.
DIST :=
dist: $(READY)
	$(BIN)/python tools/dist.py $(DIST)

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

PIN := uv pip compile --universal --fork-strategy fewest --python-version 3.11 --no-config \
  --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate --quiet
lock:
	$(PIN) pyproject.toml --extra dev --upgrade -o requirements.txt
	$(PIN) benchmarks/requirements.in -c requirements.txt --upgrade -o benchmarks/requirements.txt
	$(PIN) docs/requirements.in -c requirements.txt --upgrade -o docs/requirements.txt

clean:
	rm -rf $(VENV) $(BENCH) $(SITE) docs/_build docs/api/generated docs/examples .venv-lowest-direct .venv-highest .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
