# Run make without a target to list all targets.

GO ?= go
# The linter version that make lint passes with.
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.4.0
# The scanner for known vulnerabilities.
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
FUZZTIME ?= 1m
# The systems and processors of a release, as in tools/release/build.go.
TARGETS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
# SQLite is C code translated to Go, which takes most of the time under the race detector. Only packages that do not
# instantiate generic types can be excluded: the linker may use their copies of such types for all packages.
RACE := -race -gcflags='modernc.org/sqlite/lib=-race=false'

.PHONY: help
help: ## Print this list.
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the program as ./intray.
	$(GO) build -o intray ./cmd/intray

.PHONY: test
test: ## Run all tests that this machine can run, and list the skipped ones.
	@GO="$(GO)" sh .ci/test ./...

.PHONY: short
short: ## Run the short tests, which take about a minute on an idle machine.
	$(GO) test -short ./...

.PHONY: all-tests
all-tests: ## Run all tests, including all long suites.
	@INTRAY_TESTS=all GO="$(GO)" sh .ci/test -timeout 60m ./...
	$(GO) -C tools test ./...
	$(GO) -C tools/release test ./...
	$(GO) -C sdk/go test ./...
	$(GO) -C test/deploy test ./...

.PHONY: check
check: lint short ## Check format, style and imports, and run the short tests. Every commit must pass.

.PHONY: generate
generate: ## Regenerate the phone tables, the package diagram, the API types and the review page.
	$(GO) generate ./...
	$(GO) test . -run PictureOfImports -update
	cd ui && npm ci --silent --no-audit --no-fund && npm run --silent api && npm run --silent build && node scripts/licenses.mjs
	$(GO) test -count=1 ./server/webui -run '^TestCompressedPagesAreFresh$$' -update

.PHONY: clients
clients: ## Regenerate the clients in sdk from the OpenAPI documents. Needs npm and Python.
	INTRAY_TESTS=generators $(GO) test -count=1 ./test/generators -run '^TestClient' -update

.PHONY: ui
ui: ## Build the pages into server/webui/dist, and compress them into server/webui/gzip, which the program embeds.
	cd ui && npm ci --silent --no-audit --no-fund && npm run --silent build && node scripts/licenses.mjs
	$(GO) test -count=1 ./server/webui -run '^TestCompressedPagesAreFresh$$' -update

.PHONY: mutants
mutants: ## Make 300 small changes to the code, one at a time, and list those that no test detects.
	$(GO) -C tools run ./mutants -n 300 -seed 1

.PHONY: vuln
vuln: ## Look for known vulnerabilities in the code that Intray calls. Needs access to vuln.go.dev.
	$(GO) run $(GOVULNCHECK) ./...

.PHONY: sbom
sbom: build ## Write the software bill of materials of ./intray to intray.cdx.json.
	$(GO) -C tools run ./sbom -program ../intray -lock ../ui/package-lock.json -out ../intray.cdx.json

.PHONY: cross
cross: ## Compile and vet the program for all systems and processors of a release.
	@GO="$(GO)" sh .ci/cross $(TARGETS)

.PHONY: release
release: release-vuln ## Build all files of a release into dist. Needs INTRAY_SIGNING_KEY.
	$(GO) -C tools/release run . build

.PHONY: release-push
release-push: ## Verify the release in dist, and push its images to ghcr.io. Needs REGISTRY_USER and REGISTRY_PASSWORD.
	$(GO) -C tools/release run . push

.PHONY: release-check
release-check: release-vuln ## Build a release twice, compare the files, and show that changes are detected.
	$(GO) -C tools/release run . check

.PHONY: release-vuln
release-vuln: # A release must not contain known vulnerabilities.
	@if [ -n "$(SKIP_VULN)" ]; then \
		echo "SKIPPED: the search for known vulnerabilities, because SKIP_VULN is set"; \
	else \
		$(MAKE) --no-print-directory vuln || { echo "If vuln.go.dev cannot be reached, SKIP_VULN=1 skips this search."; exit 1; }; \
	fi

.PHONY: image-check
image-check: ## Build the container image and test it with podman, without privileges.
	INTRAY_TESTS=image $(GO) -C tools/release test -count=1 -v -run '^TestContainer' .

.PHONY: race
race: ## Run all tests under the race detector.
	$(GO) test $(RACE) -skip '^TestHostileFilesUseBoundedMemory$$' ./... # the race detector multiplies memory

.PHONY: race-part
race-part: ## Run the tests of packages that start goroutines under the race detector.
	$(GO) test $(RACE) -count=1 $(addprefix ./,engine output validate server/queue server/sqlstore server/staging server/jobs server/service server/draft server/webhook server/egress server/blob/... server/backup)

.PHONY: lint
lint: ## Check format, imports and style.
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags crashpoints ./server
	$(GO) run $(GOLANGCI) run

.PHONY: torture
torture: ## Kill, overload and attack the server, fill its disk and damage its files. CI runs a part of this.
	INTRAY_TESTS=torture INTRAY_TORTURE=full $(GO) test -count=1 -timeout 120m -v ./test/torture ./test/savedwork ./test/simulation
	INTRAY_TESTS=attacks INTRAY_TORTURE=full $(GO) test -count=1 -timeout 60m -v ./test/attacks
	INTRAY_TESTS=hostile $(GO) test -count=1 -timeout 60m ./source/formats
	INTRAY_TESTS=schemathesis INTRAY_TORTURE=full $(GO) test -count=1 -timeout 60m -v ./test/schemathesis
	INTRAY_TESTS=generators $(GO) test -count=1 -timeout 60m -v ./test/generators
	INTRAY_TORTURE=full $(GO) test -count=1 -timeout 60m -v -run '^TestMutations$$' ./cmd/intray
	cd ui && npm ci --silent --no-audit --no-fund && E2E_LOOKS=all node e2e/run.mjs test access
	cd sdk && npm ci --silent --no-audit --no-fund && npm run --silent build && npm run --silent examples
	$(GO) -C examples/embed/go test ./...
	INTRAY_TORTURE=full $(GO) test -count=1 -timeout 60m ./hooks
	INTRAY_TORTURE=full $(GO) test -count=1 -timeout 60m -v -run '^(TestFairness|TestThroughput|TestDownForADay)$$' ./server/service

.PHONY: soak
soak: ## Run a steady load for 30 minutes, and check that memory, goroutines and files do not grow.
	INTRAY_TESTS=torture INTRAY_SOAK=30m $(GO) test -count=1 -timeout 60m -v -run '^TestSoak$$' ./test/torture

.PHONY: growth
growth: ## Measure calls with 1,000,000 stored imports, on SQLite and PostgreSQL. Needs 15 GB of disk space.
	INTRAY_TESTS=growth INTRAY_GROWTH=1000000 $(GO) test -count=1 -timeout 120m -v ./test/growth

.PHONY: fuzz
fuzz: ## Fuzz every reader and sniffer, each for FUZZTIME (default 1m).
	FUZZTIME=$(FUZZTIME) sh .ci/fuzz

.PHONY: bench
bench: ## Measure imports, readers and exports, compare them with other programs, and write bench/RESULTS.md.
	INTRAY_TESTS=bench INTRAY_BENCH=full INTRAY_BENCH_RESULTS=1 $(GO) test -count=1 -timeout 90m -v ./bench
	$(GO) test -run '^$$' -bench . -benchtime 2s ./source/... ./server/staging ./server/backup ./output

.PHONY: test-ui
test-ui: ## Test the review page in a browser, with the real server and on its own.
	cd ui && npm ci --silent --no-audit --no-fund && E2E_LOOKS=all node e2e/run.mjs test && npm run --silent test:browser

.PHONY: test-sdk
test-sdk: ## Build the packages that embed the importer, check their size, and test them in a browser.
	cd sdk && npm ci --silent --no-audit --no-fund && npm run --silent check

.PHONY: bench-ui
bench-ui: ## Measure the review page with 1 million rows, or with 1, 5 and 10 million if INTRAY_BENCH=full.
	cd ui && npm ci --silent --no-audit --no-fund && npm run --silent bench:grid && node e2e/run.mjs bench && node e2e/run.mjs bench-hooks

.PHONY: screenshots
screenshots: ## Save screenshots of the review page, and update the one in docs/screenshots.
	cd ui && npm ci --silent --no-audit --no-fund && node e2e/run.mjs screenshots

.PHONY: s3
s3: ## Install an S3 server for tests and print its path.
	@sh .ci/s3

.PHONY: toxiproxy
toxiproxy: ## Install a proxy that causes network faults for tests and print its path.
	@sh .ci/toxiproxy

.PHONY: postgres
postgres: ## Start PostgreSQL for tests on loopback and print its URL.
	@sh .ci/postgres start
