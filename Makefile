# Ruri Reader. `make` lists the targets. `make run` needs Go and Node alone; `make test` installs what it needs.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

ADDR ?= 127.0.0.1:8080
DATA ?= data
LAMBDA_ARCH ?= arm64
# The rehearsal runs the functions here, whatever they are built for.
HOST_ARCH = $(shell go env GOARCH)
SAM_DIR ?= .aws-sam/build
# FUZZTIME=60s searches each fuzz target for a minute from a random seed; without it, the inputs are the same each time.
FUZZTIME ?=
# Fuzzed each time are the packages that read what strangers send; compiling the others for it, with all of AWS below
# them, takes longer than the fuzzing. Their seeds run among the Go tests, as all seeds do.
FUZZ ?= $(shell grep -rl '^func Fuzz' --include='*_test.go' internal/content internal/reader internal/library internal/search internal/watch | xargs -n1 dirname | sort -u)
BENCH ?= .
BENCHTIME ?= 1s
# ONLY=pattern runs only those steps of `make test` whose name matches, and what they need.
ONLY ?=
# REHEARSE_FLAGS=-v shows what functions log.
REHEARSE_FLAGS ?=
# FRESH=1 (CI) runs every Go test again, in random order; otherwise Go's cache answers for unchanged packages.
FRESH ?=
# CLIENTS=names chooses the apps of `make test-clients`.
CLIENTS ?=
# FULL=1 (CI) adds the steps that take too long for every day (docs/develop/decisions/0001).
FULL ?=

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || sed -n 's/^\#\# \[\?\([0-9][^] ]*\).*/\1/p' CHANGELOG.md 2>/dev/null | head -1)
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
COMMIT_DATE := $(shell TZ=UTC0 git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null)
# -s drops the symbol table and what debuggers read; -buildid=, -buildvcs=false and -trimpath make the same source give
# the same bytes.
LDFLAGS := -s -buildid= -X main.version=$(or $(VERSION),dev) -X main.commit=$(COMMIT) -X main.date=$(COMMIT_DATE)
# Without lambda.norpc the old RPC mode links net/rpc and html/template in, and the binary is twice the size.
LAMBDA_BUILD = CGO_ENABLED=0 GOOS=linux go build -tags lambda.norpc -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' \
	$(NOT_INLINED:%=-gcflags=%=-l)
# Code that waits for the network, or runs once for a request: without inlining there the zip of the API is 0.5 MB smaller
# (decision 0404). What parses, searches and encodes is compiled as usual.
NOT_INLINED := net net/http/... crypto/tls crypto/x509/... log/slog github.com/aws/... github.com/guregu/... github.com/coreos/... \
	regexp/syntax archive/zip crypto/ecdsa github.com/andybalholm/cascadia/... github.com/araddon/... github.com/mmcdole/... github.com/go-jose/... github.com/golang-jwt/... github.com/fxamacker/... golang.org/x/oauth2/... codeberg.org/... net/url net/textproto mime/... encoding/asn1 encoding/pem vendor/golang.org/x/net/... math/big \
	$(addprefix github.com/ruri-reader/ruri/internal/,api stream/assist popular/... library/... fault/... telemetry/... job config content/discover content/formula content/money content/opml content/tags content/fetch content/favicon content/robots watch schedule auth/... clients/... subscribe takeout/... watching config content/listing/... crawl/... search/find content/starred storage/table/dynamotable storage/blob/s3blob storage/queue/... webhook/... worker cleanup wire/...)
FUNCTIONS := orchestrator crawler api
SAM := SAM_CLI_TELEMETRY=0 .tools/aws/bin/sam
SAM_ARCH := $(if $(filter amd64,$(LAMBDA_ARCH)),x86_64,$(LAMBDA_ARCH))

# Tests are compiled with the flags of the binary, so that a package is compiled once for all of them.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath $(filter-out -trimpath,$(shell go env GOFLAGS))

VERIFY := go run ./.ci/verify
# vet is a step of its own. GOGC: tests make much garbage and hold little; up to a fifth of their time went to collecting it.
# The timeout is for what hangs: a busy machine needs many times what a quiet one does.
GOTEST := GOGC=400 $(VERIFY) gotest -vet=off -timeout 1h $(if $(FRESH),-count=1 -shuffle=on)
# The race detector makes code several times slower: it runs with -short over the packages whose code shares memory between
# goroutines. With FULL=1 (CI) also over those whose tests take longest, and with LONG=1 over those that link SQLite in pure
# Go, which takes minutes to compile for it, and over the API.
RACE := $(wildcard internal/storage/blob internal/storage/blob/fileblob internal/storage/queue internal/storage/store \
	internal/storage/table internal/content/fetch internal/crawl/orchestrate internal/auth \
	$(if $(FULL)$(LONG),internal/crawl internal/stream internal/subscribe internal/wire/lambda) \
	$(if $(LONG),internal/api internal/storage/queue/sqlitequeue internal/storage/table/sqlitetable internal/wire/localwire cmd/ruri))
RACE_PACKAGES := $(addprefix ./,$(RACE))
# Tests that take long and do everything in one goroutine: comparisons with models, bounds of lists, a crash at each step.
RACE_SKIP := ^Test(MarksTogetherAgainstMarksOfEach|PagesWhileThingsChange|IDsAgainstAModel|NothingIsMissed|MergedStreamAgainstASort|PagesDoNotGrow|MarksDoNotGrowWithTheSideBar|ReadUnitsOf.*|DeepPagesReadWhatIsNext|ImportSurvivesEveryCrash|CorpusOfLists|LongImport|ReplayWithFaultsAtEveryStep|Interleavings|InterleavingsOfWatches|AWatchFollowsAShopForAMonth|FaultsOfPagesRemoveNothing|ChainsAreBounded|BatchesAreBoundedInBytes|StarredExportInParts|IndexingIsAskedForByTheNumberOfFeeds|WatchesOfAHostArePaced|AWatchSurvivesReleasesOfItsSite|ModelOfRepeatedGuids|StreamsAgainstASort|IDsOfLongFeedsResolve|OneWriteMarksAll|SettledAtOnce|SideBarOfTwoProcesses|SortedAsAModel|AnyHeadersComeBackAsTheyWere|DamagedHeadersAreRefused|KnownAgainstAMap|AgesNeverClaimTooMuch|FetchesOfAFeed|StructAsTheCodec|BombsStopAtTheLimit|SessionsCostNoReads|AttemptsFromManyNetworksShareOneRow|RevokedTokensDoNotCount|MergeSurvivesEveryCrash|RepointSurvivesEveryCrash|StarsSurviveEveryCrashOfRepointing)$$
# `make test-faults` runs these in full, `make test` with fewer faults.
FAULT_TESTS := ^Test(Storm|EveryStep|Host)$$
# Deployments onto emulated AWS, which do not run with -short.
DEPLOY_TESTS := ^Test(LifeOfAStack|PlantedFaults|FrontRefusesAsAWSDoes)$$

##@ Everyday
.PHONY: help
help: ## Lists the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-zA-Z0-9_-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Builds, then serves the reader on ADDR (127.0.0.1:8080) with sample feeds and a demo shop; data is kept in DATA (data/)
	@# Without a line for each poll, so that the link stays the last one.
	@RURI_LOG_LEVEL="$${RURI_LOG_LEVEL:-warn}" bin/ruri serve --addr '$(ADDR)' --data '$(DATA)' --samples

.PHONY: dev
dev: web ## As run, with the page as it is changed at http://127.0.0.1:5173, and the server built anew when its sources change
	@go run ./.ci/dev -addr '$(ADDR)' -data '$(DATA)'

.PHONY: build
build: ## Builds bin/ruri with the web interface
	@# What the program is made of is compiled while the page is installed and built; what is wrong with it is said below.
	@go build ./internal/cli 2>/dev/null & $(MAKE) --no-print-directory web; wait
	@$(MAKE) --no-print-directory build-go

.PHONY: build-go
build-go: # bin/ruri with the page that was built last; after web when both are made
	go build -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/ruri ./cmd/ruri

.PHONY: web
web: ## Builds the page into internal/assets/webui/dist, where the binary takes it from
	@.ci/tools.sh web
	npm run --prefix web --silent build

.PHONY: test
test: ## Installs what it needs, runs every check and test, prints a summary
	@$(VERIFY) all $(if $(FULL),-full) $(if $(value ONLY),-only '$(value ONLY)')

.PHONY: lint
lint: lint-format lint-vet lint-go lint-template lint-web lint-vuln ## All linters

.PHONY: fmt
fmt: ## Formats Go and the page's sources
	@.ci/tools.sh lint web
	@.ci/format.sh fix
	npm run --prefix web --silent format

.PHONY: bench
bench: ## The measured table: crawls of the feed farm, reading over HTTP, extraction, API, every route (BENCH_FLAGS=-quick for a small one)
	go run ./internal/testkit/bench $(BENCH_FLAGS)

.PHONY: bench-web
bench-web: build ## Lighthouse figures and timings of the page in Chromium (BENCH_PARTS='routes feeds list lighthouse')
	@.ci/tools.sh browser bench
	RURI_BIN='$(CURDIR)/bin/ruri' npm run --prefix web --silent bench -- $(BENCH_PARTS)

.PHONY: bench-go
bench-go: ## Go's own benchmarks (BENCH=pattern, BENCHTIME=1s)
	go test -run '^$$' -bench '$(BENCH)' -benchtime '$(BENCHTIME)' -benchmem ./...

##@ Releases
DIST_VERSION = $(patsubst v%,%,$(VERSION))
.PHONY: dist
dist: web ## Builds the release VERSION=0.1.0 into build/dist: archives, packages, what AWS takes, checksums, SBOM
	@[[ '$(DIST_VERSION)' =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$$ ]] || { echo 'dist: name a version: make dist VERSION=0.1.0' >&2; exit 1; }
	@[[ '$(COMMIT_DATE)' ]] || { echo 'dist: a release is built from a git checkout, whose commit it names' >&2; exit 1; }
	@.ci/tools.sh dist
	@$(MAKE) --no-print-directory build-go build-lambda LAMBDA_ARCH=arm64 VERSION=$(DIST_VERSION)
	@$(DIST_ENV) .ci/dist/parts.sh
	@$(DIST_ENV) .tools/bin/goreleaser release --snapshot --clean --config .ci/dist/goreleaser.yaml
DIST_ENV = VERSION='$(DIST_VERSION)' COMMIT_DATE='$(COMMIT_DATE)' SOURCE_DATE_EPOCH="$$(git log -1 --format=%ct)" \
	LDFLAGS='$(patsubst main.version=%,main.version=$(DIST_VERSION),$(LDFLAGS))' PATH="$$PWD/.tools/bin:$$PATH"

# IMAGE_ARCHS="amd64 arm64" builds for both; the last one keeps the tag without a processor in it.
IMAGE ?= ghcr.io/ruri-reader/ruri
IMAGE_ARCHS ?= $(HOST_ARCH)
# Neither a daemon nor privileges are needed by buildah in this way; BUILDAH="docker" builds with Docker.
BUILDAH ?= $(if $(shell command -v buildah),buildah --storage-driver vfs,docker)
.PHONY: image
image: web ## Builds the container image with buildah or docker (IMAGE_ARCHS="amd64 arm64")
	@$(MAKE) --no-print-directory image-only
.PHONY: image-only
image-only: # with the page that was built last
	@rm -rf build/image && mkdir -p build/image/data
	@for arch in $(IMAGE_ARCHS); do \
		GOOS=linux GOARCH=$$arch go build -buildvcs=false -ldflags '$(LDFLAGS)' -o build/image/$$arch/ruri ./cmd/ruri; \
		$(BUILDAH) build $(if $(findstring buildah,$(BUILDAH)),--isolation chroot --format docker --timestamp $$(git log -1 --format=%ct)) \
			--platform linux/$$arch --build-arg TARGETARCH=$$arch --build-arg VERSION='$(VERSION)' --build-arg COMMIT='$(COMMIT)' \
			--build-arg COMMIT_DATE='$(COMMIT_DATE)' -t $(IMAGE):$(VERSION)-$$arch -t $(IMAGE):$(VERSION) -t $(IMAGE):latest \
			-f Containerfile .; \
	done

.PHONY: docs
docs: ## Builds docs/ as a site with search into build/docs; fails on a link or an anchor that leads nowhere
	@.ci/tools.sh docs
	@.tools/docs/bin/mkdocs build --quiet --strict --config-file .ci/docs/mkdocs.yml
	@echo 'docs: build/docs/index.html'

.PHONY: test-dist
test-dist: ## Checks what make dist and make image build, as far as this machine has the tools (not part of make test)
	@.ci/tools.sh web
	@.ci/tools.sh dist
	@$(GOTEST) -v ./.ci/dist

##@ Everyday
.PHONY: clean
clean: ## Removes what was built; keeps data/ and the installed tools
	rm -rf bin build artifacts .aws-sam
	@find internal/assets/webui/dist -mindepth 1 ! -name .gitkeep -delete 2>/dev/null || true

.PHONY: tools
tools: ## Installs the pinned tools (linters, cfn-lint, SAM CLI, storage doubles, page's packages, Chromium)
	@.ci/tools.sh

##@ Parts of make test
.PHONY: test-go
test-go: ## Go tests with -short: few seeds, short simulations
	@$(GOTEST) -short ./... ./.ci/verify ./.ci/page

.PHONY: test-deploy
test-deploy: ## Deploys onto emulated AWS: the life of a stack, and templates with one mistake each
	@$(GOTEST) -run '$(DEPLOY_TESTS)' ./.ci/page ./internal/testkit/rehearse

.PHONY: test-long
test-long: ## Go tests with their full counts: 100,000 orders of steps, 200,000 feeds, ninety days (half an hour; not part of CI)
	@$(GOTEST) -skip '$(FAULT_TESTS)' ./...
	@$(MAKE) --no-print-directory test-race LONG=1

.PHONY: test-race
test-race: ## Go tests under the race detector, of the packages that share memory
	@CGO_ENABLED=1 $(GOTEST) -race -short -skip '$(RACE_SKIP)' $(RACE_PACKAGES)

.PHONY: test-fuzz
test-fuzz: ## The fuzz targets in FUZZ (folders) with the same inputs each time; FUZZTIME=60s searches for new ones
	@$(VERIFY) fuzz $(if $(FUZZTIME),-search '$(FUZZTIME)') $(FUZZ)

.PHONY: test-web
test-web: ## Tests of the web interface and its size budgets
	@.ci/tools.sh web
	npm run --prefix web --silent test
	npm run --prefix web --silent budget

.PHONY: test-e2e
test-e2e: ## Browser tests (bin/ruri must be built; TESTS='walk list' chooses files)
	@.ci/tools.sh web browser
	RURI_BIN='$(CURDIR)/bin/ruri' RURI_ARTIFACTS='$(CURDIR)/artifacts/e2e' npm run --prefix web --silent e2e -- $(TESTS)

.PHONY: screenshots
screenshots: build ## Every screen in each theme, language and width, into artifacts/e2e/screens; checked with axe
	@.ci/tools.sh browser
	RURI_SCREENSHOTS=1 $(MAKE) --no-print-directory test-e2e TESTS='screens appearance'

SAM_ARCHS = arm64 $(if $(FULL),amd64)
.PHONY: test-lambda
test-lambda: ## sam build (FULL=1: for both processors), size budgets of the zips, start times where the machine can run them
	@for arch in $(SAM_ARCHS); do $(MAKE) --no-print-directory sam-build LAMBDA_ARCH=$$arch SAM_DIR=build/sam/$$arch; done
	@$(VERIFY) lambda $(SAM_ARCHS:%=build/sam/%)

.PHONY: test-faults
test-faults: ## Plays more than 10,000 faults against whole installations and prints them (docs/develop/faults.md)
	@GOGC=400 go test -vet=off -v -count=1 -timeout 1h -run '$(FAULT_TESTS)' ./internal/testkit/faults -full \
		| grep -v '^=== \|^ *--- PASS'

.PHONY: test-rehearsal
test-rehearsal: rehearsal-parts ## Deploys the template onto emulated AWS and walks through the reader once; the page must be built
	@RURI_BOOTSTRAPS='$(CURDIR)/build/lambda/$(HOST_ARCH)' $(GOTEST) -count=1 -run '^TestRehearsal$$' ./internal/testkit/rehearse

.PHONY: test-rehearsal-browser
test-rehearsal-browser: rehearsal-parts ## Browser tests against the rehearsed stack
	RURI_HOME=rehearsal RURI_ARTIFACTS='$(CURDIR)/artifacts/rehearsal' npm run --prefix web --silent e2e -- walk.test list.test accounts.test

.PHONY: rehearsal-parts
rehearsal-parts: # what is deployed and what it is deployed with; the page must be built
	@.ci/tools.sh doubles aws
	@$(MAKE) --no-print-directory build-lambda LAMBDA_ARCH=$(HOST_ARCH)

.PHONY: test-clients
test-clients: ## Real reader apps of Debian against a running server, compared with the page (CLIENTS=newsboat,rssguard chooses)
	@.ci/tools.sh apps
	@go run ./internal/testkit/realapps -only '$(CLIENTS)'

.PHONY: test-oracle
test-oracle: ## Table suite against Amazon's DynamoDB Local, for owners whose licence allows it (RURI_DYNAMODB_LOCAL=folder)
	@.ci/oracle.sh

.PHONY: lint-format lint-vet lint-go lint-template lint-web lint-vuln
lint-format: ## gofmt and goimports
	@.ci/tools.sh lint
	@.ci/format.sh check
lint-vet: ## go vet
	go vet ./... ./.ci/verify ./.ci/page ./.ci/dist ./.ci/dev
lint-go: ## golangci-lint
	@.ci/tools.sh lint
	.tools/bin/golangci-lint run --timeout 1h ./... ./.ci/verify ./.ci/page ./.ci/dist ./.ci/dev
lint-template: ## cfn-lint and sam validate
	@.ci/tools.sh aws
	@.ci/template.sh
lint-web: ## Formatter, linter, types and catalogues of the page
	@.ci/tools.sh web
	npm run --prefix web --silent lint
	npm run --prefix web --silent i18n
lint-vuln: ## govulncheck, where its database can be reached
	@.ci/tools.sh lint
	@.ci/vulncheck.sh

##@ AWS
# STAGE is dev, staging or prod of samconfig.toml; credentials and region come from where every AWS tool takes them.
STAGE ?= dev

.PHONY: deploy
deploy: web sam-build ## Builds and deploys STAGE (dev), uploads the page; asks for all settings the first time
	@LAMBDA_ARCH='$(LAMBDA_ARCH)' SAM_DIR='$(SAM_DIR)' .ci/deploy.sh deploy '$(STAGE)'

.PHONY: deploy-page
deploy-page: web ## Uploads the page alone to STAGE
	@.ci/tools.sh aws
	@.ci/deploy.sh page '$(STAGE)'

.PHONY: link
link: ## Prints a link that signs the owner of STAGE in; it works once
	@.ci/tools.sh aws
	@.ci/deploy.sh link '$(STAGE)'

.PHONY: logs
logs: ## Logs of STAGE's functions (TAIL=1 follows them, SINCE=30min begins there)
	@.ci/tools.sh aws
	@.ci/deploy.sh logs '$(STAGE)'

.PHONY: destroy
destroy: ## Removes STAGE after asking; keeps table and bodies, unless PURGE=1
	@.ci/tools.sh aws
	@.ci/deploy.sh destroy '$(STAGE)'

.PHONY: rehearse
rehearse: web rehearsal-parts ## Deploys the template onto emulated AWS and serves the reader from there (test-rehearsal tests it)
	go run ./internal/testkit/rehearse/run -bootstraps build/lambda/$(HOST_ARCH) $(REHEARSE_FLAGS)

.PHONY: build-lambda
build-lambda: $(FUNCTIONS:%=build/lambda/$(LAMBDA_ARCH)/%/bootstrap) ## Builds the functions into build/lambda (LAMBDA_ARCH=arm64)

.PHONY: $(FUNCTIONS:%=build/lambda/$(LAMBDA_ARCH)/%/bootstrap)
$(FUNCTIONS:%=build/lambda/$(LAMBDA_ARCH)/%/bootstrap): build/lambda/$(LAMBDA_ARCH)/%/bootstrap:
	GOARCH=$(LAMBDA_ARCH) $(LAMBDA_BUILD) -o $@ ./functions/$*

# What `sam build` calls for each function of template.yaml (BuildMethod: makefile).
.PHONY: build-OrchestratorFunction build-CrawlerFunction build-ApiFunction
build-OrchestratorFunction:
	GOARCH=$(LAMBDA_ARCH) $(LAMBDA_BUILD) -o '$(ARTIFACTS_DIR)/bootstrap' ./functions/orchestrator
build-CrawlerFunction:
	GOARCH=$(LAMBDA_ARCH) $(LAMBDA_BUILD) -o '$(ARTIFACTS_DIR)/bootstrap' ./functions/crawler
build-ApiFunction:
	GOARCH=$(LAMBDA_ARCH) $(LAMBDA_BUILD) -o '$(ARTIFACTS_DIR)/bootstrap' ./functions/api

.PHONY: sam-build
sam-build: ## sam build: the functions as they are uploaded, in SAM_DIR (.aws-sam/build) for LAMBDA_ARCH (arm64, amd64)
	@.ci/tools.sh aws
	LAMBDA_ARCH=$(LAMBDA_ARCH) $(SAM) build --parallel --build-dir $(SAM_DIR) --parameter-overrides Architecture=$(SAM_ARCH)
