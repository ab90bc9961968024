package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
)

// healthTimeout is shorter than what supervisors usually wait.
const healthTimeout = 5 * time.Second

// healthcheck asks the running server whether it works, for supervisors and containers.
func healthcheck(ctx context.Context, i *invocation) error {
	at := ownURL(i.config.Addr) + "/healthz"
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	status, body, err := get(ctx, i.Version, at)
	var health struct{ Status, Version string }
	switch {
	case err != nil:
		return fault.Newf(fault.Unavailable, "not_running", "Nothing answers at %s: %v. Start the reader with ruri "+
			"serve, or name its address with --addr.", at, err)
	case status != http.StatusOK || json.Unmarshal(body, &health) != nil || health.Status != "ok":
		return fault.Newf(fault.Unavailable, "not_healthy", "What answers at %s (%d) is no reader in order. Look at "+
			"its log, or name another address with --addr.", at, status)
	}
	_, err = fmt.Fprintf(i.Stdout, "Ruri Reader %s is well.\n", health.Version)
	return err
}

// ownURL returns the address at which this machine reaches a server that listens on addr.
func ownURL(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "http://" + addr
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func get(ctx context.Context, version, url string) (status int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	resp, err := fetch.Named(version).Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, body, err
}
