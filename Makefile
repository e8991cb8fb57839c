# photofinish: everything that a person or CI types.
#
#   make run    build, then race the two built-in servers: a verdict within a minute or two
#   make test   what must hold before a change lands: format, lint, unit and end-to-end tests, the page in Chromium, smoke runs of two
#               studies
#   make test-all   also databases, containers, other machines, Slurm, Kubernetes, all studies, licences and ten minutes of fuzzing:
#                   before a release
#   make bench  photofinish's own speed and accuracy next to wrk, ab, h2load, oha, hey, fortio and k6; how small a difference it can
#               resolve
#   make test-cluster   the tests on a real Kubernetes cluster of four nodes, in network namespaces of this machine (root); part of
#                       `make test-all` if this machine can have one
#   make studies-page   docs/studies.md: published claims next to what stored results of the studies show (see scripts/studies-page)
#   make dist   what is released, in dist/: static programs and Debian packages with checksums (see docs/releasing.md)
#   make screenshots   the pictures in docs/img, of made-up runs
#   make setup  installs what `make test` needs besides Rust (Debian packages); `make test` calls it
#   make setup-all  the same for `make test-all`

CARGO ?= cargo
PHOTOFINISH := target/release/photofinish
# The program of the tests, whose load generator is optimized (see Cargo.toml).
SMOKE := target/debug/photofinish
# A target of our own that has tests; its Cargo.lock is not the workspace's.
LIMIT := --manifest-path targets/limit/Cargo.toml
LIMIT_BUILD := $(LIMIT) --locked --target-dir target/limit
# The fuzz targets: only running them takes a nightly compiler.
FUZZ := --manifest-path fuzz/Cargo.toml
# The studies whose smoke runs `make test` makes: one of built-in servers, one of servers that Maven builds.
SMOKES := quickstart mina-vs-netty-echo
ALL_SMOKES := $(basename $(notdir $(wildcard studies/*.toml)))
# What the prose linter reads. docs/studies.md quotes others.
PROSE := README.md CHANGELOG.md CONTRIBUTING.md $(filter-out docs/studies.md,$(wildcard docs/*.md))
# Tools that are built when they are missing.
TOOLS := $(abspath target/tools)
export PATH := $(PATH):$(TOOLS)/bin

.PHONY: run build test test-all test-cluster cluster setup setup-all format lint prose check-prose lint-fuzz licences unit unit-all end-to-end page smoke smoke-all fuzz bench studies-page dist screenshots

run: build
	$(PHOTOFINISH) run quickstart

build:
	$(CARGO) build --release --locked

# The page's tests leave a core to the smoke runs, which do not measure speed.
test: setup format lint unit end-to-end
	$(MAKE) --jobs=2 --output-sync=line page smoke

test-all: setup-all format lint lint-fuzz licences unit-all
	$(MAKE) --jobs=2 --output-sync=line page smoke-all
	$(MAKE) cluster
	$(MAKE) fuzz

setup:
	bash scripts/setup

setup-all:
	bash scripts/setup all

format:
	$(CARGO) fmt --all --check
	$(CARGO) fmt $(LIMIT) --check
	$(CARGO) fmt $(FUZZ) --check

lint: prose
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) clippy $(LIMIT_BUILD) --all-targets -- -D warnings

# The words of the documentation, by the rules in .vale. Vale is built once, with Go; without both nothing is checked.
prose:
	@if command -v vale || command -v go; then $(MAKE) check-prose; else echo "The words of the documentation are not checked: Go is missing"; fi

check-prose:
	command -v vale || GOBIN=$(TOOLS)/bin go install github.com/vale-cli/vale/v3/cmd/vale@v3.20.0
	vale $(PROSE)

lint-fuzz:
	$(CARGO) clippy $(FUZZ) --locked --target-dir target/fuzz -- -D warnings

# Licences and sources of every dependency, by the rules of deny.toml.
licences:
	command -v cargo-deny || $(CARGO) install --locked cargo-deny --root $(TOOLS)
	set -e; for manifest in Cargo.toml targets/limit/Cargo.toml fuzz/Cargo.toml; do \
	    $(CARGO) deny --manifest-path $$manifest --locked check --config $(abspath deny.toml) licenses sources bans; done

# A test that lacks something here is a failure; `cargo test` by itself skips it, unless CI is set.
unit end-to-end unit-all: export PHOTOFINISH_TEST_NO_SKIP = 1
# All but the end-to-end tests, which are built here, too. The one crate that has tests in its documentation is named: cargo builds what they
# use again.
unit:
	$(CARGO) test --workspace --locked --no-run
	$(CARGO) test --workspace --locked --lib --bins --test '[!e]*' --test 'e[!2]*'
	$(CARGO) test --package photofinish-model --locked --doc
	$(CARGO) test $(LIMIT_BUILD)

# The ones in `test_all` take databases, containers or other machines, or repeat a promise for one more protocol. They wait more than they
# compute, so that four at once suit two cores.
end-to-end: export RUST_TEST_THREADS = 4
end-to-end:
	$(CARGO) test --workspace --locked --test e2e -- --skip test_all::

unit-all:
	$(CARGO) test --workspace --locked
	$(CARGO) test $(LIMIT_BUILD)

# The HTML report's page: whether the committed one is that of its sources, types, unit tests, and tests in Chromium.
page:
	cd web && npm ci --no-audit --no-fund && npm run check-built && npm test

# The pictures in docs/img, of made-up runs with the page as it is built now.
screenshots:
	cd web && npm ci --no-audit --no-fund && npm run fixtures && npm run docs-images

# One short round of a study on its real servers: fails if a target does not build, start, verify or answer.
# The program is built as the tests build it, which compiles nothing after them. `make test` leaves out the reference server, whose release
# build takes longer than the rest; its own tests run in `unit`.
smoke: STUDIES = $(SMOKES)
smoke: FLAGS = --no-limit
smoke-all: STUDIES = $(ALL_SMOKES)
smoke smoke-all:
	$(CARGO) test --workspace --locked --test e2e --no-run
	set -e; for study in $(STUDIES); do echo "== smoke run of $$study"; $(SMOKE) run $$study --smoke $(FLAGS); done

# All fuzz targets, ten minutes together.
fuzz:
	command -v cargo-fuzz || $(CARGO) install --locked cargo-fuzz --root $(TOOLS)
	scripts/fuzz 600

# Not everybody is root, or has control groups of version 1: what is left out is said.
cluster:
	@if lacks=$$(scripts/test-cluster can 2>&1); then $(MAKE) test-cluster; else echo "No tests on a Kubernetes cluster: $$lacks"; fi

# Builds Kubernetes the first time, which takes some 10 minutes; see scripts/test-cluster.
test-cluster:
	$(CARGO) test --workspace --locked --test e2e --no-run
	scripts/test-cluster up
	$(CARGO) test --workspace --locked --test e2e kubernetes -- --ignored; ended=$$?; scripts/test-cluster down; exit $$ended

studies-page: build
	scripts/studies-page

dist:
	scripts/dist

# Needs a quiet machine; takes about an hour and a quarter, most of it bench/resolution. See notes/accuracy.md.
bench: build
	bench/run
