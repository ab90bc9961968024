package templatetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/wire"
)

// published are metrics that AWS services publish by themselves, with the sets of dimensions that each can be asked for
// by (each service's page of metrics and dimensions in its developer guide). CloudWatch takes an alarm on any other
// name as well, and it never rings.
var published = map[string]struct{ dimensions, metrics []string }{
	"AWS/SQS": {
		dimensions: []string{"QueueName"},
		metrics: []string{
			"ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesDelayed",
			"ApproximateNumberOfMessagesNotVisible",
			"ApproximateNumberOfMessagesVisible", "NumberOfEmptyReceives", "NumberOfMessagesDeleted",
			"NumberOfMessagesReceived",
			"NumberOfMessagesSent", "SentMessageSize",
		},
	},
	"AWS/Lambda": {
		dimensions: []string{"", "FunctionName", "FunctionName Resource"},
		metrics: []string{
			"AsyncEventAge", "AsyncEventsDropped", "AsyncEventsReceived", "ConcurrentExecutions", "DeadLetterErrors",
			"DestinationDeliveryFailures", "Duration", "Errors", "Invocations", "Throttles",
		},
	},
	"AWS/ApiGateway": { // of HTTP APIs; REST APIs have others: 5XXError by ApiName
		dimensions: []string{"ApiId", "ApiId Stage", "ApiId Method Resource Stage"},
		metrics:    []string{"4xx", "5xx", "Count", "DataProcessed", "IntegrationLatency", "Latency"},
	},
	"AWS/DynamoDB": {
		dimensions: []string{"TableName", "GlobalSecondaryIndexName TableName"},
		metrics: []string{
			"ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits", "ProvisionedReadCapacityUnits",
			"ProvisionedWriteCapacityUnits",
			"ReadThrottleEvents", "WriteThrottleEvents",
		},
	},
}

// alarms are all that there are: what each watches, from when on it rings, and over how many periods.
var alarms = map[string]string{
	"DeadLetterAlarm": "AWS/SQS ApproximateNumberOfMessagesVisible {QueueName: !GetAtt " +
		"DeadLetters.QueueName} Maximum > 0, 1 x 300 s",
	"ScheduleDeadLetterAlarm": "AWS/SQS ApproximateNumberOfMessagesVisible {QueueName: !GetAtt " +
		"ScheduleDeadLetters.QueueName} Maximum > 0, 1 x 300 s",
	"OldMessageAlarm": "AWS/SQS ApproximateAgeOfOldestMessage {QueueName: !GetAtt Queue.QueueName} Maximum > " +
		"1800, 2 x 300 s",
	"CrawlerErrorAlarm":  "AWS/Lambda Errors {FunctionName: !Ref CrawlerFunction} Sum > 0, 2 x 900 s",
	"ApiErrorAlarm":      "AWS/ApiGateway 5xx {ApiId: !Ref HttpApi} Sum > 5, 1 x 300 s",
	"ApiDurationAlarm":   "AWS/Lambda Duration {FunctionName: !Ref ApiFunction} p99 > 8000, 2 x 3600 s",
	"ThrottleAlarm":      "AWS/Lambda Throttles {} Sum > 5, 2 x 900 s",
	"TableThrottleAlarm": "AWS/DynamoDB WriteThrottleEvents {TableName: !Ref Table} Sum > 50, 2 x 900 s",
	"CrawlErrorRateAlarm": "rate = IF(polled >= 20, 100 * failed / polled, 0), polled = !Ref AWS::StackName " +
		"FeedsPolled {} Sum over 3600 s, " +
		"failed = !Ref AWS::StackName FeedsFailed {} Sum over 3600 s > 5, 2",
}

// dimensions writes a metric's dimensions in the order of their names.
func dimensions(n node) string {
	var all []string
	for _, d := range n.list() {
		all = append(all, d.get("Name").form()+": "+d.get("Value").form())
	}
	slices.Sort(all)
	return "{" + strings.Join(all, ", ") + "}"
}

// watches writes what an alarm watches as the list has it.
func watches(p node) string {
	var what []string
	if p.get("MetricName").exists() {
		what = append(what, fmt.Sprintf("%s %s %s %s", p.get("Namespace").form(), p.get("MetricName").form(),
			dimensions(p.get("Dimensions")), p.get("Statistic").form()+p.get("ExtendedStatistic").form()))
	}
	for _, m := range p.get("Metrics").list() {
		stat, value := m.get("MetricStat"), m.get("Expression").form()
		if stat.exists() {
			value = fmt.Sprintf("%s %s %s %s over %s s", stat.get("Metric", "Namespace").form(),
				stat.get("Metric", "MetricName").form(),
				dimensions(stat.get("Metric", "Dimensions")), stat.get("Stat").form(), stat.get("Period").form())
		}
		if shown := m.get("ReturnData").text() == "true"; shown == stat.exists() {
			value += " the wrong one of them is watched"
		}
		what = append(what, m.get("Id").form()+" = "+value)
	}
	than := map[string]string{"GreaterThanThreshold": ">"}[p.get("ComparisonOperator").text()]
	text := fmt.Sprintf("%s %s %s, %s", strings.Join(what, ", "), than, p.get("Threshold").form(),
		p.get("EvaluationPeriods").form())
	if p.get("Period").exists() {
		text += " x " + p.get("Period").form() + " s"
	}
	return text
}

// TestAlarms: each alarm is there, watches a metric that there is, and tells somebody; ten alarm metrics cost nothing,
// and an expression counts each metric that it reads.
// R-86, C-25
func TestAlarms(t *testing.T) { hold(t, checkAlarms) }

func checkAlarms(faults *findings, template node) {
	made := map[string]bool{} // by metric filters
	for _, f := range resources(template, "AWS::Logs::MetricFilter") {
		for _, m := range f.get("Properties", "MetricTransformations").list() {
			made[m.get("MetricNamespace").form()+" "+m.get("MetricName").form()] = true
		}
	}
	metrics := 0
	watched := func(where, namespace, name, by node) {
		metrics++
		p, ok := published[namespace.form()]
		var names []string
		for _, d := range by.list() {
			names = append(names, d.get("Name").text())
		}
		slices.Sort(names)
		switch {
		case !ok && (!made[namespace.form()+" "+name.form()] || len(names) > 0):
			faults.Errorf("%s: nobody publishes %s %s by %v", where.where(), namespace.form(), name.form(), names)
		case ok &&
			(!slices.Contains(p.metrics, name.form()) || !slices.Contains(p.dimensions, strings.Join(names, " "))):
			faults.Errorf("%s: %s has no metric %s by %v", where.where(), namespace.form(), name.form(), names)
		}
	}
	all := resources(template, "AWS::CloudWatch::Alarm")
	for name, alarm := range all {
		p := alarm.get("Properties")
		if p.get("MetricName").exists() {
			watched(p, p.get("Namespace"), p.get("MetricName"), p.get("Dimensions"))
		}
		for _, m := range p.get("Metrics").list() {
			if s := m.get("MetricStat", "Metric"); s.exists() {
				watched(m, s.get("Namespace"), s.get("MetricName"), s.get("Dimensions"))
			}
		}
		if got := watches(p); got != alarms[name] {
			faults.Errorf("%s: %s watches\n%s\nand the list says\n%s", alarm.where(), name, got, alarms[name])
		}
		want(faults, alarm.get("Condition"), name+" is made", "HasAlarms")
		want(faults, p.get("AlarmActions"), name+" tells", "[!Ref AlarmTopic]")
		want(faults, p.get("TreatMissingData"), name+" where nothing happens", "notBreaching")
	}
	for name := range alarms {
		if !all[name].exists() {
			faults.Errorf("there is no %s", name)
		}
	}
	if metrics > 10 {
		faults.Errorf("the alarms read %d metrics; ten are free", metrics)
	}
	want(faults, template.get("Resources", "AlarmTopic", "Properties", "Subscription"), "who is told",
		"[{Endpoint: !Ref AlarmEmail, Protocol: email}]")
	want(faults, template.get("Resources", "AlarmTopic", "Condition"), "the topic is made", "HasAlarms")
	want(faults, template.get("Conditions", "HasAlarms"), "alarms are made", "!Not [!Equals [!Ref AlarmEmail, ]]")
}

// TestBudget: made only when it is asked for, because an account that keeps billing from IAM users refuses it, and
// with it the whole stack.
// C-25
func TestBudget(t *testing.T) { hold(t, checkBudget) }

func checkBudget(faults *findings, template node) {
	want(faults, template.get("Parameters", "MonthlyBudget", "Default"), "the budget's default", "0")
	want(faults, template.get("Conditions", "HasBudget"), "the budget is made",
		"!Not [!Equals [!Ref MonthlyBudget, 0]]")
	want(faults, template.get("Rules", "BudgetNeedsAddress"), "a budget needs an address",
		"{Assertions: [{Assert: !Not [!Equals [!Ref AlarmEmail, ]], "+
			"AssertDescription: MonthlyBudget needs AlarmEmail, the address that is notified}], RuleCondition: !Not "+
			"[!Equals [!Ref MonthlyBudget, 0]]}")
	budgets := resources(template, "AWS::Budgets::Budget")
	if len(budgets) != 1 {
		faults.Errorf("%d budgets, want one", len(budgets))
	}
	for _, b := range budgets {
		want(faults, b.get("Condition"), "the budget is made", "HasBudget")
		want(faults, b.get("Properties", "Budget"), "the budget",
			"{BudgetLimit: {Amount: !Ref MonthlyBudget, Unit: USD}, "+
				"BudgetName: !Sub ${AWS::StackName}-monthly, BudgetType: COST, TimeUnit: MONTHLY}")
		const told = "Subscribers: [{Address: !Ref AlarmEmail, SubscriptionType: EMAIL}]}"
		want(faults, b.get("Properties", "NotificationsWithSubscribers"), "who is told of it", "["+
			"{Notification: {ComparisonOperator: GREATER_THAN, NotificationType: ACTUAL, Threshold: 80, "+
			"ThresholdType: PERCENTAGE}, "+told+", "+
			"{Notification: {ComparisonOperator: GREATER_THAN, NotificationType: FORECASTED, Threshold: 100, "+
			"ThresholdType: PERCENTAGE}, "+told+"]")
	}
}

// TestMetricFilters: each pattern finds a line that the crawler really writes, in the crawler's log group, and the
// value is a number in it.
func TestMetricFilters(t *testing.T) { hold(t, checkMetricFilters) }

func checkMetricFilters(faults *findings, template node) {
	lines, err := crawlerLines()
	if err != nil {
		faults.Errorf("the crawler could not be run: %v", err)
		return
	}
	values := map[string]string{"FeedsPolled": "$.polled", "FeedsFailed": "$.failed"}
	for name, f := range resources(template, "AWS::Logs::MetricFilter") {
		p := f.get("Properties")
		want(faults, p.get("LogGroupName"), name, "!Ref CrawlerLogs")
		want(faults, f.get("Condition"), name, "HasAlarms")
		found := 0
		for _, line := range lines {
			matches, err := patternMatches(p.get("FilterPattern").text(), line)
			if err != nil {
				faults.Errorf("%s: %v", p.where(), err)
			}
			if !matches {
				continue
			}
			found++
			for _, m := range p.get("MetricTransformations").list() {
				field, _ := strings.CutPrefix(m.get("MetricValue").text(), "$.")
				if _, isNumber := line[field].(float64); !isNumber ||
					m.get("MetricValue").text() != values[m.get("MetricName").text()] {
					faults.Errorf("%s: %s is %s, which is not what the line has: %v", m.where(),
						m.get("MetricName").text(), m.get("MetricValue").text(), line)
				}
				want(faults, m.get("MetricNamespace"), name, "!Ref AWS::StackName")
			}
		}
		if found != 1 {
			faults.Errorf("%s: %s finds %d lines of a run, want the one at its end", p.where(),
				p.get("FilterPattern").text(), found)
		}
	}
}

var patternTerm = regexp.MustCompile(`^\$\.(\w+) (=|>) ("?)([^"]*)"?$`)

// patternMatches is CloudWatch Logs' filter pattern for JSON lines, as far as the template uses it.
func patternMatches(pattern string, line map[string]any) (bool, error) {
	inner, ok := strings.CutPrefix(pattern, "{ ")
	inner, closed := strings.CutSuffix(inner, " }")
	if !ok || !closed {
		return false, fmt.Errorf("%s is no pattern for JSON lines", pattern)
	}
	for term := range strings.SplitSeq(inner, " && ") {
		m := patternTerm.FindStringSubmatch(term)
		if m == nil {
			return false, fmt.Errorf("%s has a term %q that this test cannot read", pattern, term)
		}
		switch v := line[m[1]].(type) {
		case string:
			if m[2] != "=" || m[3] == "" || v != m[4] {
				return false, nil
			}
		case float64:
			var bound float64
			if _, err := fmt.Sscan(m[4], &bound); err != nil {
				return false, fmt.Errorf("%s compares a number with %q", pattern, m[4])
			}
			if m[2] == "=" && v != bound || m[2] == ">" && v <= bound {
				return false, nil
			}
		default:
			return false, nil
		}
	}
	return true, nil
}

// crawlerLines are what the crawler logs in a run over one feed, made by running it once.
var crawlerLines = sync.OnceValues(func() ([]map[string]any, error) {
	now := time.Date(2026, 4, 1, 8, 0, 0, 0, time.UTC)
	clk := clock.NewManual(now)
	dir, err := os.MkdirTemp("", "ruri-template-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	q, err := sqlitequeue.Open(ctx, filepath.Join(dir, "queue.db"), sqlitequeue.Options{Clock: clk})
	if err != nil {
		return nil, err
	}
	defer func() { _ = q.Close() }()
	files, err := fileblob.Open(dir, fileblob.Options{Clock: clk})
	if err != nil {
		return nil, err
	}
	c, err := config.Load(func(string) (string, bool) { return "", false })
	if err != nil {
		return nil, err
	}
	var written bytes.Buffer
	app := wire.Build(c, "test", wire.Seams{
		Table: table.New(memtable.New(), table.Options{Clock: clk, Kind: store.Kind}), Blobs: blob.New(files),
		Queue: queue.New(q, queue.Options{}), Clock: clk, Log: logs.New(&written, "json", c.LogLevel), Fetch: oneFeed{},
	})
	defer app.Close()
	owner, err := app.Auth.EnsureOwner(ctx)
	if err != nil {
		return nil, err
	}
	const url = "https://feeds.example.org/"
	f, err := app.Store.Feeds.Ensure(ctx, url, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{First: int32(schedule.TickOf(now)), Period: 5, Status: string(reader.StatusWaiting)}
	})
	if err != nil {
		return nil, err
	}
	if _, err := app.Subscribe.Attach(ctx, owner.ID(), f, subscribe.Options{}); err != nil {
		return nil, err
	}
	if err := app.Worker().Handle(ctx,
		queue.Message{Body: job.Job{Kind: job.Scheduled, Tick: schedule.TickOf(now),
			Late: []reader.FeedID{f.ID()}}.Encode()}); err != nil {
		return nil, err
	}
	var lines []map[string]any
	for raw := range bytes.Lines(written.Bytes()) {
		var line map[string]any
		if err := json.Unmarshal(raw, &line); err != nil {
			return nil, err
		}
		lines = append(lines, maps.Clone(line))
	}
	return lines, nil
})

// oneFeed answers every request with the same feed.
type oneFeed struct{}

func (oneFeed) Do(_ context.Context, r fetch.Request) (*fetch.Response, error) {
	return &fetch.Response{
		Status: 200, FinalURL: r.URL, ContentType: "application/rss+xml",
		Body: []byte(
			`<rss version="2.0"><channel><title>Feed</title><item><guid>1</guid><title>One</title></item></channel></` +
				`rss>`),
	}, nil
}

func (oneFeed) Close() {}
