package assist

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Doer sends a request: a guarded client that reaches the owner's host alone.
type Doer interface {
	Do(r *http.Request) (*http.Response, error)
}

// model is a service with language models.
type model interface {
	// ask returns an answer; each is called with the answer so far, where it comes in parts.
	ask(ctx context.Context, p prompt, most int64, each func(text string)) (reply, error)
}

// reply is a model's answer with the tokens that the service counted; zeros if it did not.
type reply struct {
	text    string
	in, out int64
	isCut   bool // at the most tokens
}

// The codes of failures.
const (
	CodeUsed    = "assist_month_used"
	CodeBusy    = "assist_busy"
	CodeSlow    = "assist_slow"
	CodeRefused = "assist_refused"
	CodeEmpty   = "assist_empty"
	CodeKey     = "assist_key"
	CodeBroken  = "assist_broken"
	// CodeUnreachable: nothing was asked, because no connection came about.
	CodeUnreachable = "assist_unreachable"
	// CodeCredentials: there are none for AWS, or none that are valid.
	CodeCredentials = "assist_credentials" //nolint:gosec // a code of an error
)

// failure is why a model gave no answer.
type failure struct {
	code   string
	reason string // of a refusal: what the service said in short
	// isBilled: the service may have worked, so that the reservation stays.
	isBilled bool
	wait     time.Duration // after which it may be asked again; 0: not stated
	log      string        // for the owner's log
}

func (f *failure) Error() string { return f.code + " " + f.reason + " " + f.log }

const (
	// mostReply bounds the bytes of an answer, mostRefusal those of an error that are logged.
	mostReply   = 1 << 20
	mostRefusal = 300
	// longestWait is how long a service may ask to wait for its second try.
	longestWait = 3 * time.Second
)

// refused reads why a service refused, and closes the body. What it says goes to the log without the key.
func refused(r *http.Response, key string) *failure {
	defer r.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(r.Body, 8<<10))
	f := &failure{code: CodeRefused, reason: "HTTP " + strconv.Itoa(r.StatusCode), log: message(said)}
	if key != "" {
		f.log = strings.ReplaceAll(f.log, key, "***")
	}
	kind := r.Header.Get("X-Amzn-Errortype") // of AWS alone
	switch {
	case strings.HasPrefix(kind, "AccessDenied"): // it has no key: a permission, or access to the model, is missing
	case r.StatusCode != http.StatusUnauthorized && r.StatusCode != http.StatusForbidden:
	case kind != "":
		f.code, f.log = CodeCredentials, kind // the text may have parts of them
	default:
		f.code, f.log = CodeKey, "" // services repeat parts of a wrong key
	}
	if r.StatusCode >= 500 || r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusRequestTimeout ||
		strings.HasPrefix(kind, "Throttling") {
		f.code = CodeBusy
		if n, err := strconv.Atoi(r.Header.Get("Retry-After")); err == nil && n >= 0 {
			f.wait = max(time.Duration(min(n, 3600))*time.Second, 1)
		}
	}
	return f
}

// message is the text of an error: {"error": {"message"}}, {"error"} or {"message"}; else the beginning of the body.
func message(said []byte) string {
	var out struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	text := string(said)
	if json.Unmarshal(said, &out) == nil {
		var inner struct {
			Message string `json:"message"`
		}
		switch {
		case out.Message != "":
			text = out.Message
		case json.Unmarshal(out.Error, &inner) == nil && inner.Message != "":
			text = inner.Message
		case json.Unmarshal(out.Error, &text) != nil:
			text = string(said)
		}
	}
	text = strings.ToValidUTF8(text[:min(len(text), mostRefusal)], "")
	return strings.Join(strings.Fields(text), " ")
}

// brokenOff is the failure of an exchange that did not end well.
func brokenOff(ctx context.Context, err error) *failure {
	var f *failure
	var timed interface{ Timeout() bool }
	switch {
	case errors.As(err, &f):
		return f
	case ctx.Err() != nil, errors.As(err, &timed) && timed.Timeout():
		return &failure{code: CodeSlow, isBilled: true, log: err.Error()}
	}
	return &failure{code: CodeBroken, isBilled: true, log: err.Error()}
}

// readAll reads an answer of JSON.
func readAll(r io.Reader, into any) error {
	body, err := io.ReadAll(io.LimitReader(r, mostReply+1))
	if err != nil {
		return err
	}
	if len(body) > mostReply || json.Unmarshal(body, into) != nil {
		return errNoAnswer
	}
	return nil
}

var errNoAnswer = errors.New("the response is no answer of a model")

// post sends a request as JSON, and returns the response to a success.
func post(ctx context.Context, client Doer, url string, body any, sign func(*http.Request, []byte) error,
	key string) (*http.Response, error) {
	packed, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(string(packed)))
	if err != nil {
		return nil, fault.New(fault.Internal, "", "assist: address", err)
	}
	r.Header.Set("Content-Type", "application/json")
	if err := sign(r, packed); err != nil {
		return nil, err
	}
	var isSent atomic.Bool
	answer, err := client.Do(r.WithContext(httptrace.WithClientTrace(ctx,
		&httptrace.ClientTrace{WroteHeaders: func() { isSent.Store(true) }})))
	switch {
	case err == nil:
	case isSent.Load(), ctx.Err() != nil:
		return nil, brokenOff(ctx, err)
	default:
		return nil, &failure{code: CodeUnreachable, log: err.Error()}
	}
	if answer.StatusCode != http.StatusOK {
		return nil, refused(answer, key)
	}
	return answer, nil
}
