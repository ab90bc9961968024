package lambdahost

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"

	"github.com/ruri-reader/ruri/internal/testkit/child"
)

// EdgeFunction is a CloudFront function, its own JavaScript, run by Node in a context that has nothing but the
// language.
type EdgeFunction struct {
	mu  sync.Mutex
	in  io.WriteCloser
	out *bufio.Reader
	end func()
}

// runner reads events and writes what the function makes of them, a line each.
const runner = `
const vm = require("node:vm");
const { createInterface } = require("node:readline");
let handler = null;
createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  let answer;
  try {
    if (message.code !== undefined) {
      const context = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
      vm.runInContext(message.code, context, { timeout: 1000 });
      handler = (event) => {
        context.event = event;
        return vm.runInContext("handler(JSON.parse(event))", context, { timeout: 1000 });
      };
      answer = {};
    } else {
      answer = { request: handler(JSON.stringify(message.event)) };
    }
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});`

// NewEdgeFunction reads the function's code; Close ends its process.
func NewEdgeFunction(code string) (*EdgeFunction, error) {
	cmd := exec.Command("node", "-e", runner)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if _, err := child.Start(cmd); err != nil {
		return nil, fmt.Errorf("lambdahost: a CloudFront function needs Node: %w", err)
	}
	f := &EdgeFunction{in: in, out: bufio.NewReader(out), end: func() { child.Kill(cmd) }}
	if _, err := f.ask(map[string]any{"code": code}); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

type edgeSaid struct {
	Error   string `json:"error"`
	Request struct {
		URI     string `json:"uri"`
		Headers map[string]struct {
			Value string `json:"value"`
		} `json:"headers"`
	} `json:"request"`
}

// Run gives the path that the function makes of a request's, and the headers.
func (f *EdgeFunction) Run(r *http.Request) (string, http.Header, error) {
	type value struct {
		Value string `json:"value"`
	}
	headers := map[string]value{"host": {r.Host}}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = value{strings.Join(values, ", ")}
	}
	ip, _, _ := net.SplitHostPort(r.RemoteAddr)
	said, err := f.ask(map[string]any{"event": map[string]any{
		"version": "1.0",
		"context": map[string]string{"eventType": "viewer-request", "requestId": requestID()},
		"viewer":  map[string]string{"ip": ip},
		"request": map[string]any{
			"method": r.Method, "uri": r.URL.EscapedPath(), "querystring": map[string]any{},
			"headers": headers, "cookies": map[string]any{},
		},
	}})
	if err == nil && said.Request.URI == "" {
		err = errors.New("lambdahost: the CloudFront function gave no address")
	}
	made := http.Header{}
	for name, v := range said.Request.Headers {
		if name != "host" {
			made.Set(name, v.Value)
		}
	}
	return said.Request.URI, made, err
}

func (f *EdgeFunction) ask(message any) (edgeSaid, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var said edgeSaid
	if err := json.NewEncoder(f.in).Encode(message); err != nil {
		return said, err
	}
	line, err := f.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	if err == nil && said.Error != "" {
		err = fmt.Errorf("lambdahost: the CloudFront function: %s", said.Error)
	}
	return said, err
}

// Close ends its process.
func (f *EdgeFunction) Close() { f.end() }
