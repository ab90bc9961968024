package crawl

import (
	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// The codes of other packages become those of package reader, whose category decides when a feed is stopped.

// fetchCode returns the code for a request without a usable response.
func fetchCode(code string) string {
	switch code {
	case fetch.CodeBadRedirect, fetch.CodeBadResponse:
		return reader.CodeHTTPOther
	case fetch.CodeCancelled:
		return reader.CodeUnknown
	}
	return code
}

// bodyCode returns the code of a body that is no feed.
func bodyCode(code string) string {
	if code == extract.CodeBinary {
		return reader.CodeNotAFeed
	}
	return code
}

// storageCode returns the code of a failure of our own stores.
func storageCode(err error) string {
	switch fault.CodeOf(err) {
	case "storage_full":
		return reader.CodeStorageFull
	case "row_too_large", "blob_too_large":
		return reader.CodeRowTooLarge
	}
	return reader.CodeStorageUnavailable
}
