# Two commands set everything up on a machine with only Python 3.11+ and make: `make demo`, `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-bench test-deep mutants debian lint docs bench series-bench figures lowest package wheelhouse clean

$(VENV)/.installed: pyproject.toml benchmarks/series_bench/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,lint]' -e benchmarks/series_bench
	@touch $@

demo: $(VENV)/.installed
	$(BIN)/audit demo demo-series

# Tests start the command many times: what Python compiles is kept, and output buffered, whatever the environment says.
# Each process takes tests that stand beside each other, which share what they have made.
test: $(VENV)/.installed
	PYTHONDONTWRITEBYTECODE= PYTHONUNBUFFERED= $(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST)

# What `make test` draws a share of: all of it, and of the small series of tests/universe that are too many to enumerate
# as many as DEEP seconds suffice for, in each test. An hour on two cores.
DEEP ?= 60
test-deep: $(VENV)/.installed
	AUDIT_TEST_DEEP=$(DEEP) AUDIT_TEST_SHARE=1 PYTHONDONTWRITEBYTECODE= PYTHONUNBUFFERED= $(BIN)/python -m pytest -n auto --dist worksteal \
		tests/universe tests/oracle tests/properties tests/laws $(PYTEST)

# Small wrong changes of copies of the program, each of which a named test must notice (tests/mutants). Minutes. What is
# noticed in one run is noticed in all: sets have the same order in each.
mutants: $(VENV)/.installed
	PYTHONHASHSEED=0 $(BIN)/python -m tests.mutants.run $(MUTANTS)

# With AUDIT_TEST_DEBIAN=install, the browser and the R that a few tests run, as root; without it, nothing.
debian: $(VENV)/.installed
	$(BIN)/python -m tests.helpers.debian

# The benchmark for others is a distribution of its own, with its own tests.
test-bench: $(VENV)/.installed
	PYTHONDONTWRITEBYTECODE= PYTHONUNBUFFERED= $(BIN)/python -m pytest -n auto benchmarks/series_bench $(PYTEST)

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

# The site, in build/site: every page is reached, every link leads somewhere, or this fails.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

$(VENV)/.bench: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.speed.run

# The benchmark for others: all methods of this project on the public tasks (docs/series-bench.md); QUICK=1 takes a seed.
series-bench: $(VENV)/.installed
	$(BIN)/series-bench run $(if $(QUICK),--quick)

# The papers' figures on one page (docs/figures.md); QUICK=1 makes it five minutes instead of hours.
figures: $(VENV)/.installed
	$(BIN)/series-bench figures $(if $(QUICK),--quick)

# The lowest versions that pyproject.toml allows, in an environment of their own: the demo and the first of the examples.
LOWEST := build/lowest
$(LOWEST)/.installed: pyproject.toml $(VENV)/.installed
	rm -rf $(LOWEST)
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(LOWEST)/bin/python -m tests.packaging.lowest > $(LOWEST)/versions.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dask,formats]' -c $(LOWEST)/versions.txt
	@touch $@

lowest: $(LOWEST)/.installed
	rm -rf $(LOWEST)/demo
	$(LOWEST)/bin/audit demo $(LOWEST)/demo > $(LOWEST)/demo.txt
	for each in hospital-l-diverse clinic-merged cases-independent; do \
		$(LOWEST)/bin/audit tests/examples/$$each > $(LOWEST)/$$each.txt; [ $$? = 1 ] || exit 1; done
	$(LOWEST)/bin/audit tests/examples/ward-2-distinct > $(LOWEST)/ward-2-distinct.txt

# What others install: wheel and sdist, on each Python found, with the lowest and the highest dependencies; then the whole
# suite with the lowest. Half an hour.
package: $(LOWEST)/.installed
	AUDIT_TEST_PACKAGE=1 $(BIN)/python -m pytest tests/packaging
	$(LOWEST)/bin/python -m pip install --quiet -e '.[test]' -e benchmarks/series_bench -c $(LOWEST)/versions.txt
	PYTHONDONTWRITEBYTECODE= PYTHONUNBUFFERED= $(LOWEST)/bin/python -m pytest -n auto --dist worksteal $(PYTEST)

# All wheels that a room without a network needs (docs/install.md).
wheelhouse: $(VENV)/.installed
	$(BIN)/python -m pip wheel --quiet --wheel-dir build/wheelhouse .

clean:
	rm -rf $(VENV) demo-series benchmarks/speed/data .pytest_cache .mypy_cache .ruff_cache .hypothesis
