package templatetest

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/ruri-reader/ruri/internal/webui"
)

func must(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestHTTPAPI(t *testing.T) {
	t.Parallel()
	template := load(t)
	function := number(t, template, functions(t, template)["ApiFunction"].get("Properties", "Timeout"))
	gateway := number(t, template, template.get("Resources", "HttpApiIntegration", "Properties", "TimeoutInMillis"))
	if function >= 30 || function*1000 >= gateway || gateway > 30000 {
		t.Errorf("the function has %d s, the gateway waits %d ms (30 s at most): our own answer must come first", function, gateway)
	}
	if v := template.get("Resources", "HttpApiIntegration", "Properties", "PayloadFormatVersion").text(); v != "2.0" {
		t.Errorf("payload format %s, the adapter reads 2.0", v)
	}
	settings := template.get("Resources", "HttpApiStage", "Properties", "DefaultRouteSettings")
	if number(t, template, settings.get("ThrottlingRateLimit")) < 1 || number(t, template, settings.get("ThrottlingBurstLimit")) < 1 {
		t.Error("the API has no ceiling, and so the bill has none")
	}
	if route := template.get("Resources", "HttpApiRoute", "Properties", "RouteKey").text(); route != "$default" {
		t.Errorf("the route is %s: one handler answers everything", route)
	}
}

// TestSecurityHeaders: CloudFront sends what the single binary sends, to the letter.
func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	same := http.Header{}
	webui.SecurityHeaders(same)
	headers := load(t).get("Resources", "SecurityHeaders", "Properties", "ResponseHeadersPolicyConfig")
	security := headers.get("SecurityHeadersConfig")
	if got := security.get("ContentSecurityPolicy", "ContentSecurityPolicy").text(); got != webui.Policy {
		t.Errorf("the content security policy is\n%s\nthe single binary's is\n%s", got, webui.Policy)
	}
	if security.get("StrictTransportSecurity", "AccessControlMaxAgeSec").text() < "31536000" ||
		!security.get("ContentTypeOptions").exists() ||
		security.get("ReferrerPolicy", "ReferrerPolicy").text() != "no-referrer" ||
		security.get("FrameOptions", "FrameOption").text() != "DENY" {
		t.Error("HSTS of a year, nosniff, no-referrer and DENY belong to every answer")
	}
	custom := http.Header{}
	for _, h := range headers.get("CustomHeadersConfig", "Items").list() {
		custom.Set(h.get("Header").text(), h.get("Value").text())
	}
	for name := range same {
		switch name {
		case "Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy": // above
		default:
			if custom.Get(name) != same.Get(name) {
				t.Errorf("%s is %q, the single binary's is %q", name, custom.Get(name), same.Get(name))
			}
		}
	}
}

// C-27
func TestDistribution(t *testing.T) {
	t.Parallel()
	template := load(t)
	config := template.get("Resources", "Distribution", "Properties", "DistributionConfig")
	if config.get("HttpVersion").text() != "http2and3" {
		t.Error("HTTP/2 and HTTP/3 are on")
	}
	if config.get("CustomErrorResponses").exists() {
		t.Error("error pages are of the whole distribution: the API's 404 would become the page")
	}
	if !config.get("DefaultCacheBehavior", "FunctionAssociations").exists() {
		t.Error("the page's own addresses are not rewritten to index.html")
	}
	const cachingDisabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
	paths := map[string]node{}
	for _, b := range config.get("CacheBehaviors").list() {
		paths[b.get("PathPattern").text()] = b
	}
	for _, path := range []string{"/api/*", "/auth/*", "/healthz", "/reader/*", "/accounts/*", "/check/*", "/fever*", "/v1/*", "/websub/*"} {
		b, ok := paths[path]
		if !ok {
			t.Errorf("%s does not reach the API", path)
			continue
		}
		if b.get("TargetOriginId").text() != "api" || b.get("CachePolicyId").text() != cachingDisabled {
			t.Errorf("%s: %s goes to the API, never cached: one person's answer is not another's", b.where(), path)
		}
		if b.get("ViewerProtocolPolicy").text() != "https-only" {
			t.Errorf("%s: %s takes no plain HTTP, not even to redirect a token sent in the clear", b.where(), path)
		}
	}
	behaviours := append(config.get("CacheBehaviors").list(), config.get("DefaultCacheBehavior"))
	for _, b := range behaviours {
		if b.get("ResponseHeadersPolicyId").text() != "SecurityHeaders" || b.get("Compress").text() != "true" {
			t.Errorf("%s: security headers and compression on every path", b.where())
		}
	}
	for _, o := range config.get("Origins").list() {
		if o.get("Id").text() == "page" && !o.get("OriginAccessControlId").exists() {
			t.Errorf("%s: the page's bucket is read through origin access control alone", o.where())
		}
	}
	// CloudFront's names are of the whole account.
	for _, kind := range []string{"AWS::CloudFront::Function", "AWS::CloudFront::OriginAccessControl", "AWS::CloudFront::ResponseHeadersPolicy"} {
		for name, r := range resources(template, kind) {
			p := r.get("Properties")
			text := p.get("Name").text() + p.get("OriginAccessControlConfig", "Name").text() + p.get("ResponseHeadersPolicyConfig", "Name").text()
			if !strings.Contains(text, "${AWS::StackName}") || !strings.Contains(text, "${AWS::Region}") {
				t.Errorf("%s is named %q: two stacks would claim the same name", name, text)
			}
		}
	}
}

// written is a node with all that lies in it, as text.
func written(t *testing.T, n node) string {
	t.Helper()
	if !n.exists() {
		return ""
	}
	text, err := yaml.Marshal(n.Node)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTheApiLearnsWhoAsks: each path of the API brings the viewer's address, written by the distribution, and the secret by
// which the API believes it; and the API has the same secret, from the same place.
//
func TestTheApiLearnsWhoAsks(t *testing.T) {
	t.Parallel()
	template := load(t)
	config := template.get("Resources", "Distribution", "Properties", "DistributionConfig")
	for _, b := range config.get("CacheBehaviors").list() {
		list := b.get("FunctionAssociations").list()
		if len(list) != 1 || list[0].get("EventType").text() != "viewer-request" || list[0].get("FunctionARN").text() != "ViewerAddress.FunctionARN" {
			t.Errorf("%s: %s does not tell the viewer's address", b.where(), b.get("PathPattern").text())
		}
	}
	code := template.get("Resources", "ViewerAddress", "Properties", "FunctionCode").text()
	if !strings.Contains(code, "event.request.headers['x-ruri-viewer'] = { value: event.viewer.ip }") {
		t.Errorf("the function does not write the address over what was sent:\n%s", code)
	}
	const secret = "{{resolve:ssm:${EdgeSecretParameter}}}"
	found := false
	for _, o := range config.get("Origins").list() {
		text := written(t, o.get("OriginCustomHeaders"))
		if has := strings.Contains(text, "X-Ruri-Edge") && strings.Contains(text, secret) && strings.Contains(text, "HasEdgeSecret"); has != (o.get("Id").text() == "api") {
			t.Errorf("%s: the API's origin alone gets the secret", o.where())
		} else if has {
			found = true
		}
	}
	if !found {
		t.Error("the API does not get the secret")
	}
	for name, f := range functions(t, template) {
		v := f.get("Properties", "Environment", "Variables", "RURI_EDGE_SECRET")
		if v.exists() != (name == "ApiFunction") || v.exists() && !strings.Contains(written(t, v), secret) {
			t.Errorf("%s: the secret is the API's, as the distribution sends it", name)
		}
	}
}

// TestPageFilesAreThemselves: what a browser asks for by itself (worker, manifest, icons) reaches the bucket under its own
// name, and the page's addresses are the page.
func TestPageFilesAreThemselves(t *testing.T) {
	t.Parallel()
	code := load(t).get("Resources", "PageRoutes", "Properties", "FunctionCode").text()
	var files []*regexp.Regexp
	for _, m := range regexp.MustCompile(`/(\^(?:[^/\\\[]|\\.|\[[^\]]*\])*)/\.test`).FindAllStringSubmatch(code, -1) {
		files = append(files, regexp.MustCompile(strings.ReplaceAll(m[1], `\/`, "/")))
	}
	if len(files) != 2 {
		t.Fatalf("%d patterns of files in\n%s", len(files), code)
	}
	for path, isFile := range map[string]bool{
		"/worker.js": true, "/app.webmanifest": true, "/icons/icon-192.png": true, "/theme.js": true, "/icon.svg": true, "/assets/index-1.js": true,
		"/": false, "/all": false, "/feed/3/i/4": false, "/add": false, "/settings/offline": false, "/explore/tag/node.js": false,
	} {
		if got := slices.ContainsFunc(files, func(re *regexp.Regexp) bool { return re.MatchString(path) }); got != isFile {
			t.Errorf("%s is a file: %v", path, got)
		}
	}
}

// TestAlarmsAreFree: ten alarm metrics cost nothing, and an expression counts each metric that it reads.
// R-86, C-25
func TestAlarmsAreFree(t *testing.T) {
	t.Parallel()
	template := load(t)
	metrics := 0
	for name, alarm := range resources(template, "AWS::CloudWatch::Alarm") {
		p := alarm.get("Properties")
		if p.get("MetricName").exists() {
			metrics++
		}
		for _, m := range p.get("Metrics").list() {
			if m.get("MetricStat").exists() {
				metrics++
			}
		}
		if alarm.get("Condition").text() != "HasAlarms" {
			t.Errorf("%s is made without an address to write to", name)
		}
		if len(p.get("AlarmActions").list()) == 0 || p.get("TreatMissingData").text() != "notBreaching" {
			t.Errorf("%s tells nobody, or rings when nothing happens", name)
		}
	}
	if metrics == 0 || metrics > 10 {
		t.Errorf("the alarms read %d metrics; ten are free", metrics)
	}
}

// TestNoSecrets: secrets are named, never written down.
func TestNoSecrets(t *testing.T) {
	t.Parallel()
	template := load(t)
	template.get("Parameters").each(func(name string, p node) {
		secret := strings.Contains(name, "Secret") || strings.Contains(name, "Password") || strings.Contains(name, "Token")
		if (secret && !strings.HasSuffix(name, "Parameter")) || p.get("NoEcho").exists() {
			t.Errorf("%s: %s would carry a secret; name an SSM parameter instead", p.where(), name)
		}
	})
}
