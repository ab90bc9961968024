package lambdahost

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Limits of an HTTP API.
const (
	maxHTTPBody    = 10 << 20 // of a request, before Lambda's own limit
	maxHTTPHeaders = 10240    // request line and headers
)

// HTTPAPI is an HTTP API (API Gateway version 2) whose one route, $default, is a function behind AWS_PROXY with
// payload format 2.0.
type HTTPAPI struct {
	Host     *Host
	Function string
	APIID    string
	Domain   string        // its own name, execute-api…; a request for another Host is refused
	Timeout  time.Duration // of the integration, 30 s at most
	Limit    *rate.Limiter // of the stage; none when nil
	// MayInvoke asks the function's permissions, for the ARN of the route; all may when nil.
	MayInvoke func(source string) bool
}

// event is a request in payload format 2.0.
type event struct {
	Version         string            `json:"version"`
	RouteKey        string            `json:"routeKey"`
	RawPath         string            `json:"rawPath"`
	RawQueryString  string            `json:"rawQueryString"`
	Cookies         []string          `json:"cookies,omitempty"`
	Headers         map[string]string `json:"headers"`
	Query           map[string]string `json:"queryStringParameters,omitempty"`
	RequestContext  eventContext      `json:"requestContext"`
	Body            *string           `json:"body,omitempty"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
}

type eventContext struct {
	AccountID    string    `json:"accountId"`
	APIID        string    `json:"apiId"`
	DomainName   string    `json:"domainName"`
	DomainPrefix string    `json:"domainPrefix"`
	HTTP         eventHTTP `json:"http"`
	RequestID    string    `json:"requestId"`
	RouteKey     string    `json:"routeKey"`
	Stage        string    `json:"stage"`
	Time         string    `json:"time"`
	TimeEpoch    int64     `json:"timeEpoch"`
}

type eventHTTP struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Protocol  string `json:"protocol"`
	SourceIP  string `json:"sourceIp"`
	UserAgent string `json:"userAgent"`
}

// ServeHTTP implements http.Handler.
func (a *HTTPAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := base64.RawURLEncoding.EncodeToString([]byte(requestID())[:12])
	w.Header().Set("Apigw-Requestid", id)
	if r.Host != a.Domain {
		gatewaySays(w, http.StatusForbidden, "Forbidden") // as to whoever asks for a domain that no API has
		return
	}
	if a.Limit != nil && !a.Limit.Allow() {
		gatewaySays(w, http.StatusTooManyRequests, "Too Many Requests")
		return
	}
	size := len(r.Method) + len(r.RequestURI)
	for name, values := range r.Header {
		for _, v := range values {
			size += len(name) + len(v)
		}
	}
	if size > maxHTTPHeaders {
		gatewaySays(w, http.StatusRequestHeaderFieldsTooLarge, "Request Header Fields Too Large")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxHTTPBody))
	if err != nil {
		gatewaySays(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return
	}
	route := "arn:aws:execute-api:" + a.Host.o.Region + ":" + a.Host.o.AccountID + ":" + a.APIID + "/$default/$default"
	if a.MayInvoke != nil && !a.MayInvoke(route) {
		gatewaySays(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	payload, err := json.Marshal(a.event(r, body, id))
	if err != nil {
		gatewaySays(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), a.Timeout)
	defer cancel()
	result, err := a.Host.Invoke(ctx, a.Function, payload)
	switch {
	case errors.Is(err, ErrTooLarge):
		gatewaySays(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrThrottled):
		// REST APIs answer 504 for a time-out; HTTP APIs say 503 for both.
		gatewaySays(w, http.StatusServiceUnavailable, "Service Unavailable")
	case err != nil || result.Error != "":
		gatewaySays(w, http.StatusInternalServerError, "Internal Server Error")
	default:
		answerHTTP(w, r, result.Payload)
	}
}

// event makes the payload of a request.
func (a *HTTPAPI) event(r *http.Request, body []byte, id string) event {
	// HTTP APIs hand the path over decoded, in spite of its name, and cut it at a question mark that was encoded.
	// The query stays as it was sent.
	path, _, _ := strings.Cut(r.URL.Path, "?")
	now := time.Now().UTC()
	source, _, _ := net.SplitHostPort(r.RemoteAddr)
	prefix, _, _ := strings.Cut(a.Domain, ".")
	e := event{
		Version: "2.0", RouteKey: "$default", RawPath: path, RawQueryString: r.URL.RawQuery, Headers: map[string]string{},
		RequestContext: eventContext{
			AccountID: a.Host.o.AccountID, APIID: a.APIID, DomainName: a.Domain, DomainPrefix: prefix,
			HTTP: eventHTTP{r.Method, path, "HTTP/1.1", source, r.UserAgent()}, RequestID: id, RouteKey: "$default",
			Stage: "$default", Time: now.Format("02/Jan/2006:15:04:05 -0700"), TimeEpoch: now.UnixMilli(),
		},
	}
	for name, values := range r.Header {
		if name == "Cookie" {
			for _, line := range values {
				e.Cookies = append(e.Cookies, strings.Split(line, "; ")...)
			}
			continue
		}
		e.Headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	e.Headers["host"] = a.Domain
	e.Headers["x-forwarded-port"], e.Headers["x-forwarded-proto"] = "443", "https"
	e.Headers["x-forwarded-for"] = strings.TrimPrefix(e.Headers["x-forwarded-for"]+", "+source, ", ")
	e.Headers["x-amzn-trace-id"] = "Root=1-" + requestID()[:8] + "-" + strings.ReplaceAll(requestID(), "-", "")[:24]
	if query, err := url.ParseQuery(r.URL.RawQuery); err == nil && len(query) > 0 {
		e.Query = map[string]string{}
		for k, v := range query {
			e.Query[k] = strings.Join(v, ",")
		}
	}
	if len(body) > 0 {
		e.Headers["content-length"] = r.Header.Get("Content-Length")
		if e.Headers["content-length"] == "" {
			delete(e.Headers, "content-length")
		}
		text := string(body)
		if e.IsBase64Encoded = !isText(r.Header); e.IsBase64Encoded {
			text = base64.StdEncoding.EncodeToString(body)
		}
		e.Body = &text
	}
	return e
}

// isText is whether a body goes into the event as it is: text and the known types of text, not packed.
func isText(h http.Header) bool {
	kind, _, _ := strings.Cut(strings.ToLower(h.Get("Content-Type")), ";")
	kind = strings.TrimSpace(kind)
	known := []string{"", "application/json", "application/javascript", "application/xml"}
	return h.Get("Content-Encoding") == "" && (strings.HasPrefix(kind, "text/") || slices.Contains(known, kind))
}

// answerHTTP turns a function's answer into one of HTTP.
func answerHTTP(w http.ResponseWriter, r *http.Request, payload []byte) {
	var said struct {
		StatusCode      *int              `json:"statusCode"`
		Headers         map[string]string `json:"headers"`
		Cookies         []string          `json:"cookies"`
		Body            string            `json:"body"`
		IsBase64Encoded bool              `json:"isBase64Encoded"`
	}
	if err := json.Unmarshal(payload, &said); err != nil || said.StatusCode == nil {
		// Any JSON without a status is the body itself; what is no JSON is the function's fault.
		if !json.Valid(payload) {
			gatewaySays(w, http.StatusInternalServerError, "Internal Server Error")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(payload)
		return
	}
	body := []byte(said.Body)
	if said.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(said.Body); err != nil {
			gatewaySays(w, http.StatusInternalServerError, "Internal Server Error")
			return
		}
	}
	h := w.Header()
	for name, v := range said.Headers {
		h.Set(name, v)
	}
	for _, c := range said.Cookies {
		h.Add("Set-Cookie", c)
	}
	maps.DeleteFunc(h, func(name string, _ []string) bool {
		return name == "Connection" || name == "Content-Length" || name == "Transfer-Encoding"
	})
	if h.Get("Content-Type") == "" && len(body) > 0 {
		h.Set("Content-Type", "text/plain;charset=UTF-8")
	}
	w.WriteHeader(*said.StatusCode)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// gatewaySays is an answer of the gateway's own.
func gatewaySays(w http.ResponseWriter, status int, message string) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	b, _ := json.Marshal(map[string]string{"message": message})
	_, _ = w.Write(b)
}
