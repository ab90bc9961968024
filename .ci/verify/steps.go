package main

// step is one part of `make test`. Its command is what a person types to run that part alone.
type step struct {
	name    string
	command []string
	// after names the steps without whose success this one would only repeat their failure.
	after []string
	// waits names steps that write what this one reads, whether they succeed or not: the page's build replaces
	// the folder that Go embeds.
	waits []string
	// first tells that somebody waits in front of a screen, if only a browser: it gets the processor before the
	// others, which nobody minds when they take longer.
	first bool
}

// steps is all of `make test`, in the order of starting: two run at a time, so what others wait for and what
// takes long comes first. A step that counts tests ends with a line that tally.go reads; any other is one
// check, passed or failed.
func steps() []step {
	script := func(args ...string) []string { return append([]string{"bash"}, args...) }
	makes := func(target string) []string { return []string{"make", "-s", target} }
	return []step{
		{name: "tools: page", command: script(".ci/tools.sh", "web")},
		{name: "tools: doubles", command: script(".ci/tools.sh", "doubles")},
		{name: "tools: aws", command: script(".ci/tools.sh", "aws")},
		{name: "page", command: makes("web"), after: []string{"tools: page"}},
		{name: "tools: lint", command: script(".ci/tools.sh", "lint")},
		{name: "build", command: makes("build-go"), after: []string{"page"}},
		{name: "tools: browser", command: script(".ci/tools.sh", "browser")},
		{name: "go test", command: makes("test-go"), after: []string{"tools: doubles", "tools: aws"}, waits: []string{"page"}},
		{name: "browser", command: makes("test-e2e"), after: []string{"build", "tools: browser"}, first: true},
		{name: "rehearsal", command: makes("test-rehearsal"), after: []string{"tools: doubles", "tools: aws", "tools: browser", "page"}, first: true},
		{name: "go test -race", command: makes("test-race"), after: []string{"tools: doubles"}, waits: []string{"page"}},
		{name: "fuzz", command: makes("test-fuzz"), waits: []string{"page"}},
		{name: "faults", command: makes("test-faults"), after: []string{"tools: doubles"}, waits: []string{"page"}},
		{name: "lambda", command: makes("test-lambda"), after: []string{"tools: aws"}},
		{name: "page test", command: makes("test-web"), after: []string{"page"}},
		{name: "lint", command: makes("lint-go"), after: []string{"tools: lint"}, waits: []string{"page"}},
		{name: "page lint", command: makes("lint-web"), after: []string{"tools: page"}},
		{name: "template", command: makes("lint-template"), after: []string{"tools: aws"}},
		{name: "vet", command: makes("lint-vet"), waits: []string{"page"}},
		{name: "vulncheck", command: makes("lint-vuln"), after: []string{"tools: lint"}, waits: []string{"page"}},
		{name: "format", command: makes("lint-format"), after: []string{"tools: lint"}},
	}
}
