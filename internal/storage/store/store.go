// Package store holds every row kind of the one table and the blob keys beside it. It is written once,
// over the seams table and blob, so both homes (DynamoDB with S3, and one machine) share each rule.
//
// The package knows how rows look and which conditions guard a write; it never decides when to poll,
// what is new, or who may read. docs/data-model.md lists each kind with its cost.
package store

import (
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// SchemaVersion is written into every row as "v" so that a later change of shape can tell old rows.
const SchemaVersion = 1

// Store groups the typed stores over one table. All of them are safe for concurrent use.
type Store struct {
	Feeds         *Feeds
	Items         *Items
	Subscriptions *Subscriptions
	Preferences   *Preferences
	Trees         *Trees
	Rules         *Rules
	Imports       *Imports
	Refreshes     *Refreshes
	Webhooks      *Webhooks
	Stars         *Stars
	Labels        *Labels
	Leases        *Leases
	Runs          *Runs
	Cache         *Cache
	Accounts      *Accounts
	Checks        *Checks
	Hubs          *Hubs

	table *table.Table
}

// New binds the typed stores to a table made with Kind as its meter's key function.
func New(t *table.Table, c clock.Clock) *Store {
	leases, runs := &Leases{t: t}, &Runs{t: t, days: &days{clock: c, known: map[string]rememberedDay{}}}
	return &Store{
		Feeds:         &Feeds{t: t},
		Items:         &Items{t: t},
		Subscriptions: &Subscriptions{t: t},
		Trees:         &Trees{t: t},
		Preferences:   &Preferences{t: t},
		Rules:         &Rules{t: t},
		Imports:       &Imports{t: t},
		Refreshes:     &Refreshes{t: t, runs: runs},
		Webhooks:      &Webhooks{t: t},
		Stars:         &Stars{t: t},
		Hubs:          &Hubs{t: t},
		Labels:        &Labels{t: t},
		Leases:        leases,
		Runs:          runs,
		Cache:         &Cache{t: t, clock: c},
		Accounts:      &Accounts{t: t, clock: c},
		Checks:        newChecks(t, leases, runs, c),
		table:         t,
	}
}

// Table gives the seam below, for meters and maintenance.
func (s *Store) Table() *table.Table { return s.table }
