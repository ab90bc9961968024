package main

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestMain lets the test binary play a function when start runs it.
func TestMain(m *testing.M) {
	if api := os.Getenv("AWS_LAMBDA_RUNTIME_API"); api != "" {
		path := "/2018-06-01/runtime/invocation/next"
		if strings.Contains(filepath.Base(os.Args[0]), "early") {
			os.Exit(3)
		}
		if strings.Contains(filepath.Base(os.Args[0]), "wrong") {
			path = "/elsewhere"
		}
		_, _ = http.Get("http://" + api + path) // there is never a response
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestStart(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, fault := range map[string]string{"good": "", "early": "ended before it requested work",
		"wrong": "/elsewhere"} {
		bootstrap := filepath.Join(dir, name)
		if err := os.Symlink(exe, bootstrap); err != nil {
			t.Fatal(err)
		}
		took, err := start(t.Context(), bootstrap)
		if fault == "" && (err != nil || took <= 0) {
			t.Errorf("%s: %v, %v", name, took, err)
		}
		if fault != "" && (err == nil || !strings.Contains(err.Error(), fault)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrongProcessor: a binary for another processor than the template's would deploy without an error.
func TestWrongProcessor(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	if err := runsOn(exe, other); err == nil || !strings.Contains(err.Error(), "not for "+other) {
		t.Errorf("%v", err)
	}
	if err := runsOn("lambda_test.go", "arm64"); err == nil {
		t.Error("a text file was accepted as a binary")
	}
}

// TestPack makes the same zip of the same file, with one entry that may be executed.
func TestPack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	body := bytes.Repeat([]byte("text "), 10_000)
	bootstrap := filepath.Join(dir, "bootstrap")
	if err := os.WriteFile(bootstrap, body, 0o755); err != nil {
		t.Fatal(err)
	}
	var zips [2][]byte
	for i := range zips {
		archive := filepath.Join(dir, "x.zip")
		size, zipped, err := pack(t.Context(), bootstrap, archive)
		if err != nil || size != int64(len(body)) {
			t.Fatalf("%d, %v", size, err)
		}
		if zips[i], err = os.ReadFile(archive); err != nil || zipped != int64(len(zips[i])) {
			t.Errorf("%d bytes were reported, %d written, %v", zipped, len(zips[i]), err)
		}
	}
	if !bytes.Equal(zips[0], zips[1]) {
		t.Error("the same bootstrap gives two zips")
	}
	r, err := zip.NewReader(bytes.NewReader(zips[0]), int64(len(zips[0])))
	if err != nil || len(r.File) != 1 || r.File[0].Name != "bootstrap" || r.File[0].Mode().Perm() != 0o755 {
		t.Fatalf("%+v, %v", r, err)
	}
	f, err := r.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, body) {
		t.Errorf("%d bytes come out, %v", len(got), err)
	}
}
