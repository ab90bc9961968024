package awswire_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/awswire"
)

const secret = "a secret of at least thirty-two characters"

// open opens the cloud home whose Parameter Store is at url. Nothing else of the cloud is asked: a key that is
// made of the owner's secret needs no table.
func open(t *testing.T, url, name string, more map[string]string) *wire.App {
	t.Helper()
	env := map[string]string{
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_SESSION_TOKEN":    "token",
		"AWS_ENDPOINT_URL_SSM": url, "AWS_ENDPOINT_URL": "http://127.0.0.1:1", "RURI_TABLE": "t", "RURI_BUCKET": "b",
		"RURI_QUEUE_URL": "http://127.0.0.1:1/q", "RURI_SESSION_SECRET_PARAMETER": name,
	}
	maps.Copy(env, more)
	app, err := awswire.Open("test", func(k string) (string, bool) { v, ok := env[k]; return v, ok }, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(app.Close)
	return app
}

// put stores a SecureString at a double that checks no signature.
func put(t *testing.T, url, name, value string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"Name": name, "Value": value, "Type": "SecureString"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	r.Header.Set("X-Amz-Target", "AmazonSSM.PutParameter")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/ssm/aws4_request, "+
		"SignedHeaders=host, Signature=x")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(answer.Body)
		t.Fatalf("put-parameter: %s %s", answer.Status, b)
	}
}

// TestSecretsOfParameterStore makes a key of what lies encrypted in moto's Parameter Store.
func TestSecretsOfParameterStore(t *testing.T) {
	t.Parallel()
	store := doubles.Moto(t)
	name := "/ruri/" + doubles.Name("session-secret")
	put(t, store, name, secret)
	key, err := open(t, store, name, nil).Auth.Key(t.Context(), "a test")
	if err != nil {
		t.Fatal(err)
	}
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte("ruri key for a test"))
	if !hmac.Equal(key, h.Sum(nil)) {
		t.Error("keys are not made of the secret of the parameter")
	}
	_, err = open(t, store, name+"-missing", nil).Auth.Key(t.Context(), "a test")
	if fault.CodeOf(err) != "secret_missing" || !strings.Contains(err.Error(), "put-parameter") ||
		!strings.Contains(err.Error(), name+"-missing") {
		t.Errorf("a missing parameter is told as: %v", err)
	}
}

// answering is a Parameter Store that gives its answers one after another, the last one for ever.
func answering(t *testing.T, answers ...func(http.ResponseWriter, *http.Request)) (url string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(requests.Add(1))
		answers[min(n, len(answers))-1](w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, requests
}

func says(status int, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

var good = says(200, `{"InvalidParameters":[],"Parameters":[{"Name":"/ruri/s","Type":"SecureString","Value":"`+secret+
	`"}]}`)

func TestParameterRequestsAreRetried(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers  []func(http.ResponseWriter, *http.Request)
		requests int64
		code     string
		kind     fault.Kind
	}{
		"at once": {answers: list(good), requests: 1},
		"after throttling": {answers: list(says(400, `{"__type":"ThrottlingException","message":"Rate exceeded"}`),
			good), requests: 2},
		"after two failures": {answers: list(says(500, ``), says(503, ``), good), requests: 3},
		"cut off": {answers: list(func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}, good), requests: 2},
		"no JSON": {answers: list(says(200, `<html>`), good), requests: 2},
		"never": {answers: list(says(500, ``)), requests: 3, code: "secrets_unavailable",
			kind: fault.Unavailable},
		"not allowed": {
			answers: list(
				says(400,
					`{"__type":"com.amazon#AccessDeniedException","Message":"x is not authorized to perform: `+
						`ssm:GetParameters"}`)),
			requests: 1, code: "secrets_refused",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, requests := answering(t, c.answers...)
			_, err := open(t, url, "/ruri/s", nil).Auth.Key(t.Context(), "a test")
			if (err == nil) != (c.code == "") || err != nil && (fault.CodeOf(err) != c.code || !fault.Is(err, c.kind)) {
				t.Errorf("the error is %v, want %q", err, c.code)
			}
			if n := requests.Load(); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
			if err != nil && (strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "/ruri/s")) {
				t.Errorf("the error shows a secret or names no parameter: %v", err)
			}
		})
	}
}

func list(f ...func(http.ResponseWriter, *http.Request)) []func(http.ResponseWriter, *http.Request) {
	return f
}

// TestParametersAreReadOnce: all secrets in one request, whoever asks, and none before somebody needs one.
func TestParametersAreReadOnce(t *testing.T) {
	t.Parallel()
	var asked struct {
		Names          []string
		WithDecryption bool
	}
	url, requests := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		good(w, r)
	})
	app := open(t, url, "/ruri/s", map[string]string{
		"RURI_GOOGLE_CLIENT_ID": "id", "RURI_GOOGLE_CLIENT_SECRET_PARAMETER": "/ruri/google",
	})
	if requests.Load() != 0 {
		t.Error("the store was asked before anybody signed in")
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := app.Auth.Key(context.Background(), "a test"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := requests.Load(); n != 1 || !asked.WithDecryption || len(asked.Names) != 2 {
		t.Errorf("%d requests, the last for %+v", n, asked)
	}
}

// TestParametersAreSigned checks the request as AWS does: by signing what arrived once more.
func TestParametersAreSigned(t *testing.T) {
	t.Parallel()
	url, _ := answering(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sum := sha256.Sum256(body)
		again, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+r.Host+"/", bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		for _, name := range []string{"Content-Type", "X-Amz-Target"} {
			again.Header.Set(name, r.Header.Get(name))
		}
		at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
		if err != nil {
			t.Error(err)
		}
		credentials := aws.Credentials{AccessKeyID: "key", SecretAccessKey: "secret", SessionToken: "token"}
		if err := v4.NewSigner().SignHTTP(r.Context(), credentials, again, hex.EncodeToString(sum[:]), "ssm",
			"us-east-1", at); err != nil {
			t.Error(err)
		}
		if got, want := r.Header.Get("Authorization"), again.Header.Get("Authorization"); got != want ||
			r.Header.Get("X-Amz-Security-Token") != "token" {
			t.Errorf("signed as\n%s\nwant\n%s", got, want)
		}
		good(w, r)
	})
	if _, err := open(t, url, "/ruri/s", nil).Auth.Key(t.Context(), "a test"); err != nil {
		t.Error(err)
	}
}

// TestCancelledReadEnds does not wait for a store that never answers.
func TestCancelledReadEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	url, requests := answering(t, func(http.ResponseWriter, *http.Request) { cancel(); <-gone })
	defer close(gone)
	_, err := open(t, url, "/ruri/s", nil).Auth.Key(ctx, "a test")
	if !fault.Is(err, fault.Cancelled) || requests.Load() != 1 {
		t.Errorf("after %d requests: %v", requests.Load(), err)
	}
}

// TestShortSecretsAreRefused: a session is only as safe as what signs it.
func TestShortSecretsAreRefused(t *testing.T) {
	t.Parallel()
	url, _ := answering(t, says(200, `{"Parameters":[{"Name":"/ruri/s","Value":"short"}]}`))
	_, err := open(t, url, "/ruri/s", nil).Auth.Key(t.Context(), "a test")
	if fault.CodeOf(err) != "session_secret_too_short" || strings.Contains(err.Error(), `short"`) {
		t.Errorf("%v", err)
	}
}

// TestSecretsAreMasked wherever a configuration may be printed.
func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	app := open(t, "http://127.0.0.1:1", "", map[string]string{"RURI_SESSION_SECRET": secret})
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("config", "config", app.Config, "secret", app.Config.SessionSecret)
	if b, err := json.Marshal(app.Config); err != nil || strings.Contains(string(b)+out.String(), secret) ||
		!strings.Contains(out.String(), "***") {
		t.Errorf("%s %s, %v", b, out.String(), err)
	}
}
