package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestStartOnAFullDisk: on disks that are full sooner and later, the server ends with what to do.
func TestStartOnAFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("unshare"); err != nil || os.Getuid() != 0 {
		t.Skip("SKIPPED: only root can make a small disk, with unshare")
	}
	for _, size := range []string{"16k", "120k"} {
		cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "sh", "-ec",
			`mount -t tmpfs -o size="$1" none "$2"; exec "$3" serve --addr 127.0.0.1:0 --data "$2/data"`,
			"sh", size, t.TempDir(), os.Args[0])
		cmd.Env = append(os.Environ(), "RURI_TEST_COMMAND=1")
		out, err := cmd.CombinedOutput()
		said := string(out)
		if strings.Contains(said, "mount: ") {
			t.Skip("SKIPPED: no disk can be mounted here: " + said)
		}
		if err == nil || !strings.Contains(said, "The disk is full.") || !strings.Contains(said, "Free some disk") {
			t.Errorf("with %s it says %s, %v", size, said, err)
		}
	}
}
