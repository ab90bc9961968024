package localwire_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
)

// The statements of the data model's page find something in a file that the store has written.
func TestStatementsOfTheDataModel(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/develop/data-model.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```sql\n")
	block, _, isThere := strings.Cut(block, "```")
	if !isThere {
		t.Fatal("the page has no statements")
	}
	path := filepath.Join(t.TempDir(), "ruri.db")
	d, err := sqlitetable.Open(path, sqlitetable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	clk := clock.NewManual(time.Date(2026, 11, 28, 8, 0, 0, 0, time.UTC))
	s := store.New(table.New(d, table.Options{Clock: clk, Kind: store.Kind}), clk)
	const url = "https://example.org/feed"
	f, err := s.Feeds.Make(t.Context(), url, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Title: "日本", Errors: 2}
	})
	if err != nil {
		t.Fatal(err)
	}
	sub := store.SubscriptionRow{Folders: []reader.FolderID{1, 2}}
	if err := s.Subscriptions.Add(t.Context(), "u", f.ID(), sub); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for statement := range strings.SplitSeq(strings.TrimSpace(block), ";") {
		if statement == "" {
			continue
		}
		if found, err := finds(t.Context(), db, statement); err != nil || !found {
			t.Errorf("%s\nfinds something: %v, %v", statement, found, err)
		}
	}
}

func finds(ctx context.Context, db *sql.DB, statement string) (found bool, err error) {
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return rows.Next(), rows.Err()
}
