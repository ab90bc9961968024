package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// terminal is a program in a terminal of tmux.
type terminal struct {
	*check
	socket string
}

// terminal starts a program. It ends with the check.
func (c *check) terminal(args ...string) (*terminal, error) {
	t := &terminal{c, filepath.Join(c.home, "tmux")}
	// -D keeps the server in the foreground, so that it ends with the rig.
	server := exec.Command("tmux", "-S", t.socket, "-f", "/dev/null", "-D")
	server.Env = c.environment()
	if err := c.start(server); err != nil {
		return nil, err
	}
	err := until("tmux starts", func() error {
		_, err := t.tmux(append([]string{"new-session", "-d", "-x", "120", "-y", "40"}, args...)...)
		return err
	})
	return t, err
}

func (t *terminal) tmux(args ...string) (string, error) {
	cmd := exec.CommandContext(t.ctx, "tmux", append([]string{"-u", "-S", t.socket}, args...)...)
	cmd.Env = t.environment()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

// press presses keys, then waits for words on the screen.
func (t *terminal) press(see string, keys ...string) error {
	if _, err := t.tmux(append([]string{"send-keys"}, keys...)...); err != nil {
		return err
	}
	return t.see(see)
}

func (t *terminal) see(words string) error {
	return until(fmt.Sprintf("the screen shows %q", words), func() error {
		screen, err := t.tmux("capture-pane", "-p")
		if err == nil && !strings.Contains(screen, words) {
			err = fmt.Errorf("the screen is\n%s", screen)
		}
		return err
	})
}

// quit presses the key that ends the program, and waits until it has ended. There may be no screen to look at any more.
func (t *terminal) quit(key string) error {
	if _, err := t.tmux("send-keys", key); err != nil {
		return err
	}
	return until("the program ends", func() error {
		if screen, err := t.tmux("capture-pane", "-p"); err == nil {
			return fmt.Errorf("the screen is\n%s", screen)
		}
		return nil
	})
}
