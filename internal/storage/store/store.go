// Package store defines every kind of row in the one table and the keys of blobs. It is written once over packages
// table and blob, for both backends (DynamoDB with S3, and one machine).
//
// The package defines the rows and the conditions of their writes; it never decides when to poll, what is new, or who
// may read. docs/develop/data-model.md lists each kind.
package store

import (
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// SchemaVersion is stored in every row as "v", so that a later version can recognise older rows.
const SchemaVersion = 1

// Store groups the typed stores over one table. All of them are safe for concurrent use.
type Store struct {
	Feeds         *Feeds
	Items         *Items
	Subscriptions *Subscriptions
	Preferences   *Preferences
	Trees         *Trees
	Rules         *Rules
	Searches      *Searches
	Places        *Places
	Imports       *Imports
	Refreshes     *Refreshes
	Webhooks      *Webhooks
	Notices       *Notices
	Snapshots     *Snapshots
	Leases        *Leases
	Runs          *Runs
	Cache         *Cache
	Accounts      *Accounts
	Checks        *Checks
	Hubs          *Hubs
	Search        *Search
	Cycles        *Cycles
	Uses          *Uses
	Assist        *Assist
	Budget        *Budget
	Watches       *Watches
	Stamps        *Stamps

	table *table.Table
}

// Library is package library over a store's rows.
func (s *Store) Library(items library.Items, hooks library.Webhooks) *library.Service {
	return &library.Service{Trees: s.Trees, Searches: s.Searches, Subscriptions: s.Subscriptions, Items: items,
		Webhooks: hooks}
}

// New binds the typed stores to a table made with Kind as its meter's key function.
func New(t *table.Table, c clock.Clock) *Store {
	damaged := &damage{told: map[table.Key]bool{}}
	leases, runs := &Leases{t: t}, &Runs{t: t, days: &days{clock: c, known: map[string]rememberedDay{}}}
	feeds := &Feeds{t: t, damage: damaged}
	return &Store{
		Feeds:         feeds,
		Stamps:        &Stamps{t: t, feeds: feeds, under: map[reader.ItemID]int{}},
		Items:         &Items{t: t},
		Subscriptions: &Subscriptions{t: t, damage: damaged},
		Trees:         &Trees{t: t},
		Preferences:   &Preferences{t: t},
		Rules:         &Rules{t: t},
		Searches:      &Searches{t: t},
		Places:        &Places{t: t},
		Imports:       &Imports{t: t},
		Refreshes:     &Refreshes{t: t, runs: runs},
		Webhooks:      &Webhooks{t: t},
		Notices:       &Notices{t: t},
		Snapshots:     &Snapshots{t: t, damage: damaged},
		Hubs:          &Hubs{t: t},
		Search:        &Search{t: t},
		Cycles:        &Cycles{t: t},
		Uses:          &Uses{t: t},
		Assist:        &Assist{t: t},
		Budget:        &Budget{t: t, damage: damaged},
		Watches:       &Watches{t: t, clock: c},
		Leases:        leases,
		Runs:          runs,
		Cache:         &Cache{t: t, clock: c},
		Accounts:      &Accounts{t: t, clock: c},
		Checks:        newChecks(t, leases, runs, c),
		table:         t,
	}
}

// Table returns the table, for meters and maintenance.
func (s *Store) Table() *table.Table { return s.table }
