// Package config reads the settings once, at start, from the environment. Only it knows the variables' names and
// defaults; docs/run/config.md lists them.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config has all settings. Load fills in the defaults.
type Config struct {
	Addr      string         // the address on which the single binary listens
	Data      string         // its folder
	Backups   string         // the folder or bucket of its nightly backups; empty for none
	Samples   bool           // serve and subscribe to the sample feeds
	Parallel  int            // hosts polled at once
	Parts     int            // parts of hosts; 0 follows the number of feeds
	AllowNets []netip.Prefix // networks that the guard opens
	LogLevel  slog.Level
	LogFormat string // text or json
	// ProjectURL is named in the User-Agent, so that publishers find out who we are.
	ProjectURL string
	Origins    []string // may call the API with credentials
	// ProbeStopped looks now and then whether feeds that were stopped for their status are back.
	ProbeStopped bool
	// MaxFeeds is the most subscriptions of the owner, MaxFeedsUser of everybody else.
	MaxFeeds, MaxFeedsUser int
	// RetentionDays is how long items without a star are kept, UnsubscribedDays how long feeds without subscribers.
	RetentionDays, UnsubscribedDays int
	// Search is the extent of the search: off, titles or bodies.
	Search string
	// How the provider of bookmark counts is asked: how old counts of the first week may get, the least time between
	// calls, the most calls of a cycle, and how long an item waits for others.
	CountsDay, CountsInterval, CountsWait time.Duration
	CountsCalls                           int
	// WriteRate bounds table writes in units a second; 0 means no bound.
	WriteRate float64

	// The cloud's resources, by name.
	Table, Bucket, QueueURL, DeadQueueURL string
	BaseURL                               string // where people find the reader

	// SessionSecret signs sessions instead of the secret that the installation creates in its table. Its length is
	// checked where it is used, because here it may be the name of a parameter.
	SessionSecret Secret
	// The client of sign-in with Google: both or neither.
	GoogleClientID     string
	GoogleClientSecret Secret
	// Sign-in with an OpenID Connect issuer: issuer, client and secret together, or none.
	OIDCIssuer, OIDCClientID string
	OIDCClientSecret         Secret
	OIDCName                 string // what people call it
	// WebhookKeys are keys of services, a line for each: its name, the host that may get it, and the key.
	WebhookKeys Secret
	// The assistant: who answers, where, by which model, and how many tokens of a month the owner may use, and
	// everybody else.
	AIProvider, AIURL, AIModel, AIRegion string
	AIKey                                Secret
	AITokens, AIUserTokens               int
	// EMF is the CloudWatch namespace of the embedded metrics; empty for none.
	EMF string
	// SessionIdle is how long a session lasts without use and SessionLife how long with it; SessionAddress stores
	// the network that it was created from.
	SessionIdle, SessionLife time.Duration
	SessionAddress           bool
	// RateAddress and RateUser bound the requests a minute of an address that is not signed in, and of a user.
	RateAddress, RateUser int
	// Proxies are networks of proxies whose X-Forwarded-For is believed; EdgeSecret identifies our own
	// CloudFront distribution.
	Proxies    []netip.Prefix
	EdgeSecret string
	// EdgeOnly refuses requests without it.
	EdgeOnly bool
	// WriteBudget is how many table write units a day may cost; 0 follows the number of feeds.
	WriteBudget int
	// MonthlyLimit is the USD of a month from which on polling slows down, 0 for none. OnDemand says that the table is
	// paid for by request.
	MonthlyLimit float64
	OnDemand     bool
}

// Setting is an environment variable with its default.
type Setting struct {
	Name, Default, Help string
	parse               func(string) error // stores the value; the error continues a sentence that starts with the name
}

// Settings lists all settings, for docs and tests.
func Settings() []Setting { return new(Config).settings() }

// settings is the one list of the settings: a new one is a field and a line here.
func (c *Config) settings() []Setting {
	list := []Setting{
		{"RURI_ADDR", "127.0.0.1:8080", "address and port to listen on", text(&c.Addr)},
		{"RURI_DATA", "data", "folder for the database, the queue and the raw feeds", text(&c.Data)},
		{"RURI_BACKUPS", "", "folder or s3://BUCKET/PREFIX in which ruri serve makes a backup each night; empty: none",
			text(&c.Backups)},
		{"RURI_SAMPLES", "false", "serve sample feeds and a demo shop under /samples/, and subscribe the owner to " +
			"the feeds", boolean(&c.Samples)},
		{"RURI_PARALLEL", "10", "hosts polled at once, one request at a time each", number(&c.Parallel, 1, 256)},
		{"RURI_PARTS", "0", "parts that hosts are split into; 0 follows the number of feeds", number(&c.Parts, 0, 999)},
		{"RURI_ALLOW_NETS", "", "networks (CIDR, comma separated) that the guard opens at any port",
			networks(&c.AllowNets)},
		{"RURI_LOG_LEVEL", "info", "debug, info, warn or error", level(&c.LogLevel)},
		{"RURI_LOG_FORMAT", "", "text or json; text on one machine, json in the cloud",
			choice(&c.LogFormat, "text", "json")},
		{"RURI_PROJECT_URL", "https://github.com/ruri-reader/ruri", "address named in the User-Agent",
			text(&c.ProjectURL)},
		{"RURI_ORIGINS", "", "web origins (comma separated) that may call the API with credentials", list(&c.Origins)},
		{"RURI_MAX_FEEDS", "1000", "most subscriptions that the owner may have", number(&c.MaxFeeds, 1, 100_000)},
		{"RURI_RETENTION_DAYS", "180", "days that items are kept; starred and labelled ones, and the newest 20 of a " +
			"feed, stay", number(&c.RetentionDays, 7, 3650)},
		{"RURI_PROBE_STOPPED", "true", "look whether feeds that were stopped by a 401, 403, 404 or 410 are back, for " +
			"three months", boolean(&c.ProbeStopped)},
		{"RURI_FORSAKEN_DAYS", "7", "days after which a feed that nobody subscribes to is removed",
			number(&c.UnsubscribedDays, 1, 3650)},
		{"RURI_SEARCH", "bodies", "what searches find: off (there are none), titles (with authors and excerpts), or " +
			"bodies (all text)", choice(&c.Search, "off", "titles", "bodies")},
		{"RURI_HATEBU_TTL", "24h", "how old the bookmark count of an item may get in its first week; longer ones " +
			"stretch the whole schedule", span(&c.CountsDay, 24*time.Hour, 7*24*time.Hour)},
		{"RURI_HATEBU_API_INTERVAL", "5s", "least time between two requests for bookmark counts",
			span(&c.CountsInterval, 5*time.Second, 5*time.Minute)},
		{"RURI_HATEBU_MAX_CALLS_PER_CYCLE", "100", "most requests for bookmark counts in one quarter of an hour",
			number(&c.CountsCalls, 1, 100)},
		{"RURI_HATEBU_WAIT", "1h", "how long a new item waits for others, so that fewer requests for bookmark counts " +
			"are made", span(&c.CountsWait, 15*time.Minute, 24*time.Hour)},
		{"RURI_MAX_FEEDS_USER", "100", "most subscriptions that everybody else may have",
			number(&c.MaxFeedsUser, 1, 100_000)},
		{"RURI_WRITE_RATE", "0", "most table write units a second; 0 = no bound", float(&c.WriteRate)},
		{"RURI_TABLE", "", "DynamoDB table", text(&c.Table)},
		{"RURI_BUCKET", "", "S3 bucket of the raw feeds", text(&c.Bucket)},
		{"RURI_QUEUE_URL", "", "SQS queue", text(&c.QueueURL)},
		{"RURI_DEAD_QUEUE_URL", "", "SQS dead-letter queue", text(&c.DeadQueueURL)},
		{"RURI_BASE_URL", "", "address under which people reach the reader; it may have a path", address(&c.BaseURL)},
		{"RURI_GOOGLE_CLIENT_ID", "", "client ID for sign-in with Google", text(&c.GoogleClientID)},
		{"RURI_OIDC_ISSUER", "", "OpenID Connect issuer for signing in, as its discovery document writes it",
			text(&c.OIDCIssuer)},
		{"RURI_OIDC_CLIENT_ID", "", "client ID there", text(&c.OIDCClientID)},
		{"RURI_OIDC_NAME", "", "what the log-in page calls the issuer; unset: its host name", text(&c.OIDCName)},
		{"RURI_SESSION_IDLE", "720h", "how long a session lasts without use", duration(&c.SessionIdle)},
		{"RURI_SESSION_LIFE", "8760h", "how long a session lasts however much it is used", duration(&c.SessionLife)},
		{"RURI_SESSION_ADDRESS", "false", "keep with a session the network that it was begun from (/24, /48)",
			boolean(&c.SessionAddress)},
		{"RURI_RATE_ADDRESS", "100", "requests a minute of an address that is not signed in; 0 = no bound",
			number(&c.RateAddress, 0, 1_000_000)},
		{"RURI_RATE_USER", "120", "changes a minute by a user, who may read two and a half times as often; 0 = no " +
			"bound, for searches neither", number(&c.RateUser, 0, 1_000_000)},
		{"RURI_PROXIES", "", "networks (CIDR, comma separated) of proxies whose X-Forwarded-For is believed",
			networks(&c.Proxies)},
		{"RURI_EDGE_SECRET", "", "secret that the owner's CloudFront distribution sends as X-Ruri-Edge (cloud)",
			text(&c.EdgeSecret)},
		{"RURI_EDGE_ONLY", "false", "refuse requests that do not bring RURI_EDGE_SECRET (cloud)", boolean(&c.EdgeOnly)},
		{"RURI_EMF", "", "CloudWatch namespace of embedded metrics, which cost; empty turns them off", text(&c.EMF)},
		{"RURI_WRITE_BUDGET", "0", "table write units a day that the page *Status and cost* measures against; 0 follows the " +
			"number of feeds in the cloud, and is none on one machine", number(&c.WriteBudget, 0, 1_000_000_000)},
		{"RURI_MONTHLY_LIMIT", "0", "USD that a month on AWS may cost, as the page *Status and cost* computes it: " +
			"from 70 % on, feeds are checked less often; 0 = no limit", float(&c.MonthlyLimit)},
		{"RURI_ON_DEMAND", "false", "the table is paid for by request (cloud)", boolean(&c.OnDemand)},
	}
	list = append(list, c.assistant()...)
	list = append(list,
		c.SessionSecret.settings("RURI_SESSION_SECRET",
			"secret that signs sessions, 32 characters or more; unset: one that the reader makes and keeps in its "+
				"table")...)
	list = append(list, c.GoogleClientSecret.settings("RURI_GOOGLE_CLIENT_SECRET", "its secret")...)
	list = append(list, c.OIDCClientSecret.settings("RURI_OIDC_CLIENT_SECRET", "its secret")...)
	return append(list, c.WebhookKeys.settings("RURI_WEBHOOK_KEYS",
		"keys that the owner's webhooks use; each line is a name, the host that may get the key, and the key")...)
}

// assistant are the settings of what says what articles are about.
func (c *Config) assistant() []Setting {
	list := []Setting{
		{"RURI_AI_PROVIDER", "extract", "who says what an article is about: extract (sentences of its own, without a " +
			"model), openai (any service with an OpenAI-compatible API) or bedrock",
			choice(&c.AIProvider, "extract", "openai", "bedrock")},
		{"RURI_AI_URL", "", "address of that API, such as http://localhost:11434/v1", text(&c.AIURL)},
		{"RURI_AI_MODEL", "", "name of the model there", text(&c.AIModel)},
		{"RURI_AI_REGION", "", "region of Bedrock; in the cloud, unset: that of the stack", text(&c.AIRegion)},
		{"RURI_AI_TOKENS", "2000000", "most tokens that the owner's requests to the model may use in a month",
			number(&c.AITokens, 0, 1_000_000_000)},
		{"RURI_AI_USER_TOKENS", "0", "those of each other user; 0: key sentences alone",
			number(&c.AIUserTokens, 0, 1_000_000_000)},
	}
	return append(list, c.AIKey.settings("RURI_AI_KEY", "key of the service at RURI_AI_URL, if it wants one")...)
}

// minEdgeSecret is the least length of a secret that a stranger may try to guess.
const minEdgeSecret = 16

// Load reads the settings through a lookup function (os.LookupEnv, or a map in tests). The error joins everything that
// is wrong.
func Load(lookup func(string) (string, bool)) (Config, error) {
	var c Config
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, s := range c.settings() {
		value := s.Default
		if v, ok := lookup(s.Name); ok && v != "" {
			value = strings.TrimSpace(v)
		}
		if err := s.parse(value); err != nil {
			fail("%s %w", s.Name, err)
		}
	}
	for _, s := range c.secrets() {
		if s.value != "" && s.parameter != "" {
			fail("%s is set as it is and by %[1]s%s: set one of them", s.variable, parameterSuffix)
		}
	}
	if (c.GoogleClientID != "") != c.GoogleClientSecret.IsSet() {
		fail("RURI_GOOGLE_CLIENT_ID and RURI_GOOGLE_CLIENT_SECRET belong together: set both or neither")
	}
	if err := c.checkIssuer(); err != nil {
		errs = append(errs, err)
	}
	if c.EdgeSecret != "" && len(c.EdgeSecret) < minEdgeSecret {
		fail("RURI_EDGE_SECRET has %d characters or more", minEdgeSecret)
	}
	if c.EdgeOnly && c.EdgeSecret == "" {
		fail("RURI_EDGE_ONLY needs RURI_EDGE_SECRET, or nobody would be let in")
	}
	return c, errors.Join(errs...)
}

// checkIssuer requires all settings of an issuer or none. Plain http is allowed for an issuer on one of the owner's own
// networks (RURI_ALLOW_NETS), which the guarded client enforces.
func (c Config) checkIssuer() error {
	any := c.OIDCIssuer != "" || c.OIDCClientID != "" || c.OIDCClientSecret.IsSet()
	if any && (c.OIDCIssuer == "" || c.OIDCClientID == "" || !c.OIDCClientSecret.IsSet()) {
		return errors.New("RURI_OIDC_ISSUER, RURI_OIDC_CLIENT_ID and RURI_OIDC_CLIENT_SECRET belong together: set " +
			"all or none")
	}
	u, err := url.Parse(c.OIDCIssuer)
	if any && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil ||
		strings.ContainsAny(c.OIDCIssuer, "?#")) {
		return fmt.Errorf("RURI_OIDC_ISSUER is %q, and an issuer is an address like https://login.example.org",
			c.OIDCIssuer)
	}
	return nil
}

// RequireCloud reports which of the cloud's resources are not named.
func (c Config) RequireCloud() error {
	var errs []error
	for name, v := range map[string]string{"RURI_TABLE": c.Table, "RURI_BUCKET": c.Bucket,
		"RURI_QUEUE_URL": c.QueueURL} {
		if v == "" {
			errs = append(errs, fmt.Errorf("%s is not set", name))
		}
	}
	return errors.Join(errs...)
}

// baseURL is the form of addresses that pages and cookies can be below.
var baseURL = regexp.MustCompile(`^https?://[A-Za-z0-9.:\[\]_-]+(/[A-Za-z0-9._~-]+)*$`)

func address(to *string) func(string) error {
	return func(v string) error {
		if *to = strings.TrimSuffix(v, "/"); *to != "" && !baseURL.MatchString(*to) {
			return fmt.Errorf("is %q: give an address like https://reader.example.com or https://home.example/reader",
				v)
		}
		return nil
	}
}

func text(to *string) func(string) error {
	return func(v string) error {
		*to = v
		return nil
	}
}

func boolean(to *bool) func(string) error {
	return func(v string) (err error) {
		if *to, err = strconv.ParseBool(v); err != nil {
			return errors.New("is true or false")
		}
		return nil
	}
}

func number(to *int, least, most int) func(string) error {
	return func(v string) (err error) {
		if *to, err = strconv.Atoi(v); err != nil || *to < least || *to > most {
			return fmt.Errorf("is a number from %d to %d", least, most)
		}
		return nil
	}
}

func float(to *float64) func(string) error {
	return func(v string) (err error) {
		if *to, err = strconv.ParseFloat(v, 64); err != nil || *to < 0 {
			return errors.New("is a number, 0 or more")
		}
		return nil
	}
}

func duration(to *time.Duration) func(string) error {
	return span(to, 5*time.Minute, 10*365*24*time.Hour)
}

func span(to *time.Duration, least, most time.Duration) func(string) error {
	return func(v string) (err error) {
		if *to, err = time.ParseDuration(v); err != nil || *to < least || *to > most {
			return fmt.Errorf("is a duration from %v to %v, like 24h", least, most)
		}
		return nil
	}
}

// choice parses one of some words, or none.
func choice(to *string, words ...string) func(string) error {
	return func(v string) error {
		if *to = v; v != "" && !slices.Contains(words, v) {
			return fmt.Errorf("is one of %s", strings.Join(words, ", "))
		}
		return nil
	}
}

func level(to *slog.Level) func(string) error {
	return func(v string) error {
		if to.UnmarshalText([]byte(v)) != nil {
			return errors.New("is debug, info, warn or error")
		}
		return nil
	}
}

// list parses words separated by commas.
func list(to *[]string) func(string) error {
	return func(v string) error {
		for s := range strings.SplitSeq(v, ",") {
			if s = strings.TrimSpace(s); s != "" {
				*to = append(*to, s)
			}
		}
		return nil
	}
}

func networks(to *[]netip.Prefix) func(string) error {
	return func(v string) error {
		var words []string
		_ = list(&words)(v) // any text is a list
		for _, s := range words {
			p, err := netip.ParsePrefix(s)
			if err != nil {
				return fmt.Errorf("has %q, which is no network like 192.168.1.0/24", s)
			}
			*to = append(*to, p.Masked())
		}
		return nil
	}
}
