package assist

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"
)

// openAI speaks POST /chat/completions, as Ollama, llama.cpp, vLLM, LM Studio and many services do.
type openAI struct {
	client Doer
	url    string // up to /v1
	model  string
	key    func(context.Context) (string, error)
	// isNewer: the service knows max_completion_tokens instead of max_tokens.
	isNewer atomic.Bool
}

// leastTokens are asked of every model: some think before they answer, and that counts.
const leastTokens = 1500

type chatRequest struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	Most     int64         `json:"max_tokens,omitempty"`
	MostNew  int64         `json:"max_completion_tokens,omitempty"`
	Stream   bool          `json:"stream,omitempty"`
	Options  *chatOptions  `json:"stream_options,omitempty"`
}

type chatOptions struct {
	Usage bool `json:"include_usage"`
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// chatAnswer is a whole answer, or a part of one that comes in parts.
type chatAnswer struct {
	Choices []struct {
		Message chatMessage `json:"message"`
		Delta   chatMessage `json:"delta"`
		Finish  string      `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		In  int64 `json:"prompt_tokens"`
		Out int64 `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

func (o *openAI) ask(ctx context.Context, p prompt, most int64, each func(string)) (reply, error) {
	out, err := o.request(ctx, p, most, each)
	var f *failure
	if errors.As(err, &f) && strings.Contains(f.log, "max_completion_tokens") && o.isNewer.CompareAndSwap(false, true) {
		return o.request(ctx, p, most, each)
	}
	return out, err
}

func (o *openAI) request(ctx context.Context, p prompt, most int64, each func(string)) (reply, error) {
	body := chatRequest{Model: o.model, Messages: []chatMessage{{"system", p.system}, {"user", p.text}}, Most: most}
	if o.isNewer.Load() {
		body.Most, body.MostNew = 0, most
	}
	if each != nil {
		body.Stream, body.Options = true, &chatOptions{true}
	}
	key, err := o.key(ctx)
	if err != nil {
		return reply{}, err
	}
	answer, err := post(ctx, o.client, strings.TrimSuffix(o.url, "/")+"/chat/completions", body,
		func(r *http.Request, _ []byte) error {
			if key != "" {
				r.Header.Set("Authorization", "Bearer "+key)
			}
			return nil
		}, key)
	if err != nil {
		return reply{}, err
	}
	defer answer.Body.Close()
	read := readWhole
	if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind == "text/event-stream" {
		read = func(r io.Reader) (reply, error) { return readParts(r, each) }
	}
	out, err := read(answer.Body)
	if err != nil {
		return out, brokenOff(ctx, err)
	}
	return out, nil
}

func readWhole(r io.Reader) (out reply, err error) {
	var a chatAnswer
	if err = readAll(r, &a); err == nil && len(a.Choices) == 0 {
		err = errNoAnswer
	}
	if err != nil {
		return out, err
	}
	out.text = a.Choices[0].Message.Content
	out.add(&a)
	return out, nil
}

// add takes over what a part says besides text, and reports whether it ends the answer.
func (r *reply) add(a *chatAnswer) (isEnd bool) {
	if a.Usage != nil {
		r.in, r.out = max(a.Usage.In, 0), max(a.Usage.Out, 0)
	}
	if len(a.Choices) > 0 {
		r.isCut = r.isCut || a.Choices[0].Finish == "length"
		return a.Choices[0].Finish != ""
	}
	return false
}

// readParts reads server-sent events (one line of data each). The answer is whole if it said so: some services send no
// [DONE] at the end.
func readParts(r io.Reader, each func(string)) (out reply, err error) {
	lines := bufio.NewScanner(io.LimitReader(r, mostReply))
	lines.Buffer(make([]byte, 0, 16<<10), mostReply)
	isWhole := false
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue
		}
		if data = bytes.TrimSpace(data); string(data) == "[DONE]" {
			return out, nil
		}
		var a chatAnswer
		if err := json.Unmarshal(data, &a); err != nil {
			return out, err
		}
		if len(a.Error) > 0 && string(a.Error) != "null" {
			return out, errors.New("the answer broke off with an error")
		}
		if len(a.Choices) > 0 && a.Choices[0].Delta.Content != "" {
			out.text += a.Choices[0].Delta.Content
			if each != nil {
				each(out.text)
			}
		}
		isWhole = out.add(&a) || isWhole
		if len(out.text) > 4*mostAnswer {
			return out, errors.New("the answer does not end")
		}
	}
	if err := lines.Err(); err != nil {
		return out, err
	}
	if !isWhole {
		return out, io.ErrUnexpectedEOF
	}
	return out, nil
}
