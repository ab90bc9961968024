package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
)

//go:embed miniflux.py
var minifluxScript string

// minifluxPython is the Python environment that .ci/tools.sh installs the client into.
const minifluxPython = ".tools/apps/bin/python"

// minifluxClient calls every method of Miniflux's own client for Python.
func minifluxClient(c *check) error {
	list, err := c.list()
	if err != nil {
		return err
	}
	items, err := json.Marshal(list)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(c.ctx, minifluxPython, "-c", minifluxScript, c.base, c.password, c.site)
	cmd.Stdin = bytes.NewReader(items)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, &stderr)
	}
	c.say("each of its %s methods was called and answered or refused as docs/use/clients.md says; entries and their ids "+
		"are those of the page", strings.TrimSpace(string(out)))
	page, err := c.states()
	if err != nil {
		return err
	}
	for title, s := range page {
		if s != (state{Read: true, Starred: title == "A walk at noon"}) {
			return fmt.Errorf("%q is %+v on the page", title, s)
		}
	}
	c.say("read and starred: %d items are on the page as it left them", len(page))
	return nil
}
