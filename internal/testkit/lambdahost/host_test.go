package lambdahost_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
)

func TestMain(m *testing.M) {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		bootstrap()
	}
	os.Exit(m.Run())
}

// function gives a host with the test's function, called f.
func function(t *testing.T, o lambdahost.Options, change func(*lambdahost.Function)) *lambdahost.Host {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := lambdahost.New(o)
	t.Cleanup(h.Close)
	f := lambdahost.Function{Name: "f", Bootstrap: program, Timeout: time.Minute, Memory: 128,
		Env: map[string]string{"OWN": "own"}}
	if change != nil {
		change(&f)
	}
	if err := h.Add(f); err != nil {
		t.Fatal(err)
	}
	return h
}

func invoke(t *testing.T, h *lambdahost.Host, do, text string) lambdahost.Result {
	t.Helper()
	payload, _ := json.Marshal(map[string]string{"Do": do, "Text": text})
	r, err := h.Invoke(t.Context(), "f", payload)
	if err != nil {
		t.Fatalf("%s: %v", do, err)
	}
	return r
}

// eventually looks until it is so; a test that hangs is ended by its own time-out.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for !so() {
		select {
		case <-t.Context().Done():
			t.Fatal(what)
		case <-time.After(time.Millisecond):
		}
	}
}

func TestAnswersAndErrors(t *testing.T) {
	t.Parallel()
	h := function(t, lambdahost.Options{}, nil)
	for _, c := range []struct{ do, text, kind, payload string }{
		{"echo", "ja", "", `"ja"`},
		{"error", "no", "Unhandled", `{"errorMessage":"no","errorType":"errorString"}`},
		{"panic", "help", "Unhandled", `"errorMessage":"help"`},
		{"exit", "", "Unhandled", `"errorType":"Runtime.ExitError"`},
		{"big", "", "Unhandled", `Function.ResponseSizeTooLarge`},
		{"echo", "after all that", "", `"after all that"`},
	} {
		r := invoke(t, h, c.do, c.text)
		if r.Error != c.kind || !strings.Contains(string(r.Payload), c.payload) {
			t.Errorf("%s answers %q %.200s, want %q %s", c.do, r.Error, r.Payload, c.kind, c.payload)
		}
	}
	var left float64
	if err := json.Unmarshal(invoke(t, h, "deadline", "").Payload, &left); err != nil || left > 60 || left < 1 {
		t.Errorf("%v of a minute are left: %v", left, err)
	}
	if _, err := h.Invoke(t.Context(), "f", make([]byte, lambdahost.MaxPayload+1)); !errors.Is(err,
		lambdahost.ErrTooLarge) {
		t.Errorf("an event over the limit: %v", err)
	}
	if _, err := h.Invoke(t.Context(), "g", nil); err == nil {
		t.Error("a function that is not there was invoked")
	}
}

func TestVariablesAreTheFunctionsOwn(t *testing.T) {
	t.Parallel()
	h := function(t, lambdahost.Options{Surroundings: map[string]string{"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1"}},
		nil)
	var env []string
	if err := json.Unmarshal(invoke(t, h, "env", "").Payload, &env); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"OWN=own", "AWS_ENDPOINT_URL_S3=http://127.0.0.1:1", "AWS_LAMBDA_FUNCTION_NAME=f",
		"AWS_REGION=us-east-1"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is not among %q", want, env)
		}
	}
	for _, v := range env {
		if strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "GO") {
			t.Errorf("%s of ours leaked in", v)
		}
	}
	if err := h.Add(lambdahost.Function{Name: "g", Timeout: time.Second,
		Env: map[string]string{"X": strings.Repeat("x", 4096)}}); err == nil {
		t.Error("variables of more than 4 KB were taken")
	}
}

func TestColdAndWarm(t *testing.T) {
	t.Parallel()
	h := function(t, lambdahost.Options{}, nil)
	first, second := invoke(t, h, "served", ""), invoke(t, h, "served", "")
	if !first.Cold || first.Init == 0 || second.Cold || string(second.Payload) != "2" {
		t.Errorf("the first was cold %v, the second %v and served %s", first.Cold, second.Cold, second.Payload)
	}
	eventually(t, "the environment is free again", func() bool { return h.Running() == 0 })
	h.Recycle()
	if again := invoke(t, h, "served", ""); !again.Cold || string(again.Payload) != "1" {
		t.Errorf("after recycling: cold %v, served %s", again.Cold, again.Payload)
	}
}

func TestInitErrors(t *testing.T) {
	t.Parallel()
	h := function(t, lambdahost.Options{}, func(f *lambdahost.Function) { f.Env["FAIL_INIT"] = "1" })
	if r := invoke(t, h, "echo", ""); r.Error != "Unhandled" ||
		!strings.Contains(string(r.Payload), "Runtime.InitError") || !r.Cold {
		t.Errorf("a bootstrap that ends at once: %+v %s", r.Error, r.Payload)
	}
	if h.Running() != 0 || h.Environments("f") != 0 {
		t.Errorf("%d run, %d environments are left", h.Running(), h.Environments("f"))
	}
}

func TestTimeOutKills(t *testing.T) {
	t.Parallel()
	h := function(t, lambdahost.Options{}, func(f *lambdahost.Function) { f.Timeout = 300 * time.Millisecond })
	if r := invoke(t, h, "forever", ""); !strings.Contains(string(r.Payload), "Task timed out after 0.30 seconds") {
		t.Errorf("it ended with %s", r.Payload)
	}
	eventually(t, "the environment is gone", func() bool { return h.Environments("f") == 0 && h.Running() == 0 })
}

// state is the letter of a process' state: T is stopped.
func state(t *testing.T, pid string) string {
	t.Helper()
	b, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		t.Skipf("no /proc to look into: %v", err)
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return rest[:1]
}

func TestFrozenBetweenInvocations(t *testing.T) {
	t.Parallel()
	h := function(t, lambdahost.Options{}, nil)
	for range 3 {
		pid := string(invoke(t, h, "pid", "").Payload)
		eventually(t, "the process stands still", func() bool { return state(t, pid) == "T" })
	}
	if h.Environments("f") != 1 {
		t.Errorf("%d environments for one invocation at a time", h.Environments("f"))
	}
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	held := make(chan struct{}, 8)
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		held <- struct{}{}
		<-release
	}))
	t.Cleanup(srv.Close)
	h := function(t, lambdahost.Options{Concurrency: 2}, nil)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if r := invoke(t, h, "hold", srv.URL); string(r.Payload) != "200" {
				t.Errorf("a held one ended with %s %s", r.Error, r.Payload)
			}
		})
	}
	for range 2 {
		<-held
	}
	if _, err := h.Invoke(t.Context(), "f", []byte(`{"Do":"echo"}`)); !errors.Is(err, lambdahost.ErrThrottled) {
		t.Errorf("the third of two answers %v", err)
	}
	// Who waits no longer does not end the invocation.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = h.Invoke(ctx, "f", []byte(`{"Do":"echo"}`))
	close(release)
	wg.Wait()
	eventually(t, "all are free again", func() bool { return h.Running() == 0 })
	if h.Environments("f") != 2 {
		t.Errorf("%d environments for two at a time", h.Environments("f"))
	}
}

func TestFaultsOnPurpose(t *testing.T) {
	t.Parallel()
	faults := map[string]lambdahost.Fault{
		"throttle": {Throttle: true}, "before": {KillBefore: true}, "lose": {LoseAnswer: true},
		"after": {KillAfter: time.Millisecond},
	}
	h := function(t, lambdahost.Options{Fault: func(_ string, payload []byte) lambdahost.Fault {
		var e struct{ Text string }
		_ = json.Unmarshal(payload, &e)
		return faults[e.Text]
	}}, nil)
	if _, err := h.Invoke(t.Context(), "f", []byte(`{"Text":"throttle"}`)); !errors.Is(err, lambdahost.ErrThrottled) {
		t.Errorf("throttled on purpose: %v", err)
	}
	for text, do := range map[string]string{"before": "echo", "lose": "echo", "after": "forever"} {
		if r := invoke(t, h, do, text); !strings.Contains(string(r.Payload), "Runtime.ExitError") {
			t.Errorf("%s: %q %s", text, r.Error, r.Payload)
		}
		if r := invoke(t, h, "echo", "fine"); r.Error != "" || !r.Cold {
			t.Errorf("after %s: %q, cold %v", text, r.Error, r.Cold)
		}
		eventually(t, "it is free", func() bool { return h.Running() == 0 })
		h.Recycle()
	}
}
