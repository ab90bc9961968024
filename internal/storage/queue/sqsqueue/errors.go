package sqsqueue

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ruri-reader/ruri/internal/fault"
)

// classify returns an SDK error with its kind. Unknown codes are classified by the HTTP status; without a response the
// service is unavailable.
func classify(op string, err error) error {
	var f *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Cancelled, "cancelled", op, err)
	}
	var api smithy.APIError
	code := ""
	if errors.As(err, &api) {
		// The query protocol's names have this prefix, the JSON protocol's have not.
		code = strings.TrimPrefix(api.ErrorCode(), "AWS.SimpleQueueService.")
	}
	switch code {
	case "QueueDoesNotExist", "NonExistentQueue":
		return fault.New(fault.NotFound, "queue_not_found", op, err)
	case "ReceiptHandleIsInvalid", "MessageNotInflight":
		return fault.New(fault.Conflict, "stale_handle", op, err)
	case "InvalidMessageContents":
		return fault.New(fault.Invalid, "bad_message", op, err)
	case "BatchRequestTooLong":
		return fault.New(fault.TooLarge, "message_too_large", op, err)
	case "OverLimit", "RequestThrottled", "ThrottlingException", "Throttling", "TooManyRequestsException",
		"KmsThrottled":
		return fault.New(fault.RateLimited, "queue_throttled", op, err)
	case "AccessDenied", "AccessDeniedException", "InvalidSecurity", "ExpiredToken", "InvalidClientTokenId":
		return fault.New(fault.Internal, "queue_denied", op, err)
	}
	status := 0
	var r *smithyhttp.ResponseError
	if errors.As(err, &r) {
		status = r.HTTPStatusCode()
	}
	switch {
	case status == 429:
		return fault.New(fault.RateLimited, "queue_throttled", op, err)
	case status == 0, status >= 500:
		return fault.New(fault.Unavailable, "queue_unavailable", op, err)
	default:
		return fault.New(fault.Internal, "queue_failed", op, err)
	}
}
