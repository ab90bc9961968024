package doctor_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/webui"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/wire/backend"
	"github.com/ruri-reader/ruri/internal/wire/doctor"
)

var now = time.Date(2026, 4, 1, 8, 3, 0, 0, time.UTC)

// world is an installation in order, and what answers around it, by address.
type world struct {
	data    string
	env     map[string]string
	answers map[string]func() (*http.Response, error)
	unknown string // a name that cannot be looked up
	free    uint64
	home    string
	version string
}

// The page of this build, if it has one, and its program.
var page, program = builtPage()

func builtPage() (page, program string) {
	own, err := fs.ReadFile(webui.Embedded(), "index.html")
	m := regexp.MustCompile(`<script[^>]* src="([^"]+)"`).FindSubmatch(own)
	if err != nil || m == nil {
		return `<html><script type="module" src="/assets/a.js"></script></html>`, "/assets/a.js"
	}
	return string(own), string(m[1])
}

func answer(status int, body string, headers ...string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		w := httptest.NewRecorder()
		w.Header().Set("Date", now.Format(http.TimeFormat))
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return w.Result(), nil
	}
}

func fails(err error) func() (*http.Response, error) {
	return func() (*http.Response, error) { return nil, &url.Error{Op: "Get", URL: "x", Err: err} }
}

func healthy(client string) func() (*http.Response, error) {
	b, _ := json.Marshal(map[string]string{"status": "ok", "version": "test", "client": client})
	return answer(200, string(b))
}

const (
	base    = "https://reader.example"
	own     = "http://127.0.0.1:8080"
	outside = "https://outside.example/"
)

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		data: filepath.Join(t.TempDir(), "data"), free: 5 << 30, version: "test",
		env: map[string]string{"RURI_BASE_URL": base, "RURI_PROXIES": "127.0.0.1/32", "RURI_PROJECT_URL": outside},
		answers: map[string]func() (*http.Response, error){
			own + "/healthz": healthy("127.0.0.1"), base + "/healthz": healthy("203.0.113.7"), outside: answer(200, ""),
			base + "/":     answer(200, page),
			base + program: answer(200, "x", "Content-Type", "text/javascript"),
		},
	}
	w.home = w.data
	h := w.open(t)
	defer h.Close()
	if _, err := h.Auth.EnsureOwner(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) config() (config.Config, error) {
	return config.Load(func(k string) (string, bool) { v, ok := w.env[k]; return v, ok })
}

func (w *world) open(t *testing.T) *backend.Backend {
	t.Helper()
	c, err := w.config()
	if err != nil {
		t.Fatal(err)
	}
	h, err := backend.Open(t.Context(), w.home, backend.Options{Config: c, Clock: clock.NewManual(now),
		Lookup: func(k string) (string, bool) { v, ok := w.env[k]; return v, ok }})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Do implements the client.
func (w *world) Do(r *http.Request) (*http.Response, error) {
	if f := w.answers[r.URL.String()]; f != nil {
		return f()
	}
	return nil, errors.New("connection refused")
}

func (w *world) examine(t *testing.T) (list []doctor.Finding) {
	t.Helper()
	c, failed := w.config()
	doctor.Run(t.Context(), doctor.Options{
		Config: c, Settings: failed, Home: w.home, Version: w.version, Clock: clock.NewManual(now), Own: own,
		Outside: c.ProjectURL, Client: w, Free: func(string) (uint64, error) { return w.free, nil },
		Lookup: func(k string) (string, bool) { v, ok := w.env[k]; return v, ok },
		Resolve: func(_ context.Context, host string) error {
			if host == w.unknown {
				return errors.New("no such host")
			}
			return nil
		},
	}, func(f doctor.Finding) { list = append(list, f) })
	return list
}

func write(t *testing.T, name string, at int64, b string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.WriteAt([]byte(b), at)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func (w *world) put(t *testing.T, row any) {
	t.Helper()
	d, err := sqlitetable.Open(filepath.Join(w.data, "ruri.db"), sqlitetable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = table.New(d, table.Options{Clock: clock.NewManual(now), Kind: store.Kind}).Put(t.Context(), row)
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
}

// polled adds a feed, and a run that began at a time.
func (w *world) polled(t *testing.T, at time.Time) {
	t.Helper()
	h := w.open(t)
	defer h.Close()
	a, err := h.Auth.EnsureOwner(t.Context())
	if err == nil {
		_, _, err = h.Subscribe.Adopt(t.Context(), a.ID(), "https://feeds.example/x", "", "", nil, 0, false)
	}
	var run *store.RunRow
	if err == nil {
		run, err = store.NewRun(schedule.TickOf(at), 0, "", store.RunAll, store.RunDone, at, store.RunSums{}, nil)
	}
	if err == nil {
		err = h.Store.Runs.Put(t.Context(), run)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// faults are planted one at a time into an installation that is in order.
var faults = []struct {
	name  string
	plant func(*testing.T, *world)
	check string // that finds it
	says  string
}{
	{"a setting", func(_ *testing.T, w *world) { w.env["RURI_PARALLEL"] = "many" }, "settings", "RURI_PARALLEL"},
	{"no folder", func(_ *testing.T, w *world) { w.home += "-gone" }, "folder", "no folder"},
	{"a file as folder", func(_ *testing.T, w *world) { w.home += "/ruri.db" }, "folder", "is a file"},
	{"an empty folder", func(t *testing.T, w *world) { w.home = t.TempDir() }, "folder", "No reader"},
	{"a folder of another user", func(t *testing.T, w *world) {
		if os.Getuid() != 0 {
			t.Skip("only root can give a folder away")
		}
		if err := os.Chown(w.data, 65532, -1); err != nil {
			t.Fatal(err)
		}
	}, "folder", "sudo -u '#65532'"},
	{"an open folder", func(t *testing.T, w *world) { chmod(t, w.data, 0o755) }, "modes", "0755"},
	{"a full disk", func(_ *testing.T, w *world) { w.free = 5 << 20 }, "space", "full"},
	{"a disk that fills up", func(_ *testing.T, w *world) { w.free = 500 << 20 }, "space", "nearly"},
	{"a database of noise", func(t *testing.T, w *world) {
		write(t, filepath.Join(w.data, "ruri.db"), 0, strings.Repeat("noise", 900))
	}, "database", "damaged"},
	{"a damaged page", func(t *testing.T, w *world) {
		write(t, filepath.Join(w.data, "ruri.db"), 4096, strings.Repeat("\xff", 4096))
	}, "database", "ruri restore"},
	{"a newer database", func(t *testing.T, w *world) {
		write(t, filepath.Join(w.data, "ruri.db"), 60,
			"\x00\x00\x00\x63")
	},
		"database", "newer"},
	{"newer data", func(t *testing.T, w *world) {
		w.put(t, &struct {
			PK string `dynamo:"pk"`
			SK string `dynamo:"sk"`
			N  int    `dynamo:"n"`
		}{"SYS", "format", 9})
	}, "database", "newer"},
	{"a lost database", func(t *testing.T, w *world) {
		if err := errors.Join(os.MkdirAll(filepath.Join(w.data, "blobs", "feeds", "1"), 0o700),
			os.Remove(filepath.Join(w.data, "ruri.db"))); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(w.data, "blobs", "feeds", "1", "x"), 0, "x")
	}, "database", ""},
	{"a damaged queue", func(t *testing.T, w *world) {
		write(t, filepath.Join(w.data, "queue.db"), 0, strings.Repeat("noise", 900))
	}, "queue", "damaged"},
	{"dead letters", func(t *testing.T, w *world) { bury(t, w) }, "queue", "dead letters"},
	{"a lost segment", func(t *testing.T, w *world) {
		h := w.open(t)
		defer h.Close()
		row, next := new(store.SearchRow), new(store.SearchRow)
		next.SetList([]store.Segment{{Name: "0123456789abcdef", Size: 9, Tail: 3}})
		if _, err := h.Store.Search.Replace(t.Context(), row, next); err != nil {
			t.Fatal(err)
		}
	}, "index", "ruri index --rebuild"},
	{"a crawler that stopped", func(t *testing.T, w *world) { w.polled(t, now.Add(-50*time.Hour)) }, "crawler",
		"ruri crawl"},
	{"a clock a day behind", func(t *testing.T, w *world) { w.polled(t, now.Add(24*time.Hour)) }, "clock",
		"timedatectl"},
	{"a clock a day ahead", func(_ *testing.T, w *world) {
		w.answers[outside] = answer(200, "", "Date", now.Add(-24*time.Hour).Format(http.TimeFormat))
	}, "clock", "off by 24h"},
	{"an address without a port", func(_ *testing.T, w *world) { w.env["RURI_ADDR"] = "8080" }, "address", "no port"},
	{"another program at the port", func(_ *testing.T, w *world) { w.answers[own+"/healthz"] = answer(404, "hello") },
		"address", "Another program"},
	{"a taken port", func(t *testing.T, w *world) {
		other := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(other.Close)
		w.env["RURI_ADDR"] = other.Listener.Addr().String()
		w.answers[own+"/healthz"] = fails(io.EOF)
	}, "address", "has the port"},
	{"an address of another machine", func(_ *testing.T, w *world) {
		w.env["RURI_ADDR"] = "192.0.2.1:0"
		w.answers[own+"/healthz"] = fails(io.EOF)
	}, "address", "RURI_ADDR"},
	{"a server of an older version", func(_ *testing.T, w *world) { w.version = "2" }, "address", "anew"},
	{"a server without encryption", func(_ *testing.T, w *world) {
		w.env["RURI_ADDR"], w.env["RURI_BASE_URL"] = "0.0.0.0:8080", ""
	}, "address", "encryption"},
	{"no name server", func(_ *testing.T, w *world) { w.unknown = "outside.example" }, "dns", "resolv.conf"},
	{"no way out", func(_ *testing.T, w *world) { w.answers[outside] = fails(io.EOF) }, "outgoing", "443"},
	{"no certificates", func(_ *testing.T, w *world) { w.answers[outside] = fails(x509.UnknownAuthorityError{}) },
		"outgoing", "ca-certificates"},
	{"no record of the name", func(_ *testing.T, w *world) { w.unknown = "reader.example" }, "dns", "DNS record"},
	{"no proxy", func(_ *testing.T, w *world) { delete(w.answers, base+"/healthz") }, "base url", "proxy"},
	{"a proxy without a server", func(_ *testing.T, w *world) { w.answers[base+"/healthz"] = answer(502, "") },
		"base url", "does not reach"},
	{"a proxy of another site", func(_ *testing.T, w *world) { w.answers[base+"/healthz"] = answer(200, "<html>") },
		"base url", "no reader"},
	{"a redirect", func(_ *testing.T, w *world) {
		w.answers[base+"/healthz"] = answer(301, "", "Location", "https://www.reader.example/")
	}, "base url", "www.reader.example"},
	{"a base URL without encryption", func(_ *testing.T, w *world) { w.env["RURI_BASE_URL"] = "http://reader.example" },
		"base url", "not encrypted"},
	{"an expired certificate", func(_ *testing.T, w *world) {
		w.answers[base+"/healthz"] = fails(x509.CertificateInvalidError{Reason: x509.Expired,
			Cert: &x509.Certificate{NotAfter: now.Add(-time.Hour)}})
	}, "certificate", "renew"},
	{"a proxy that forgets a header", func(_ *testing.T,
		w *world) {
		w.answers[base+"/healthz"] = healthy("127.0.0.1")
	},
		"proxy", "X-Forwarded-For"},
	{"a proxy that is not believed", func(_ *testing.T, w *world) {
		w.answers[base+"/healthz"], w.env["RURI_PROXIES"] = healthy("127.0.0.1"), ""
	}, "proxy", "RURI_PROXIES"},
	{"no page", func(_ *testing.T, w *world) { w.answers[base+"/"] = answer(404, "") }, "page", "no page"},
	{"half a page", func(_ *testing.T, w *world) { delete(w.answers, base+program) }, "page", "not whole"},
}

// TestPlantedFaults: each is found by its check, with what to do.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	if found := wrong(newWorld(t).examine(t)); len(found) != 1 || found[0].Check != "owner" {
		t.Fatalf("where all is in order but the owner's password, it finds %+v", found)
	}
	// Below a path of the host nothing else is wrong.
	w, below := newWorld(t), base+"/reader"
	w.env["RURI_BASE_URL"], w.answers[below+"/healthz"] = below, w.answers[base+"/healthz"]
	w.answers[below+"/"] = answer(200, strings.ReplaceAll(page, `src="/`, `src="/reader/`))
	w.answers[below+program] = w.answers[base+program]
	if found := wrong(w.examine(t)); len(found) != 1 || found[0].Check != "owner" {
		t.Errorf("below a path it finds %+v", found)
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			f.plant(t, w)
			expect(t, w.examine(t), f.check, f.says)
		})
	}
}

func expect(t *testing.T, list []doctor.Finding, check, says string) {
	t.Helper()
	for _, f := range wrong(list) {
		if f.Check == check && strings.Contains(f.Text+" "+f.Do, says) {
			return
		}
	}
	t.Errorf("%s %q is not among %+v", check, says, wrong(list))
}

func wrong(list []doctor.Finding) (out []doctor.Finding) {
	for _, f := range list {
		if f.Level != doctor.OK {
			out = append(out, f)
		}
	}
	return out
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func bury(t *testing.T, w *world) {
	t.Helper()
	h := w.open(t)
	defer h.Close()
	err := h.Queue.Send(t.Context(), [][]byte{[]byte(`{"kind":"cleanup"}`)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.Queue.Receive(t.Context(), 1, time.Second)
	if err == nil {
		err = h.Queue.Bury(t.Context(), got[0], "x")
	}
	if err != nil {
		t.Fatal(err)
	}
}
