# Everything sets itself up: a fresh clone needs Python 3.11+ and make only.
# Every set-up installs the files in requirements/, which uv.lock pins by hash, and resolves nothing. With uv on PATH it takes
# seconds; `make UV= …` takes pip all the same.
PYTHON ?= python3
UV ?= $(shell command -v uv)
VENV := .venv
BIN := $(VENV)/bin
SEED ?= 1
READY := $(VENV)/.ready
# `make demo` and the generator of the site have environments of their own: the large one is for developers.
DEMO := .venv-demo
SITE := .venv-docs
ZIPAPP := build/statetool
# Hashes for everything, no dependency of a package that the lock does not name, and no source distribution, whose build
# would resolve anew.
LOCKED := --no-deps --require-hashes --only-binary :all:
# What `make setup` downloads and needs, on Linux with Python 3.11; a test compares it with the lock.
DOWNLOAD := 340 MB
DISK := 1.4 GB
# What `make test` runs, in two parts: `make test-fast` and `make test-special`.
USUAL := not slow and not adversary
SPECIAL := process or compat or packaging
REPORT := term-missing:skip-covered

# Users may have set these for other purposes; pip refuses or misplaces packages with them.
export PIP_USER := no
unexport PIP_TARGET PIP_PREFIX PIP_REQUIRE_VIRTUALENV PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Make an environment anew, since an interrupted installation may look complete: $(1) is its folder, $(2) the files in
# requirements/, $(3) options of pip.
define environment
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "statetool needs Python 3.11 or newer; try: make PYTHON=python3.12")'
rm -rf $(1)
$(if $(UV),$(UV) venv --quiet --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(1),$(PYTHON) -m venv $(1))
$(call install,$(1)) $(3) $(LOCKED) $(foreach name,$(2),--requirement requirements/$(name).txt)
endef
install = $(if $(UV),$(UV) pip install --python $(1)/bin/python,$(1)/bin/python -m pip install)
# Install the project itself, from the checkout.
editable = $(call install,$(1)) --quiet --no-deps --no-build-isolation --editable .

.DEFAULT_GOAL := help
.PHONY: help setup lock demo compiled test test-fast test-special coverage slow adversary newest mutants lint types layers check golden facts docs site bench dist zipapp clean

help: ## show this
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1	/' | expand -t 16

setup: $(READY) ## make the environment in .venv, for developers

$(VENV)/.packages: requirements/dev.txt
	@echo 'Making $(VENV) with the tools, servers and browsers that the tests use: a download of $(DOWNLOAD), $(DISK) on the disk.'
	@echo 'A later run downloads nothing. To see statetool without them: make demo'
	@$(call environment,$(VENV),dev)
	@touch $@

$(READY): $(VENV)/.packages pyproject.toml
	@$(call editable,$(VENV))
	@touch $@

$(DEMO)/.packages: requirements/run.txt requirements/build.txt
	@echo 'Making $(DEMO): a download of 10 MB, 80 MB on the disk.'
	@$(call environment,$(DEMO),run build,--quiet)
	@touch $@

$(DEMO)/.ready: $(DEMO)/.packages pyproject.toml
	@$(call editable,$(DEMO))
	@touch $@

$(SITE)/.ready: requirements/docs.txt
	@$(call environment,$(SITE),docs,--quiet)
	@touch $@

EXPORT = $(BIN)/uv export --quiet --frozen --no-emit-project --no-annotate

lock: $(READY) ## pin the newest packages that are allowed in uv.lock, and export requirements/
	$(BIN)/uv lock --upgrade
	$(MAKE) exported

exported: # write requirements/ from uv.lock
	$(EXPORT) --output-file requirements/run.txt >/dev/null
	$(EXPORT) --extra regex --output-file requirements/standard.txt >/dev/null
	$(EXPORT) --extra all --output-file requirements/all.txt >/dev/null
	$(EXPORT) --all-extras --group dev --output-file requirements/dev.txt >/dev/null
	$(EXPORT) --only-group build --output-file requirements/build.txt >/dev/null
	$(EXPORT) --only-group docs --output-file requirements/docs.txt >/dev/null

demo: $(DEMO)/.ready ## upgrade an old state, check it, and show what changed; installs only what a run needs
	@sh samples/demo.sh $(DEMO)/bin/statetool

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
	HYPOTHESIS_PROFILE=sweep $(BIN)/python -m pytest -n auto -m '(hypothesis or compat) and not slow and not adversary'

adversary: compiled ## try to break it, for about a quarter of an hour; make adversary SEED=7 tries other things
	ADVERSARY_SEED=$(SEED) $(BIN)/python -m pytest tests/adversary -m adversary -n 2

# On purpose without the lock: it shows which new release breaks something before a user meets it.
NEWEST := build/newest
newest: ## run the fast tests with the newest releases that the ranges in pyproject.toml allow
	$(call environment,$(NEWEST),dev,--quiet)
	$(NEWEST)/bin/python -m pip install --quiet --upgrade --upgrade-strategy eager --editable '.[all]'
	$(NEWEST)/bin/python -m pytest -n auto -m "$(USUAL) and not ($(SPECIAL))"

mutants: compiled ## change the source in a seeded sample of places, and show what no test notices; make mutants SEED=7 COUNT=100
	$(BIN)/python -m tests.mutants --seed $(SEED) --count $(or $(COUNT),60)

lint: $(READY) ## style and mistakes
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## static types
	$(BIN)/mypy

layers: $(READY) ## who may import whom
	$(BIN)/lint-imports

golden: $(READY) ## copy the golden pairs from the recorded cases anew
	$(BIN)/python -m tests.golden.cases

facts: $(READY) ## compare the recorded names of members, blocks, backends and functions with a clone: make facts CLONE=DIR
	$(BIN)/python -m tests.facts $(CLONE) $(ARGS)

docs: $(READY) ## write the generated pages anew, and what commands print in the others; then build the site
	$(BIN)/python -m docs.generate
	$(BIN)/python -m docs.transcripts
	$(MAKE) site

site: $(READY) $(SITE)/.ready ## build the documentation as a site with search in build/site; fails for dead links
	$(BIN)/python -m docs.site $(SITE)/bin/zensical

bench: $(READY) ## measure everything, half an hour; or a part: make bench ARGS='--write --shape singles --only list'
	$(BIN)/python -m benchmarks $(or $(ARGS),--write)
	$(if $(ARGS),,$(BIN)/python -m benchmarks.fleet)

dist: $(READY) ## build the distributions, and try the wheel in an environment of its own
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(call environment,build/dist,run,--quiet)
	$(call install,build/dist) --quiet --no-deps --no-index dist/*.whl
	sh samples/demo.sh build/dist/bin/statetool

zipapp: $(READY) ## build statetool and what it depends on as one file, build/statetool.pyz; it needs this Python and system
	rm -rf $(ZIPAPP)
	$(call environment,$(ZIPAPP)/venv,standard,--quiet)
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir $(ZIPAPP) .
	$(call install,$(ZIPAPP)/venv) --quiet --no-deps --no-index $(ZIPAPP)/*.whl
	$(BIN)/pex statetool --venv-repository $(ZIPAPP)/venv --console-script statetool --venv prepend --sh-boot \
	  --output-file $(ZIPAPP).pyz
	$(ZIPAPP).pyz --version

check: lint types layers test-fast test-special ## everything that CI runs

clean: ## remove what was built
	rm -rf $(VENV) $(DEMO) $(SITE) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
