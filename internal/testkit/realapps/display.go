package main

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// screen starts an X server without a screen, and gives its address.
func (r *rig) screen(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := r.start(cmd); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the X server Xvfb: %w", err)
	}
	return ":" + strings.TrimSpace(line), nil
}

// key presses a key in the window of that title. No window manager runs, so the window is given the focus first.
func (c *check) key(display, title, key string) error {
	cmd := exec.CommandContext(c.ctx, "xdotool", "search", "--name", title, "windowfocus", "--sync", "key", key)
	cmd.Env = c.environment("DISPLAY=" + display)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("xdotool %s: %w: %s", key, err, out)
	}
	return nil
}
