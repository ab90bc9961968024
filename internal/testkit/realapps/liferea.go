package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// lifereaRun is Liferea while it runs. Of the read state it tells the server, but it takes none over, from any server:
// it compares the category with one that has backslashes.
type lifereaRun struct {
	*check
	env []string
}

// liferea runs under Xvfb, with an account of the kind Google Reader API in its list of feeds, and does what it is told
// on the session bus.
func liferea(c *check) error {
	display, err := c.screen(c.ctx)
	if err != nil {
		return err
	}
	bus := "unix:path=" + filepath.Join(c.home, "bus")
	daemon := exec.CommandContext(c.ctx, "dbus-daemon", "--session", "--nofork", "--address="+bus)
	if err := c.start(daemon); err != nil {
		return err
	}
	l := &lifereaRun{c, c.environment("DISPLAY="+display, "DBUS_SESSION_BUS_ADDRESS="+bus, "GSETTINGS_BACKEND=keyfile",
		"NO_AT_BRIDGE=1")}
	if err := l.settings(); err != nil {
		return err
	}
	c.all = func() (states, error) {
		return query(filepath.Join(c.home, ".local/share/liferea/liferea.db"),
			`SELECT title, read, marked FROM items WHERE parent_item_id = 0 OR parent_item_id IS NULL`)
	}
	cmd := exec.CommandContext(c.ctx, "liferea")
	cmd.Env = l.env
	if err := c.start(cmd); err != nil {
		return err
	}
	return inOrder(
		func() error { return l.same("first sync", counts(14, 0, 0)) },
		l.do("next-unread-item", counts(14, 1, 0)),
		l.do("next-unread-item", counts(14, 2, 0)),
		l.do("toggle-selected-item-read-status", counts(14, 1, 0)),
		l.do("toggle-selected-item-flag", counts(14, 1, 1)),
		func() error { return l.same("items opened, one marked unread and starred", counts(14, 1, 1)) },
		func() error { return l.turn() },
		l.do("update-all", counts(14, 1, 13)),
		func() error { return l.same("every star the other way on the page", counts(14, 1, 13)) },
		func() error { return l.publish(l.ctx, 2) },
		l.do("update-all", counts(16, 1, 13)),
		func() error { return l.same("two new items", counts(16, 1, 13)) },
		l.do("mark-all-feeds-read", counts(16, 16, 13)),
		func() error { return l.same("all marked as read", counts(16, 16, 13)) },
	)
}

// turn stars what is not starred on the page, and the other way round.
func (l *lifereaRun) turn() error {
	list, err := l.list()
	if err != nil {
		return err
	}
	for _, x := range list {
		err = errors.Join(err,
			l.ask("PUT", "/api/items/"+x.ID+"/state", map[string]bool{"isStarred": !x.IsStarred}, nil))
	}
	return err
}

// settings writes the list of feeds, and that marks are not asked about.
func (l *lifereaRun) settings() error {
	outline := struct {
		XMLName    xml.Name `xml:"outline"`
		Title      string   `xml:"title,attr"`
		Type       string   `xml:"type,attr"`
		ID         string   `xml:"id,attr"`
		SourceType string   `xml:"sourceType,attr"`
		Address    string   `xml:"xmlUrl,attr"`
		User       string   `xml:"username,attr"`
		Password   string   `xml:"password,attr"`
	}{Title: "Reader", Type: "source", ID: "account", SourceType: "fl_google_reader", Address: l.base +
		"/api/greader.php", User: email, Password: l.password}
	list, err := xml.Marshal(outline)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		".config/liferea/feedlist.opml":       `<opml version="1.0"><head/><body>` + string(list) + `</body></opml>`,
		".cache/liferea/plugins/account.opml": `<opml version="1.0"><head/><body/></opml>`,
		".config/glib-2.0/settings/keyfile":   "[org/gnome/liferea]\nconfirm-mark-all-read=false\n",
	} {
		file := filepath.Join(l.home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err !=
			nil {
			return err
		}
	}
	return nil
}

// do activates an entry of its menus, and waits until its own state is what is wanted.
func (l *lifereaRun) do(action string, want func(states) error) func() error {
	return func() error {
		cmd := exec.CommandContext(l.ctx, "gdbus", "call", "--session", "--dest", "net.sourceforge.liferea",
			"--object-path", "/net/sourceforge/liferea",
			"--method", "org.gtk.Actions.Activate", action, "[]", "{}")
		cmd.Env = l.env
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", action, err, strings.TrimSpace(string(out)))
		}
		return until("after "+action, func() error {
			here, err := l.all()
			return errors.Join(err, want(here))
		})
	}
}
