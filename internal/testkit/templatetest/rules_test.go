package templatetest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func functions(faults *findings, template node) map[string]node {
	found := resources(template, "AWS::Serverless::Function")
	if len(found) != 3 {
		faults.Errorf("%d functions, want orchestrator, crawler and api", len(found))
	}
	return found
}

//
func TestFunctions(t *testing.T) { hold(t, checkFunctions) }

func checkFunctions(faults *findings, template node) {
	globals := template.get("Globals", "Function")
	a := globals.get("Architectures").list()
	if len(a) != 1 || template.get("Parameters", a[0].text(), "Default").text() != "arm64" {
		faults.Errorf("%s: functions run on arm64 by default, a fifth cheaper", globals.where())
	}
	if globals.get("Runtime").text() != "provided.al2023" {
		faults.Errorf("%s: the runtime is provided.al2023", globals.where())
	}
	// Lambda reads the level of JSON lines and drops what is below INFO unless told otherwise: LogLevel=debug would
	// show nothing.
	if l := globals.get("LoggingConfig"); l.get("LogFormat").text() == "JSON" &&
		l.get("ApplicationLogLevel").text() != "TRACE" {
		faults.Errorf("%s: Lambda would sieve the functions' own lines", l.where())
	}
	for name, f := range functions(faults, template) {
		for _, key := range []string{"Runtime", "Architectures", "ReservedConcurrentExecutions",
			"ProvisionedConcurrencyConfig", "VpcConfig", "FunctionUrlConfig"} {
			if v := f.get("Properties", key); v.exists() {
				faults.Errorf("%s: %s sets %s; see Globals for why not", v.where(), name, key)
			}
		}
		if f.get("Metadata", "BuildMethod").text() != "makefile" {
			faults.Errorf("%s: %s is built by the Makefile", f.where(), name)
		}
		group := f.get("Properties", "LoggingConfig", "LogGroup")
		if !template.get("Resources", group.text(), "Properties", "RetentionInDays").exists() {
			faults.Errorf("%s: %s logs into no group of ours, so its logs never expire", f.where(), name)
		}
	}
}

// TestBuildTargets: `sam build` calls make build-NAME for each function.
func TestBuildTargets(t *testing.T) { hold(t, checkBuildTargets) }

func checkBuildTargets(faults *findings, template node) {
	makefile, err := os.ReadFile("../../../Makefile")
	if err != nil {
		faults.Errorf("%v", err)
	}
	for name := range functions(faults, template) {
		if !strings.Contains(string(makefile), "\nbuild-"+name+":") {
			faults.Errorf("the Makefile has no target build-%s", name)
		}
	}
}

// M-16
func TestQueue(t *testing.T) { hold(t, checkQueue) }

func checkQueue(faults *findings, template node) {
	queue := template.get("Resources", "Queue", "Properties")
	crawler := functions(faults, template)["CrawlerFunction"].get("Properties")
	visible, timeout := number(faults, template, queue.get("VisibilityTimeout")),
		number(faults, template, crawler.get("Timeout"))
	if visible < 6*timeout {
		faults.Errorf("visibility %d s is less than six times the crawler's timeout of %d s: a message would be "+
			"worked on twice", visible, timeout)
	}
	if n := number(faults, template, queue.get("RedrivePolicy", "maxReceiveCount")); n < 5 {
		faults.Errorf("maxReceiveCount %d: throttled invocations count too, AWS asks for 5 or more", n)
	}
	dead := template.get("Resources", "DeadLetters", "Properties")
	if kept, own := number(faults, template, dead.get("MessageRetentionPeriod")),
		number(faults, template, queue.get("MessageRetentionPeriod")); kept != 14*86400 || own >= kept {
		faults.Errorf("dead letters are kept %d s of their whole age, the queue's %d s: 14 days, and longer than the "+
			"queue", kept, own)
	}
	// Long enough for every receive, and for a weekend on which nobody looks.
	if own := number(faults, template, queue.get("MessageRetentionPeriod")); own < max(6*visible, 3*86400) {
		faults.Errorf("messages are kept %d s: those that wait or fail would be gone before their last receive", own)
	}
	if kept := number(faults, template, template.get("Resources", "ScheduleDeadLetters", "Properties",
		"MessageRetentionPeriod")); kept != 14*86400 {
		faults.Errorf("failed ticks are kept %d s: 14 days, to be noticed", kept)
	}
	for name, q := range resources(template, "AWS::SQS::Queue") {
		if q.get("Properties", "SqsManagedSseEnabled").text() != "true" {
			faults.Errorf("%s is not encrypted", name)
		}
	}
}

// M-21
func TestEventSource(t *testing.T) { hold(t, checkEventSource) }

func checkEventSource(faults *findings, template node) {
	sources := 0
	for name, f := range functions(faults, template) {
		f.get("Properties", "Events").each(func(event string, e node) {
			if e.get("Type").text() != "SQS" {
				return
			}
			sources++
			p := e.get("Properties")
			if number(faults, template, p.get("BatchSize")) != 1 {
				faults.Errorf("%s: %s.%s takes more than one message at a time", p.where(), name, event)
			}
			if p.get("MaximumBatchingWindowInSeconds").exists() {
				faults.Errorf("%s: a window delays a single message for nothing", p.where())
			}
			if r := p.get("FunctionResponseTypes").list(); len(r) != 1 || r[0].text() != "ReportBatchItemFailures" {
				faults.Errorf("%s: failures of single messages are not reported", p.where())
			}
			limit := p.get("ScalingConfig", "MaximumConcurrency")
			if number(faults, template, limit) < 2 || limit.Tag == "!Ref" &&
				number(faults, template, template.get("Parameters", limit.Value, "MinValue")) < 2 {
				faults.Errorf("%s: MaximumConcurrency is 2 at least", p.where())
			}
		})
	}
	if sources != 1 {
		faults.Errorf("%d event sources: each further one polls all month, and two overflow the free million requests",
			sources)
	}
}

var (
	rate = regexp.MustCompile(`^rate\((\d+) (minute|hour|day)(s?)\)$`)
	cron = regexp.MustCompile(`^cron\((\S+) \S+ \S+ \S+ \S+ \S+\)$`)
)

// TestSchedule: rate(15 minute) and rate(1 minutes) are accepted by every tool and refused by AWS; and a rate
// counts from the deployment, so that its ticks may start too late in their quarter of an hour, each time.
//
func TestSchedule(t *testing.T) { hold(t, checkSchedule) }

func checkSchedule(faults *findings, template node) {
	schedules := 0
	for _, f := range functions(faults, template) {
		f.get("Properties", "Events").each(func(_ string, e node) {
			if e.get("Type").text() != "ScheduleV2" {
				return
			}
			schedules++
			p := e.get("Properties")
			expression := p.get("ScheduleExpression")
			parameter := template.get("Parameters", expression.text())
			text := parameter.get("Default").text()
			if text == "" {
				text = expression.text()
			}
			if fault := scheduleFault(text); fault != "" {
				faults.Errorf("%s: %s: %s", expression.where(), text, fault)
			}
			allowed := regexp.MustCompile(parameter.get("AllowedPattern").text())
			if !allowed.MatchString(text) || allowed.MatchString("rate(15 minutes)") ||
				allowed.MatchString("cron(7/15 * * * ? *)") {
				faults.Errorf("%s: the pattern lets a schedule off the quarter through", parameter.where())
			}
			if !p.get("DeadLetterConfig", "Arn").exists() {
				faults.Errorf("%s: a tick that cannot be delivered is lost without a word", p.where())
			}
			if p.get("ScheduleExpressionTimezone").text() != "UTC" ||
				p.get("FlexibleTimeWindow", "Mode").text() != "OFF" {
				faults.Errorf("%s: ticks are UTC, and on time", p.where())
			}
			if name := p.get("Name").text(); !strings.Contains(name, "${AWS::StackName}") {
				faults.Errorf("%s: the schedule's name %q is the same in every stack of an account", p.where(), name)
			}
			if age := number(faults, template, p.get("RetryPolicy", "MaximumEventAgeInSeconds")); age > 12*60 {
				faults.Errorf("%s: a tick is worthless after its twelfth minute, %d s is longer", p.where(), age)
			}
		})
	}
	if schedules != 1 {
		faults.Errorf("%d schedules, want 1", schedules)
	}
}

func scheduleFault(expression string) string {
	if m := rate.FindStringSubmatch(expression); m != nil {
		if (m[1] == "1") == (m[3] == "s") {
			return "singular and plural: rate(1 minute), rate(15 minutes)"
		}
		return "a rate counts from the deployment, not on the quarter"
	}
	m := cron.FindStringSubmatch(expression)
	if m == nil {
		return "neither rate(…) nor cron(…) of six fields"
	}
	if !slices.Contains([]string{"0", "0/15", "0/30"}, m[1]) {
		return "not on the quarter of the hour"
	}
	return ""
}

func TestScheduleFault(t *testing.T) {
	t.Parallel()
	for expression, good := range map[string]bool{
		"cron(0/15 * * * ? *)": true, "cron(0 0/2 * * ? *)": true,
		"rate(15 minute)": false, "rate(1 minutes)": false, "rate(15 minutes)": false,
		"cron(5/15 * * * ? *)": false, "every 15 minutes": false,
	} {
		if fault := scheduleFault(expression); (fault == "") != good {
			t.Errorf("%s: %q", expression, fault)
		}
	}
}

// H-32
func TestTable(t *testing.T) { hold(t, checkTable) }

func checkTable(faults *findings, template node) {
	tables := resources(template, "AWS::DynamoDB::Table")
	if len(tables) != 1 {
		faults.Errorf("%d tables, want the one", len(tables))
	}
	for _, table := range tables {
		p := table.get("Properties")
		if p.get("GlobalSecondaryIndexes").exists() || p.get("LocalSecondaryIndexes").exists() {
			faults.Errorf("%s: an index costs a write for every write", p.where())
		}
		if ttl := p.get("TimeToLiveSpecification"); ttl.get("AttributeName").text() != "ttl" ||
			ttl.get("Enabled").text() != "true" {
			faults.Errorf("%s: rows expire by the attribute ttl", p.where())
		}
		var keys []string
		for _, k := range p.get("KeySchema").list() {
			keys = append(keys, k.get("AttributeName").text()+" "+k.get("KeyType").text())
		}
		if !slices.Equal(keys, []string{"pk HASH", "sk RANGE"}) || len(p.get("AttributeDefinitions").list()) != 2 {
			faults.Errorf("%s: the key is pk and sk, nothing else is declared; it is %v", p.where(), keys)
		}
		if p.get("SSESpecification").exists() || p.get("StreamSpecification").exists() {
			faults.Errorf("%s: a key of ours and a stream both cost, and nothing reads them", p.where())
		}
		// Plain Retain would also leave the table of a first deployment that failed, and its capacity with it.
		if table.get("DeletionPolicy").text() != "RetainExceptOnCreate" ||
			table.get("UpdateReplacePolicy").text() != "Retain" {
			faults.Errorf("%s: what people made must outlive the stack", table.where())
		}
	}
	if mode := template.get("Parameters", "BillingMode", "Default").text(); mode != "PROVISIONED" {
		faults.Errorf("BillingMode %s has no free allowance", mode)
	}
}

//
func TestBuckets(t *testing.T) { hold(t, checkBuckets) }

func checkBuckets(faults *findings, template node) {
	for name, bucket := range resources(template, "AWS::S3::Bucket") {
		p := bucket.get("Properties")
		for _, key := range []string{"BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls",
			"RestrictPublicBuckets"} {
			if p.get("PublicAccessBlockConfiguration", key).text() != "true" {
				faults.Errorf("%s: %s is not on", name, key)
			}
		}
		rules := p.get("BucketEncryption", "ServerSideEncryptionConfiguration").list()
		if len(rules) != 1 || rules[0].get("ServerSideEncryptionByDefault", "SSEAlgorithm").text() != "AES256" {
			faults.Errorf("%s: encrypted by S3's own key, which costs nothing", name)
		}
		if p.get("WebsiteConfiguration").exists() || p.get("AccessControl").exists() {
			faults.Errorf("%s: no website and no access list", name)
		}
		// What cannot be made again is versioned, and outlives the stack; the page is neither.
		retained := bucket.get("DeletionPolicy").text() == "RetainExceptOnCreate" &&
			bucket.get("UpdateReplacePolicy").text() == "Retain"
		if versioned := p.get("VersioningConfiguration", "Status").text() == "Enabled"; versioned !=
			(name == "RawBucket") || retained != versioned {
			faults.Errorf("%s: versioned %v, retained %v", name, versioned, retained)
		}
	}
	days := map[string]int{}
	noncurrent := 0
	for _, rule := range template.get("Resources", "RawBucket", "Properties", "LifecycleConfiguration",
		"Rules").list() {
		if d := rule.get("NoncurrentVersionExpiration", "NoncurrentDays"); d.exists() &&
			rule.get("Status").text() == "Enabled" && !rule.get("Prefix").exists() {
			noncurrent = number(faults, template, d)
		}
		if d := rule.get("ExpirationInDays"); d.exists() && rule.get("Status").text() == "Enabled" {
			days[rule.get("Prefix").text()] = number(faults, template, d)
		}
	}
	if days["feeds/"] != 200 || days["imports/"] != 1 || days["pushed/"] != 1 || days["pages/preview/"] != 1 ||
		len(days) != 4 {
		faults.Errorf("raw objects expire after %v days, want feeds/ 200, imports/ 1, pushed/ 1, pages/preview/ 1 "+
			"and nothing else", days)
	}
	if noncurrent < 1 || noncurrent > 30 {
		faults.Errorf("deleted versions of all prefixes go after %d days: without a rule each would be paid for ever",
			noncurrent)
	}
	// Items live 180 days; the weekly job puts a body again before it expires.
	if least := number(faults, template, template.get("Parameters", "RawRetentionDays", "MinValue")); least < 180+7 {
		faults.Errorf("RawRetentionDays may be %d: bodies would go before their items", least)
	}
}

func TestLogsExpire(t *testing.T) { hold(t, checkLogsExpire) }

func checkLogsExpire(faults *findings, template node) {
	for name, group := range resources(template, "AWS::Logs::LogGroup") {
		if number(faults, template, group.get("Properties", "RetentionInDays")) != 14 {
			faults.Errorf("%s: logs are kept 14 days by default", name)
		}
	}
}
