package main

import (
	"archive/zip"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"os"
)

// Budgets of a Lambda function: start-up time grows with what has to be loaded. The measured sizes that they
// leave room over are in docs/decisions.
const (
	maxBootstrap = 14_000_000
	maxZip       = 5_500_000
)

// runSize holds each bootstrap to the budgets and prints what it weighs.
func runSize(_ context.Context, files []string) bool {
	var t tally
	for _, name := range files {
		size, zipped, err := weigh(name)
		switch {
		case err != nil:
			t.failed++
			fmt.Println("FAIL", err)
		case size > maxBootstrap || zipped > maxZip:
			t.failed++
			fmt.Printf("FAIL %s: %.2f MB, zip %.2f MB; the budget is %.2f and %.2f\n", name, mb(size), mb(zipped), mb(maxBootstrap), mb(maxZip))
		default:
			t.passed++
			fmt.Printf("ok   %s: %.2f MB, zip %.2f MB\n", name, mb(size), mb(zipped))
		}
	}
	fmt.Printf("%v\n", t)
	return t.failed == 0 && t.passed > 0
}

func mb(n int64) float64 { return float64(n) / 1e6 }

// weigh gives the size of a file and of a zip that holds it alone.
func weigh(name string) (size, zipped int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	var w counter
	z := zip.NewWriter(&w)
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	entry, err := z.Create("bootstrap")
	if err == nil {
		size, err = io.Copy(entry, f)
	}
	if err == nil {
		err = z.Close()
	}
	return size, int64(w), err
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
