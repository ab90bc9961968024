package templatetest

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/assets/cost"
)

// TestParameters: each can be found in the console (a group), is explained, and is used.
func TestParameters(t *testing.T) { hold(t, checkParameters) }

func checkParameters(faults *findings, template node) {
	grouped := map[string]int{}
	for _, group := range template.get("Metadata", "AWS::CloudFormation::Interface", "ParameterGroups").list() {
		for _, p := range group.get("Parameters").list() {
			grouped[p.text()]++
		}
	}
	used := references(template)
	template.get("Parameters").each(func(name string, p node) {
		if grouped[name] != 1 {
			faults.Errorf("%s: %s is in %d groups", p.where(), name, grouped[name])
		}
		if !p.get("Default").exists() {
			faults.Errorf("%s: %s has no default: an owner would have to know it at the first deployment",
				p.where(), name)
		}
		if !used[name] {
			faults.Errorf("%s: %s changes nothing", p.where(), name)
		}
		delete(grouped, name)
	})
	for name := range grouped {
		faults.Errorf("the groups name %s, which is no parameter", name)
	}
}

// TestPatterns: what each parameter takes and refuses at a deployment.
func TestPatterns(t *testing.T) { hold(t, checkPatterns) }

func checkPatterns(faults *findings, template node) {
	secret := [2][]string{{"", "/ruri/prod/secret", "/a.b/c-d_e"},
		{"secret", "/", "//a", "/a/", "/a b", "{{resolve:ssm:/a}}"}}
	hours := [2][]string{{"1h", "720h", "8760h", "86399h"}, {"", "0h", "-1h", "720", "1.5h", "30m", "100000h"}}
	patterns := map[string][2][]string{
		"DomainName": {{"", "reader.example.com", "xn--bcher-kva.example"},
			{"https://reader.example.com", "reader", "*.example.com", "reader.example.com/", "a b.example"}},
		"CertificateArn": {{"", "arn:aws:acm:us-east-1:123456789012:certificate/ab-12"},
			{"arn:aws:acm:eu-central-1:123456789012:certificate/ab-12", "certificate/ab-12",
				"arn:aws:acm:us-east-1:1:certificate/ab"}},
		"AllowedOrigins": {
			{"", "https://a.example", "https://a.example:8443", "https://a.example,https://b.example"},
			{"*", "null", "http://a.example", "https://*", "https://*.example", "https://a.example/",
				"https://a.example/path", "https://a.example,*", "https://a.example, https://b.example",
				"https://a.example,"},
		},
		"Schedule": {{"cron(0/15 * * * ? *)", "cron(0/30 * * * ? *)", "cron(0 * * * ? *)",
			"cron(0 6,18 * * ? *)"}, {"rate(15 minutes)", "cron(7 * * * ? *)", "cron(0/5 * * * ? *)", ""}},
		"SessionIdle": hours,
		"SessionLife": hours,
		"ProjectUrl": {{"https://reader.example/about", "http://reader.example"},
			{"", "reader.example", "javascript:alert(1)", "https://a b", "https://a\r\nX: y"}},
		"GoogleClientId": {{"", "123-abc.apps.googleusercontent.com"}, {"a b", "a/b"}},
		"OidcIssuer": {{"", "https://login.example", "https://login.example/realms/a"},
			{"http://login.example", "login.example", "https://login.example?a", "https://login.example#a",
				"https://a b"}},
		"OidcClientId": {{"", "reader", "urn:reader"}, {"a b", "é"}},
		"AlarmEmail":   {{"", "a@example.org"}, {"a", "a@b", "a b@example.org", "@example.org"}},
		"PermissionsBoundaryArn": {{"", "arn:aws:iam::123456789012:policy/boundary"},
			{"arn:aws:iam::123456789012:role/a", "policy/boundary", "arn:aws:iam::1:policy/a"}},
		"SessionSecretParameter": secret, "EdgeSecretParameter": secret, "GoogleClientSecretParameter": secret,
		"OidcClientSecretParameter": secret, "WebhookKeysParameter": secret, "AiKeyParameter": secret,
		"AiUrl":    {{"", "http://10.0.0.2:11434/v1", "https://api.openai.com/v1"}, {"a", "ftp://a", "https://a b"}},
		"AiModel":  {{"", "gpt-oss:20b", "us.amazon.nova-micro-v1:0"}, {"a b", "é"}},
		"AiRegion": {{"", "us-east-1", "us-gov-west-1"}, {"us", "US-EAST-1", "us-east-1 "}},
	}
	template.get("Parameters").each(func(name string, p node) {
		text := p.get("AllowedPattern")
		values, isKnown := patterns[name]
		if text.exists() != isKnown {
			faults.Errorf("%s: %s has a pattern: %v, and values to try it with: %v", p.where(), name,
				text.exists(), isKnown)
		}
		if !text.exists() {
			return
		}
		pattern, err := regexp.Compile("^(?:" + text.text() + ")$") // CloudFormation matches the whole value
		if err != nil {
			faults.Errorf("%s: %v", text.where(), err)
			return
		}
		for i, wanted := range []bool{true, false} {
			for _, v := range values[i] {
				if pattern.MatchString(v) != wanted {
					faults.Errorf("%s: %s takes %q: %v", text.where(), name, v, !wanted)
				}
			}
		}
	})
}

// TestOutputs: what `make deploy`, `ruri --home aws:STACK` and people read from a stack.
func TestOutputs(t *testing.T) { hold(t, checkOutputs) }

func checkOutputs(faults *findings, template node) {
	outputs := template.get("Outputs")
	for name, of := range map[string]string{
		"PageBucketName": "PageBucket", "DistributionId": "Distribution", "TableName": "Table",
		"RawBucketName": "RawBucket",
		"QueueUrl":      "Queue", "DeadLettersUrl": "DeadLetters", "ScheduleDeadLettersUrl": "ScheduleDeadLetters",
	} {
		if got := outputs.get(name, "Value").text(); got != of {
			faults.Errorf("output %s is of %q, want %s", name, got, of)
		}
	}
	if !template.get("Parameters", "Parts").exists() { // read from the stack as well
		faults.Errorf("the stack does not say into how many parts its hosts are split")
	}
	if !outputs.get("Url", "Value").exists() {
		faults.Errorf("the outputs do not tell where the reader is")
	}
}

var (
	section = regexp.MustCompile(`^\[(\w+)\.(\w+)\.parameters\]$`)
	setting = regexp.MustCompile(`^(\w+) = (.+)$`)
)

// TestSamconfig: dev, staging and prod differ in names and sizes, not in what is set; together they stay within the
// capacity that an account has for nothing; and no account or region of ours is in them.
//
func TestSamconfig(t *testing.T) {
	t.Parallel()
	template := load(t)
	all := map[string]map[string]string{} // "deploy stack_name" and so on, by stage
	var stage, command string
	for line := range strings.Lines(readFile(t, "../../../samconfig.toml")) {
		line = strings.TrimSpace(line)
		if m := section.FindStringSubmatch(line); m != nil {
			if stage, command = m[1], m[2]; all[stage] == nil {
				all[stage] = map[string]string{}
			}
		} else if m := setting.FindStringSubmatch(line); m != nil && stage != "" {
			all[stage][command+" "+m[1]] = strings.Trim(m[2], `"`)
		}
	}
	if len(all) != 3 || all["default"] == nil || all["staging"] == nil || all["prod"] == nil {
		t.Fatalf("the stages are %v, want default, staging and prod", all)
	}
	names, reads, writes := map[string]bool{}, 0, 0
	for stage, settings := range all {
		for key := range all["default"] {
			if settings[key] == "" {
				t.Errorf("%s does not set %s", stage, key)
			}
		}
		for _, key := range []string{"global region", "deploy region", "global profile", "deploy profile",
			"deploy s3_bucket"} {
			if v := settings[key]; v != "" {
				t.Errorf("%s sets %s to %s, which is for an owner to choose", stage, key, v)
			}
		}
		if name := settings["global stack_name"]; names[name] {
			t.Errorf("two stages are the stack %s", name)
		} else {
			names[name] = true
		}
		given := map[string]string{}
		for _, pair := range strings.Fields(settings["deploy parameter_overrides"]) {
			name, value, _ := strings.Cut(pair, "=")
			given[name] = value
			if p := template.get("Parameters", name); !p.exists() {
				t.Errorf("%s sets %s, which is no parameter of the template", stage, name)
			}
		}
		capacity := func(name string) int {
			if v, err := strconv.Atoi(given[name]); err == nil {
				return v
			}
			var faults findings
			n := number(&faults, template, template.get("Parameters", name, "Default"))
			if len(faults.list) > 0 {
				t.Error(faults.list)
			}
			return n
		}
		reads, writes = reads+capacity("ReadCapacity"), writes+capacity("WriteCapacity")
		want := map[string]string{"default": "dev"}[stage]
		if want == "" {
			want = stage
		}
		if given["Stage"] != want {
			t.Errorf("stage %s is tagged %q", stage, given["Stage"])
		}
	}
	if reads > 25 || writes > 25 {
		t.Errorf("the three stages take %d read and %d write units; 25 are free in an account", reads, writes)
	}
}

// The bill of `ruri cost` is that of functions as the template makes them.
func TestMemoryIsWhatTheBillCountsWith(t *testing.T) { hold(t, checkMemoryIsWhatTheBillCountsWith) }

func checkMemoryIsWhatTheBillCountsWith(faults *findings, template node) {
	model := cost.Embedded().Model
	for name, counted := range map[string]float64{
		"OrchestratorMemory": model.OrchestratorMB, "CrawlerMemory": model.CrawlerMB, "ApiMemory": model.APIMB,
	} {
		if made := number(faults, template, template.get("Parameters", name, "Default")); float64(made) != counted {
			faults.Errorf("%s is %d MB, and internal/assets/cost/prices.json counts with %v", name, made, counted)
		}
	}
}
