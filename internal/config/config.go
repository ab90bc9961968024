// Package config reads the settings once, at start, from the environment. It is the only place that
// knows the variables' names and defaults; docs/config.md lists them.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Config is every setting. Zero values never need a meaning: Load fills in the defaults.
type Config struct {
	Addr      string         // where the single binary listens
	Data      string         // its folder
	Samples   bool           // serve and subscribe to the sample feeds
	Parallel  int            // hosts polled at once
	Parts     int            // parts of hosts; 0 follows the number of feeds
	AllowNets []netip.Prefix // networks that the guard opens
	LogLevel  slog.Level
	LogFormat string // text or json
	// ProjectURL is named in the User-Agent, so that publishers find out who we are.
	ProjectURL string
	Origins    []string // may call the API with credentials
	// MaxFeeds is how many subscriptions the owner may have.
	ProbeStopped bool
	MaxFeeds     int
	// RetentionDays is for how long items are kept that nobody starred, ForsakenDays for how long a feed that
	// nobody subscribes to.
	RetentionDays, ForsakenDays int
	// MaxFeedsUser is how many everybody else may have.
	MaxFeedsUser int
	// WriteRate bounds table writes in units a second; 0 means no bound.
	WriteRate float64

	// The cloud's resources, by name.
	Table, Bucket, QueueURL, DeadQueueURL string
	BaseURL                               string // where people find the reader

	// SessionSecret signs sessions in place of the one that the installation makes for itself and keeps in the
	// table. Its length is checked where it is used: here it may be a mere name.
	SessionSecret Secret
	// The client of sign-in with Google: both or neither.
	GoogleClientID     string
	GoogleClientSecret Secret
	// Sign-in with an OpenID Connect issuer: issuer, client and secret together, or none.
	OIDCIssuer, OIDCClientID string
	OIDCClientSecret         Secret
	OIDCName                 string // what people call it
	// EMF is the CloudWatch namespace of the embedded metrics; empty for none.
	EMF string
	// SessionIdle is how long a session lasts without use and SessionLife how long with it; SessionAddress keeps the
	// network that it was begun from.
	SessionIdle, SessionLife time.Duration
	SessionAddress           bool
	// RateAddress and RateUser bound the requests a minute of an address that is not signed in, and of a user.
	RateAddress, RateUser int
	// Proxies are networks of proxies whose X-Forwarded-For is believed; EdgeSecret is by what our own CloudFront
	// distribution is known.
	Proxies    []netip.Prefix
	EdgeSecret string
	// EdgeOnly refuses requests that do not bring it.
	EdgeOnly bool
	// WriteBudget is how many table write units a day may cost; 0 follows the number of feeds.
	WriteBudget int
}

// Variables and their defaults, for docs and tests.
var Variables = []struct{ Name, Default, Help string }{
	{"RURI_ADDR", "127.0.0.1:8080", "address and port to listen on"},
	{"RURI_DATA", "data", "folder for the database, the queue and the raw feeds"},
	{"RURI_SAMPLES", "false", "serve sample feeds under /samples/ and subscribe the owner to them"},
	{"RURI_PARALLEL", "10", "hosts polled at once, one request at a time each"},
	{"RURI_PARTS", "0", "parts that hosts are split into; 0 follows the number of feeds"},
	{"RURI_ALLOW_NETS", "", "networks (CIDR, comma separated) that the guard opens at any port"},
	{"RURI_LOG_LEVEL", "info", "debug, info, warn or error"},
	{"RURI_LOG_FORMAT", "", "text or json; text on one machine, json in the cloud"},
	{"RURI_PROJECT_URL", "https://github.com/ruri-reader/ruri", "address named in the User-Agent"},
	{"RURI_ORIGINS", "", "web origins (comma separated) that may call the API with credentials"},
	{"RURI_MAX_FEEDS", "1000", "most subscriptions that the owner may have"},
	{"RURI_RETENTION_DAYS", "180", "days that items are kept; starred and labelled ones, and the newest 20 of a feed, stay"},
	{"RURI_PROBE_STOPPED", "false", "try feeds that were stopped by a 401, 403, 404 or 410 once a day for a week"},
	{"RURI_FORSAKEN_DAYS", "7", "days after which a feed that nobody subscribes to is removed"},
	{"RURI_MAX_FEEDS_USER", "100", "most subscriptions that everybody else may have"},
	{"RURI_WRITE_RATE", "0", "most table write units a second; 0 = no bound"},
	{"RURI_TABLE", "", "DynamoDB table"},
	{"RURI_BUCKET", "", "S3 bucket of the raw feeds"},
	{"RURI_QUEUE_URL", "", "SQS queue"},
	{"RURI_DEAD_QUEUE_URL", "", "SQS dead-letter queue"},
	{"RURI_BASE_URL", "", "address under which people reach the reader"},
	{"RURI_SESSION_SECRET", "", "secret that signs sessions, 32 characters or more; unset: one that the reader makes and keeps in its table"},
	{"RURI_SESSION_SECRET_PARAMETER", "", "SSM parameter that holds RURI_SESSION_SECRET (cloud)"},
	{"RURI_GOOGLE_CLIENT_ID", "", "client ID for sign-in with Google"},
	{"RURI_GOOGLE_CLIENT_SECRET", "", "its secret"},
	{"RURI_GOOGLE_CLIENT_SECRET_PARAMETER", "", "SSM parameter that holds RURI_GOOGLE_CLIENT_SECRET (cloud)"},
	{"RURI_OIDC_ISSUER", "", "OpenID Connect issuer for signing in, as its discovery document writes it"},
	{"RURI_OIDC_CLIENT_ID", "", "client ID there"},
	{"RURI_OIDC_CLIENT_SECRET", "", "its secret"},
	{"RURI_OIDC_CLIENT_SECRET_PARAMETER", "", "SSM parameter that holds RURI_OIDC_CLIENT_SECRET (cloud)"},
	{"RURI_OIDC_NAME", "", "what the log-in page calls the issuer; unset: its host name"},
	{"RURI_SESSION_IDLE", "720h", "how long a session lasts without use"},
	{"RURI_SESSION_LIFE", "8760h", "how long a session lasts however much it is used"},
	{"RURI_SESSION_ADDRESS", "false", "keep with a session the network that it was begun from (/24, /48)"},
	{"RURI_RATE_ADDRESS", "100", "requests a minute of an address that is not signed in; 0 = no bound"},
	{"RURI_RATE_USER", "120", "requests a minute of a user; 0 = no bound"},
	{"RURI_PROXIES", "", "networks (CIDR, comma separated) of proxies whose X-Forwarded-For is believed"},
	{"RURI_EDGE_SECRET", "", "secret that the owner's CloudFront distribution sends as X-Ruri-Edge (cloud)"},
	{"RURI_EDGE_ONLY", "false", "refuse requests that do not bring RURI_EDGE_SECRET (cloud)"},
	{"RURI_EMF", "", "CloudWatch namespace of embedded metrics, which cost; empty turns them off"},
	{"RURI_WRITE_BUDGET", "0", "table write units a day that the statistics page measures against; 0 follows the number of feeds in the cloud, and is none on one machine"},
}

// minEdgeSecret is the least length of a secret that a stranger may try to guess.
const minEdgeSecret = 16

// Load reads the settings through a look-up function (os.LookupEnv, or a map in tests), and reports all
// faults at once.
func Load(lookup func(string) (string, bool)) (Config, error) {
	l := loader{lookup: lookup}
	c := Config{
		Addr:          l.text("RURI_ADDR"),
		Data:          l.text("RURI_DATA"),
		Samples:       l.boolean("RURI_SAMPLES"),
		Parallel:      l.number("RURI_PARALLEL", 1, 256),
		Parts:         l.number("RURI_PARTS", 0, 999),
		LogFormat:     l.oneOf("RURI_LOG_FORMAT", "", "text", "json"),
		ProjectURL:    l.text("RURI_PROJECT_URL"),
		Origins:       l.list("RURI_ORIGINS"),
		MaxFeeds:      l.number("RURI_MAX_FEEDS", 1, 100_000),
		MaxFeedsUser:  l.number("RURI_MAX_FEEDS_USER", 1, 100_000),
		RetentionDays: l.number("RURI_RETENTION_DAYS", 7, 3650),
		ProbeStopped:  l.boolean("RURI_PROBE_STOPPED"),
		ForsakenDays:  l.number("RURI_FORSAKEN_DAYS", 1, 3650),
		WriteRate:     l.float("RURI_WRITE_RATE"),
		Table:         l.text("RURI_TABLE"),
		Bucket:        l.text("RURI_BUCKET"),
		QueueURL:      l.text("RURI_QUEUE_URL"),
		DeadQueueURL:  l.text("RURI_DEAD_QUEUE_URL"),
		BaseURL:       strings.TrimSuffix(l.text("RURI_BASE_URL"), "/"),

		SessionSecret:      l.secret("RURI_SESSION_SECRET"),
		GoogleClientID:     l.text("RURI_GOOGLE_CLIENT_ID"),
		GoogleClientSecret: l.secret("RURI_GOOGLE_CLIENT_SECRET"),
		OIDCIssuer:         l.text("RURI_OIDC_ISSUER"),
		OIDCClientID:       l.text("RURI_OIDC_CLIENT_ID"),
		OIDCClientSecret:   l.secret("RURI_OIDC_CLIENT_SECRET"),
		OIDCName:           l.text("RURI_OIDC_NAME"),
		EMF:                l.text("RURI_EMF"),
		SessionIdle:        l.duration("RURI_SESSION_IDLE", 5*time.Minute, 10*365*24*time.Hour),
		SessionLife:        l.duration("RURI_SESSION_LIFE", 5*time.Minute, 10*365*24*time.Hour),
		SessionAddress:     l.boolean("RURI_SESSION_ADDRESS"),
		RateAddress:        l.number("RURI_RATE_ADDRESS", 0, 1_000_000),
		RateUser:           l.number("RURI_RATE_USER", 0, 1_000_000),
		Proxies:            l.networks("RURI_PROXIES"),
		EdgeSecret:         l.text("RURI_EDGE_SECRET"),
		EdgeOnly:           l.boolean("RURI_EDGE_ONLY"),
		WriteBudget:        l.number("RURI_WRITE_BUDGET", 0, 1_000_000_000),
	}
	if (c.GoogleClientID != "") != c.GoogleClientSecret.IsSet() {
		l.fail("RURI_GOOGLE_CLIENT_ID", "and RURI_GOOGLE_CLIENT_SECRET belong together: set both or neither")
	}
	c.checkIssuer(&l)
	if err := c.LogLevel.UnmarshalText([]byte(l.text("RURI_LOG_LEVEL"))); err != nil {
		l.fail("RURI_LOG_LEVEL", "is debug, info, warn or error")
	}
	c.AllowNets = l.networks("RURI_ALLOW_NETS")
	if c.EdgeSecret != "" && len(c.EdgeSecret) < minEdgeSecret {
		l.fail("RURI_EDGE_SECRET", fmt.Sprintf("has %d characters or more", minEdgeSecret))
	}
	if c.EdgeOnly && c.EdgeSecret == "" {
		l.fail("RURI_EDGE_ONLY", "needs RURI_EDGE_SECRET, or nobody would be let in")
	}
	return c, errors.Join(l.errs...)
}

// checkIssuer wants all of an issuer or nothing. Plain http is let through for one on a network of the owner's own
// (RURI_ALLOW_NETS); the guard holds it to that.
func (c Config) checkIssuer(l *loader) {
	any := c.OIDCIssuer != "" || c.OIDCClientID != "" || c.OIDCClientSecret.IsSet()
	if any && (c.OIDCIssuer == "" || c.OIDCClientID == "" || !c.OIDCClientSecret.IsSet()) {
		l.fail("RURI_OIDC_ISSUER", ", RURI_OIDC_CLIENT_ID and RURI_OIDC_CLIENT_SECRET belong together: set all or none")
		return
	}
	u, err := url.Parse(c.OIDCIssuer)
	if any && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || strings.ContainsAny(c.OIDCIssuer, "?#")) {
		l.fail("RURI_OIDC_ISSUER", fmt.Sprintf("is %q, and an issuer is an address like https://login.example.org", c.OIDCIssuer))
	}
}

// RequireCloud reports which of the cloud's resources are not named.
func (c Config) RequireCloud() error {
	var errs []error
	for name, v := range map[string]string{"RURI_TABLE": c.Table, "RURI_BUCKET": c.Bucket, "RURI_QUEUE_URL": c.QueueURL} {
		if v == "" {
			errs = append(errs, fmt.Errorf("%s is not set", name))
		}
	}
	return errors.Join(errs...)
}

type loader struct {
	lookup func(string) (string, bool)
	errs   []error
}

func (l *loader) fail(name, what string) {
	l.errs = append(l.errs, fmt.Errorf("%s %s", name, what))
}

func (l *loader) text(name string) string {
	if v, ok := l.lookup(name); ok && v != "" {
		return strings.TrimSpace(v)
	}
	for _, v := range Variables {
		if v.Name == name {
			return v.Default
		}
	}
	return ""
}

func (l *loader) boolean(name string) bool {
	b, err := strconv.ParseBool(l.text(name))
	if err != nil {
		l.fail(name, "is true or false")
	}
	return b
}

func (l *loader) number(name string, from, to int) int {
	n, err := strconv.Atoi(l.text(name))
	if err != nil || n < from || n > to {
		l.fail(name, fmt.Sprintf("is a number from %d to %d", from, to))
	}
	return n
}

func (l *loader) duration(name string, from, to time.Duration) time.Duration {
	d, err := time.ParseDuration(l.text(name))
	if err != nil || d < from || d > to {
		l.fail(name, fmt.Sprintf("is a duration from %v to %v, like 24h", from, to))
	}
	return d
}

func (l *loader) networks(name string) []netip.Prefix {
	var out []netip.Prefix
	for _, s := range l.list(name) {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			l.fail(name, fmt.Sprintf("has %q, which is no network like 192.168.1.0/24", s))
			continue
		}
		out = append(out, p.Masked())
	}
	return out
}

func (l *loader) float(name string) float64 {
	f, err := strconv.ParseFloat(l.text(name), 64)
	if err != nil || f < 0 {
		l.fail(name, "is a number, 0 or more")
	}
	return f
}

func (l *loader) oneOf(name string, allowed ...string) string {
	v := l.text(name)
	for _, a := range allowed {
		if v == a {
			return v
		}
	}
	l.fail(name, "is one of "+strings.Join(allowed[1:], ", "))
	return ""
}

func (l *loader) list(name string) []string {
	var out []string
	for _, s := range strings.Split(l.text(name), ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
