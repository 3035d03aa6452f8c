# Everything sets itself up: a fresh clone needs Python 3.11+ and make only.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SEED ?= 1
READY := $(VENV)/.ready
# The generator of the site has an environment of its own, since few people need it.
SITE := .venv-docs
SITE_READY := $(SITE)/.ready
ZIPAPP := build/statetool
INSTALL := -m pip install --quiet --disable-pip-version-check
# What `make test` runs, in two parts: `make test-fast` and `make test-special`.
USUAL := not slow and not adversary
SPECIAL := process or compat or packaging
REPORT := term-missing:skip-covered

.DEFAULT_GOAL := help
.PHONY: help setup constraints demo compiled test test-fast test-special coverage slow adversary lint types layers check golden docs site bench dist zipapp clean

help: ## show this
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1	/' | expand -t 16

setup: $(READY) ## make the environment in .venv

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "statetool needs Python 3.11 or newer; try: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) --require-hashes --requirement constraints.txt
	$(BIN)/python $(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@

$(SITE_READY): docs/requirements.txt
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python $(INSTALL) --require-hashes --requirement docs/requirements.txt
	touch $@

PIN = $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --custom-compile-command 'make constraints'

constraints: ## pin the newest packages that are allowed, with hashes: to develop, to run statetool alone, and for the site
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) 'uv>=0.9,<1'
	$(PIN) --extra dev --output-file constraints.txt pyproject.toml
	$(PIN) --constraint constraints.txt --output-file requirements.txt pyproject.toml
	$(PIN) --output-file docs/requirements.txt docs/requirements.in

demo: $(READY) ## upgrade an old state, check it, and show what changed
	@sh samples/demo.sh $(BIN)/statetool

# Some environments write no compiled modules. To rewrite the assertions of all tests takes half the time that collecting them does.
export PYTHONDONTWRITEBYTECODE :=

# Tests start the program thousands of times.
compiled: $(READY)
	@$(BIN)/python -m compileall -q statefmt

test: compiled ## run all tests
	$(BIN)/python -m pytest -n auto

test-fast: compiled ## run the tests that start no processes, build nothing and need no real Terraform
	$(BIN)/python -m pytest -n auto -m "$(USUAL) and not ($(SPECIAL))"

test-special: compiled ## run the tests that make test-fast leaves out
	$(BIN)/python -m pytest -n auto -m "$(USUAL) and ($(SPECIAL))"

coverage: compiled ## run the fast tests, show the lines that they do not reach, and fail below the floor
	$(BIN)/python -m pytest -n auto -m "$(USUAL) and not ($(SPECIAL))" --cov --cov-report=$(REPORT)

slow: coverage ## run what `make test` only takes a sample of, and measure coverage
	$(BIN)/python -m pytest -n auto -m slow
	HYPOTHESIS_PROFILE=sweep $(BIN)/python -m pytest -n auto tests/compat tests/edit tests/property

adversary: compiled ## try to break it, for about a quarter of an hour; make adversary SEED=7 tries other things
	ADVERSARY_SEED=$(SEED) $(BIN)/python -m pytest tests/adversary -m adversary -n 2

lint: $(READY) ## style and mistakes
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## static types
	$(BIN)/mypy

layers: $(READY) ## who may import whom
	$(BIN)/lint-imports

golden: $(READY) ## copy the golden pairs from the recorded cases anew
	$(BIN)/python -m tests.golden.cases

docs: $(READY) ## write the generated pages anew, and what commands print in the others; then build the site
	$(BIN)/python -m docs.generate
	$(BIN)/python -m docs.transcripts
	$(MAKE) site

site: $(READY) $(SITE_READY) ## build the documentation as a site with search in build/site; fails for dead links
	$(BIN)/python -m docs.site $(SITE)/bin/zensical

bench: $(READY) ## measure everything, half an hour; or a part: make bench ARGS='--write --shape singles --only list'
	$(BIN)/python -m benchmarks $(or $(ARGS),--write)
	$(if $(ARGS),,$(BIN)/python -m benchmarks.fleet)

dist: $(READY) ## build the distributions, and try the wheel in an environment of its own
	rm -rf dist build/dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(BIN)/python -m venv build/dist
	build/dist/bin/python $(INSTALL) dist/*.whl
	sh samples/demo.sh $(CURDIR)/build/dist/bin/statetool

zipapp: $(READY) ## build statetool and what it depends on as one file, build/statetool.pyz; it needs this Python and system
	rm -rf $(ZIPAPP)
	$(PYTHON) -m venv $(ZIPAPP)/venv
	$(ZIPAPP)/venv/bin/python $(INSTALL) --require-hashes --requirement requirements.txt
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir $(ZIPAPP) .
	$(ZIPAPP)/venv/bin/python $(INSTALL) --no-deps --no-index $(ZIPAPP)/*.whl
	$(BIN)/pex statetool --venv-repository $(ZIPAPP)/venv --console-script statetool --venv prepend --sh-boot \
	  --output-file $(ZIPAPP).pyz
	$(ZIPAPP).pyz --version

check: lint types layers test-fast test-special ## everything that CI runs

clean: ## remove what was built
	rm -rf $(VENV) $(SITE) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
