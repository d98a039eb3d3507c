# Two commands: `make results` rebuilds everything at paper scale, `make test` runs the test suite.
PYTHON ?= $(shell command -v python3.11 || echo python3)
CORES ?= 2
SCALE ?= paper
BIN := .venv/bin
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES)

ifeq ($(MAKECMDGOALS),figure)
  ifndef F
    $(error Say which figure: make figure F=liang2025/fig04)
  endif
endif

.PHONY: help results quick figure test lint verify bench lock readme clean

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

results: .venv/.installed ## rebuild every table, figure and verdict at paper scale [SCALE=mine]
	$(SNAKEMAKE) --config scale=$(SCALE)

quick: .venv/.installed ## the same pipeline, shrunk to a few minutes, into results/quick [PAPERS='[liang2025]']
	$(SNAKEMAKE) --config scale=quick $(if $(PAPERS),papers='$(PAPERS)')

figure: .venv/.installed ## one figure: make figure F=liang2025/fig04 [SCALE=quick]
	@test -f "src/dpdescent/papers/$(dir $(F))experiments/$(notdir $(F)).py" || \
	  { echo "There is no figure $(F). There are:"; cd src/dpdescent/papers && \
	    ls */experiments/*.py | sed -e '/__init__/d' -e '/table_/d' -e 's#experiments/##; s#.py$$##'; exit 2; }
	$(SNAKEMAKE) results/$(SCALE)/$(F).png --config scale=$(SCALE)

test: .venv/.installed ## lint, type check and the whole test suite
	$(MAKE) lint
	$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: .venv/.installed ## ruff, snakefmt, mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy

verify: .venv/.installed ## rebuild in a scratch directory and report every difference from results/paper
	$(BIN)/python workflow/scripts/verify.py --scale $(SCALE) --cores $(CORES)

bench: .venv/.installed ## the engines against textbook loops, side by side, as ratios
	$(BIN)/python tests/bench/two_stage.py
	$(BIN)/python tests/bench/full_batch.py
	$(BIN)/python tests/bench/ftrl.py
	$(BIN)/python tests/bench/noise.py
	$(BIN)/python tests/bench/shuffled.py
	$(BIN)/python tests/bench/kan.py

readme: .venv/.installed ## write the numbers in README.md anew from results/paper
	$(BIN)/python workflow/scripts/readme.py

lock: .venv/.installed ## resolve the dependencies anew (needs uv)
	uv pip compile --quiet --generate-hashes --python-version 3.11 --group build --group test pyproject.toml -o requirements.lock

clean: ## remove what builds made: build/, .snakemake/, results/quick; the committed results stay
	rm -rf build .snakemake results/quick

.venv/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null || \
	  { echo "dpdescent needs Python 3.11 (results depend on the numpy that it resolves to). Name one: make results PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
