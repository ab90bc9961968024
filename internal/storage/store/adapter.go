package store

import (
	"context"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// AdapterRow is the description of a site that the owner of the installation has saved for watches (listing.Adapter).
type AdapterRow struct {
	rowKey
	Adapter []byte `dynamo:"adapter"` // deflated JSON
}

const adapterPrefix = "adapter#"

// adapterKey is the key of an adapter by its name.
func adapterKey(name string) table.Key { return systemKey(adapterPrefix + name) }

// Name returns the adapter's name, from the row's key.
func (r *AdapterRow) Name() string { return strings.TrimPrefix(r.SK, adapterPrefix) }

// JSON returns the adapter as it was saved.
func (r *AdapterRow) JSON() ([]byte, error) { return Inflate(r.Adapter) }

// Decode returns the adapter.
func (r *AdapterRow) Decode() (*listing.Adapter, error) {
	b, err := r.JSON()
	if err != nil {
		return nil, err
	}
	a, err := listing.ParseAdapter(b)
	if err != nil {
		return nil, fault.New(fault.Internal, "bad_adapter", "store: adapter", err)
	}
	return a, nil
}

// Adapter reads an adapter by its name.
func (s *Watches) Adapter(ctx context.Context, name string) (*AdapterRow, error) {
	return get[AdapterRow](ctx, s.t, adapterKey(name), "adapter_not_found", table.Consistent())
}

// Adapters reads all adapters, by name.
func (s *Watches) Adapters(ctx context.Context) ([]*AdapterRow, error) {
	return list[AdapterRow](ctx, s.t, table.Query{PK: systemKey(siteName).PK, Prefix: adapterPrefix, Consistent: true})
}

// PutAdapter saves an adapter under its name.
func (s *Watches) PutAdapter(ctx context.Context, name string, json []byte) error {
	return put(ctx, s.t, adapterKey(name), &AdapterRow{Adapter: reader.Deflate(nil, json)})
}

// RemoveAdapter deletes an adapter.
func (s *Watches) RemoveAdapter(ctx context.Context, name string) error {
	err := s.t.Delete(ctx, adapterKey(name), table.IfPresent())
	if fault.Is(err, fault.Conflict) {
		return fault.Coded(fault.NotFound, "adapter_not_found")
	}
	return err
}
