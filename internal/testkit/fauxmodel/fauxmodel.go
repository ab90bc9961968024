// Package fauxmodel is a stand-in for services with language models: POST /v1/chat/completions as Ollama and llama.cpp
// answer it, whole or in parts, and Bedrock's Converse. It fails in the ways such services do. Its model does what the
// text says: an article with a line "SAY: …" gets that back, whatever the instructions were.
package fauxmodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Mode is how the service behaves.
type Mode string

// The modes; the empty one answers well.
const (
	NoUsage  Mode = "no usage"  // counts no tokens
	NoDone   Mode = "no done"   // ends a stream without [DONE]
	CutRune  Mode = "cut"       // breaks off inside a character
	LateFail Mode = "late"      // reports an error after some text
	Endless  Mode = "endless"   // never stops writing
	Silent   Mode = "silent"    // never answers
	HTML     Mode = "html"      // answers with a page
	Garbage  Mode = "garbage"   // answers with JSON of another kind
	Empty    Mode = "empty"     // answers nothing
	None     Mode = "none"      // says that it is no article
	Long     Mode = "long"      // ends at the most tokens
	Newer    Mode = "newer"     // knows max_completion_tokens alone
	Status   Mode = "status"    // answers with Server.Code
	Once     Mode = "once"      // answers with Server.Code once, and then well
	Redirect Mode = "redirect"  // sends elsewhere
	Throttle Mode = "throttled" // Bedrock's throttling
	Denied   Mode = "denied"    // Bedrock's answer to who may not use a model
	Expired  Mode = "expired"   // Bedrock's answer to credentials that have expired
)

// Server is a service of a test.
type Server struct {
	*httptest.Server
	// Key is wanted, if set.
	Key string
	// Reply is the answer to a text without SAY.
	Reply string
	// Check is asked about each request of Bedrock's kind.
	Check func(r *http.Request, body []byte)

	t     testing.TB
	mu    sync.Mutex
	mode  Mode
	code  int
	asked []string // the bodies of the requests
	done  chan struct{}
}

// New starts a service.
func New(t testing.TB) *Server {
	s := &Server{t: t, Reply: "The keepers wrote down weather and ships. In the margins they wrote everything else.",
		done: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() { close(s.done); s.Close() })
	return s
}

// Behave sets how it behaves from now on; code is the status of Status and Once.
func (s *Server) Behave(m Mode, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode, s.code = m, code
}

// Asked returns the bodies of the requests so far.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	mode, code := s.mode, s.code
	if mode == Once {
		mode, s.mode = Status, ""
	}
	s.asked = append(s.asked, string(body))
	s.mu.Unlock()
	if s.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.Key {
		mode, code = Status, http.StatusUnauthorized
	}
	switch mode {
	case Silent:
		select {
		case <-r.Context().Done():
		case <-s.done:
		}
		return
	case HTML:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>Sign in</title>")
		return
	case Garbage:
		_, _ = io.WriteString(w, `{"object":"list","data":[]}`)
		return
	case Redirect:
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		return
	case Status:
		if code == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "2")
		}
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"no, %s"}}`, r.Header.Get("Authorization"))
		return
	case Throttle:
		refuse(w, http.StatusTooManyRequests, "ThrottlingException", "Too many requests")
		return
	case Denied:
		refuse(w, http.StatusForbidden, "AccessDeniedException",
			"You don't have access to the model with the specified model ID.")
		return
	case Expired:
		refuse(w, http.StatusForbidden, "ExpiredTokenException", "The security token SESSION is expired")
		return
	}
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/v1/chat/completions":
		s.chat(w, body, mode)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/converse"):
		s.converse(w, r, body, mode)
	default:
		http.NotFound(w, r)
	}
}

// refuse answers as services of AWS do.
func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("X-Amzn-Errortype", kind)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}

func (s *Server) answer(text string, mode Mode) (answer, finish string) {
	switch mode {
	case Empty:
		return "", "stop"
	case None:
		return "NONE.", "stop"
	case Long:
		return s.Reply, "length"
	}
	if _, say, ok := strings.Cut(text, "SAY: "); ok {
		say, _, _ = strings.Cut(say, "END")
		return say, "stop"
	}
	return "<think>The reader wants it short.</think>" + s.Reply, "stop"
}

func (s *Server) chat(w http.ResponseWriter, body []byte, mode Mode) {
	var in struct {
		Model    string
		Messages []struct{ Role, Content string }
		Most     int  `json:"max_tokens"`
		MostNew  int  `json:"max_completion_tokens"`
		Stream   bool `json:"stream"`
	}
	if json.Unmarshal(body, &in) != nil || in.Model == "" || len(in.Messages) != 2 || in.Most+in.MostNew == 0 {
		s.t.Errorf("a request that no service takes: %s", body)
	}
	if mode == Newer && in.Most > 0 {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"Unsupported parameter: 'max_tokens'. Use `+
			`'max_completion_tokens' instead.","code":"unsupported_parameter"}}`)
		return
	}
	text, finish := s.answer(in.Messages[1].Content, mode)
	usage := map[string]any{"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
	if !in.Stream {
		out := map[string]any{"choices": []any{map[string]any{"message": map[string]string{"role": "assistant",
			"content": text}, "finish_reason": finish}}}
		if mode != NoUsage {
			out["usage"] = usage
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	flush := http.NewResponseController(w)
	part := func(v any) error {
		b, _ := json.Marshal(v)
		if _, err := fmt.Fprintf(w, "data: %s\n\n", b); err != nil {
			return err
		}
		return flush.Flush()
	}
	delta := func(text string, finish any) map[string]any {
		return map[string]any{"choices": []any{map[string]any{"delta": map[string]string{"content": text},
			"finish_reason": finish}}}
	}
	for mode == Endless {
		if part(delta("more and more ", nil)) != nil {
			return
		}
	}
	runes := []rune(text)
	for i := 0; i < len(runes); i += 7 {
		_ = part(delta(string(runes[i:min(i+7, len(runes))]), nil))
		switch {
		case mode == LateFail && i > 20:
			_ = part(map[string]any{"error": map[string]string{"message": "overloaded"}})
			return
		case mode == CutRune && i > 20:
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"\xe6")
			_ = flush.Flush()
			return
		}
	}
	_ = part(delta("", finish))
	if mode != NoUsage {
		_ = part(map[string]any{"choices": []any{}, "usage": usage})
	}
	if mode != NoDone {
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}
}

func (s *Server) converse(w http.ResponseWriter, r *http.Request, body []byte, mode Mode) {
	if s.Check != nil {
		s.Check(r, body)
	}
	var in struct {
		Messages []struct {
			Role    string
			Content []struct{ Text string }
		}
		System          []struct{ Text string }
		InferenceConfig struct{ MaxTokens int }
	}
	if json.Unmarshal(body, &in) != nil || len(in.Messages) != 1 || len(in.Messages[0].Content) != 1 ||
		len(in.System) != 1 || in.InferenceConfig.MaxTokens == 0 {
		s.t.Errorf("a request that Bedrock does not take: %s", body)
		return
	}
	text, finish := s.answer(in.Messages[0].Content[0].Text, mode)
	stop := map[string]string{"stop": "end_turn", "length": "max_tokens"}[finish]
	out := map[string]any{
		"output": map[string]any{"message": map[string]any{"role": "assistant", "content": []any{
			map[string]any{"reasoningContent": map[string]any{"reasoningText": map[string]string{"text": "hm"}}},
			map[string]string{"text": text}}}},
		"stopReason": stop, "usage": map[string]int{"inputTokens": 800, "outputTokens": 50, "totalTokens": 850},
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}
