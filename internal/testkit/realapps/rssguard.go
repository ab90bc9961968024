package main

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
)

// guard is RSS Guard under Xvfb. Its account is written into its database, as the program itself would; then it is used
// by keys, which its settings bind to the entries of its menus.
type guard struct {
	*check
	display, db string
}

const (
	keyNextFeed    = "F2"
	keyNextItem    = "F3"
	keyStar        = "F4"
	keyUnread      = "F5"
	keyAllRead     = "F6"
	keySynchronise = "F7"
)

// guardWindow is the title of its window.
const guardWindow = "^RSS Guard 4"

// guardSettings names the version: at the first start of one it shows a dialog.
const guardSettings = `[main]
first_run=false
first_run_%s=false

[feeds]
feeds_update_on_startup=true
feeds_update_on_startup_delay=1

[gui]
enable_notifications=false

[keyboard]
m_actionSelectNextItem=` + keyNextFeed + `
m_actionSelectNextMessage=` + keyNextItem + `
m_actionSwitchImportanceOfSelectedMessages=` + keyStar + `
m_actionMarkSelectedMessagesAsUnread=` + keyUnread + `
m_actionMarkAllItemsRead=` + keyAllRead + `
m_actionUpdateAllItems=` + keySynchronise + `
`

func rssguard(c *check) error {
	display, err := c.screen(c.ctx)
	if err != nil {
		return err
	}
	folder := filepath.Join(c.home, ".config", "RSS Guard 4")
	g := &guard{c, display, filepath.Join(folder, "database", "database.db")}
	c.all = func() (states, error) { return query(g.db, `SELECT title, is_read, is_important FROM Messages`) }
	settings := filepath.Join(folder, "config")
	if err := os.MkdirAll(settings, 0o700); err != nil {
		return err
	}
	err = errors.Join(os.WriteFile(filepath.Join(settings, "config.ini"), fmt.Appendf(nil, guardSettings, c.version),
		0o600),
		os.WriteFile(filepath.Join(settings, "key.private"), []byte("1"), 0o600))
	if err != nil {
		return err
	}
	// The first start makes the database.
	first, ended, err := g.run()
	if err != nil {
		return err
	}
	err = until("the first start", func() error { _, err := c.all(); return err })
	end(first, ended)
	if err != nil {
		return err
	}
	if err := g.account(); err != nil {
		return err
	}
	if _, _, err := g.run(); err != nil {
		return err
	}
	return g.walk()
}

// run starts the program.
func (g *guard) run() (*exec.Cmd, <-chan struct{}, error) {
	cmd := exec.CommandContext(g.ctx, "rssguard")
	// Root cannot have the sandbox of its browser.
	cmd.Env = g.environment("DISPLAY="+g.display, "QTWEBENGINE_DISABLE_SANDBOX=1")
	err := g.start(cmd)
	if err != nil {
		return nil, nil, err
	}
	return cmd, g.ended[len(g.ended)-1], nil
}

// account adds an account of the kind FreshRSS.
func (g *guard) account() error {
	data, err := json.Marshal(map[string]any{
		"service": 1, "username": email, "password": guardPassword(g.password), "url": g.base,
		"batch_size": -1, "download_only_unread": false, "intelligent_synchronization": true,
	})
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+g.db)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(`INSERT INTO Accounts (type, proxy_type, custom_data) VALUES ('greader', 0, ?)`, string(data))
	return err
}

// guardPassword hides a password as the program does: compressed, after its hash, and each byte mixed with the one
// before and with the key, which is 1.
func guardPassword(password string) string {
	var packed bytes.Buffer
	packed.Write(binary.BigEndian.AppendUint32(nil, uint32(len(password))))
	w := zlib.NewWriter(&packed)
	_, _ = w.Write([]byte(password))
	_ = w.Close()
	sum := sha1.Sum(packed.Bytes())
	out := []byte{3, 1 | 4} // version; compressed, with a hash
	last := byte(0)
	for i, b := range append(append([]byte{0}, sum[:]...), packed.Bytes()...) {
		if i%8 == 0 {
			b ^= 1
		}
		last ^= b
		out = append(out, last)
	}
	return base64.StdEncoding.EncodeToString(out)
}

// sync synchronises until both sides show the same. The program refuses while it still does what it did before.
func (g *guard) sync(step string, want func(states) error) func() error {
	return func() error { return g.synchronise(step, want) }
}

func (g *guard) synchronise(step string, want func(states) error) error {
	page := g.page(want)
	err := until(step, func() error {
		if err := g.key(g.display, guardWindow, keySynchronise); err != nil {
			return err
		}
		here, err := g.all()
		if err != nil {
			return err
		}
		there, err := g.states()
		return errors.Join(err, difference(here, there), page())
	})
	if err != nil {
		return err
	}
	return g.same(step, want)
}

// press presses a key and waits until the program's own state is what is wanted.
func (g *guard) press(key string, want func(states) error) func() error {
	return func() error {
		if err := g.key(g.display, guardWindow, key); err != nil {
			return err
		}
		return until("after "+key, func() error {
			here, err := g.all()
			return errors.Join(err, want(here))
		})
	}
}

func (g *guard) walk() error {
	if err := g.same("first sync", counts(14, 0, 0)); err != nil {
		return err
	}
	if err := g.sameFeeds(); err != nil {
		return err
	}
	// The first in its side bar is the account, with all items. An item becomes read when it is selected.
	err := inOrder(
		g.press(keyNextFeed, counts(14, 0, 0)),
		g.press(keyNextItem, counts(14, 1, 0)),
		g.press(keyNextItem, counts(14, 2, 0)),
		g.press(keyUnread, counts(14, 1, 0)),
		g.press(keyNextItem, counts(14, 2, 0)),
		g.press(keyStar, counts(14, 2, 1)),
		g.sync("items opened, one marked unread, one starred", counts(14, 2, 1)),
	)
	if err != nil {
		return err
	}
	list, err := g.list()
	if err != nil {
		return err
	}
	for _, x := range list {
		if x.IsRead && x.IsStarred {
			continue // it is selected there, and would become read again
		}
		change := map[string]bool{"isRead": !x.IsRead, "isStarred": !x.IsStarred}
		if err := g.ask("PUT", "/api/items/"+x.ID+"/state", change, nil); err != nil {
			return err
		}
	}
	return inOrder(
		g.sync("all others read and starred the other way on the page", counts(14, 13, 14)),
		func() error { return g.publish(g.ctx, 2) },
		g.sync("two new items", counts(16, 13, 14)),
		g.press(keyAllRead, counts(16, 16, 14)),
		func() error { return g.publish(g.ctx, 1) },
		g.sync("all marked as read, and a new item", counts(17, 16, 14)),
	)
}

// inOrder does one after the other, up to the first error.
func inOrder(steps ...func() error) error {
	for _, s := range steps {
		if err := s(); err != nil {
			return err
		}
	}
	return nil
}

// sameFeeds compares feeds and folders.
func (g *guard) sameFeeds() error {
	page, err := g.feeds()
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+g.db+"?mode=ro")
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.Query(`SELECT f.title, coalesce(c.title, '') FROM Feeds f LEFT JOIN Categories c ON f.category = ` +
		`c.id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	here := map[string]string{}
	for rows.Next() {
		var title, folder string
		if err := rows.Scan(&title, &folder); err != nil {
			return err
		}
		here[title] = folder
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if !maps.Equal(here, page) {
		return fmt.Errorf("its feeds are %v, the page's %v", here, page)
	}
	g.say("feeds and folders: %v, as on the page", here)
	return nil
}
