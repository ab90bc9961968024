package awswire

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// sdkConfig returns the SDK's configuration from the variables that Lambda sets, and from those that the SDK defines
// for other endpoints. The SDK's own loader also supports files, metadata services, SSO and web identities, none of
// which a function has, and would make the binary a fifth larger.
func sdkConfig(lookup func(string) (string, bool)) (aws.Config, error) {
	get := trimmed(lookup)
	region, id, key := get("AWS_REGION"), get("AWS_ACCESS_KEY_ID"), get("AWS_SECRET_ACCESS_KEY")
	var errs []error
	for name, v := range map[string]string{"AWS_REGION": region, "AWS_ACCESS_KEY_ID": id,
		"AWS_SECRET_ACCESS_KEY": key} {
		if v == "" {
			errs = append(errs, errors.New(name+" is not set"))
		}
	}
	cfg := aws.Config{
		Region:      region,
		Credentials: credentials.NewStaticCredentialsProvider(id, key, get("AWS_SESSION_TOKEN")),
		// The loader's defaults; the zero values mean never.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
		ConfigSources:              []any{endpoints(get)},
	}
	if url := get("AWS_ENDPOINT_URL"); url != "" {
		cfg.BaseEndpoint = &url
	}
	return cfg, errors.Join(errs...)
}

// UseEndpoints makes the clients of cfg prefer the endpoints that lookup names.
func UseEndpoints(cfg *aws.Config, lookup func(string) (string, bool)) {
	get := trimmed(lookup)
	cfg.ConfigSources = append([]any{endpoints(get)}, cfg.ConfigSources...)
	if url := get("AWS_ENDPOINT_URL"); url != "" {
		cfg.BaseEndpoint = &url
	}
}

// trimmed returns a function that looks a variable up, "" if it is not set.
func trimmed(lookup func(string) (string, bool)) func(name string) string {
	return func(name string) string {
		if v, ok := lookup(name); ok {
			return strings.TrimSpace(v)
		}
		return ""
	}
}

// endpoints is a configuration source of the SDK with the endpoints of single services: AWS_ENDPOINT_URL_DYNAMODB, _S3,
// _SQS.
type endpoints func(name string) string

// GetServiceBaseEndpoint is the method that clients call on a configuration's sources.
func (e endpoints) GetServiceBaseEndpoint(_ context.Context, sdkID string) (string, bool, error) {
	url := e("AWS_ENDPOINT_URL_" + strings.ToUpper(strings.ReplaceAll(sdkID, " ", "_")))
	return url, url != "", nil
}
