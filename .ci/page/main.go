// Command page lists the files of the built page as JSON, each with the headers that the single binary serves it
// with, for .ci/aws.py, which uploads them.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/ruri-reader/ruri/internal/assets/webui"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: page FOLDER")
		os.Exit(2)
	}
	files, err := webui.Files(os.DirFS(os.Args[1]))
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(files)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}
