# Every target sets up what it needs in .venv by itself; a second call does not rebuild.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
NATIVE := CMakeLists.txt pyproject.toml $(shell find core bind -name '*.[ch]pp' 2>/dev/null)
JOBS ?= 2

.PHONY: help setup demo test test-full lint layers bench reproduce examples wheel clean

help:
	@echo "make demo | test | lint | bench | reproduce | examples | wheel | test-full"

$(PY):
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q --upgrade pip

# The build tools live in the environment so that the build directory, and with it incremental compilation, survives.
$(VENV)/.tools: $(PY)
	$(PY) -m pip install -q "scikit-build-core>=1.1,<2" "nanobind>=3.1,<4" "nanobind-backend>=1.0" cmake ninja
	@touch $@

$(VENV)/.installed: $(VENV)/.tools $(NATIVE)
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(PY) -m pip install -q --no-build-isolation -e ".[test]"
	@touch $@

src/widemargin/_core.pyi: $(VENV)/.installed
	$(PY) -m nanobind.stubgen -q -m widemargin._core -o $@
	@touch $@

setup: $(VENV)/.installed src/widemargin/_core.pyi

$(VENV)/.lint: $(VENV)/.installed
	$(PY) -m pip install -q --no-build-isolation -e ".[lint]"
	@touch $@

$(VENV)/.bench: $(VENV)/.installed
	$(PY) -m pip install -q --no-build-isolation -e ".[bench]"
	@touch $@

test: setup
	$(PY) -m pytest -q -n $(JOBS) -m "not slow" tests

clean:
	rm -rf $(VENV) build dist out
