package cli

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/ruri-reader/ruri/internal/assets/samples"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// TestDemoShop: the adapter of the demo shop is saved, follows the server's address, and stays deleted.
func TestDemoShop(t *testing.T) {
	t.Parallel()
	c, err := config.Load(func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	c.Data = t.TempDir()
	app, err := localwire.Open(t.Context(), c,
		localwire.Options{Clock: clock.System{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	for _, base := range []string{"http://127.0.0.1:8080", "http://127.0.0.1:8080", "http://127.0.0.1:9090"} {
		addDemoShop(t.Context(), app, base)
		row, err := app.Store.Watches.Adapter(t.Context(), "demo-shop")
		if err != nil {
			t.Fatal(err)
		}
		if b, err := row.JSON(); err != nil || !bytes.Equal(b, samples.Adapter(base)) {
			t.Errorf("at %s: %v, %s", base, err, b)
		}
	}
	if err := app.Store.Watches.RemoveAdapter(t.Context(), "demo-shop"); err != nil {
		t.Fatal(err)
	}
	addDemoShop(t.Context(), app, "http://127.0.0.1:7070")
	if _, err := app.Store.Watches.Adapter(t.Context(), "demo-shop"); !fault.Is(err, fault.NotFound) {
		t.Errorf("it came back: %v", err)
	}
}
