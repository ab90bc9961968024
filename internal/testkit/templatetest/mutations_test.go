package templatetest

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// checks are all of them, for the mutations: a check that is missing here proves nothing there.
var checks = []check{
	checkNoAliases, checkLeastPrivilege, checkRolesDoWhatTheyNeed, checkWhatTheAPILeaves, checkOneRoleEach,
	checkFunctions, checkVariables,
	checkParametersFitTheSettings, checkBuildTargets, checkQueue, checkEventSource, checkSchedule,
	checkTable, checkBuckets,
	checkLogsExpire, checkParameters, checkPatterns, checkOutputs, checkMemoryIsWhatTheBillCountsWith, checkHTTPAPI,
	checkWhoMayInvoke,
	checkWhoMayReadTheBuckets, checkTheApiLearnsWhoAsks, checkSecurityHeaders, checkDistribution, checkForwarding,
	checkPageFilesAreThemselves,
	checkAlarms, checkBudget, checkMetricFilters, checkNoSecrets,
}

// mutation is a mistake in the template: a value put in place of another, or removed when it is empty. In the path a
// number is an element of a list, and * is every element.
type mutation struct{ what, path, value string }

// silent are mistakes that neither cfn-lint nor `sam validate` notices, and that leave a stack which deploys without a
// word and then answers 403, loses messages or never rings.
var silent = []mutation{
	{"nothing may invoke the API", "Resources/HttpApiMayInvoke", ""},
	{"the viewer's Host reaches the API",
		"Resources/Distribution/Properties/DistributionConfig/CacheBehaviors/*/OriginRequestPolicyId",
		"216adef6-5c7f-47e4-b989-5492eafa07d3"},
	{"the bucket is asked unsigned", "Resources/PageAccess/Properties/OriginAccessControlConfig/SigningBehavior",
		"never"},
	{"the bucket is open to another distribution",
		"Resources/PageBucketPolicy/Properties/PolicyDocument/Statement/0/Condition/StringEquals/aws:SourceArn",
		"!Sub arn:${AWS::Partition}:cloudfront::${AWS::AccountId}:distribution/${HttpApi}"},
	{"a REST API's metric", "Resources/ApiErrorAlarm/Properties/MetricName", "5XXError"},
	{"filters on a message that nobody logs", "Resources/PolledMetric/Properties/FilterPattern",
		`'{ $.msg = "runs" && $.polled > 0 }'`},
	{"plain HTTP to the origin",
		"Resources/Distribution/Properties/DistributionConfig/Origins/1/CustomOriginConfig/OriginProtocolPolicy",
		"match-viewer"},
	{"the crawler cannot bury messages",
		"Resources/CrawlerFunction/Properties/Environment/Variables/RURI_DEAD_QUEUE_URL", ""},
}

var mutations = slices.Concat(silent, []mutation{
	{"requests may write counts", "Resources/ApiRole/Properties/Policies/0/PolicyDocument/Statement/5/Effect", "Allow"},
	{"requests may write counts of Hatena",
		"Resources/ApiRole/Properties/Policies/0/PolicyDocument/Statement/5/Condition/ForAnyValue:StringLike/" +
			"dynamodb:LeadingKeys", "['HC#*', 'HN#*', 'STAT#*']"},
	{"a REST API's dimension", "Resources/ApiErrorAlarm/Properties/Dimensions/0/Name", "ApiName"},
	{"a metric that DynamoDB does not have", "Resources/TableThrottleAlarm/Properties/MetricName", "WriteThrottles"},
	{"hubs get no callback address", "Resources/CrawlerFunction/Properties/Environment/Variables/RURI_BASE_URL", ""},

	{"the failures are not filtered", "Resources/FailedMetric", ""},
	{"both filters on a message that nobody logs", "Resources/FailedMetric/Properties/FilterPattern",
		`'{ $.msg = "runs" }'`},
	{"a filter on a field that no run has", "Resources/PolledMetric/Properties/FilterPattern",
		`'{ $.msg = "run" && $.feeds > 0 }'`},
	{"a field that no run has is counted", "Resources/PolledMetric/Properties/MetricTransformations/0/MetricValue",
		"$.feeds"},
	{"filters on another function's logs", "Resources/PolledMetric/Properties/LogGroupName", "!Ref ApiLogs"},
	{"a filter feeds a metric that no alarm reads",
		"Resources/FailedMetric/Properties/MetricTransformations/0/MetricName", "FailedFeeds"},
	{"the API cannot read dead letters", "Resources/ApiFunction/Properties/Environment/Variables/RURI_DEAD_QUEUE_URL",
		""},
	{"the API knows no address", "Resources/ApiFunction/Properties/Environment/Variables/RURI_BASE_URL", ""},
	{"the dead letters are the queue itself",
		"Resources/ApiFunction/Properties/Environment/Variables/RURI_DEAD_QUEUE_URL", "!Ref Queue"},
	{"a name instead of a reference", "Globals/Function/Environment/Variables/RURI_TABLE", "Table"},
	{"the bucket of the page takes raw feeds", "Globals/Function/Environment/Variables/RURI_BUCKET", "!Ref PageBucket"},
	{"a setting that nobody reads", "Globals/Function/Environment/Variables/RURI_TABEL", "!Ref Table"},
	{"a secret's name for a function that needs none",
		"Globals/Function/Environment/Variables/RURI_SESSION_SECRET_PARAMETER", "!Ref SessionSecretParameter"},
	{"functions that disagree about parts", "Resources/CrawlerFunction/Properties/Environment/Variables/RURI_PARTS",
		"1"},
	{"a parameter that the functions refuse", "Parameters/MaxFeeds/MaxValue", "1000000"},
	{"another function may be invoked", "Resources/HttpApiMayInvoke/Properties/FunctionName", "!Ref CrawlerFunction"},
	{"every API of the account may invoke", "Resources/HttpApiMayInvoke/Properties/SourceArn",
		"!Sub arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:*"},
	{"a route that the permission does not name", "Resources/HttpApiRoute/Properties/RouteKey", "ANY /api/{proxy+}"},
	{"the API answers by another function", "Resources/HttpApiIntegration/Properties/IntegrationUri",
		"!GetAtt CrawlerFunction.Arn"},
	{"a stage that is part of the path", "Resources/HttpApiStage/Properties/StageName", "live"},
	{"changes of the API are not deployed", "Resources/HttpApiStage/Properties/AutoDeploy", "false"},
	{"one path sends the viewer's Host on",
		"Resources/Distribution/Properties/DistributionConfig/CacheBehaviors/3/OriginRequestPolicyId",
		"216adef6-5c7f-47e4-b989-5492eafa07d3"},
	{"no policy: nothing of the request reaches the API",
		"Resources/Distribution/Properties/DistributionConfig/CacheBehaviors/0/OriginRequestPolicyId", ""},
	{"the page's bucket is sent the viewer's Host",
		"Resources/Distribution/Properties/DistributionConfig/DefaultCacheBehavior/OriginRequestPolicyId",
		"b689b0a8-53d0-40ab-baf2-68738e2966ac"},
	{"answers of the API are cached",
		"Resources/Distribution/Properties/DistributionConfig/CacheBehaviors/0/CachePolicyId", cachingOptimized},
	{"the page is never cached",
		"Resources/Distribution/Properties/DistributionConfig/DefaultCacheBehavior/CachePolicyId", cachingDisabled},
	{"public pages are cached by cookies",
		"Resources/PublicPages/Properties/CachePolicyConfig/ParametersInCacheKeyAndForwardedToOrigin/CookiesConfig/" +
			"CookieBehavior", "all"},
	{"public pages are kept for a day", "Resources/PublicPages/Properties/CachePolicyConfig/MinTTL", "86400"},
	{"public pages are asked for with cookies",
		"Resources/PublicPagesOrigin/Properties/OriginRequestPolicyConfig/CookiesConfig/CookieBehavior", "all"},
	{"public pages are not told by whom they are asked for",
		"Resources/PublicPagesOrigin/Properties/OriginRequestPolicyConfig/HeadersConfig/HeaderBehavior", "none"},
	{"the API takes no changes", "Resources/Distribution/Properties/DistributionConfig/CacheBehaviors/0/AllowedMethods",
		"[GET, HEAD]"},
	{"a path goes to the page", "Resources/Distribution/Properties/DistributionConfig/CacheBehaviors/1/TargetOriginId",
		"page"},
	{"the viewer's address is written at the wrong moment",
		"Resources/Distribution/Properties/DistributionConfig/CacheBehaviors/0/FunctionAssociations/0/EventType",
		"viewer-response"},
	{"the secret of the distribution is another than the API's",
		"Resources/Distribution/Properties/DistributionConfig/Origins/1/OriginCustomHeaders/0/HeaderValue", "guess"},
	{"the API does not know its distribution",
		"Resources/ApiFunction/Properties/Environment/Variables/RURI_EDGE_SECRET", ""},
	{"the page's addresses are not rewritten at the right moment",
		"Resources/Distribution/Properties/DistributionConfig/DefaultCacheBehavior/FunctionAssociations/0/EventType",
		"viewer-response"},
	{"the viewer says its own address", "Resources/ViewerAddress/Properties/FunctionCode",
		`"function handler(event) { var h = event.request.headers, f = h['x-forwarded-for']; h['x-ruri-viewer'] = { ` +
			`value: f ? f.value : event.viewer.ip }; return event.request; }"`},
	{"an address that was sent stays", "Resources/ViewerAddress/Properties/FunctionCode",
		`"function handler(event) { var h = event.request.headers; if (!h['x-ruri-viewer']) { ` +
			`event.request.headers['x-ruri-viewer'] = { value: event.viewer.ip }; } return event.request; }"`},
	{"what proxies say is believed", "Resources/ApiFunction/Properties/Environment/Variables/RURI_PROXIES",
		"0.0.0.0/0"},
	{"HSTS of a minute",
		"Resources/SecurityHeaders/Properties/ResponseHeadersPolicyConfig/SecurityHeadersConfig/" +
			"StrictTransportSecurity/AccessControlMaxAgeSec", "60"},
	{"messages are gone before they come again", "Resources/Queue/Properties/MessageRetentionPeriod", "600"},
	{"failed ticks are gone in a minute", "Resources/ScheduleDeadLetters/Properties/MessageRetentionPeriod", "60"},
	{"every origin may be allowed", "Parameters/AllowedOrigins/AllowedPattern", "^.*$"},
	{"origins without TLS", "Parameters/AllowedOrigins/AllowedPattern",
		"'^$|^https?://[a-z0-9.:-]+(,https?://[a-z0-9.:-]+)*$'"},
	{"a certificate of any region", "Parameters/CertificateArn/AllowedPattern", "'^$|^arn:aws[a-z-]*:acm:.*$'"},
	{"any schedule", "Parameters/Schedule/AllowedPattern", "^.+$"},
	{"a path within the origin", "Resources/Distribution/Properties/DistributionConfig/Origins/1/OriginPath", "/live"},
	{"the page without access control",
		"Resources/Distribution/Properties/DistributionConfig/Origins/0/OriginAccessControlId", ""},
	{"the page from the other bucket", "Resources/Distribution/Properties/DistributionConfig/Origins/0/DomainName",
		"!GetAtt RawBucket.RegionalDomainName"},
	{"another protocol of signing",
		"Resources/PageAccess/Properties/OriginAccessControlConfig/OriginAccessControlOriginType", "lambda"},
	{"the bucket's policy is on the other bucket", "Resources/PageBucketPolicy/Properties/Bucket", "!Ref RawBucket"},
	{"every distribution may read the bucket",
		"Resources/PageBucketPolicy/Properties/PolicyDocument/Statement/0/Condition", ""},
	{"the bucket may be listed, not read", "Resources/PageBucketPolicy/Properties/PolicyDocument/Statement/0/Resource",
		"!GetAtt PageBucket.Arn"},
	{"another service may read", "Resources/PageBucketPolicy/Properties/PolicyDocument/Statement/0/Principal/Service",
		"lambda.amazonaws.com"},
	{"plain HTTP to the raw feeds",
		"Resources/RawBucketPolicy/Properties/PolicyDocument/Statement/0/Condition/Bool/aws:SecureTransport", `"true"`},
	{"an alarm in a namespace of nobody", "Resources/OldMessageAlarm/Properties/Namespace", "AWS/Queues"},
	{"an alarm on a queue's address", "Resources/OldMessageAlarm/Properties/Dimensions/0/Value", "!Ref Queue"},
	{"an alarm on the other queue", "Resources/DeadLetterAlarm/Properties/Dimensions/0/Value",
		"!GetAtt Queue.QueueName"},
	{"an alarm that rings below", "Resources/CrawlerErrorAlarm/Properties/ComparisonOperator", "LessThanThreshold"},
	{"an alarm by the average, which is never above one", "Resources/ApiErrorAlarm/Properties/Statistic", "Average"},
	{"an alarm without actions", "Resources/ThrottleAlarm/Properties/AlarmActions", "[]"},
	{"an alarm that rings while nothing happens", "Resources/ThrottleAlarm/Properties/TreatMissingData", "breaching"},
	{"an alarm that is never made", "Resources/ThrottleAlarm/Condition", "HasDomain"},
	{"a percentile as a plain statistic", "Resources/ApiDurationAlarm/Properties/ExtendedStatistic", ""},
	{"the rate reads metrics of a fixed name",
		"Resources/CrawlErrorRateAlarm/Properties/Metrics/1/MetricStat/Metric/Namespace", "ruri"},
	{"the rate watches a sum", "Resources/CrawlErrorRateAlarm/Properties/Metrics/0/ReturnData", "false"},
	{"nobody is subscribed", "Resources/AlarmTopic/Properties/Subscription", ""},
	{"a budget by default", "Parameters/MonthlyBudget/Default", "1"},
	{"a budget with the alarms", "Conditions/HasBudget", "!Condition HasAlarms"},
	{"a budget without an address", "Rules/BudgetNeedsAddress", ""},
	{"no budget", "Resources/Budget", ""},
	{"the queue's dead letters are another's", "Resources/Queue/Properties/RedrivePolicy/deadLetterTargetArn",
		"!GetAtt ScheduleDeadLetters.Arn"},
	{"the crawler polls the dead letters", "Resources/CrawlerFunction/Properties/Events/Jobs/Properties/Queue",
		"!GetAtt DeadLetters.Arn"},
	{"a tick without its time", "Resources/OrchestratorFunction/Properties/Events/Tick/Properties/Input", "'{}'"},
	{"failed ticks go nowhere", "Resources/OrchestratorFunction/Properties/EventInvokeConfig/DestinationConfig", ""},
	{"a role for another service",
		"Resources/ApiRole/Properties/AssumeRolePolicyDocument/Statement/0/Principal/Service",
		"edgelambda.amazonaws.com"},
	{"two functions log into one group", "Resources/CrawlerFunction/Properties/LoggingConfig/LogGroup", "!Ref ApiLogs"},
	{"a distribution that is off", "Resources/Distribution/Properties/DistributionConfig/Enabled", "false"},
	{"a security header that the origin's wins over",
		"Resources/SecurityHeaders/Properties/ResponseHeadersPolicyConfig/SecurityHeadersConfig/FrameOptions/" +
			"FrameOption", "SAMEORIGIN"},
})

// TestMutationsAreNoticed plants each mistake alone: a check that passes with it is worth nothing.
func TestMutationsAreNoticed(t *testing.T) {
	t.Parallel()
	if faults := noticed(load(t)); len(faults) > 0 {
		t.Fatalf("the unchanged template: %q", faults)
	}
	all := slices.Clone(mutations)
	for name := range alarms {
		all = append(all, mutation{"no " + name, "Resources/" + name, ""})
	}
	for _, m := range all {
		template := load(t)
		if n := m.plant(t, template); n == 0 {
			t.Errorf("%s: the template has no %s any more", m.what, m.path)
			continue
		}
		if len(noticed(template)) == 0 {
			t.Errorf("%s: no check notices that %s is %q", m.what, m.path, m.value)
		}
	}
}

// TestMutationsDoNotHideEachOther plants at once all mistakes that deploy without an error: each is still reported.
func TestMutationsDoNotHideEachOther(t *testing.T) {
	t.Parallel()
	together := load(t)
	for _, m := range silent {
		m.plant(t, together)
	}
	reported := noticed(together)
	for _, m := range silent {
		alone := load(t)
		m.plant(t, alone)
		for _, fault := range noticed(alone) {
			if !slices.Contains(reported, fault) {
				t.Errorf("%s: planted together with others, nobody says\n%s", m.what, fault)
			}
		}
	}
}

func noticed(template node) []string {
	var faults findings
	for _, c := range checks {
		c(&faults, template)
	}
	return faults.list
}

// plant makes the mistake, and returns in how many places.
func (m mutation) plant(t *testing.T, template node) int {
	t.Helper()
	var value *yaml.Node
	if m.value != "" {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(m.value), &doc); err != nil {
			t.Fatalf("%s: %v", m.what, err)
		}
		value = doc.Content[0]
	}
	return plant(template.Node, strings.Split(m.path, "/"), value)
}

// plant replaces, adds (a key of a mapping) or, with a nil value, removes what a path names below n.
func plant(n *yaml.Node, path []string, value *yaml.Node) int {
	switch n.Kind {
	case yaml.SequenceNode:
		planted := 0
		for i, c := range n.Content {
			if path[0] == "*" || path[0] == strconv.Itoa(i) {
				planted += plant(c, path[1:], value)
			}
		}
		return planted
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			switch {
			case n.Content[i].Value != path[0]:
			case len(path) > 1:
				return plant(n.Content[i+1], path[1:], value)
			case value == nil:
				n.Content = slices.Delete(n.Content, i, i+2)
				return 1
			default:
				n.Content[i+1] = value
				return 1
			}
		}
		if len(path) == 1 && value != nil {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: path[0]}, value)
			return 1
		}
	}
	return 0
}
