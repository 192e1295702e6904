# Everything is done through these targets; CI calls the same ones.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SETUP := $(VENV)/.installed
PACKAGES := libs/everword services/ingest services/search services/compactor services/embedder

.PHONY: help
help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(SETUP): requirements.lock $(PACKAGES:%=%/pyproject.toml)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install -qq --disable-pip-version-check --no-deps --no-build-isolation $(PACKAGES:%=-e %)
	@touch $@

.PHONY: setup
setup: $(SETUP) ## Create .venv with the locked dependencies and the packages of this repository

.PHONY: lock
lock: ## Re-pin requirements.lock from requirements.in (newest versions that fit)
	uv pip compile --quiet --generate-hashes --no-header --no-annotate --no-emit-index-url \
	  --python-version 3.11 --upgrade requirements.in -o requirements.lock

.PHONY: proto
proto: $(SETUP) ## Regenerate the Python code and the protoset from protos/
	$(BIN)/python scripts/gen_protos.py
