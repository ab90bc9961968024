package main

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Size budgets of a Lambda function on arm64: start-up time grows with what is loaded. docs/develop/decisions/0404 has
// the measured sizes.
const (
	maxBootstrap = 20_250_000
	maxZip       = 7_400_000
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
			if err := checkBootstrap(ctx, bootstrap, filepath.Base(folder)); err != nil {
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
func checkBootstrap(ctx context.Context, bootstrap, arch string) error {
	if err := runsOn(bootstrap, arch); err != nil {
		return err
	}
	archive := filepath.Dir(bootstrap) + ".zip"
	size, zipped, err := pack(ctx, bootstrap, archive)
	if err != nil {
		return err
	}
	sizes := fmt.Sprintf("%-5s %-20s %.2f MB, zip %.2f MB", arch, strings.TrimSuffix(filepath.Base(archive), ".zip"),
		mb(size), mb(zipped))
	// The budget is for arm64, the default; amd64 code is a little longer.
	if arch == "arm64" && (size > maxBootstrap || zipped > maxZip) {
		return fmt.Errorf("%s; the budget is %.2f and %.2f", sizes, mb(maxBootstrap), mb(maxZip))
	}
	fmt.Println("ok  ", sizes)
	return nil
}

// runsOn checks that the binary is static and built for arch: a template that says arm64 with a binary for amd64
// deploys without an error and fails at the first event.
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

// packing is how SAM zips a function, with Python at the usual level of zlib (Go's own compressor makes 3 % more of
// it), but without a date, so that the same source gives the same bytes.
const packing = `import sys, zipfile
entry = zipfile.ZipInfo("bootstrap")
entry.external_attr = 0o100755 << 16
with open(sys.argv[1], "rb") as f, zipfile.ZipFile(sys.argv[2], "w") as z:
    z.writestr(entry, f.read(), zipfile.ZIP_DEFLATED)
`

// pack writes the zip for Lambda: one executable file.
func pack(ctx context.Context, bootstrap, archive string) (size, zipped int64, err error) {
	if out, err := exec.CommandContext(ctx, "python3", "-c", packing, bootstrap, archive).CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("python3: %w: %s", err, out)
	}
	in, err := os.Stat(bootstrap)
	if err != nil {
		return 0, 0, err
	}
	out, err := os.Stat(archive)
	if err != nil {
		return 0, 0, err
	}
	return in.Size(), out.Size(), nil
}
