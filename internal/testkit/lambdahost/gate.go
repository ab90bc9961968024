package lambdahost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Gate stands between functions and a service (its emulator): it knows which function calls, the action and
// the resource, and so can enforce the role's permissions and inject faults. Give its address to the functions as the
// service's endpoint. Calls of others (no key of an environment) pass.
type Gate struct {
	Host    *Host
	Service string // dynamodb, s3, sqs or ssm
	Target  *url.URL
	// Allow is the role of each function; everything is allowed when nil.
	Allow func(function, action, resource string) bool
	// Translate, when set, rewrites a request for the emulator (the URLs of queues differ).
	Translate func(body []byte) []byte
	// Hook is called before each call, when set.
	Hook func(Call) Act

	once  sync.Once
	proxy *httputil.ReverseProxy
}

// Call is one request of a function to a service, in IAM's words.
type Call struct {
	Function string
	Action   string // dynamodb:PutItem
	Resource string // the table's or queue's name, bucket/key
	Key      string // the environment's access key, for Host.KillCaller
}

// Act is what happens to a call.
type Act int

// What a hook may answer.
const (
	Pass       Act = iota
	KillBefore     // the environment dies, the service never hears of it
	KillAfter      // the service does it, then the environment dies
	Throttle       // the service's own refusal for too many requests
	ServerFail     // 500, nothing was done
	FailAfter      // 500, but it was done
)

var credential = regexp.MustCompile(`Credential=([^/]+)/`)

const maxCall = 16 << 20

// ServeHTTP implements http.Handler.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.once.Do(g.open)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCall))
	if err != nil {
		g.fail(w, http.StatusBadRequest, "RequestTooLarge", "more than any service takes")
		return
	}
	if g.Translate != nil {
		body = g.Translate(body)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	var call Call
	if m := credential.FindStringSubmatch(r.Header.Get("Authorization")); m != nil {
		call.Key = m[1]
	}
	function, ours := g.Host.Caller(call.Key)
	if !ours {
		g.proxy.ServeHTTP(w, r)
		return
	}
	call.Function = function
	action, resources := g.describe(r, body)
	call.Action = action
	for _, call.Resource = range resources {
		if g.Allow != nil && !g.Allow(function, call.Action, call.Resource) {
			status, code := http.StatusBadRequest, "AccessDeniedException"
			if g.Service == "s3" {
				status, code = http.StatusForbidden, "AccessDenied"
			}
			g.fail(w, status, code, fmt.Sprintf("%s is not authorized to perform: %s on %s", function, call.Action,
				call.Resource))
			return
		}
	}
	act := Pass
	if g.Hook != nil {
		act = g.Hook(call)
	}
	switch act {
	case Pass:
		g.proxy.ServeHTTP(w, r)
	case KillBefore:
		g.Host.KillCaller(call.Key)
		panic(http.ErrAbortHandler)
	case KillAfter:
		g.proxy.ServeHTTP(&discard{h: http.Header{}}, r)
		g.Host.KillCaller(call.Key)
		panic(http.ErrAbortHandler)
	case FailAfter:
		g.proxy.ServeHTTP(&discard{h: http.Header{}}, r)
		g.serverFail(w)
	case ServerFail:
		g.serverFail(w)
	case Throttle:
		switch g.Service {
		case "dynamodb":
			g.fail(w, http.StatusBadRequest, "ProvisionedThroughputExceededException",
				"the level of configured provisioned throughput was exceeded")
		case "s3":
			g.fail(w, http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate.")
		default:
			g.fail(w, http.StatusForbidden, "RequestThrottled", "Request is throttled.")
		}
	}
}

func (g *Gate) serverFail(w http.ResponseWriter) {
	code := map[string]string{"dynamodb": "InternalServerError", "s3": "InternalError",
		"sqs": "InternalFailure"}[g.Service]
	g.fail(w, http.StatusInternalServerError, code, "injected")
}

func (g *Gate) open() {
	g.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(g.Target) },
		// Answers carry checksums over their bytes: nothing is unpacked on the way.
		Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			g.fail(w, http.StatusServiceUnavailable, "ServiceUnavailable", err.Error())
		},
	}
}

// describe says what a request asks for, as IAM names it, and of which resources.
func (g *Gate) describe(r *http.Request, body []byte) (string, []string) {
	if g.Service == "s3" {
		return describeS3(r)
	}
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var said struct {
		TableName    string
		QueueURL     string `json:"QueueUrl"`
		RequestItems map[string]json.RawMessage
		Names        []string // of parameters
	}
	_ = json.Unmarshal(body, &said) // what it does not name is no resource of ours
	if g.Service == "sqs" {
		// IAM knows no batches.
		return "sqs:" + strings.TrimSuffix(op, "Batch"),
			[]string{said.QueueURL[strings.LastIndexByte(said.QueueURL, '/')+1:]}
	}
	if g.Service == "ssm" {
		return "ssm:" + op, said.Names
	}
	names := []string{said.TableName}
	if len(said.RequestItems) > 0 {
		names = slices.Collect(maps.Keys(said.RequestItems))
	}
	return g.Service + ":" + op, names
}

func describeS3(r *http.Request) (string, []string) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	bucket, key, _ := strings.Cut(path, "/")
	op := ""
	switch {
	case key == "" && r.Method == http.MethodGet:
		op, path = "s3:ListBucket", bucket
	case r.Method == http.MethodPost && r.URL.Query().Has("delete"):
		op = "s3:DeleteObject"
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		op = "s3:GetObject"
	case r.Method == http.MethodPut, r.Method == http.MethodPost:
		op = "s3:PutObject"
	case r.Method == http.MethodDelete:
		op = "s3:DeleteObject"
	}
	return op, []string{path}
}

// fail answers as the service words its errors.
func (g *Gate) fail(w http.ResponseWriter, status int, code, message string) {
	if g.Service == "s3" {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w,
			"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code><Message>%s</Message></Error>", code,
			message)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(status)
	b, _ := json.Marshal(map[string]string{"__type": "com.amazonaws." + g.Service + "#" + code, "message": message})
	_, _ = w.Write(b)
}

// discard drops a response.
type discard struct{ h http.Header }

func (n *discard) Header() http.Header         { return n.h }
func (n *discard) Write(p []byte) (int, error) { return len(p), nil }
func (n *discard) WriteHeader(int)             {}
