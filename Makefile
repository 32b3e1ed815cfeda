# Every target sets up what it needs: a virtual environment in .venv with the pinned dependencies.
# To use another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
BIN := .venv/bin
COMMA := ,
# dynident with what its commands need, and with what its developers need.
INSTALLED := .venv/.installed
READY := .venv/.ready
# Peers that the benchmarks measure beside dynident have pins of their own.
PEERS := .venv-peers/.ready
# What the kernels compute, once more with the readable NumPy implementation. What estimators, solvers, readers and exporters do with it is
# no matter of kernels.
KERNEL_TESTS := tests/unit/dynamics $(filter-out %/test_hard_numbers.py %/test_conic.py %/test_zoo.py %/test_export_engines.py %/test_trust.py, \
  $(filter-out %/test_motion_safety.py, $(wildcard tests/oracles/test_*.py tests/properties/test_*.py)))
# What compares numbers to the last digits, once more with the arithmetic of other x86-64 processors: the bounds must follow from what is
# compared, and not from the machine. OpenBLAS, NumPy and Numba each choose their instructions by the processor, and fused multiplication,
# wider vectors and other blocks of a matrix each round differently. Zen has the kernels of Haswell; an AVX-512 machine those of SkylakeX.
ORACLES := $(filter-out %/test_motion_safety.py, $(wildcard tests/oracles/test_*.py))
ROUNDING_TESTS := $(ORACLES) tests/properties $(addprefix tests/unit/,dynamics links regression robots/parameters validation/monitoring)
WITHOUT_AVX512 := OPENBLAS_CORETYPE=Haswell NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL" NUMBA_CPU_NAME=haswell NUMBA_CPU_FEATURES=
WITHOUT_AVX := OPENBLAS_CORETYPE=Prescott NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4 AVX512_ICL" NUMBA_CPU_NAME=generic

# The matrices are small, and the tests run in as many processes as there are cores: threads would only be in each other's way.
export OMP_NUM_THREADS ?= 1
# Every process that a test starts would compile all modules again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test test-rounding test-slow fuzz faults lint format bench docs pictures notebooks release-check clean

help:
	@echo "make demo     identify a virtual Panda from end to end"
	@echo "make test     run the tests"
	@echo "make test-rounding  run those that compare last digits as on other x86-64 processors"
	@echo "make fuzz     read N=200 damaged files of each format, or of FORMAT; N=10000 is the whole campaign; SEED=7 repeats one"
	@echo "make faults   fail and kill every command that writes before each of its file operations, or only CASE"
	@echo "make lint     style, types and the layers of imports"
	@echo "make bench    measure the kernels and write benchmarks/RESULTS.md"
	@echo "make docs     build the documentation into site/"
	@echo "make pictures take the pictures of the documentation anew, with Chromium"
	@echo "make notebooks  make the tutorials' notebooks anew from their pages"
	@echo "make release-check  build, install into empty environments and try what would be released"
	@echo "make format   let ruff rewrite the code"
	@echo "make clean    remove everything that the other targets made"

demo: $(INSTALLED)
	@$(BIN)/dynident demo

test: $(READY)
	@$(BIN)/pytest -q -m "not slow" -n auto
	@echo "Once more with DYNIDENT_KERNELS=reference:"
	@DYNIDENT_KERNELS=reference $(BIN)/pytest -q -m "not slow" -n auto $(KERNEL_TESTS)

test-rounding: $(READY)
	@echo "As on a processor without AVX-512:"
	@$(WITHOUT_AVX512) $(BIN)/pytest -q -m "not slow" -n auto $(ROUNDING_TESTS)
	@echo "As on a processor without AVX:"
	@$(WITHOUT_AVX) $(BIN)/pytest -q -m "not slow" -n auto $(sort $(ORACLES) $(KERNEL_TESTS))

test-slow: $(READY)
	@$(BIN)/pytest -q -m slow

fuzz: $(READY)
	@$(BIN)/python -m tests.faults.campaign --cases $(or $(N),200) $(if $(SEED),--seed $(SEED)) $(if $(FORMAT),--format "$(FORMAT)")

faults: $(READY)
	@$(BIN)/pytest -q -s -m slow tests/faults/test_writing.py $(if $(CASE),-k "$(CASE)")

lint: $(READY)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/lint-imports --no-cache --no-logo
	@$(BIN)/pyright

format: $(READY)
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .

bench: $(READY) $(PEERS)
	@$(BIN)/python -m benchmarks.run

docs: $(READY)
	@$(BIN)/python -m documentation.site
	@echo "The documentation is in site/index.html"

pictures: $(READY)
	@$(BIN)/python -m documentation.pictures

notebooks: $(READY)
	@$(BIN)/python -m documentation.notebooks

release-check: $(READY)
	@$(BIN)/python -m tests.release.check

clean:
	@rm -rf .venv .venv-peers site .cache .pytest_cache .ruff_cache .hypothesis

# $(call install,EXTRAS); Python compiles a module when it is first imported, and most of what is installed never is
define install
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
  echo "dynident needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) --version 2>&1 | head -n 1);" \
       "name another interpreter: make PYTHON=python3.12" >&2; exit 1; }
@$(PYTHON) -m venv .venv
@$(BIN)/python -m pip install -qq --no-compile --disable-pip-version-check -c constraints.txt -e ".[$(1)]"
endef

$(INSTALLED): pyproject.toml constraints.txt
	@echo "Setting up .venv; this takes a minute, once."
	$(call install,sim)
	@touch $@

$(READY): pyproject.toml constraints.txt
	@echo "Setting up .venv; this takes a few minutes, once."
	$(call install,sim$(COMMA)dev)
	@touch $(INSTALLED) $@

$(PEERS): benchmarks/peers.txt
	@echo "Setting up .venv-peers; this takes a minute, once."
	@$(PYTHON) -m venv .venv-peers
	@.venv-peers/bin/python -m pip install -qq --disable-pip-version-check -r benchmarks/peers.txt
	@touch $@
