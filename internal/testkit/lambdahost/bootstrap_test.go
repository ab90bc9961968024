package lambdahost_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
)

type bootstrapEvent struct {
	Do      string
	Text    string
	Records []struct {
		MessageID string `json:"messageId"`
		Body      string `json:"body"`
	}
	RawPath string          `json:"rawPath"`
	Answer  json.RawMessage // of an HTTP request, in a header
	Headers map[string]string
}

// bootstrap is a function that does what its event says: TestMain runs it when the test binary is started as a
// function.
func bootstrap() {
	if os.Getenv("FAIL_INIT") != "" {
		fmt.Println("no settings")
		os.Exit(1)
	}
	served := 0
	lambda.Start(func(ctx context.Context, raw json.RawMessage) (any, error) {
		served++
		var e bootstrapEvent
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, err
		}
		if e.Records != nil {
			return batch(e)
		}
		if e.RawPath != "" {
			if answer, ok := e.Headers["x-answer"]; ok {
				return json.RawMessage(answer), nil
			}
			b, err := json.Marshal(map[string]any{"statusCode": 200,
				"headers": map[string]string{"Content-Type": "application/json"}, "body": string(raw)})
			return json.RawMessage(b), err
		}
		switch e.Do {
		case "echo":
			return e.Text, nil
		case "served":
			return served, nil
		case "pid":
			return os.Getpid(), nil
		case "error":
			return nil, errors.New(e.Text)
		case "panic":
			panic(e.Text)
		case "exit":
			os.Exit(3)
		case "big":
			return strings.Repeat("x", 6<<20), nil
		case "env":
			return os.Environ(), nil
		case "deadline":
			d, _ := ctx.Deadline()
			return int(time.Until(d).Seconds()), nil
		case "hold":
			res, err := http.Get(e.Text) // held by the test
			if err != nil {
				return nil, err
			}
			return res.StatusCode, res.Body.Close()
		case "signed":
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.Text, nil)
			if err != nil {
				return nil, err
			}
			req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+os.Getenv("AWS_ACCESS_KEY_ID")+"/x")
			res, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				return nil, err
			}
			return res.StatusCode, res.Body.Close()
		case "forever":
			select {}
		}
		return nil, fmt.Errorf("do what? %s", raw)
	})
}

// batch fails the messages that say so; one that says "garbage" spoils the answer, "crash" all.
func batch(e bootstrapEvent) (any, error) {
	type failure struct {
		ItemIdentifier string `json:"itemIdentifier"`
	}
	failed := []failure{}
	for _, r := range e.Records {
		switch r.Body {
		case "fail":
			failed = append(failed, failure{r.MessageID})
		case "garbage":
			failed = append(failed, failure{"nobody"})
		case "crash":
			os.Exit(3)
		}
	}
	return map[string]any{"batchItemFailures": failed}, nil
}
