package awswire

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// sdkConfig makes the SDK's configuration from the variables that Lambda sets, and from those that the
// SDK itself defines for other endpoints. The SDK's own loader would do the same and look besides into
// files, metadata services, SSO and web identities, none of which a function has: a fifth of the binary.
func sdkConfig(lookup func(string) (string, bool)) (aws.Config, error) {
	get := func(name string) string {
		if v, ok := lookup(name); ok {
			return strings.TrimSpace(v)
		}
		return ""
	}
	region, id, key := get("AWS_REGION"), get("AWS_ACCESS_KEY_ID"), get("AWS_SECRET_ACCESS_KEY")
	var errs []error
	for name, v := range map[string]string{"AWS_REGION": region, "AWS_ACCESS_KEY_ID": id, "AWS_SECRET_ACCESS_KEY": key} {
		if v == "" {
			errs = append(errs, errors.New(name+" is not set"))
		}
	}
	cfg := aws.Config{
		Region:      region,
		Credentials: credentials.NewStaticCredentialsProvider(id, key, get("AWS_SESSION_TOKEN")),
		// The loader's defaults; unset would mean "never".
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
		ConfigSources:              []any{endpoints(get)},
	}
	if url := get("AWS_ENDPOINT_URL"); url != "" {
		cfg.BaseEndpoint = &url
	}
	return cfg, errors.Join(errs...)
}

// UseEndpoints makes the clients of cfg look for endpoints of their own through lookup, before all else.
func UseEndpoints(cfg *aws.Config, lookup func(string) (string, bool)) {
	get := func(name string) string {
		v, _ := lookup(name)
		return strings.TrimSpace(v)
	}
	cfg.ConfigSources = append([]any{endpoints(get)}, cfg.ConfigSources...)
	if url := get("AWS_ENDPOINT_URL"); url != "" {
		cfg.BaseEndpoint = &url
	}
}

// endpoints tells the SDK's clients of endpoints of their own: AWS_ENDPOINT_URL_DYNAMODB, _S3, _SQS.
type endpoints func(name string) string

// GetServiceBaseEndpoint is what clients look for in a configuration's sources.
func (e endpoints) GetServiceBaseEndpoint(_ context.Context, sdkID string) (string, bool, error) {
	url := e("AWS_ENDPOINT_URL_" + strings.ToUpper(strings.ReplaceAll(sdkID, " ", "_")))
	return url, url != "", nil
}
