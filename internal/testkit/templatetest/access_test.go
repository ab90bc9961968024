package templatetest

import (
	"slices"
	"strings"
	"testing"
)

// TestWhoMayInvoke: the HTTP API reaches the API's function and nothing else does; the other functions are invoked by
// roles and by the event source, which take no permission.
func TestWhoMayInvoke(t *testing.T) { hold(t, checkWhoMayInvoke) }

func checkWhoMayInvoke(faults *findings, template node) {
	permissions := resources(template, "AWS::Lambda::Permission")
	if len(permissions) != 1 {
		faults.Errorf("%d permissions to invoke a function, want the HTTP API's alone", len(permissions))
	}
	for _, p := range permissions {
		want(faults, p.get("Properties"), "the permission",
			"{Action: lambda:InvokeFunction, FunctionName: !Ref ApiFunction, "+
				"Principal: apigateway.amazonaws.com, SourceArn: !Sub "+
				"arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${HttpApi}/*/$default}")
	}
	for path, wanted := range map[string]string{
		"HttpApi ProtocolType":              "HTTP",
		"HttpApiIntegration ApiId":          "!Ref HttpApi",
		"HttpApiIntegration IntegrationUri": "!GetAtt ApiFunction.Arn",
		// The function answers; anything else would be an address that API Gateway calls.
		"HttpApiIntegration IntegrationType": "AWS_PROXY",
		"HttpApiRoute ApiId":                 "!Ref HttpApi",
		"HttpApiRoute Target":                "!Sub integrations/${HttpApiIntegration}",
		"HttpApiRoute AuthorizationType":     "NONE",
		// Another name would be part of every path.
		"HttpApiStage StageName":  "$default",
		"HttpApiStage ApiId":      "!Ref HttpApi",
		"HttpApiStage AutoDeploy": "true",
	} {
		name, key, _ := strings.Cut(path, " ")
		want(faults, template.get("Resources", name, "Properties", key), path, wanted)
	}
	for name, f := range functions(faults, template) {
		f.get("Properties", "Events").each(func(event string, e node) {
			key := name + "." + event
			switch key {
			case "OrchestratorFunction.Tick":
				want(faults, e.get("Properties", "DeadLetterConfig", "Arn"), key, "!GetAtt ScheduleDeadLetters.Arn")
				want(faults, e.get("Properties", "State"), key, "!Ref ScheduleState")
				want(faults, e.get("Properties", "Input"), key, `{"scheduledTime":"<aws.scheduler.scheduled-time>"}`)
			case "CrawlerFunction.Jobs":
				want(faults, e.get("Properties", "Queue"), key, "!GetAtt Queue.Arn")
			default:
				faults.Errorf("%s: %s invokes a function, and no test knows it", e.where(), key)
			}
		})
	}
	for name, role := range resources(template, "AWS::IAM::Role") {
		want(faults, role.get("Properties", "AssumeRolePolicyDocument", "Statement"), name+" is assumed",
			"[{Action: sts:AssumeRole, Effect: Allow, Principal: {Service: lambda.amazonaws.com}}]")
		function := strings.Replace(name, "Role", "Function", 1)
		want(faults, template.get("Resources", function, "Properties", "Role"), function+"'s role",
			"!GetAtt "+name+".Arn")
		want(faults, template.get("Resources", function, "Properties", "LoggingConfig", "LogGroup"),
			function+"'s log group",
			"!Ref "+strings.Replace(name, "Role", "Logs", 1))
	}
	want(faults, template.get("Resources", "Queue", "Properties", "RedrivePolicy", "deadLetterTargetArn"),
		"the queue's dead letters", "!GetAtt DeadLetters.Arn")
	want(faults, template.get("Resources", orchestrator, "Properties", "EventInvokeConfig",
		"DestinationConfig", "OnFailure"),
		"where a tick goes that failed", "{Destination: !GetAtt ScheduleDeadLetters.Arn, Type: SQS}")
}

// TestWhoMayReadTheBuckets: our distribution reads the page's bucket, signed, and nothing else reads either.
func TestWhoMayReadTheBuckets(t *testing.T) { hold(t, checkWhoMayReadTheBuckets) }

func checkWhoMayReadTheBuckets(faults *findings, template node) {
	const (
		edge         = "Principal: {Service: cloudfront.amazonaws.com}"
		distribution = "Condition: {StringEquals: {aws:SourceArn: !Sub " +
			"arn:${AWS::Partition}:cloudfront::${AWS::AccountId}:distribution/${Distribution}}}"
		tls = "{Action: s3:*, Condition: {Bool: {aws:SecureTransport: false}}, Effect: Deny, Principal: *, " +
			"Resource: [!GetAtt BUCKET.Arn, !Sub ${BUCKET.Arn}/*], Sid: TlsOnly}"
	)
	policies := map[string]string{
		"PageBucketPolicy": "{Action: s3:GetObject, " + distribution + ", Effect: Allow, " + edge +
			", Resource: !Sub ${PageBucket.Arn}/*, Sid: OurDistributionOnly}, " +
			"{Action: s3:ListBucket, " + distribution + ", Effect: Allow, " + edge +
			", Resource: !GetAtt PageBucket.Arn, Sid: TellMissingFromForbidden}, " +
			strings.ReplaceAll(tls, "BUCKET", "PageBucket"),
		"RawBucketPolicy": strings.ReplaceAll(tls, "BUCKET", "RawBucket"),
	}
	found := resources(template, "AWS::S3::BucketPolicy")
	for name, statements := range policies {
		p := found[name].get("Properties")
		want(faults, p.get("Bucket"), name, "!Ref "+strings.TrimSuffix(name, "Policy"))
		want(faults, p.get("PolicyDocument", "Statement"), name, "["+statements+"]")
	}
	if len(found) != len(policies) {
		faults.Errorf("%d bucket policies, want %d", len(found), len(policies))
	}
	access := template.get("Resources", "PageAccess", "Properties", "OriginAccessControlConfig")
	for key, wanted := range map[string]string{"OriginAccessControlOriginType": "s3", "SigningBehavior": "always",
		"SigningProtocol": "sigv4"} {
		want(faults, access.get(key), "the origin access control's "+key, wanted)
	}
}

// edgeSecret is by what the API knows its distribution.
const edgeSecret = "!If [HasEdgeSecret, !Sub {{resolve:ssm:${EdgeSecretParameter}}}, !Select [2, !Split [/, !Ref " +
	"AWS::StackId]]]"

// origins are the distribution's, to the letter.
var origins = map[string]map[string]string{
	"page": {
		"DomainName": "!GetAtt PageBucket.RegionalDomainName", "OriginAccessControlId": "!GetAtt PageAccess.Id",
		"S3OriginConfig":      "{}",
		"OriginCustomHeaders": "",
	},
	"api": {
		"DomainName": "!Sub ${HttpApi}.execute-api.${AWS::Region}.${AWS::URLSuffix}",
		"CustomOriginConfig": "{OriginProtocolPolicy: https-only, OriginReadTimeout: 30, OriginSSLProtocols: " +
			"[TLSv1.2]}",
		"OriginAccessControlId": "",
		"OriginPath":            "",
		"OriginCustomHeaders":   "[{HeaderName: X-Ruri-Edge, HeaderValue: " + edgeSecret + "}]",
	},
}

// forwarded is what an origin request policy sends on of a viewer's request.
type forwarded struct {
	headers string   // as in HeadersConfig.HeaderBehavior
	listed  []string // in lower case: those sent, or with allExcept those left out
	cookies string
	queries string
}

// managedPolicies are origin request policies of CloudFront's own, by their ids:
// docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-managed-origin-request-policies.html
var managedPolicies = map[string]forwarded{
	// AllViewerExceptHostHeader
	"b689b0a8-53d0-40ab-baf2-68738e2966ac": {headers: "allExcept", listed: []string{"host"}, cookies: "all",
		queries: "all"},
	// AllViewer
	"216adef6-5c7f-47e4-b989-5492eafa07d3": {headers: "allViewer", cookies: "all", queries: "all"},
	// AllViewerAndCloudFrontHeaders-2022-06
	"33f36d7e-f396-46d9-90e0-52428a34d9dc": {headers: "allViewerAndWhitelistCloudFront", cookies: "all",
		queries: "all"},
}

// policy resolves an origin request policy, by CloudFront's id or by a resource of the template.
func policy(template, ref node) (forwarded, bool) {
	if f, ok := managedPolicies[ref.form()]; ok {
		return f, true
	}
	name, _ := strings.CutPrefix(ref.form(), "!Ref ")
	c := resources(template, "AWS::CloudFront::OriginRequestPolicy")[name].get("Properties",
		"OriginRequestPolicyConfig")
	f := forwarded{
		headers: c.get("HeadersConfig", "HeaderBehavior").text(),
		cookies: c.get("CookiesConfig", "CookieBehavior").text(),
		queries: c.get("QueryStringsConfig", "QueryStringBehavior").text(),
	}
	for _, h := range c.get("HeadersConfig", "Headers").list() {
		f.listed = append(f.listed, strings.ToLower(h.text()))
	}
	return f, c.exists()
}

// sends reports whether a viewer's header reaches the origin.
func (f forwarded) sends(header string) bool {
	switch listed := slices.Contains(f.listed, header); f.headers {
	case "allViewer", "allViewerAndWhitelistCloudFront":
		return true
	case "allExcept":
		return !listed
	case "whitelist":
		return listed
	}
	return false
}

const (
	cachingDisabled  = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
	cachingOptimized = "658327ea-f89d-4fab-a63d-7e88639e58f6"
)

// TestForwarding: what is sent on to each origin, by which policy. API Gateway refuses a foreign Host with 403, and so
// does S3 one that the signature does not fit.
// C-27
func TestForwarding(t *testing.T) { hold(t, checkForwarding) }

func checkForwarding(faults *findings, template node) {
	c := template.get("Resources", "Distribution", "Properties", "DistributionConfig")
	for _, o := range c.get("Origins").list() {
		id := o.get("Id").text()
		for key, wanted := range origins[id] {
			want(faults, o.get(key), "the origin "+id+"'s "+key, wanted)
		}
		if origins[id] == nil {
			faults.Errorf("%s: an origin %q that no test knows", o.where(), id)
		}
	}
	if n := len(c.get("Origins").list()); n != len(origins) {
		faults.Errorf("%d origins, want %d", n, len(origins))
	}
	page := c.get("DefaultCacheBehavior")
	for key, wanted := range map[string]string{
		"TargetOriginId": "page", "CachePolicyId": cachingOptimized, "OriginRequestPolicyId": "",
		"AllowedMethods":       "[GET, HEAD]",
		"ViewerProtocolPolicy": "redirect-to-https",
		"FunctionAssociations": "[{EventType: viewer-request, FunctionARN: !GetAtt PageRoutes.FunctionARN}]",
	} {
		want(faults, page.get(key), "the page's "+key, wanted)
	}
	for _, b := range c.get("CacheBehaviors").list() {
		path := b.get("PathPattern").text()
		methods := "[GET, HEAD, OPTIONS, PUT, POST, PATCH, DELETE]"
		if path == "/health*" || path == "/metrics" || path == "/popular*" {
			methods = "[GET, HEAD]"
		}
		want(faults, b.get("AllowedMethods"), path, methods)
		f, ok := policy(template, b.get("OriginRequestPolicyId"))
		switch {
		case !ok:
			faults.Errorf("%s: %s has an origin request policy that no test knows", b.where(), path)
		case path == "/popular*":
			if !f.sends("x-ruri-viewer") || f.headers != "whitelist" || len(f.listed) != 1 || f.cookies != "none" ||
				f.queries != "none" {
				faults.Errorf("%s: %s sends on what is not in the key of the cache: one person's answer would be "+
					"everybody's", b.where(), path)
			}
		case f.sends("host"):
			faults.Errorf("%s: %s sends the viewer's Host on: API Gateway goes by it, and answers 403", b.where(), path)
		case !f.sends("authorization") || !f.sends("user-agent") || !f.sends("if-none-match") || f.cookies != "all" ||
			f.queries != "all":
			faults.Errorf("%s: %s keeps headers, cookies or the query from the API", b.where(), path)
		}
	}
	for key, wanted := range map[string]string{
		"Enabled": "true", "DefaultRootObject": "index.html", "IPV6Enabled": "true",
		"Aliases": "!If [HasDomain, [!Ref DomainName], !Ref AWS::NoValue]",
		"ViewerCertificate": "!If [HasDomain, {AcmCertificateArn: !Ref CertificateArn, MinimumProtocolVersion: " +
			"TLSv1.2_2021, SslSupportMethod: sni-only}, {CloudFrontDefaultCertificate: true}]",
	} {
		want(faults, c.get(key), "the distribution's "+key, wanted)
	}
}
