package s3blob

import (
	"errors"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ruri-reader/ruri/internal/fault"
)

// errorCode returns the service's error code, "" when there is none.
func errorCode(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode()
	}
	return ""
}

// classify returns an SDK error with its kind. Unknown codes are classified by the HTTP status; without a response the
// service is unavailable.
func classify(op string, err error) error {
	switch {
	case err == nil:
		return nil
	case cancelled(err):
		return fault.New(fault.Cancelled, "cancelled", op, err)
	}
	switch errorCode(err) {
	case "NoSuchKey", "NotFound":
		return fault.New(fault.NotFound, "blob_not_found", op, err)
	case "NoSuchBucket":
		return fault.New(fault.Internal, "bucket_missing", op, err)
	case "EntityTooLarge", "MaxMessageLengthExceeded":
		return fault.New(fault.TooLarge, "blob_too_large", op, err)
	case "MetadataTooLarge":
		return fault.New(fault.TooLarge, "metadata_too_large", op, err)
	case "SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequests":
		return fault.New(fault.RateLimited, "storage_throttled", op, err)
	case "RequestTimeout", "ConditionalRequestConflict", "OperationAborted":
		return fault.New(fault.Unavailable, "storage_unavailable", op, err)
	case "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken":
		return fault.New(fault.Internal, "storage_denied", op, err)
	}
	status := 0
	var r *smithyhttp.ResponseError
	if errors.As(err, &r) {
		status = r.HTTPStatusCode()
	}
	switch {
	case status == 404:
		return fault.New(fault.NotFound, "blob_not_found", op, err)
	case status == 429:
		return fault.New(fault.RateLimited, "storage_throttled", op, err)
	case status == 0, status >= 500:
		return fault.New(fault.Unavailable, "storage_unavailable", op, err)
	default:
		return fault.New(fault.Internal, "storage_failed", op, err)
	}
}
