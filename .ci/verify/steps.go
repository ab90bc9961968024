package main

import "slices"

// step is one part of `make test`. Its command is what a person types to run that part alone.
type step struct {
	name    string
	command []string
	// after names the steps that must pass before this one.
	after []string
	// waits names steps that write what this one reads and must have ended, passed or failed: the page's build
	// replaces the folder that Go embeds.
	waits []string
	// priority steps drive a browser, whose tests have time limits: they get the processor before the others.
	priority bool
	// full steps run only in CI (`.ci/run`, FULL=1).
	full bool
}

// steps returns the steps in the order of starting; what others depend on and what takes long comes first. A step that
// counts tests ends with a line that tally.go parses; any other is one check, passed or failed.
func steps(full bool) []step {
	script := func(args ...string) []string { return append([]string{"bash"}, args...) }
	makes := func(target string) []string { return []string{"make", "-s", target} }
	all := []step{
		{name: "tools: page", command: script(".ci/tools.sh", "web")},
		{name: "tools: doubles", command: script(".ci/tools.sh", "doubles")},
		{name: "tools: aws", command: script(".ci/tools.sh", "aws")},
		{name: "page", command: makes("web"), after: []string{"tools: page"}},
		{name: "tools: lint", command: script(".ci/tools.sh", "lint")},
		{name: "build", command: makes("build-go"), after: []string{"page"}},
		{name: "tools: browser", command: script(".ci/tools.sh", "browser")},
		{name: "browser", command: makes("test-e2e"), after: []string{"build", "tools: browser"}, priority: true},
		{name: "go test", command: makes("test-go"), after: []string{"tools: doubles", "tools: aws"},
			waits: []string{"page"}},
		{name: "rehearsal", command: makes("test-rehearsal"), after: []string{"tools: doubles", "tools: aws", "page"},
			priority: true},
		{name: "rehearsal browser", command: makes("test-rehearsal-browser"),
			after: []string{"rehearsal", "tools: browser"}, priority: true, full: true},
		{name: "go test -race", command: makes("test-race"), after: []string{"tools: doubles"},
			waits: []string{"page"}},
		{name: "deploy", command: makes("test-deploy"), after: []string{"tools: doubles", "tools: aws"},
			waits: []string{"page"}, full: true},
		{name: "fuzz", command: makes("test-fuzz"), waits: []string{"page"}, full: true},
		{name: "lambda", command: makes("test-lambda"), after: []string{"tools: aws"}},
		{name: "page test", command: makes("test-web"), after: []string{"page"}},
		{name: "lint", command: makes("lint-go"), after: []string{"tools: lint"}, waits: []string{"page"}},
		{name: "page lint", command: makes("lint-web"), after: []string{"tools: page"}},
		{name: "template", command: makes("lint-template"), after: []string{"tools: aws"}},
		{name: "vet", command: makes("lint-vet"), waits: []string{"page"}},
		{name: "vulncheck", command: makes("lint-vuln"), after: []string{"tools: lint"}, waits: []string{"page"}},
		{name: "format", command: makes("lint-format"), after: []string{"tools: lint"}},
	}
	if full {
		return all
	}
	return slices.DeleteFunc(all, func(s step) bool { return s.full })
}
