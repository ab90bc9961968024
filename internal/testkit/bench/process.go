package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is the consumption of a finished process: user and system time of itself and its children, the wall time, and
// the greatest proportional set size.
type usage struct {
	cpu, wall time.Duration
	peakPSS   int64 // bytes
}

// sampleEvery is how often the memory of a process is read: often enough to see a peak, rarely enough not
// to slow what is measured (the kernel walks the page tables for each reading).
const sampleEvery = 20 * time.Millisecond

// environment opens the farm's networks to the reader.
func environment(data string) []string {
	return append(os.Environ(), "RURI_DATA="+data, "RURI_ALLOW_NETS=127.0.0.0/8", "RURI_MAX_FEEDS=100000",
		"RURI_LOG_LEVEL=warn")
}

// command runs the reader, and gives its standard output.
func (b *bench) command(ctx context.Context, data string, args ...string) ([]byte, usage, error) {
	cmd := exec.CommandContext(ctx, b.ruri, args...)
	cmd.Env = environment(data)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, usage{}, err
	}
	done := make(chan struct{})
	peak := make(chan int64)
	go func() { peak <- peakPSS(cmd.Process.Pid, done) }()
	err := cmd.Wait()
	u := usage{wall: time.Since(began)}
	close(done)
	u.peakPSS = <-peak
	if err != nil {
		return nil, u, fmt.Errorf("ruri %s: %w\n%s", strings.Join(args, " "), err, &stderr)
	}
	u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return stdout.Bytes(), u, nil
}

// peakPSS samples until done, and gives the greatest value.
func peakPSS(pid int, done <-chan struct{}) int64 {
	t := time.NewTicker(sampleEvery)
	defer t.Stop()
	var peak int64
	for {
		select {
		case <-done:
			return peak
		case <-t.C:
			peak = max(peak, pss(pid))
		}
	}
}

// pss reads the proportional set size of a process; zero where the system has none.
func pss(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		return 0
	}
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "Pss:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10
		}
	}
	return 0
}

// threadsCPU is the processor time of a running process so far, to the nanosecond: its counters of user and system time
// move in steps of 10 ms. Zero where the system has none.
func threadsCPU(pid int) (sum time.Duration) {
	list, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/schedstat")
	for _, file := range list {
		b, _ := os.ReadFile(file) // a thread may have ended
		ran, _, _ := strings.Cut(string(b), " ")
		ns, _ := strconv.ParseInt(ran, 10, 64)
		sum += time.Duration(ns)
	}
	return sum
}

// ownCPU is the processor time of this process so far.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
