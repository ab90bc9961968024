package main

import (
	"archive/zip"
	"compress/flate"
	"context"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Size budgets of a Lambda function on arm64: start-up time grows with what is loaded. docs/decisions/0404 has the
// measured sizes.
const (
	maxBootstrap = 18_000_000
	maxZip       = 7_000_000
)

// machines are the processors that `sam build` builds for, by GOARCH.
var machines = map[string]elf.Machine{"arm64": elf.EM_AARCH64, "amd64": elf.EM_X86_64}

// runLambda zips what `sam build` made (folders named by GOARCH) as it is uploaded, checks the size budgets, and prints
// how long the functions take from their start to their first request for work.
func runLambda(ctx context.Context, folders []string) bool {
	var t tally
	for _, folder := range folders {
		built, _ := filepath.Glob(filepath.Join(folder, "*Function", "bootstrap"))
		if len(built) == 0 {
			t.failed++
			fmt.Println("FAIL", folder, "has no function")
		}
		for _, bootstrap := range built {
			if err := checkBootstrap(bootstrap, filepath.Base(folder)); err != nil {
				t.failed++
				fmt.Println("FAIL", err)
			} else {
				t.passed++
			}
		}
		if filepath.Base(folder) == runtime.GOARCH && runtime.GOOS == "linux" && len(built) > 0 {
			if err := printStarts(ctx, built); err != nil {
				t.failed++
				fmt.Println("FAIL", err)
			} else {
				t.passed++
			}
		}
	}
	fmt.Printf("%v\n", t)
	return t.failed == 0 && t.passed > 0
}

// checkBootstrap checks one bootstrap and writes its zip next to its folder.
func checkBootstrap(bootstrap, arch string) error {
	if err := runsOn(bootstrap, arch); err != nil {
		return err
	}
	archive := filepath.Dir(bootstrap) + ".zip"
	size, zipped, err := pack(bootstrap, archive)
	if err != nil {
		return err
	}
	sizes := fmt.Sprintf("%-5s %-20s %.2f MB, zip %.2f MB", arch, strings.TrimSuffix(filepath.Base(archive), ".zip"), mb(size), mb(zipped))
	// The budget is for arm64, the default; amd64 code is a little longer.
	if arch == "arm64" && (size > maxBootstrap || zipped > maxZip) {
		return fmt.Errorf("%s; the budget is %.2f and %.2f", sizes, mb(maxBootstrap), mb(maxZip))
	}
	fmt.Println("ok  ", sizes)
	return nil
}

// runsOn checks that the binary is static and built for arch: a template that says arm64 with a binary for amd64 deploys
// without an error and fails at the first event.
func runsOn(bootstrap, arch string) error {
	f, err := elf.Open(bootstrap)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if f.Machine != machines[arch] {
		return fmt.Errorf("%s is for %v, not for %s", bootstrap, f.Machine, arch)
	}
	if lib, err := f.ImportedLibraries(); err != nil || len(lib) > 0 {
		return fmt.Errorf("%s needs libraries %v (%w)", bootstrap, lib, err)
	}
	return nil
}

func mb(n int64) float64 { return float64(n) / 1e6 }

// pack writes the zip for Lambda: one executable file, compressed at level 6 as SAM does, without a date, so that the same
// source gives the same bytes.
func pack(bootstrap, archive string) (size, zipped int64, err error) {
	in, err := os.Open(bootstrap)
	if err != nil {
		return 0, 0, err
	}
	defer in.Close()
	out, err := os.Create(archive)
	if err != nil {
		return 0, 0, err
	}
	defer out.Close()
	z := zip.NewWriter(out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 6) })
	header := &zip.FileHeader{Name: "bootstrap", Method: zip.Deflate}
	header.SetMode(0o755)
	entry, err := z.CreateHeader(header)
	if err == nil {
		size, err = io.Copy(entry, in)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return 0, 0, err
	}
	info, err := out.Stat()
	if err != nil {
		return 0, 0, err
	}
	return size, info.Size(), nil
}
