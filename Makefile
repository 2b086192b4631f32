# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.
# Needed are a Python of 3.11 to 3.15 (free-threaded ones of 3.14 on) and a C compiler.

LATER   := 3.12 3.13 3.14 3.15
FREE    := 3.14t 3.15t
PYTHON ?= $(shell ./tools/find_python.sh 3.11 $(LATER))
OTHERS  = $(shell ./tools/find_python.sh --all $(LATER) $(FREE))
VENV   := .venv
BIN    := $(VENV)/bin
EXTRAS ?= test
SOURCES := $(shell find src -name '*.c' -o -name '*.h') pyproject.toml setup.py
TEST    := -n 2 --dist worksteal

# Without bytecode beside the sources each process of the tests, and there are many, parses the
# package again, and pytest rewrites every assertion: a quarter of the time that they take.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test others pythons full fast bless notebooks bench whole fuzz ufuncs sentences hammer compat-wheel \
	clients reference-tests test-gpu sanitize lint clean test-one

help:  ## what there is to do
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/installed: $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q -e '.[$(EXTRAS)]'
	touch $@

demo: $(VENV)/installed  ## run the four examples, then look into one of them
	$(BIN)/python examples/demo.py

test: $(VENV)/installed  ## the tests, the same ones each time: minutes
	$(BIN)/python -m pytest $(TEST) tests/unit tests/corpus

others:  ## fewer of them on each further Python that is found
	@set -e; for python in $(OTHERS); do $(MAKE) --no-print-directory test-one ONE=$$python; done

pythons:  ## unpack the further Pythons that are missing in .pythons, on Debian
	@missing=; for version in $(LATER) $(FREE); do \
	  [ -n "$$(./tools/find_python.sh $$version)" ] || missing="$$missing $$version"; done; \
	[ -z "$$missing" ] || ./tools/pythons.sh .pythons $$missing

full: $(VENV)/installed  ## all tests and all of each corpus: hours (SHARD=3/500 for a part)
	CUTAWAY_TEST_SHARD=$(or $(SHARD),1/1) $(BIN)/python -m pytest $(TEST) tests

test-one:
	@ask='import sys; print("%d.%d" % sys.version_info[:2] + "t" * ("t" in sys.abiflags))'; \
	version=$$($(ONE) -c "$$ask"); \
	if [ "$$version" = "$$($(BIN)/python -c "$$ask")" ]; \
	then exit 0; fi; \
	set -e; dir=.venv-$$version; \
	if [ ! -e $$dir/installed ] || [ -n "$$(find $(SOURCES) -newer $$dir/installed)" ]; then \
	  $(ONE) -m venv --without-pip $$dir; $(BIN)/python -m pip -q --python $$dir/bin/python install pip; \
	  $$dir/bin/python -m pip install -q -e '.[$(EXTRAS)]'; touch $$dir/installed; fi; \
	echo "--- Python $$version"; $$dir/bin/python -m pytest $(TEST) tests/unit tests/corpus

fast: $(VENV)/installed  ## the quick tests only
	$(BIN)/python -m pytest -x -m 'not slow' $(TEST) tests/unit

bless: $(VENV)/installed  ## write the golden files anew; then read the diff
	CUTAWAY_BLESS=1 $(BIN)/python -m pytest tests/unit/golden tests/unit/bad tests/unit/battery tests/unit/why \
		tests/unit/test_ledger.py tests/unit/typing/test_tables_of_types.py tests/unit/library/test_areas.py \
		tests/unit/library/test_numpy_page.py tests/unit/cuda/test_page.py tests/unit/cuda/kernels/test_emitted.py \
		tests/unit/cuda/language/test_refused.py tests/unit/house/test_first_programs.py
	git diff --stat -- tests docs src/cutaway/library/areas.py

notebooks: $(VENV)/installed  ## run the notebooks and keep what they show (WHICH=05 for one)
	$(BIN)/python tools/notebooks.py $(WHICH)

bench: $(VENV)/bench  ## every figure with its goal, in benchmarks/results: an hour (WHICH=kernels for one, QUICK=1 for minutes)
	$(BIN)/python benchmarks/bench.py $(and $(WHICH),--only $(WHICH)) $(and $(QUICK),--quick)

$(VENV)/bench: $(VENV)/installed
	$(BIN)/python -m pip install -q -e '.[bench]'
	touch $@

whole: $(VENV)/installed  ## all of the corpora that the tests take samples of: hours (WHICH=arrays for one)
	$(BIN)/python tests/corpora.py $(WHICH)

ufuncs: $(VENV)/installed  ## every loop of every ufunc beside NumPy
	$(BIN)/python tests/corpora.py ufuncs ufuncs_memory

fuzz: $(VENV)/installed  ## the generators: samples and planted faults (WHICH=programs COUNT=20000 SEED=7 for many of one)
	$(if $(WHICH),cd tests && ../$(BIN)/python -m $(if $(filter library,$(WHICH)),fuzz.library_calls,fuzz $(WHICH)) \
	  $(or $(COUNT),20000) $(and $(SEED),--seed $(SEED)),$(BIN)/python -m pytest $(TEST) tests/fuzz)

compat-wheel: $(VENV)/installed  ## the wheel cutaway-as-numba in dist/: `import numba` gives Cutaway in its environment
	$(BIN)/python tools/compat_wheel.py dist

clients:  ## packages that use Numba, their own tests under Numba and under Cutaway: hours (WHICH=numbagg,sparse for some)
	$(PYTHON) benchmarks/clients.py $(and $(WHICH),--which $(WHICH))

reference-tests:  ## Numba's own tests under Cutaway, where they are installed: an hour (WHICH=test_dispatcher for some)
	$(PYTHON) benchmarks/reference_tests.py $(and $(WHICH),--which $(WHICH))

sentences: $(VENV)/installed  ## check what is said of every program of the table (takes long)
	CUTAWAY_TEST_SENTENCES=all $(BIN)/python -m pytest $(TEST) tests/unit/inspection/test_sentences.py tests/unit/inspection/test_told.py

hammer: $(VENV)/installed  ## threads that call, compile and drop functions for a minute
	CUTAWAY_HAMMER_SECONDS=60 $(BIN)/python -m pytest tests/unit/dispatch/test_threads.py -k hammer

test-gpu: $(VENV)/installed  ## kernels on the GPU of this machine beside NumPy and the simulator
	CUTAWAY_TEST_GPU=1 $(BIN)/python -m pytest tests/unit/cuda/gpu tests/unit/cuda/ufuncs

sanitize: $(VENV)/installed  ## the C code under AddressSanitizer and UBSan, the pool of threads under ThreadSanitizer
	./tests/sanitize.sh $(BIN)/python

lint: $(VENV)/lint  ## check the style, and the types: the package's, and what users' checkers find
	$(BIN)/ruff check src tests examples benchmarks
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/python -m pytest tests/unit/house/test_typed.py

$(VENV)/lint: $(VENV)/installed
	$(BIN)/python -m pip install -q -e '.[lint]'
	touch $@

clean:  ## remove what was built
	rm -rf .venv .venv-* build dist src/*.egg-info examples/output
	find src -name '*.so' -delete
