package templatetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/config"
)

const (
	orchestrator = "OrchestratorFunction"
	crawler      = "CrawlerFunction"
	api          = "ApiFunction"
)

var (
	everywhere = []string{api, crawler, orchestrator}
	// The crawler and the API poll feeds, write rows and take subscriptions; the orchestrator only reads and sends.
	workers = []string{api, crawler}
)

const readerAddress = `!If [HasDomain, !Sub https://${DomainName}, !Sub https://${Distribution.DomainName}]`

// variable is one of internal/config in the cloud: which functions need it and what the template gives it, or why
// it is not set there.
type variable struct {
	functions []string
	value     string // as node.form writes it
	parameter string // of the template, where the value does not name it
	unset     string // the reason, as docs/run/config.md gives it
}

// askedFor is why the pace of counts is not for every stack to choose.
const askedFor = "it is the pace of the provider"

var settings = map[string]variable{
	"RURI_TABLE":      {functions: everywhere, value: "!Ref Table"},
	"RURI_BUCKET":     {functions: everywhere, value: "!Ref RawBucket"},
	"RURI_QUEUE_URL":  {functions: everywhere, value: "!Ref Queue"},
	"RURI_LOG_LEVEL":  {functions: everywhere, value: "!Ref LogLevel"},
	"RURI_LOG_FORMAT": {functions: everywhere, value: "json"},
	"RURI_EMF":        {functions: everywhere, value: "!If [HasMetrics, !Ref AWS::StackName, ]", parameter: "Metrics"},
	"RURI_PARTS":      {functions: everywhere, value: "!Ref Parts"},
	"RURI_SEARCH":     {functions: everywhere, value: "!Ref Search"},

	"RURI_MONTHLY_LIMIT": {functions: everywhere, value: "!Ref MonthlyLimit"},
	"RURI_ON_DEMAND":     {functions: everywhere, value: "!If [IsProvisioned, false, true]", parameter: "BillingMode"},

	"RURI_PROJECT_URL":    {functions: workers, value: "!Ref ProjectUrl"},
	"RURI_WRITE_RATE":     {functions: workers, value: "!Ref WriteRate"},
	"RURI_RETENTION_DAYS": {functions: workers, value: "!Ref RetentionDays"},
	"RURI_PROBE_STOPPED":  {functions: workers, value: "!Ref ProbeStopped"},
	"RURI_MAX_FEEDS":      {functions: workers, value: "!Ref MaxFeeds"},
	"RURI_MAX_FEEDS_USER": {functions: workers, value: "!Ref MaxFeedsUser"},
	"RURI_DEAD_QUEUE_URL": {functions: workers, value: "!Ref DeadLetters"},
	"RURI_BASE_URL":       {functions: workers, value: readerAddress, parameter: "DomainName"},

	"RURI_WEBHOOK_KEYS_PARAMETER": {functions: workers,
		value: "!If [HasWebhookKeys, !Ref WebhookKeysParameter, !Ref AWS::NoValue]"},

	"RURI_AI_PROVIDER":    {functions: []string{api}, value: "!Ref AiProvider"},
	"RURI_AI_URL":         {functions: []string{api}, value: "!Ref AiUrl"},
	"RURI_AI_MODEL":       {functions: []string{api}, value: "!Ref AiModel"},
	"RURI_AI_REGION":      {functions: []string{api}, value: "!Ref AiRegion"},
	"RURI_AI_TOKENS":      {functions: []string{api}, value: "!Ref AiMonthLimit"},
	"RURI_AI_USER_TOKENS": {functions: []string{api}, value: "!Ref AiUserMonthLimit"},
	"RURI_AI_KEY_PARAMETER": {functions: []string{api},
		value: "!If [HasAiKey, !Ref AiKeyParameter, !Ref AWS::NoValue]"},

	"RURI_PARALLEL":      {functions: []string{crawler}, value: "!Ref ParallelHosts"},
	"RURI_FORSAKEN_DAYS": {functions: []string{crawler}, value: "!Ref ForsakenDays"},

	"RURI_ORIGINS":                  {functions: []string{api}, value: "!Ref AllowedOrigins"},
	"RURI_SESSION_IDLE":             {functions: []string{api}, value: "!Ref SessionIdle"},
	"RURI_SESSION_LIFE":             {functions: []string{api}, value: "!Ref SessionLife"},
	"RURI_SESSION_ADDRESS":          {functions: []string{api}, value: "!Ref SessionAddress"},
	"RURI_RATE_ADDRESS":             {functions: []string{api}, value: "!Ref RateAddress"},
	"RURI_RATE_USER":                {functions: []string{api}, value: "!Ref RateUser"},
	"RURI_WRITE_BUDGET":             {functions: []string{api}, value: "!Ref WriteBudget"},
	"RURI_SESSION_SECRET_PARAMETER": {functions: []string{api}, value: "!Ref SessionSecretParameter"},
	"RURI_GOOGLE_CLIENT_ID":         {functions: []string{api}, value: "!Ref GoogleClientId"},
	"RURI_GOOGLE_CLIENT_SECRET_PARAMETER": {functions: []string{api},
		value: "!If [HasGoogle, !Ref GoogleClientSecretParameter, !Ref AWS::NoValue]"},
	"RURI_OIDC_ISSUER": {functions: []string{api}, value: "!Ref OidcIssuer"},
	"RURI_OIDC_CLIENT_ID": {functions: []string{api},
		value: "!If [HasOidc, !Ref OidcClientId, !Ref AWS::NoValue]"},
	"RURI_OIDC_CLIENT_SECRET_PARAMETER": {functions: []string{api},
		value: "!If [HasOidc, !Ref OidcClientSecretParameter, !Ref AWS::NoValue]"},
	"RURI_EDGE_SECRET": {functions: []string{api}, value: edgeSecret,
		parameter: "EdgeSecretParameter"},
	"RURI_EDGE_ONLY": {functions: []string{api}, value: "!Ref EdgeOnly"},
	"RURI_OIDC_NAME": {functions: []string{api}, value: "!Ref OidcName"},

	"RURI_HATEBU_TTL":                 {unset: askedFor},
	"RURI_HATEBU_API_INTERVAL":        {unset: askedFor},
	"RURI_HATEBU_MAX_CALLS_PER_CYCLE": {unset: askedFor},
	"RURI_HATEBU_WAIT":                {unset: askedFor},

	"RURI_ADDR":                 {unset: "functions do not listen on a port"},
	"RURI_DATA":                 {unset: "functions store nothing on disk"},
	"RURI_BACKUPS":              {unset: "functions store nothing on disk"},
	"RURI_SAMPLES":              {unset: "only the single binary serves the samples"},
	"RURI_ALLOW_NETS":           {unset: "functions have no private network"},
	"RURI_SESSION_SECRET":       {unset: "name an SSM parameter"},
	"RURI_AI_KEY":               {unset: "name an SSM parameter"},
	"RURI_WEBHOOK_KEYS":         {unset: "name an SSM parameter"},
	"RURI_GOOGLE_CLIENT_SECRET": {unset: "name an SSM parameter"},
	"RURI_OIDC_CLIENT_SECRET":   {unset: "name an SSM parameter"},
	"RURI_PROXIES":              {unset: "the only proxy is CloudFront, recognised by `RURI_EDGE_SECRET`"},
}

// variables are those of a function, its own before those of all.
func variables(template, function node) map[string]node {
	all := map[string]node{}
	for _, of := range []node{template.get("Globals", "Function"), function.get("Properties")} {
		of.get("Environment", "Variables").each(func(key string, v node) { all[key] = v })
	}
	return all
}

// TestVariables: what internal/config reads is set for the functions that need it, with that value, and for no other;
// and nothing is set that it does not read.
func TestVariables(t *testing.T) { hold(t, checkVariables) }

func checkVariables(faults *findings, template node) {
	all := functions(faults, template)
	for _, v := range config.Settings() {
		s, ok := settings[v.Name]
		if !ok || (s.unset == "") == (len(s.functions) == 0) {
			faults.Errorf("%s is neither set in the template nor in the list of those that need not be", v.Name)
		}
	}
	for name := range settings {
		if !slices.ContainsFunc(config.Settings(), func(v config.Setting) bool { return v.Name == name }) {
			faults.Errorf("the list names %s, which internal/config does not read", name)
		}
	}
	for function, f := range all {
		given := variables(template, f)
		for name, v := range given {
			if !slices.Contains(settings[name].functions, function) {
				faults.Errorf("%s: %s is set for %s, which does not need it", v.where(), name, function)
			}
		}
		for name, s := range settings {
			if !slices.Contains(s.functions, function) {
				continue
			}
			if v, ok := given[name]; !ok {
				faults.Errorf("%s needs %s, which is not set", function, name)
			} else {
				want(faults, v, name, s.value)
			}
		}
	}
}

// TestParametersFitTheSettings: what CloudFormation lets through, the functions take; a value that they refuse would
// stop all of them.
func TestParametersFitTheSettings(t *testing.T) { hold(t, checkParametersFitTheSettings) }

func checkParametersFitTheSettings(faults *findings, template node) {
	for name, s := range settings {
		parameter, isRef := strings.CutPrefix(s.value, "!Ref ")
		p := template.get("Parameters", parameter)
		if !isRef || !p.exists() {
			continue
		}
		values := p.get("AllowedValues").list()
		for _, key := range []string{"Default", "MinValue", "MaxValue"} {
			if v := p.get(key); v.exists() {
				values = append(values, v)
			}
		}
		for _, v := range values {
			// Those that need a partner are left to the template's rules.
			if strings.Contains(name, "_GOOGLE_") || strings.Contains(name, "_OIDC_") {
				continue
			}
			_, err := config.Load(func(k string) (string, bool) {
				if k == "RURI_EDGE_SECRET" { // always set beside RURI_EDGE_ONLY
					return "00000000-0000-0000-0000-000000000000", true
				}
				return v.text(), k == name
			})
			if err != nil {
				faults.Errorf("%s: %s may be %q, and %v", v.where(), parameter, v.text(), err)
			}
		}
		// The single binary and the cloud begin alike, but for what the template says is another there.
		if d := p.get("Default").text(); d != defaultOf(name) && name != "RURI_WRITE_RATE" && name != "RURI_SEARCH" {
			faults.Errorf("%s: %s is %q by default, and %s %q", p.where(), parameter, d, name, defaultOf(name))
		}
	}
}

func defaultOf(name string) string {
	for _, v := range config.Settings() {
		if v.Name == name {
			return v.Default
		}
	}
	return ""
}

// parameterOf names the template's parameter by which an owner chooses the value; "" when the template knows it.
func (v variable) parameterOf(template node) string {
	for _, word := range strings.FieldsFunc(v.value, func(r rune) bool { return strings.ContainsRune(" ,[]!", r) }) {
		if template.get("Parameters", word).exists() {
			return word
		}
	}
	return v.parameter
}

// TestSettingsAreDocumented: docs/run/config.md names the parameter of each variable, or says why there is none.
func TestSettingsAreDocumented(t *testing.T) {
	t.Parallel()
	template := load(t)
	_, text, _ := strings.Cut(readFile(t, "../../../docs/run/config.md"), "\n## On AWS\n")
	text, _, _ = strings.Cut(text, "\n## ")
	parameters, reasons := 0, 0
	for name, v := range settings {
		line := "- `" + name + "`: " + v.unset + "\n"
		if v.unset != "" {
			reasons++
		} else if p := v.parameterOf(template); p != "" {
			parameters++
			line = "| `" + p + "` | `" + name + "` |\n"
		} else {
			line = "`" + name + "`"
		}
		if !strings.Contains(text, line) {
			t.Errorf("docs/run/config.md, On AWS, has no line\n%s", line)
		}
	}
	if n := strings.Count(text, "\n| `"); n != parameters {
		t.Errorf("docs/run/config.md has %d parameters, there are %d", n, parameters)
	}
	if n := strings.Count(text, "\n- `"); n != reasons {
		t.Errorf("docs/run/config.md has %d reasons, there are %d", n, reasons)
	}
}
