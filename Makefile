# Every target is a command that anyone can run. Bare make prints this list.

GO ?= go
# The tool versions that lint is known to pass with.
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.4.0
FUZZTIME ?= 1m

.PHONY: help
help: ## Print this list.
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the program as ./intray.
	$(GO) build -o intray ./cmd/intray

.PHONY: test
test: ## Run all tests that this machine has the parts for, and count the rest.
	@GO="$(GO)" sh .ci/test ./...

.PHONY: short
short: ## Run the tests that take a minute in all.
	$(GO) test -short ./...

.PHONY: all-tests
all-tests: ## Run all tests with the suites that take long: contract, torture, conformance and bench.
	@INTRAY_TESTS=all GO="$(GO)" sh .ci/test ./...
	$(GO) -C tools test ./...

.PHONY: check
check: lint short ## Check format, style and imports, and run the short tests: what every commit must pass.

.PHONY: generate
generate: ## Generate the tables, the catalogue of the API and the user interface again.
	$(GO) generate ./...
	$(GO) test . -run PictureOfImports -update
	cd ui && npm ci --silent --no-audit --no-fund && npm run --silent api && npm run --silent build

.PHONY: ui
ui: ## Build the review page, which is part of the program, into server/webui/dist.
	cd ui && npm ci --silent --no-audit --no-fund && npm run --silent build

.PHONY: mutants
mutants: ## Make 300 small changes to the code, one at a time, and list those that no test notices.
	$(GO) -C tools run ./mutants -n 300 -seed 1

.PHONY: race
race: ## Run all tests under the race detector.
	$(GO) test -race ./...

.PHONY: lint
lint: ## Check format, imports and style.
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags crashpoints ./server
	$(GO) run $(GOLANGCI) run

.PHONY: torture
torture: ## Kill, flood and fill the service, damage files: the whole of what CI runs a tenth of.
	INTRAY_TESTS=torture INTRAY_TORTURE=full $(GO) test -count=1 -timeout 60m -v ./test/torture
	INTRAY_TORTURE=full $(GO) test -count=1 -timeout 60m -v -run '^TestMutations$$' ./cmd/intray
	INTRAY_TORTURE=full $(GO) test -count=1 -timeout 60m ./hooks
	INTRAY_TORTURE=full $(GO) test -count=1 -timeout 60m -v -run '^(TestFairness|TestThroughput|TestDownForADay)$$' ./server/service

.PHONY: fuzz
fuzz: ## Fuzz every reader and sniffer, FUZZTIME each (default 1m).
	FUZZTIME=$(FUZZTIME) sh .ci/fuzz

.PHONY: bench
bench: ## Measure imports, and the readers side by side with those of others.
	INTRAY_TESTS=bench INTRAY_BENCH=full $(GO) test -count=1 -timeout 60m -v ./bench
	$(GO) test -run '^$$' -bench . -benchtime 2s ./source/... ./server/staging ./output

.PHONY: test-ui
test-ui: ## Review the examples in a browser, over the real service; then the pages by themselves.
	cd ui && npm ci --silent --no-audit --no-fund && node e2e/run.mjs test && npm run --silent test:browser

.PHONY: bench-ui
bench-ui: ## Measure the review page over 1 million rows; INTRAY_BENCH=full: 1, 5 and 10.
	cd ui && npm ci --silent --no-audit --no-fund && npm run --silent bench:grid && node e2e/run.mjs bench

.PHONY: screenshots
screenshots: ## Take pictures of the review page in each state, into docs/screenshots.
	cd ui && npm ci --silent --no-audit --no-fund && node e2e/run.mjs screenshots

.PHONY: postgres
postgres: ## Start PostgreSQL for tests on loopback and print its URL.
	@sh .ci/postgres start
