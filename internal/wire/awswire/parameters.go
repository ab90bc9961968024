package awswire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/stream/assist"
)

const (
	// parameterTimeout bounds one attempt; Parameter Store responds in some ten milliseconds.
	parameterTimeout = 3 * time.Second
	parameterTries   = 3
	// parameterPause is the longest wait before the second attempt; it doubles. The wait is random below that, so that
	// instances that started together do not retry together.
	parameterPause = 200 * time.Millisecond
	// maxParameters is GetParameters' limit of names.
	maxParameters = 10
	maxAnswer     = 256 << 10
)

// parameters reads SecureStrings of SSM Parameter Store: all that the settings name in one request, when the first is
// needed, once in the life of the process. The request is built here and signed by the SDK's signer: the service's
// client would add 2.16 MB to each function (docs/develop/decisions/0006).
type parameters struct {
	cfg   aws.Config
	names []string
	clock clock.Clock

	mu     sync.Mutex
	values map[string]string // nil before the first success
}

func newParameters(cfg aws.Config, names []string, c clock.Clock) *parameters {
	return &parameters{cfg: cfg, names: names, clock: c}
}

// Post sends one signed request of a service that speaks JSON. It is for what is asked seldom: the service's client
// would add two megabytes to the program.
func Post(ctx context.Context, cfg aws.Config, service, contentType, target string, body []byte,
	now time.Time) (*http.Response, error) {
	endpoint := "https://" + service + "." + cfg.Region + ".amazonaws.com"
	if strings.HasPrefix(cfg.Region, "cn-") {
		endpoint += ".cn"
	}
	if cfg.BaseEndpoint != nil {
		endpoint = *cfg.BaseEndpoint
	}
	for _, source := range cfg.ConfigSources {
		if e, ok := source.(endpoints); ok {
			if url, found, _ := e.GetServiceBaseEndpoint(ctx, service); found {
				endpoint = url
			}
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(endpoint, "/")+"/",
		bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("X-Amz-Target", target)
	if err := sign(ctx, cfg.Credentials, r, body, service, cfg.Region, now); err != nil {
		return nil, err
	}
	if cfg.HTTPClient == nil {
		cfg.HTTPClient = awshttp.NewBuildableClient()
	}
	return cfg.HTTPClient.Do(r)
}

// sign adds the signature of a request (Signature Version 4).
func sign(ctx context.Context, from aws.CredentialsProvider, r *http.Request, body []byte, service, region string,
	now time.Time) error {
	credentials, err := from.Retrieve(ctx)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	return v4.NewSigner().SignHTTP(ctx, credentials, r, hex.EncodeToString(sum[:]), service, region, now)
}

// Signer returns what signs requests with credentials, at the time of a clock.
func Signer(from aws.CredentialsProvider, c clock.Clock) assist.Sign {
	return func(ctx context.Context, r *http.Request, body []byte, service, region string) error {
		return sign(ctx, from, r, body, service, region, c.Now())
	}
}

// read returns one secret. A failure is not cached.
func (p *parameters) read(ctx context.Context, name string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.values == nil {
		values, err := p.fetch(ctx)
		if err != nil {
			return "", err
		}
		p.values = values
	}
	v, ok := p.values[name]
	if !ok {
		return "", fault.New(fault.Internal, "secret_missing", "awswire: read parameters", fmt.Errorf(
			"there is no SSM parameter %s in %s: make it with\n  aws ssm put-parameter --region %s --type "+
				"SecureString --name %s --value …",
			name, p.cfg.Region, p.cfg.Region, name))
	}
	return v, nil
}

// fetch reads all parameters, with retries.
func (p *parameters) fetch(ctx context.Context) (map[string]string, error) {
	const op = "awswire: read parameters"
	if len(p.names) > maxParameters {
		return nil,
			fault.New(fault.Internal, "too_many_secrets", op,
				fmt.Errorf("%d parameters, one request reads %d", len(p.names), maxParameters))
	}
	pause := parameterPause
	for try := 1; ; try++ {
		values, again, err := p.request(ctx)
		if err == nil {
			return values, nil
		}
		err = fmt.Errorf("the SSM parameters %s could not be read: %w", strings.Join(p.names, ", "), err)
		switch {
		case ctx.Err() != nil:
			return nil, fault.New(fault.Cancelled, "", op, err)
		case !again:
			return nil, fault.New(fault.Internal, "secrets_refused", op, err)
		case try == parameterTries:
			return nil, fault.New(fault.Unavailable, "secrets_unavailable", op, err)
		}
		wait := time.NewTimer(rand.N(pause))
		pause *= 2
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return nil, fault.New(fault.Cancelled, "", op, ctx.Err())
		}
	}
}

// request sends one request; again reports whether a retry may succeed. Values never reach an error.
func (p *parameters) request(ctx context.Context) (values map[string]string, again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, parameterTimeout)
	defer cancel()
	body, err := json.Marshal(map[string]any{"Names": p.names, "WithDecryption": true})
	if err != nil {
		return nil, false, err
	}
	answer, err := Post(ctx, p.cfg, "ssm", "application/x-amz-json-1.1", "AmazonSSM.GetParameters", body, p.clock.Now())
	if err != nil {
		return nil, true, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, true, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests || isThrottle(text),
			refusal(answer, text)
	}
	var out struct {
		Parameters []struct{ Name, Value string }
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, true, errors.New("the response is not JSON") // its text may have values
	}
	values = map[string]string{}
	for _, v := range out.Parameters {
		values[v.Name] = strings.TrimSpace(v.Value)
	}
	return values, false, nil
}

// isThrottle reports whether a response with status 400 is due to throttling, by its error type.
func isThrottle(text []byte) bool { return strings.Contains(string(text), "Throttling") }

func refusal(answer *http.Response, text []byte) error {
	var out struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(text, &out) // without a type and message, the status has to do
	return fmt.Errorf("%s %s: %s", answer.Status, out.Type[strings.LastIndexByte(out.Type, '#')+1:], out.Message)
}
