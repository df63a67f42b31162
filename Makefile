# Everything is made in .venv beside this file; what is made already is not made again.
.DEFAULT_GOAL := help
.PHONY: help setup demo test distributed hdfs generate lint lab bench dist system clean

PYTHON ?= python3
BIN := .venv/bin
# A stamp names the content of pyproject.toml, so that a change of it (and nothing else) sets up again.
STAMP := $(shell cksum < pyproject.toml | cut -d' ' -f1)
DEV := .venv/.dev-$(STAMP)
EXAMPLES := $(or $(wildcard $(DEV)),.venv/.examples-$(STAMP))
SYSTEM := docker.io iptables bubblewrap proot busybox-static chromium fonts-noto-cjk $(if $(shell command -v npm),,nodejs npm)
# What Hadoop 2.7.3 needs that the jars of PySpark do not have.
HADOOP := openjdk-17-jre-headless libjersey1-core-java libjersey1-server-java libjersey1-servlet-java libjsr311-api-java libasm-java
# The front end, where there is node: its packages by the lock, what is built by the sources.
LOCK := $(shell cksum < labextension/package-lock.json | cut -d' ' -f1)
MODULES := labextension/node_modules/.done-$(LOCK)
SOURCES := $(wildcard labextension/package.json labextension/*.mjs labextension/tsconfig.json labextension/src/*.ts labextension/src/*/*.ts labextension/schema/* labextension/style/*)
FRONT := $(if $(shell command -v npm),pai_jupyter/static/.built)
LINK := share/jupyter/labextensions/pai-jupyter
OLDEST := .venv/oldest/.done-$(STAMP)
export JUPYTER_PREFER_ENV_PATH := 1
export SKIP_JUPYTER_BUILDER := 1
# Tests start hundreds of programs: none compiles again what another one has.
unexport PYTHONDONTWRITEBYTECODE

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16

setup: $(DEV)  ## .venv with all that a developer needs (PYTHON=python3.12 to choose another Python)
	@echo "ready: .venv"

demo: $(EXAMPLES)  ## run notebooks/quickstart.ipynb from top to bottom and show what came of it
	@$(BIN)/python notebooks/run.py notebooks/quickstart.ipynb notebooks/.executed/quickstart.ipynb

# In three processes at once, for most tests wait: tests/support/groups.py has what each group is. The frameworks come behind,
# for they need the container engine of `others`.
test: $(DEV) $(FRONT) .venv-alipai/.done $(OLDEST)  ## all tests; what this machine lacks is skipped
	@home=$$(mktemp -d); trap 'kill $$cloud $$browser 2>/dev/null; rm -rf "$$home"' EXIT; \
	export PAI_JUPYTER_STABLE=1 PAI_JUPYTER_HOME=$$home; \
	$(BIN)/pytest -m cloud > $$home/cloud.log 2>&1 & cloud=$$!; \
	$(BIN)/pytest -m browser > $$home/browser.log 2>&1 & browser=$$!; \
	$(BIN)/pytest -m others --nbval tests notebooks/*.ipynb; others=$$?; \
	$(BIN)/pytest -m frameworks; frameworks=$$?; \
	$(BIN)/pytest -m hdfs; hdfs=$$?; \
	wait $$cloud; of_cloud=$$?; wait $$browser; of_browser=$$?; \
	cat $$home/cloud.log $$home/browser.log; exit $$((others | frameworks | hdfs | of_cloud | of_browser))

distributed: .venv-distributed/.done  ## PyTorch, XGBoost and TensorFlow (2.6 GB), for the tests of distributed jobs

hdfs: .venv-hdfs/.done  ## a real HDFS (240 MB), as root on Debian, for the tests of storage there

generate: $(DEV)  ## what is made of pai_jupyter/wire/schema: the types of TypeScript, the schemas of tests/openapi.json
	@$(BIN)/python -m pai_jupyter.wire.schema.generate

lint: $(DEV) $(if $(FRONT),$(MODULES))  ## ruff, mypy, import-linter, tsc
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	$(if $(FRONT),@cd labextension && npm run --silent check)

lab: $(DEV) $(FRONT)  ## JupyterLab on notebooks/
	@$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks

bench: $(DEV) $(FRONT) .venv-alipai/.done  ## speed, as ratios against peers in the same run
	@$(MAKE) --no-print-directory .venv-mlflow/.done || { rm -rf .venv-mlflow; echo "no MLflow can be installed here: the runs table is not compared"; }
	@$(MAKE) --no-print-directory .venv-scheduler/.done || { rm -rf .venv-scheduler; echo "no jupyter-scheduler can be installed here: lists are not compared"; }
	@$(BIN)/python -m tests.bench

dist: $(DEV) $(FRONT)  ## sdist and wheel in dist/, which nobody needs node to install
	@rm -rf dist && $(BIN)/python -m build -q --no-isolation

system:  ## install what tests use and Debian offers, as root
	@missing="$$(for package in $(SYSTEM); do dpkg -s $$package >/dev/null 2>&1 || echo $$package; done)"; \
	[ -n "$$missing" ] || exit 0; \
	command -v apt-get >/dev/null || { echo "make system needs Debian's apt-get; here, install what corresponds to: $(SYSTEM)" >&2; exit 1; }; \
	[ "$$(id -u)" = 0 ] || { echo "make system installs packages, which needs root: sudo make system" >&2; exit 1; }; \
	export DEBIAN_FRONTEND=noninteractive; \
	apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing >/dev/null

clean:  ## remove everything that make has made
	@rm -rf .venv .venv-alipai .venv-distributed .venv-hdfs .venv-mlflow .venv-scheduler dist labextension/node_modules labextension/lib pai_jupyter/labextension pai_jupyter/locale pai_jupyter/static .mypy_cache .ruff_cache .import_linter_cache notebooks/.executed tests/.work
	@find . -name __pycache__ -prune -exec rm -rf {} +

# JupyterLab finds what is built through a link, so that a new build needs no new installation.
link = rm -rf $(1)/$(LINK) && mkdir -p $(1)/$(dir $(LINK)) && ln -s "$(CURDIR)/pai_jupyter/labextension" $(1)/$(LINK)

# $(call install,PYTHON OF AN ENVIRONMENT,REQUIREMENTS): with uv where there is one or where pip gets one, else with pip.
install = @uv=$$(command -v uv || ls $(BIN)/uv 2>/dev/null || { $(BIN)/python -m pip install -q uv >/dev/null 2>&1 && echo $(BIN)/uv; }); \
	if [ -n "$$uv" ]; then "$$uv" pip install -q --compile-bytecode --python $(1) $(2); else $(1) -m pip install -q $(2); fi

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	{ echo "pai_jupyter needs Python 3.11 or newer, and $(PYTHON) is none. Name one: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv .venv || \
	{ echo "$(PYTHON) cannot make environments. On Debian: apt-get install python3-venv" >&2; rm -rf .venv; exit 1; }

.venv/.examples-$(STAMP): | .venv/bin/python
	@echo "setting up .venv ..."
	$(call install,$(BIN)/python,-e '.[examples]')
	@touch $@

# ipykernel 6 lies beside the environment's own, for the tests that start kernels of both.
$(DEV): | .venv/bin/python
	@echo "setting up .venv for development ..."
	@rm -rf .venv/$(LINK)
	$(call install,$(BIN)/python,-e '.[dev]')
	$(call install,$(BIN)/python,--no-deps --target .venv/ipykernel6 'ipykernel>=6.29$(comma)<7')
	@touch $@

$(MODULES): labextension/package-lock.json
	@echo "setting up labextension/node_modules ..."
	@cd labextension && npm ci --silent && touch node_modules/.done-$(LOCK)

pai_jupyter/static/.built: $(SOURCES) $(MODULES) $(DEV)
	@echo "building the front end ..."
	@cd labextension && PATH="$(CURDIR)/$(BIN):$$PATH" npm run --silent build >/dev/null
	@$(call link,.venv)
	@touch $@

# The official SDK, in an environment of its own: the referee of our emulator, and what `make bench` compares with.
.venv-alipai/.done: | $(DEV)
	@$(BIN)/python -m venv .venv-alipai
	$(call install,.venv-alipai/bin/python,alipai==0.4.13)
	@touch $@

# By pip, whose configuration may name a PyTorch without CUDA, which is a fifth of the other.
.venv-distributed/.done: | $(DEV)
	@echo "setting up .venv-distributed ..."
	@$(BIN)/python -m venv .venv-distributed
	@.venv-distributed/bin/python -m pip install -q -e '.[distributed]'
	@touch $@

# The jars of Hadoop 2.7.3, which PySpark's sdist has; nothing of it is installed.
.venv-hdfs/.done: | .venv/bin/python
	@$(MAKE) --no-print-directory system SYSTEM="$(HADOOP)"
	@echo "setting up .venv-hdfs ..."
	@rm -rf .venv-hdfs && $(BIN)/python -m venv .venv-hdfs && mkdir .venv-hdfs/jars
	@.venv-hdfs/bin/python -m pip install -q setuptools wheel
	@.venv-hdfs/bin/python -m pip download -q --no-deps --no-build-isolation -d .venv-hdfs/sdist pyspark==2.4.8
	@tar xzf .venv-hdfs/sdist/pyspark-2.4.8.tar.gz -C .venv-hdfs/jars --strip-components=3 --wildcards '*/deps/jars/*.jar'
	@rm -r .venv-hdfs/sdist
	@touch $@

# The oldest JupyterLab and Notebook that pai_jupyter supports, with it, for the tests that show both in a browser.
$(OLDEST): | $(DEV)
	@rm -rf .venv/oldest && $(BIN)/python -m venv .venv/oldest
	$(call install,.venv/oldest/bin/python,-e . jupyterlab==4.0.2 notebook==7.0.0 ipykernel)
	@$(call link,.venv/oldest)
	@touch $@

# jupyter-scheduler, whose list of jobs `make bench` compares ours with.
.venv-scheduler/.done: | $(DEV)
	@$(BIN)/python -m venv .venv-scheduler
	$(call install,.venv-scheduler/bin/python,jupyter-scheduler==2.12.1)
	@touch $@

# MLflow, whose server the tests of tracking start, and whose search of runs `make bench` compares the runs table with. Its small
# package has the server too; the rest is what the server imports, without the 700 MB of libraries whose models MLflow can load.
.venv-mlflow/.done: | $(DEV)
	@rm -rf .venv-mlflow && $(BIN)/python -m venv .venv-mlflow
	$(call install,.venv-mlflow/bin/python,mlflow-skinny==3.17.2 sqlalchemy alembic pandas flask flask-cors aiohttp)
	@touch $@

comma := ,
