package config_test

import (
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

func TestAllFaultsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	_, err := load(t, map[string]string{
		"RURI_PARALLEL": "0", "RURI_ALLOW_NETS": "10.0.0.0/8,nonsense", "RURI_LOG_LEVEL": "loud", "RURI_SAMPLES": "maybe",
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
		t.Errorf("missing resources are told as %v", err)
	}
}
