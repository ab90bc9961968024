package main

import "testing"

// TestAsANewUser gives the commands of the README and of the page about installing, on a machine without Go and Node.
// Docker has its own test (TestImage): there is no engine here.
func TestAsANewUser(t *testing.T) {
	need(t, "unshare", "ip", "curl", "apt", "dpkg", "setpriv", "pkill")
	root(t)
	if command(t, ".", "uname", "-sm") != "Linux x86_64" {
		t.Skip("SKIPPED: the program for Linux on amd64 does not run here")
	}
	t.Log(command(t, ".", "unshare", "--mount", "--net", "--pid", "--fork", "bash", "testdata/bare.sh", release(t),
		t.TempDir(), "../../README.md", "../../docs/run/install.md"))
}
