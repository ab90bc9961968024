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

	"github.com/aws/aws-lambda-go/events"
	"golang.org/x/time/rate"
)

// Limits of an HTTP API.
const (
	maxHTTPBody    = 10 << 20 // of a request, before Lambda's own limit
	maxHTTPHeaders = 10240    // request line and headers
)

// Invoker runs functions; Host is one.
type Invoker interface {
	Invoke(ctx context.Context, function string, payload []byte) (Result, error)
}

// HTTPAPI is an HTTP API (API Gateway version 2) whose one route, $default, is a function behind AWS_PROXY with
// payload format 2.0.
type HTTPAPI struct {
	Host     Invoker
	Function string
	APIID    string
	Domain   string        // its own name, execute-api…; a request for another Host is refused
	Timeout  time.Duration // of the integration, 30 s at most
	Limit    *rate.Limiter // of the stage; none when nil
	// MayInvoke reports whether the function's permissions allow a route, by its ARN; all are allowed when nil.
	MayInvoke func(source string) bool
}

// ServeHTTP implements http.Handler.
func (a *HTTPAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := base64.RawURLEncoding.EncodeToString([]byte(requestID())[:12])
	w.Header().Set("Apigw-Requestid", id)
	if r.Host != a.Domain {
		gatewaySays(w, http.StatusForbidden, "Forbidden") // as for a domain that no API has
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
	route := "arn:aws:execute-api:" + Region + ":" + Account + ":" + a.APIID + "/$default/$default"
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
func (a *HTTPAPI) event(r *http.Request, body []byte, id string) events.APIGatewayV2HTTPRequest {
	// HTTP APIs hand the path over decoded, in spite of its name, and cut it at a question mark that was encoded.
	// The query stays as it was sent.
	path, _, _ := strings.Cut(r.URL.Path, "?")
	now := time.Now().UTC()
	source, _, _ := net.SplitHostPort(r.RemoteAddr)
	prefix, _, _ := strings.Cut(a.Domain, ".")
	e := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "$default", RawPath: path, RawQueryString: r.URL.RawQuery,
		Headers: map[string]string{},
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			AccountID: Account, APIID: a.APIID, DomainName: a.Domain, DomainPrefix: prefix, RequestID: id,
			RouteKey: "$default",
			Stage:    "$default", Time: now.Format("02/Jan/2006:15:04:05 -0700"), TimeEpoch: now.UnixMilli(),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: r.Method, Path: path, Protocol: "HTTP/1.1", SourceIP: source, UserAgent: r.UserAgent(),
			},
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
		e.QueryStringParameters = map[string]string{}
		for k, v := range query {
			e.QueryStringParameters[k] = strings.Join(v, ",")
		}
	}
	if len(body) > 0 {
		e.Body = string(body)
		if e.IsBase64Encoded = !isText(r.Header); e.IsBase64Encoded {
			e.Body = base64.StdEncoding.EncodeToString(body)
		}
	}
	return e
}

// isText reports whether a body goes into the event as text: the known types of text, not compressed.
func isText(h http.Header) bool {
	kind, _, _ := strings.Cut(strings.ToLower(h.Get("Content-Type")), ";")
	kind = strings.TrimSpace(kind)
	known := []string{"", "application/json", "application/javascript", "application/xml"}
	return h.Get("Content-Encoding") == "" && (strings.HasPrefix(kind, "text/") || slices.Contains(known, kind))
}

// answerHTTP writes a function's response.
func answerHTTP(w http.ResponseWriter, r *http.Request, payload []byte) {
	var response events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(payload, &response); err != nil || response.StatusCode == 0 {
		// Any JSON without a status is the body itself; anything else is an error of the function.
		if !json.Valid(payload) {
			gatewaySays(w, http.StatusInternalServerError, "Internal Server Error")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(payload)
		return
	}
	body := []byte(response.Body)
	if response.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(response.Body); err != nil {
			gatewaySays(w, http.StatusInternalServerError, "Internal Server Error")
			return
		}
	}
	h := w.Header()
	for name, v := range response.Headers {
		h.Set(name, v)
	}
	for _, c := range response.Cookies {
		h.Add("Set-Cookie", c)
	}
	maps.DeleteFunc(h, func(name string, _ []string) bool {
		return name == "Connection" || name == "Content-Length" || name == "Transfer-Encoding"
	})
	if h.Get("Content-Type") == "" && len(body) > 0 {
		h.Set("Content-Type", "text/plain;charset=UTF-8")
	}
	w.WriteHeader(response.StatusCode)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// gatewaySays writes a response of the gateway itself.
func gatewaySays(w http.ResponseWriter, status int, message string) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	b, _ := json.Marshal(map[string]string{"message": message})
	_, _ = w.Write(b)
}
