package assist

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// Sign signs a request for a service of AWS.
type Sign func(ctx context.Context, r *http.Request, body []byte, service, region string) error

// bedrock asks a model of Amazon Bedrock by its operation Converse, which is the same for all models. The request is
// made by hand: the service's client would add 0.2 MB to the API function.
type bedrock struct {
	client Doer
	url    string
	region string
	model  string // id of a model, or of an inference profile
	sign   Sign
}

type converseText struct {
	Text string `json:"text"`
}

type converseMessage struct {
	Role    string         `json:"role"`
	Content []converseText `json:"content"`
}

type converseRequest struct {
	Messages []converseMessage `json:"messages"`
	System   []converseText    `json:"system"`
	Config   struct {
		Most int64 `json:"maxTokens"`
	} `json:"inferenceConfig"`
}

type converseAnswer struct {
	Output struct {
		Message converseMessage `json:"message"`
	} `json:"output"`
	Stop  string `json:"stopReason"`
	Usage struct {
		In  int64 `json:"inputTokens"`
		Out int64 `json:"outputTokens"`
	} `json:"usage"`
}

// bedrockURL is the address of the service in a region.
func bedrockURL(region string) string { return "https://bedrock-runtime." + region + ".amazonaws.com" }

func (b *bedrock) ask(ctx context.Context, p prompt, most int64, _ func(string)) (out reply, err error) {
	body := converseRequest{
		Messages: []converseMessage{{"user", []converseText{{p.text}}}}, System: []converseText{{p.system}},
	}
	body.Config.Most = most
	// The signature is over the escaped path, in which AWS wants colons escaped.
	path := "/model/" + strings.ReplaceAll(url.PathEscape(b.model), ":", "%3A") + "/converse"
	answer, err := post(ctx, b.client, strings.TrimSuffix(b.url, "/")+path, body,
		func(r *http.Request, body []byte) error {
			if err := b.sign(ctx, r, body, "bedrock", b.region); err != nil {
				return &failure{code: CodeCredentials, log: err.Error()}
			}
			return nil
		}, "")
	if err != nil {
		return out, err
	}
	defer answer.Body.Close()
	var a converseAnswer
	if err = readAll(answer.Body, &a); err == nil && a.Stop == "" {
		err = errNoAnswer
	}
	if err != nil {
		return out, brokenOff(ctx, err)
	}
	for _, c := range a.Output.Message.Content {
		out.text += c.Text // other contents have none
	}
	out.in, out.out, out.isCut = max(a.Usage.In, 0), max(a.Usage.Out, 0), a.Stop == "max_tokens"
	return out, nil
}
