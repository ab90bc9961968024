package dynamotable

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/smithy-go"

	"github.com/ruri-reader/ruri/internal/fault"
)

// classify turns the service's errors into the seam's kinds: the one place that reads their codes, and,
// for ValidationException, which has no finer code, their text.
func classify(op string, err error) error {
	op = "dynamotable: " + op
	var fe *fault.Error
	if errors.As(err, &fe) {
		return err
	}
	var canceled *smithy.CanceledError
	if errors.As(err, &canceled) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Cancelled, "cancelled", op, err)
	}
	var api smithy.APIError
	if !errors.As(err, &api) {
		return fault.New(fault.Unavailable, "storage_unavailable", op, err)
	}
	switch api.ErrorCode() {
	case "ConditionalCheckFailedException":
		return fault.New(fault.Conflict, "condition_failed", op, err)
	case "ProvisionedThroughputExceededException", "ThrottlingException", "Throttling", "RequestLimitExceeded",
		"TransactionConflictException", "ReplicatedWriteConflictException":
		return fault.New(fault.RateLimited, "throttled", op, err)
	case "ItemCollectionSizeLimitExceededException":
		return fault.New(fault.TooLarge, "row_too_large", op, err)
	case "ResourceNotFoundException":
		return fault.New(fault.Internal, "table_missing", op, err)
	case "ValidationException":
		if text := strings.ToLower(api.ErrorMessage()); strings.Contains(text, "item size") &&
			strings.Contains(text, "exceeded") {
			return fault.New(fault.TooLarge, "row_too_large", op, err)
		}
		return fault.New(fault.Invalid, "bad_request", op, err)
	}
	return fault.New(fault.Unavailable, "storage_unavailable", op, err)
}
