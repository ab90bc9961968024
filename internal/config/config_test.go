package config_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/config"
)

func load(t *testing.T, env map[string]string) (config.Config, error) {
	t.Helper()
	return config.Load(func(k string) (string, bool) { v, ok := env[k]; return v, ok })
}

func TestDefaultsAreValid(t *testing.T) {
	t.Parallel()
	c, err := load(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != "127.0.0.1:8080" || c.Parallel != 10 || len(c.AllowNets) != 0 {
		t.Errorf("defaults are %+v", c)
	}
}

// G-47
func TestAllErrorsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	_, err := load(t, map[string]string{
		"RURI_PARALLEL": "0", "RURI_ALLOW_NETS": "10.0.0.0/8,nonsense", "RURI_LOG_LEVEL": "loud",
		"RURI_SAMPLES": "maybe",
	})
	if err == nil {
		t.Fatal("faults were not reported")
	}
	for _, name := range []string{"RURI_PARALLEL", "RURI_ALLOW_NETS", "RURI_LOG_LEVEL", "RURI_SAMPLES"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named in %q", name, err)
		}
	}
}

func TestNetworksAreMasked(t *testing.T) {
	t.Parallel()
	c, err := load(t, map[string]string{"RURI_ALLOW_NETS": " 127.0.0.1/8 , fd00::/8"})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.AllowNets) != 2 || c.AllowNets[0].String() != "127.0.0.0/8" {
		t.Errorf("networks are %v", c.AllowNets)
	}
}

func TestCloudNeedsItsResources(t *testing.T) {
	t.Parallel()
	c, _ := load(t, map[string]string{"RURI_TABLE": "t"})
	err := c.RequireCloud()
	if err == nil || strings.Contains(err.Error(), "RURI_TABLE") || !strings.Contains(err.Error(), "RURI_BUCKET") {
		t.Errorf("missing resources give %v", err)
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	read := func(_ context.Context, name string) (string, error) { return "of " + name, nil }
	for name, c := range map[string]struct {
		env        map[string]string
		reader     config.SecretReader
		want       string
		fault      string // of loading
		unreadable bool
		parameters int
	}{
		"none":     {reader: read},
		"as it is": {env: map[string]string{"RURI_SESSION_SECRET": "s"}, want: "s"},
		"by parameter": {env: map[string]string{"RURI_SESSION_SECRET_PARAMETER": "/a/b"}, reader: read,
			want: "of /a/b", parameters: 1},
		"on one machine": {env: map[string]string{"RURI_SESSION_SECRET_PARAMETER": "/a/b"}, unreadable: true,
			parameters: 1},
		"both": {env: map[string]string{"RURI_SESSION_SECRET": "s", "RURI_SESSION_SECRET_PARAMETER": "/a"},
			fault: "set one of them"},
		"no path":       {env: map[string]string{"RURI_SESSION_SECRET_PARAMETER": "a"}, fault: "slash"},
		"half a client": {env: map[string]string{"RURI_GOOGLE_CLIENT_ID": "id"}, fault: "both or neither"},
		"the other half": {env: map[string]string{"RURI_GOOGLE_CLIENT_SECRET_PARAMETER": "/g"},
			fault: "both or neither"},
		"a Google client": {env: map[string]string{"RURI_GOOGLE_CLIENT_ID": "id", "RURI_GOOGLE_CLIENT_SECRET": "x"}},
		"half an issuer": {env: map[string]string{"RURI_OIDC_ISSUER": "https://login.example.org"},
			fault: "all or none"},
		"its client alone": {env: map[string]string{"RURI_OIDC_CLIENT_ID": "id", "RURI_OIDC_CLIENT_SECRET": "x"},
			fault: "all or none"},
		"no address": {env: map[string]string{"RURI_OIDC_ISSUER": "login.example.org",
			"RURI_OIDC_CLIENT_ID": "id", "RURI_OIDC_CLIENT_SECRET": "x"}, fault: "is an address like"},
		"an issuer": {env: map[string]string{"RURI_OIDC_ISSUER": "https://login.example.org",
			"RURI_OIDC_CLIENT_ID": "id", "RURI_OIDC_CLIENT_SECRET": "x"}},
		"kept in the same": {env: map[string]string{"RURI_GOOGLE_CLIENT_ID": "id",
			"RURI_GOOGLE_CLIENT_SECRET_PARAMETER": "/g", "RURI_SESSION_SECRET_PARAMETER": "/a"}, reader: read,
			want: "of /a", parameters: 2},
	} {
		got, err := load(t, c.env)
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: loading says %v", name, err)
		}
		if err != nil {
			continue
		}
		value, err := got.SessionSecret.Reveal(t.Context(), c.reader)
		if value != c.want || (err != nil) != c.unreadable || len(got.Parameters()) != c.parameters {
			t.Errorf("%s: %q, %v, parameters %v", name, value, err, got.Parameters())
		}
	}
}

// TestDocumentation: docs/run/config.md lists every variable with its default and help, and no other.
// G-67
func TestDocumentation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/run/config.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| `RURI_") {
			listed++
		}
	}
	if listed != len(config.Settings()) {
		t.Errorf("docs/run/config.md lists %d variables, there are %d", listed, len(config.Settings()))
	}
	for _, v := range config.Settings() {
		value := "–"
		if v.Default != "" {
			value = "`" + v.Default + "`"
		}
		if line := "| `" + v.Name + "` | " + value + " | " + v.Help + " |\n"; !strings.Contains(string(text), line) {
			t.Errorf("docs/run/config.md has no line\n%s", line)
		}
	}
}

func TestIssuerAddresses(t *testing.T) {
	t.Parallel()
	for issuer, ok := range map[string]bool{
		"https://login.example.org": true, "https://login.example.org/realms/a/": true, "http://127.0.0.1:9000": true,
		"login.example.org": false, "ftp://x": false, "https://x/?a": false, "https://x/#a": false, "https://x?": false,
		"https://u@x": false,
	} {
		_, err := load(t, map[string]string{"RURI_OIDC_ISSUER": issuer, "RURI_OIDC_CLIENT_ID": "id",
			"RURI_OIDC_CLIENT_SECRET": "x"})
		if (err == nil) != ok {
			t.Errorf("%q gives %v", issuer, err)
		}
	}
}
