// Command dist prints all settings as a file of environment variables, each commented out with its default:
// /etc/ruri/ruri.env of the packages.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ruri-reader/ruri/internal/config"
)

func main() { writeSettings(os.Stdout) }

const settingsHead = `# Settings of Ruri Reader, read when it starts: systemctl restart ruri
# Each is commented out with its default. https://github.com/ruri-reader/ruri/blob/main/docs/run/config.md explains them.
`

func writeSettings(w io.Writer) {
	fmt.Fprint(w, settingsHead)
	for _, s := range config.Settings() {
		if s.Name == "RURI_DATA" {
			s.Default = "/var/lib/ruri" // as ruri.service says
		}
		fmt.Fprintf(w, "\n# %s%s\n#%s=%s\n", strings.ToUpper(s.Help[:1]), s.Help[1:], s.Name, s.Default)
	}
}
