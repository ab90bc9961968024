package memblob_test

import (
	"testing"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/testkit/blobtest"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, blobtest.Harness{New: func(testing.TB) blob.Driver {
		d := memblob.New()
		d.Clock = clock.System{}
		return d
	}})
}
