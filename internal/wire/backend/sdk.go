package backend

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/stream/assist"
	"github.com/ruri-reader/ruri/internal/wire/awswire"
)

// sdkConfig finds the owner's credentials where every AWS tool does: variables, profiles, single sign-on, container and
// machine roles. Variables are looked up through lookup and passed to the SDK's loader, which reads files and caches
// itself.
func sdkConfig(ctx context.Context, region string, lookup func(string) (string, bool)) (aws.Config, error) {
	get := func(name string) string {
		v, _ := lookup(name)
		return strings.TrimSpace(v)
	}
	var opts []func(*awsconfig.LoadOptions) error
	if region = cmp.Or(region, get("AWS_REGION"), get("AWS_DEFAULT_REGION")); region != "" {
		opts = append(opts, awsconfig.WithRegion(region))
	}
	if p := cmp.Or(get("AWS_PROFILE"), get("AWS_DEFAULT_PROFILE")); p != "" {
		opts = append(opts, awsconfig.WithSharedConfigProfile(p))
	}
	if f := get("AWS_CONFIG_FILE"); f != "" {
		opts = append(opts, awsconfig.WithSharedConfigFiles([]string{f}))
	}
	if f := get("AWS_SHARED_CREDENTIALS_FILE"); f != "" {
		opts = append(opts, awsconfig.WithSharedCredentialsFiles([]string{f}))
	}
	if id, key := get("AWS_ACCESS_KEY_ID"), get("AWS_SECRET_ACCESS_KEY"); id != "" && key != "" {
		opts = append(opts,
			awsconfig.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(id, key,
				get("AWS_SESSION_TOKEN"))))
	}
	if strings.EqualFold(get("AWS_EC2_METADATA_DISABLED"), "true") {
		opts = append(opts, awsconfig.WithEC2IMDSClientEnableState(imds.ClientDisabled))
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx, opts...)
	if err != nil {
		return cfg, loadError(err)
	}
	if cfg.Region == "" {
		return cfg, fault.Newf(fault.Invalid, "no_aws_region",
			"The AWS region is missing. Add it to the stack's name (aws:STACK@eu-central-1), or set AWS_REGION.")
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return cfg, noCredentials(ctx, err)
	}
	awswire.UseEndpoints(&cfg, lookup)
	return cfg, nil
}

// Bedrock returns what signs requests of this machine to Amazon Bedrock, and the region. The error says why nothing can
// be signed at present; sign looks for credentials again then.
func Bedrock(ctx context.Context, region string, lookup func(string) (string, bool), c clock.Clock) (sign assist.Sign,
	in string, err error) {
	cfg, err := sdkConfig(ctx, region, lookup)
	var mu sync.Mutex
	good := err == nil
	return func(ctx context.Context, r *http.Request, body []byte, service, region string) error {
		mu.Lock()
		defer mu.Unlock()
		if !good {
			found, err := sdkConfig(ctx, region, lookup)
			if err != nil {
				return err
			}
			cfg, good = found, true
		}
		return awswire.Signer(cfg.Credentials, c)(ctx, r, body, service, region)
	}, cfg.Region, err
}

func loadError(err error) error {
	var missing awsconfig.SharedConfigProfileNotExistError
	if errors.As(err, &missing) {
		return withCause(fault.Newf(fault.Invalid, "no_aws_profile",
			"There is no AWS profile named %s. aws configure list-profiles lists the existing ones.", missing.Profile),
			err)
	}
	return withCause(fault.Newf(fault.Invalid, "bad_aws_settings",
		"The AWS settings of this machine cannot be read: %v.", err), err)
}

func noCredentials(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fault.New(fault.Cancelled, "cancelled", "backend: credentials", err)
	}
	return withCause(fault.Newf(fault.Unauthenticated, "no_aws_credentials",
		"No AWS credentials were found, or they have expired. Sign in with aws sso login or aws configure, name a "+
			"profile in AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."), err)
}

const (
	// bulkAttempts lets a throttled request be retried for half a minute: capacity returns each second.
	bulkAttempts = 40
	// bulkShare is the part of a provisioned capacity that bulk work uses; readers and crawlers keep the rest.
	bulkShare = 0.8
	// A quarter of the 4,000 writes and 12,000 reads a second that a new on-demand table takes.
	onDemandWrites, onDemandReads = 1000, 3000
)

// bulkRates returns how many units a second bulk work may read from a table and write to it.
func bulkRates(ctx context.Context, cfg aws.Config, s *Stack) (read, write float64, err error) {
	out, err := dynamodb.NewFromConfig(cfg).DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &s.Table})
	var missing *types.ResourceNotFoundException
	switch {
	case errors.As(err, &missing):
		return 0, 0, withCause(fault.Newf(fault.NotFound, "table_missing",
			"The stack %s names the table %s, but there is none of that name in %s.", s.Name, s.Table, s.Region), err)
	case err != nil:
		return 0, 0, withCause(fault.Newf(fault.Unavailable, "aws_failed",
			"The table %s cannot be inspected. The credentials need dynamodb:DescribeTable on it.", s.Table), err)
	}
	if p := out.Table.ProvisionedThroughput; p != nil && aws.ToInt64(p.WriteCapacityUnits) > 0 {
		return bulkShare * float64(aws.ToInt64(p.ReadCapacityUnits)),
			bulkShare * float64(aws.ToInt64(p.WriteCapacityUnits)), nil
	}
	return onDemandReads, onDemandWrites, nil
}
