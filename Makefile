# photofinish: everything that a person or CI types.
#
#   make run    build, then race the two built-in servers: a verdict within a minute or two
#   make test   everything that must hold before a change lands
#   make bench  photofinish's own speed and accuracy beside wrk, ab, h2load, oha, hey, fortio and k6; how small a difference it can tell
#   make test-cluster   the tests on a real Kubernetes cluster of three nodes, in network namespaces of this machine (root); part of
#                       `make test` where this machine can have one
#   make dist   what is released, in dist/: static programs and Debian packages with checksums (see docs/releasing.md)
#   make setup  what `make test` needs beside Rust and Go (Debian packages); `make test` calls it

CARGO ?= cargo
PHOTOFINISH := target/release/photofinish
# The program of the tests, whose load generator is optimized (see Cargo.toml).
SMOKE := target/debug/photofinish
# A target of our own that has tests; its Cargo.lock is not the workspace's.
LIMIT := --manifest-path targets/limit/Cargo.toml
LIMIT_BUILD := $(LIMIT) --locked --target-dir target/limit
# The fuzz targets: only to run them takes a nightly compiler.
FUZZ := --manifest-path fuzz/Cargo.toml
SMOKES := $(basename $(notdir $(wildcard studies/*.toml)))

.PHONY: run build test test-cluster cluster setup format lint unit page smoke bench dist

run: build
	$(PHOTOFINISH) run quickstart

build:
	$(CARGO) build --release --locked

# The page's tests leave a core to the smoke runs, which say nothing about speed.
test: setup format lint unit
	$(MAKE) --jobs=2 --output-sync=line page smoke
	$(MAKE) cluster

setup:
	bash scripts/setup

format:
	$(CARGO) fmt --all --check
	$(CARGO) fmt $(LIMIT) --check
	$(CARGO) fmt $(FUZZ) --check

lint:
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) clippy $(LIMIT_BUILD) --all-targets -- -D warnings
	$(CARGO) clippy $(FUZZ) --locked --target-dir target/fuzz -- -D warnings

# A database that cannot be fetched is a failure here; `cargo test` by itself skips what needs it, unless CI is set.
unit: export PHOTOFINISH_TEST_NO_SKIP = 1
unit:
	$(CARGO) test --workspace --locked
	$(CARGO) test $(LIMIT_BUILD)

# The HTML report's page: whether the committed one is that of its sources, types, unit tests, and tests in Chromium.
page:
	cd web && npm ci --no-audit --no-fund && npm run check-built && npm test

# One short round of every study on its real servers: fails when a target does not build, start, verify or answer.
# The program is built as the tests build it, which compiles nothing after them.
smoke:
	$(CARGO) test --locked -p photofinish --test e2e --no-run
	set -e; for study in $(SMOKES); do echo "== smoke run of $$study"; $(SMOKE) run $$study --smoke; done

# Not everybody is root, or has control groups of version 1: what is left out is said.
cluster:
	@if lacks=$$(scripts/test-cluster can 2>&1); then $(MAKE) test-cluster; else echo "No tests on a Kubernetes cluster: $$lacks"; fi

# Builds Kubernetes the first time, which takes some 10 minutes; see scripts/test-cluster.
test-cluster:
	$(CARGO) test --locked -p photofinish --test e2e --no-run
	scripts/test-cluster up
	$(CARGO) test --locked -p photofinish --test e2e kubernetes -- --ignored; ended=$$?; scripts/test-cluster down; exit $$ended

dist:
	scripts/dist

# Needs a quiet machine; takes about an hour, most of it bench/resolution. See docs/accuracy.md.
bench: build
	bench/run
