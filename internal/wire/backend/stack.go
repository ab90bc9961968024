package homes

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

// Stack is what a deployed stack's resources are called.
type Stack struct {
	Name, Region, Status string

	Table, Bucket, QueueURL string
	DeadQueueURL            string // messages that failed too often
	ScheduleDeadQueueURL    string // ticks that could not be planned
	URL                     string // of the page; may be empty in a rehearsal
	PageBucket              string
	Parts                   int // of the hosts, as its functions split them
}

// findStack asks CloudFormation. Outputs are the template's promise; resources by their logical names stand in
// for outputs that are lacking, as in emulators, which make a part of a stack only.
func findStack(ctx context.Context, cfg aws.Config, name string) (*Stack, error) {
	client := cloudformation.NewFromConfig(cfg)
	out, err := client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &name})
	if err != nil {
		return nil, stackError(err, name, cfg.Region)
	}
	if len(out.Stacks) == 0 {
		return nil, noSuchStack(name, cfg.Region)
	}
	s := &Stack{Name: name, Region: cfg.Region, Status: string(out.Stacks[0].StackStatus)}
	if unusable(s.Status) {
		return nil, fault.Newf(fault.Conflict, "stack_not_ready",
			"The stack %s in %s is in the state %s. Wait until its deployment has ended, or deploy it again.", name, s.Region, s.Status)
	}
	for _, o := range out.Stacks[0].Outputs {
		s.set(aws.ToString(o.OutputKey), aws.ToString(o.OutputValue))
	}
	for _, p := range out.Stacks[0].Parameters {
		if aws.ToString(p.ParameterKey) == "Parts" {
			if s.Parts, err = strconv.Atoi(aws.ToString(p.ParameterValue)); err != nil {
				return nil, fault.Newf(fault.Invalid, "stack_foreign", "The stack %s in %s has no number as its parameter Parts.", name, s.Region)
			}
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
			"The stack %s in %s is not one of Ruri Reader: it has no TableName, RawBucketName and QueueUrl among its outputs.", name, s.Region)
	}
	return s, nil
}

// outputOf gives the output that tells of a resource.
var outputOf = map[string]string{
	"Table": "TableName", "RawBucket": "RawBucketName", "PageBucket": "PageBucketName", "Queue": "QueueUrl",
	"DeadLetters": "DeadLettersUrl", "ScheduleDeadLetters": "ScheduleDeadLettersUrl",
}

func (s *Stack) set(output, value string) {
	to, ok := map[string]*string{
		"TableName": &s.Table, "RawBucketName": &s.Bucket, "PageBucketName": &s.PageBucket, "QueueUrl": &s.QueueURL,
		"DeadLettersUrl": &s.DeadQueueURL, "ScheduleDeadLettersUrl": &s.ScheduleDeadQueueURL, "Url": &s.URL,
	}[output]
	if ok {
		*to = cmp.Or(*to, value)
	}
}

// unusable tells states in which resources are missing or about to go. An update under way, or one rolled back,
// leaves table and buckets as they were.
func unusable(status string) bool {
	switch types.StackStatus(status) {
	case types.StackStatusCreateComplete, types.StackStatusImportComplete, types.StackStatusImportRollbackComplete:
		return false
	}
	return !strings.HasPrefix(status, "UPDATE_")
}

func noSuchStack(name, region string) error {
	return fault.Newf(fault.NotFound, "no_such_stack",
		"There is no stack named %s in %s of this AWS account. Name the region it was deployed to: aws:%s@REGION.", name, region, name)
}

// stackError turns CloudFormation's answers into sentences with a remedy.
func stackError(err error, name, region string) error {
	var api smithy.APIError
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Cancelled, "cancelled", "homes: find stack", err)
	case errors.As(err, &dns):
		return withCause(fault.Newf(fault.Unavailable, "aws_unreachable",
			"AWS cannot be reached in the region %s: is its name right, and this machine online?", region), err)
	case !errors.As(err, &api):
		return withCause(fault.Newf(fault.Unavailable, "aws_unreachable", "AWS cannot be reached in the region %s. Try again later.", region), err)
	}
	switch api.ErrorCode() {
	case "ValidationError":
		if strings.Contains(api.ErrorMessage(), "does not exist") {
			return noSuchStack(name, region)
		}
	case "AccessDenied", "AccessDeniedException", "UnauthorizedOperation":
		return withCause(fault.Newf(fault.Forbidden, "aws_denied",
			"The AWS credentials in use may not look at the stack %s. They need cloudformation:DescribeStacks and DescribeStackResources on it.", name), err)
	case "ExpiredToken", "ExpiredTokenException", "RequestExpired":
		return withCause(fault.Newf(fault.Unauthenticated, "aws_expired",
			"The AWS credentials in use have expired. Sign in again, for example with aws sso login."), err)
	case "InvalidClientTokenId", "UnrecognizedClientException", "SignatureDoesNotMatch", "InvalidAccessKeyId", "AuthFailure", "OptInRequired":
		return withCause(fault.Newf(fault.Unauthenticated, "aws_bad_credentials",
			"AWS does not accept the credentials in use, or the region %s is not enabled in this account.", region), err)
	}
	return withCause(fault.Newf(fault.Unavailable, "aws_failed", "CloudFormation refused the question for the stack %s: %s", name, api.ErrorMessage()), err)
}

func withCause(e *fault.Error, cause error) error {
	e.Cause = cause
	return e
}
