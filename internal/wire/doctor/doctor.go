// Package doctor examines an installation and what is around it: settings, files, clock, network, proxy, and on AWS the
// stack. Each finding that is not in order says what to do. Nothing is changed, but for what opening a folder mends.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

// Levels of findings.
const (
	OK      = "ok"
	Warning = "warning" // works, but may not for long, or for everybody
	Problem = "problem"
)

// Finding is one line of a report.
type Finding struct {
	Check string `json:"check"`
	Level string `json:"level"`
	Text  string `json:"text"`
	Do    string `json:"do,omitempty"` // unless it is in order
}

// Options of Run. Client, Resolve, Free and Listen are the machine's own when nil.
type Options struct {
	Config   config.Config
	Settings error // of reading them
	Home     string
	Lookup   func(string) (string, bool)
	Version  string
	Clock    clock.Clock
	Own      string // the address at which this machine reaches the server
	Outside  string // an address of the internet
	Client   interface {
		Do(*http.Request) (*http.Response, error)
	}
	Resolve func(ctx context.Context, host string) error
	Free    func(folder string) (bytes uint64, err error)
}

type examination struct {
	Options
	report func(Finding)
}

// Run examines an installation and reports each finding as it is made.
func Run(ctx context.Context, o Options, report func(Finding)) {
	if o.Resolve == nil {
		o.Resolve = func(ctx context.Context, host string) error {
			_, err := net.DefaultResolver.LookupHost(ctx, host)
			return err
		}
	}
	if o.Free == nil {
		o.Free = free
	}
	e := &examination{Options: o, report: report}
	e.settings()
	spec, err := backend.ParseSpec(o.Home)
	if err != nil {
		e.problem("installation", err.Error(), "Name a data folder, aws:STACK or aws:STACK@REGION.")
		return
	}
	if !spec.Cloud() && !e.folder(spec.Folder) {
		e.network(ctx)
		return
	}
	h, err := backend.Open(ctx, o.Home, backend.Options{Config: o.Config, Lookup: o.Lookup, Version: o.Version,
		Clock: o.Clock, MustExist: true})
	if err != nil {
		e.problem("database", sentence(err), "")
	} else {
		defer h.Close()
		e.data(ctx, h)
	}
	if spec.Cloud() {
		if h != nil && h.Stack != nil {
			e.Config.BaseURL = h.Config.BaseURL
			e.stack(ctx, h)
		}
	} else {
		e.address(ctx)
		e.network(ctx)
	}
	e.base(ctx)
}

func (e *examination) ok(check, format string, args ...any) {
	e.report(Finding{Check: check, Level: OK, Text: fmt.Sprintf(format, args...)})
}

func (e *examination) warn(check, text, do string) { e.report(Finding{check, Warning, text, do}) }

func (e *examination) problem(check, text, do string) { e.report(Finding{check, Problem, text, do}) }

func sentence(err error) string {
	if fe, ok := errors.AsType[*fault.Error](err); ok && fe.Message != "" {
		return fe.Message
	}
	return err.Error()
}
