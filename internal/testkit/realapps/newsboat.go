package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // what the programs keep
)

// newsboat signs in with its feedhq source. It is told what to do by its command line, and by keys in a terminal of
// tmux.
func newsboat(c *check) error {
	dir := filepath.Join(c.home, ".newsboat")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	config := fmt.Sprintf("urls-source \"feedhq\"\nfeedhq-url \"%s/api/greader.php\"\nfeedhq-login \"%s\"\n"+
		"feedhq-password \"%s\"\n"+
		"feedhq-flag-star \"s\"\nfeedhq-min-items 200\nfeedhq-show-special-feeds no\nconfirm-exit no\n"+
		"feed-sort-order title-desc\narticle-sort-order title-asc\nshow-read-articles yes\ngoto-next-feed no\n", c.base,
		email, c.password)
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		return err
	}
	c.all = func() (states, error) { return newsboatItems(filepath.Join(dir, "cache.db")) }

	reload := func() (string, error) {
		cmd := exec.CommandContext(c.ctx, "newsboat", "-x", "reload", "print-unread")
		cmd.Env = c.environment()
		out, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("newsboat -x reload: %w\n%s", err, out)
		}
		return strings.TrimSpace(string(out)), nil
	}
	sync := func(step string, want func(states) error) error {
		said, err := reload()
		if err != nil {
			return err
		}
		return c.same(fmt.Sprintf("%s (it says %q)", step, said), want)
	}
	if err := sync("first sync", counts(14, 0, 0)); err != nil {
		return err
	}
	if err := c.set("A walk at noon", map[string]bool{"isRead": true}); err != nil {
		return err
	}
	if err := sync("read on the page", counts(14, 1, 0)); err != nil {
		return err
	}

	t, err := c.terminal("newsboat", "-q")
	if err != nil {
		return err
	}
	// Feeds and items are in the order of their titles; a number after a colon selects one.
	if err := t.see("Growing alpha"); err != nil {
		return err
	}
	plain := []string{"A walk at noon", "Letters not sent", "On small things", "Two kinds of quiet",
		"What the kettle said"}
	steps := []struct {
		name string
		keys []string
		see  string // on the screen, before anything else is typed
		want func(states) error
	}{
		{"", []string{":2", "Enter", "Enter"}, plain[4], nil},
		{"an item marked unread and another read", []string{":1", "Enter", "N", ":5", "Enter", "N"}, "",
			and(are(state{}, plain[0]), are(state{Read: true}, plain[4]))},
		{"", []string{":3", "Enter", "Enter"}, "a paragraph of plain words", nil},
		{"an item opened", []string{"q"}, plain[4], are(state{Read: true}, plain[2])},
		{"", []string{":4", "Enter", "C-e"}, "Flags:", nil},
		{"an item starred", []string{"s", "Enter"}, "", are(state{Starred: true}, plain[3])},
		{"", []string{":3", "Enter", "C-e"}, "Flags:", nil},
		{"another starred", []string{"s", "Enter"}, "", are(state{true, true}, plain[2])},
		{"", []string{":4", "Enter", "C-e"}, "Flags:", nil},
		{"a star removed", []string{"BSpace", "Enter"}, "", are(state{}, plain[3])},
		{"", []string{"q"}, "Growing alpha", nil},
	}
	for _, s := range steps {
		if err := t.press(s.see, s.keys...); err != nil {
			return err
		}
		if s.want == nil {
			continue
		}
		if err := c.same(s.name, s.want); err != nil {
			return err
		}
	}
	if err := c.publish(c.ctx, 2); err != nil {
		return err
	}
	if err := c.set("縁側で聞く雨の音について", map[string]bool{"isRead": true}); err != nil {
		return err
	}
	// The key is ignored while the program still reloads.
	err = until("two new items, another read on the page", func() error {
		if err := t.press("", "R"); err != nil {
			return err
		}
		here, err := c.all()
		return errors.Join(err, counts(16, 3, 1)(here))
	})
	if err != nil {
		return err
	}
	if err := c.same("two new items, another read on the page", counts(16, 3, 1)); err != nil {
		return err
	}
	if err := t.press("", ":1", "Enter", "A"); err != nil {
		return err
	}
	if err := c.same("a feed marked as read", counts(16, 8, 1)); err != nil {
		return err
	}
	// What arrives after the last sync stays unread.
	if err := c.publish(c.ctx, 1); err != nil {
		return err
	}
	if err := t.press("", ":4", "Enter", "A"); err != nil {
		return err
	}
	if err := until("a feed marked as read", c.page(counts(17, 11, 1))); err != nil {
		return err
	}
	// The key is ignored while the program still reloads.
	err = until("a feed marked as read while an item arrived in another", func() error {
		if err := t.press("", "R"); err != nil {
			return err
		}
		here, err := c.all()
		return errors.Join(err, counts(17, 11, 1)(here))
	})
	if err != nil {
		return err
	}
	if err := c.same("a feed marked as read while an item arrived in another", counts(17, 11, 1)); err != nil {
		return err
	}
	if err := errors.Join(t.press("Do you really want to mark all", "C"), t.press("", "y")); err != nil {
		return err
	}
	if err := c.same("everything marked as read", counts(17, 17, 1)); err != nil {
		return err
	}
	if err := t.quit("Q"); err != nil {
		return err
	}
	return sync("later sync", counts(17, 17, 1))
}

func newsboatItems(file string) (states, error) {
	return query(file, `SELECT title, unread = 0, coalesce(flags, '') LIKE '%s%' FROM rss_item WHERE deleted = 0`)
}

// query reads titles, whether they are read, and whether they are starred, from what a program keeps.
func query(file, text string) (states, error) {
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.Query(text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := states{}
	for rows.Next() {
		var title string
		var s state
		if err := rows.Scan(&title, &s.Read, &s.Starred); err != nil {
			return nil, err
		}
		out[title] = s
	}
	return out, rows.Err()
}

// environment is that of a program with a home of its own.
func (r *rig) environment(more ...string) []string {
	return append([]string{"HOME=" + r.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm",
		"XDG_RUNTIME_DIR=" + r.home}, more...)
}
