package backend

import (
	"cmp"
	"context"
	"errors"
	"net"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/smithy-go"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Stack names a deployed stack's resources.
type Stack struct {
	Name, Region string

	Table, Bucket, QueueURL string
	DeadQueueURL            string // messages that failed too often
	ScheduleDeadQueueURL    string // ticks that could not be planned
	URL                     string // of the page; may be empty in a rehearsal

	// The settings of its functions, for commands that do the same work: otherwise they would split the hosts, limit
	// subscriptions or make the index in another way.
	Parts                  int
	Search                 string // "" in a rehearsal without the parameter
	MaxFeeds, MaxFeedsUser int    // 0 likewise
	ProbeStopped           bool
	ScheduleState          string // ENABLED or DISABLED
}

// findStack reads a stack's outputs from CloudFormation. Emulators, which create a part of a stack only, may lack some:
// these are read from its resources.
func findStack(ctx context.Context, cfg aws.Config, name string) (*Stack, error) {
	client := cloudformation.NewFromConfig(cfg)
	out, err := client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &name})
	if err != nil {
		return nil, stackError(err, name, cfg.Region)
	}
	if len(out.Stacks) == 0 {
		return nil, noSuchStack(name, cfg.Region)
	}
	s := &Stack{Name: name, Region: cfg.Region}
	if status := out.Stacks[0].StackStatus; unusable(status) {
		return nil, fault.Newf(fault.Conflict, "stack_not_ready",
			"The stack %s in %s is in the state %s. Wait until its deployment has ended, or deploy it again.", name,
			s.Region, status)
	}
	for _, o := range out.Stacks[0].Outputs {
		s.set(aws.ToString(o.OutputKey), aws.ToString(o.OutputValue))
	}
	for _, p := range out.Stacks[0].Parameters {
		if err := s.setParameter(aws.ToString(p.ParameterKey), aws.ToString(p.ParameterValue)); err != nil {
			return nil, err
		}
	}
	if s.Table == "" || s.Bucket == "" || s.QueueURL == "" || s.DeadQueueURL == "" {
		all, err := client.DescribeStackResources(ctx, &cloudformation.DescribeStackResourcesInput{StackName: &name})
		if err != nil {
			return nil, stackError(err, name, cfg.Region)
		}
		for _, r := range all.StackResources {
			s.set(outputOf[aws.ToString(r.LogicalResourceId)], aws.ToString(r.PhysicalResourceId))
		}
	}
	if s.Table == "" || s.Bucket == "" || s.QueueURL == "" {
		return nil, fault.Newf(fault.Invalid, "stack_foreign",
			"The stack %s in %s is not one of Ruri Reader: it has no TableName, RawBucketName and QueueUrl among its "+
				"outputs.", name, s.Region)
	}
	return s, nil
}

// outputOf has the output for each resource.
var outputOf = map[string]string{
	"Table": "TableName", "RawBucket": "RawBucketName", "Queue": "QueueUrl",
	"DeadLetters": "DeadLettersUrl", "ScheduleDeadLetters": "ScheduleDeadLettersUrl",
}

func (s *Stack) set(output, value string) {
	to, ok := map[string]*string{
		"TableName": &s.Table, "RawBucketName": &s.Bucket, "QueueUrl": &s.QueueURL,
		"DeadLettersUrl": &s.DeadQueueURL, "ScheduleDeadLettersUrl": &s.ScheduleDeadQueueURL, "Url": &s.URL,
	}[output]
	if ok {
		*to = cmp.Or(*to, value)
	}
}

// setParameter sets what a parameter of the template says, if it concerns commands.
func (s *Stack) setParameter(name, value string) (err error) {
	switch name {
	case "Search":
		s.Search = value
	case "ScheduleState":
		s.ScheduleState = value
	case "ProbeStopped":
		s.ProbeStopped = value == "true"
	case "Parts", "MaxFeeds", "MaxFeedsUser":
		to := map[string]*int{"Parts": &s.Parts, "MaxFeeds": &s.MaxFeeds, "MaxFeedsUser": &s.MaxFeedsUser}[name]
		if *to, err = strconv.Atoi(value); err != nil {
			return fault.Newf(fault.Invalid, "stack_foreign", "The stack %s in %s has no number as its parameter %s.",
				s.Name, s.Region, name)
		}
	}
	return nil
}

// unusable reports whether resources are missing or being deleted in a state. Updates and their rollbacks leave table
// and buckets unchanged.
func unusable(status types.StackStatus) bool {
	switch status {
	case types.StackStatusCreateComplete, types.StackStatusImportComplete, types.StackStatusImportRollbackComplete:
		return false
	}
	return !strings.HasPrefix(string(status), "UPDATE_")
}

func noSuchStack(name, region string) error {
	return fault.Newf(fault.NotFound, "no_such_stack",
		"There is no stack named %s in %s of this AWS account. Name the region it was deployed to: aws:%s@REGION.",
		name, region, name)
}

// stackError turns CloudFormation's errors into sentences with a remedy.
func stackError(err error, name, region string) error {
	var api smithy.APIError
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Cancelled, "cancelled", "backend: find stack", err)
	case errors.As(err, &dns):
		return withCause(fault.Newf(fault.Unavailable, "aws_unreachable",
			"AWS cannot be reached in the region %s: is its name right, and this machine online?", region), err)
	case !errors.As(err, &api):
		return withCause(fault.Newf(fault.Unavailable, "aws_unreachable",
			"AWS cannot be reached in the region %s. Try again later.", region), err)
	}
	switch api.ErrorCode() {
	case "ValidationError":
		if strings.Contains(api.ErrorMessage(), "does not exist") {
			return noSuchStack(name, region)
		}
	case "AccessDenied", "AccessDeniedException", "UnauthorizedOperation":
		return withCause(fault.Newf(fault.Forbidden, "aws_denied",
			"The AWS credentials in use may not read the stack %s. They need cloudformation:DescribeStacks and "+
				"DescribeStackResources on it.", name), err)
	case "ExpiredToken", "ExpiredTokenException", "RequestExpired":
		return withCause(fault.Newf(fault.Unauthenticated, "aws_expired",
			"The AWS credentials in use have expired. Sign in again, for example with aws sso login."), err)
	case "InvalidClientTokenId", "UnrecognizedClientException", "SignatureDoesNotMatch", "InvalidAccessKeyId",
		"AuthFailure", "OptInRequired":
		return withCause(fault.Newf(fault.Unauthenticated, "aws_bad_credentials",
			"AWS does not accept the credentials in use, or the region %s is not enabled in this account.", region),
			err)
	}
	return withCause(fault.Newf(fault.Unavailable, "aws_failed",
		"CloudFormation refused the request for the stack %s: %s", name, api.ErrorMessage()), err)
}

func withCause(e *fault.Error, cause error) error {
	e.Cause = cause
	return e
}
