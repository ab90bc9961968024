package lambdahost

import (
	"context"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
)

// InProcess is an HTTP API whose function runs in this process: handler is what the function passes to lambda.Start.
// Requests and answers become the same JSON with the same limits as on a Host; what differs is that a panic ends the
// test.
func InProcess(domain string, handler any) *HTTPAPI {
	return &HTTPAPI{Host: inProcess{lambda.NewHandler(handler)}, APIID: "api", Domain: domain,
		Timeout: 30 * time.Second}
}

type inProcess struct{ lambda.Handler }

// Invoke implements Invoker.
func (p inProcess) Invoke(ctx context.Context, _ string, payload []byte) (Result, error) {
	if len(payload) > MaxPayload {
		return Result{}, ErrTooLarge
	}
	answer, err := p.Handler.Invoke(ctx, payload)
	switch {
	case err != nil:
		return Result{Payload: failure("Error", err.Error()), Error: "Unhandled"}, nil
	case len(answer) > MaxPayload:
		return Result{Payload: failure("Function.ResponseSizeTooLarge", "more than 6 MB"), Error: "Unhandled"}, nil
	}
	return Result{Payload: answer}, nil
}
