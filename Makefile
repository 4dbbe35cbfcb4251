# Every target sets up what it needs in .venv by itself; a second call neither installs nor compiles again.
# Needed beforehand: python3 >= 3.11 with venv and headers, g++, make. Everything else comes from PyPI.
PYTHON ?= python3
JOBS ?= 2
VENV := .venv
PY := $(VENV)/bin/python
PEERS := $(VENV)/peers
PIP := $(PY) -m pip --disable-pip-version-check install -q -q
EDITABLE := CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(PIP) --no-build-isolation -e
NATIVE := CMakeLists.txt pyproject.toml $(shell find core bind -name '*.[ch]pp')
CPP = $(shell find core bind tests -name '*.[ch]pp')
PYTEST := $(PY) -m pytest -q

.PHONY: help setup api stub browser demo test test-full test-arm test-sanitize lint format layers bench reproduce examples wheel clean
# Two pips at once in one environment harm each other, so the targets run one by one even under -j.
.NOTPARALLEL:
unexport MAKEFLAGS MFLAGS

help:
	@echo "make demo        from raw messages to a verdict and a report; the perceptron family on Iris and on real spam"
	@echo "make test        the tests (minutes);  make test-full: before a release (up to an hour)"
	@echo "make browser     chromium and Playwright, for the tests of the report in a browser"
	@echo "make lint        style, types, layers, shapes;  make format: put the style right;  make stub, make api: renew snapshots"
	@echo "make bench       speed against named peers;  make reproduce: the figures of the sources"
	@echo "make examples    all examples;  make wheel: wheel and sdist, tried outside of the tree"
	@echo "make clean       remove the environment and everything built"

# ---- environment ------------------------------------------------------------------------------------------------------

# The build tools live in the environment so that the build directory, and with it incremental compilation, survives.
$(VENV)/.tools:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "python3 >= 3.11 is needed: make PYTHON=…")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) "scikit-build-core>=1.1,<2" "nanobind>=3.1,<4" "nanobind-backend>=1.0" cmake ninja
	@touch $@

$(VENV)/.installed: $(VENV)/.tools $(NATIVE)
	$(EDITABLE) ".[test]"
	@touch $@

$(VENV)/.lint: pyproject.toml | $(VENV)/.installed
	$(EDITABLE) ".[lint]"
	@touch $@

# The peers live in an environment of their own: they must not decide which NumPy we are measured with.
$(VENV)/.bench: Makefile | $(VENV)/.installed
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip --disable-pip-version-check install -q -q scikit-learn lightgbm xgboost-cpu catboost \
	  snapml svmloader svmlight-loader liblinear-official libsvm-official scikit-learn-intelex thundersvm-cpu \
	  ydf onnxruntime skl2onnx
	@touch $@

# For the tests of the report in a browser: Debian's chromium, and Playwright to drive it.
ROOT := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
$(VENV)/.browser: pyproject.toml | $(VENV)/.installed
	@command -v chromium >/dev/null || { $(ROOT) apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $(ROOT) apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; }
	$(EDITABLE) ".[browser]"
	@touch $@

browser: $(VENV)/.browser

setup: $(VENV)/.installed stub

api: $(VENV)/.installed
	@$(PY) tests/test_api.py

theorems: $(VENV)/.installed
	@$(PY) tools/theorems.py --write

stub: $(VENV)/.installed
	@$(PY) tools/stub.py --write

# ---- what people see --------------------------------------------------------------------------------------------------

demo: $(VENV)/.installed
	@$(VENV)/bin/wm demo

examples: $(VENV)/.installed
	@set -e; for script in examples/*.py; do echo "$$script"; $(PY) "$$script" >/dev/null; done

bench: $(VENV)/.bench
	@set -e; export WIDEMARGIN_PEERS=$(PEERS)/bin/python; for script in benchmarks/*.py; do echo "$$script"; $(PY) "$$script"; done

reproduce: $(VENV)/.bench
	@set -e; export WIDEMARGIN_PEERS=$(PEERS)/bin/python; for script in benchmarks/reproduce/*.py; do echo "$$script"; $(PY) "$$script"; done

# ---- checks -----------------------------------------------------------------------------------------------------------

lint: $(VENV)/.lint layers
	$(PY) -m ruff check -q
	$(PY) -m ruff format -q --check
	$(VENV)/bin/clang-format --dry-run -Werror $(CPP)
	$(PY) -m mypy --no-error-summary
	$(PY) tools/stub.py
	$(PY) tools/check_shape.py
	$(PY) tools/theorems.py

layers: $(VENV)/.lint
	$(PY) tools/check_includes.py
	@$(VENV)/bin/lint-imports --no-logo >$(VENV)/layers.log || { cat $(VENV)/layers.log; exit 1; }

format: $(VENV)/.lint
	$(PY) -m ruff check -q --fix-only
	$(PY) -m ruff format -q
	$(VENV)/bin/clang-format -i $(CPP)

test: $(VENV)/.installed
	@$(PY) tools/cpp_tests.py plain
	$(PYTEST) -n $(JOBS) -m "not slow" tests

# Before a release or the end of an issue. Every part runs even if an earlier one failed.
test-full: $(VENV)/.installed
	@$(PY) tools/test_full.py

test-arm: $(VENV)/.tools
	@$(PY) tools/cpp_tests.py arm

test-sanitize: $(VENV)/.installed
	@$(PY) tools/cpp_tests.py asan
	@$(PY) tools/cpp_tests.py tsan
	@$(PY) tools/asan_python.py

wheel: $(VENV)/.installed
	@$(PY) tools/try_wheel.py

clean:
	rm -rf $(VENV) build dist out
