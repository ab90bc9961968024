package templatetest

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/assets/webui"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestHTTPAPI(t *testing.T) { hold(t, checkHTTPAPI) }

func checkHTTPAPI(faults *findings, template node) {
	function := number(faults, template, functions(faults, template)["ApiFunction"].get("Properties", "Timeout"))
	gateway := number(faults, template, template.get("Resources", "HttpApiIntegration", "Properties",
		"TimeoutInMillis"))
	if function >= 30 || function*1000 >= gateway || gateway > 30000 {
		faults.Errorf("the function has %d s, the gateway waits %d ms (30 s at most): our own answer must come first",
			function, gateway)
	}
	if v := template.get("Resources", "HttpApiIntegration", "Properties", "PayloadFormatVersion").text(); v != "2.0" {
		faults.Errorf("payload format %s, the adapter reads 2.0", v)
	}
	settings := template.get("Resources", "HttpApiStage", "Properties", "DefaultRouteSettings")
	if number(faults, template, settings.get("ThrottlingRateLimit")) < 1 ||
		number(faults, template, settings.get("ThrottlingBurstLimit")) < 1 {
		faults.Errorf("the API has no ceiling, and so the bill has none")
	}
	if route := template.get("Resources", "HttpApiRoute", "Properties", "RouteKey").text(); route != "$default" {
		faults.Errorf("the route is %s: one handler answers everything", route)
	}
}

// TestSecurityHeaders: CloudFront sends what the single binary sends, to the letter.
func TestSecurityHeaders(t *testing.T) { hold(t, checkSecurityHeaders) }

func checkSecurityHeaders(faults *findings, template node) {
	same := http.Header{}
	webui.SecurityHeaders(same)
	headers := template.get("Resources", "SecurityHeaders", "Properties", "ResponseHeadersPolicyConfig")
	security := headers.get("SecurityHeadersConfig")
	if got := security.get("ContentSecurityPolicy", "ContentSecurityPolicy").text(); got != webui.Policy {
		faults.Errorf("the content security policy is\n%s\nthe single binary's is\n%s", got, webui.Policy)
	}
	if number(faults, template, security.get("StrictTransportSecurity", "AccessControlMaxAgeSec")) < 31536000 ||
		!security.get("ContentTypeOptions").exists() ||
		security.get("ReferrerPolicy", "ReferrerPolicy").text() != "no-referrer" ||
		security.get("FrameOptions", "FrameOption").text() != "DENY" {
		faults.Errorf("HSTS of a year, nosniff, no-referrer and DENY belong to every answer")
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
				faults.Errorf("%s is %q, the single binary's is %q", name, custom.Get(name), same.Get(name))
			}
		}
	}
}

// C-27
func TestDistribution(t *testing.T) { hold(t, checkDistribution) }

func checkDistribution(faults *findings, template node) {
	config := template.get("Resources", "Distribution", "Properties", "DistributionConfig")
	if config.get("HttpVersion").text() != "http2and3" {
		faults.Errorf("HTTP/2 and HTTP/3 are on")
	}
	if config.get("CustomErrorResponses").exists() {
		faults.Errorf("error pages are of the whole distribution: the API's 404 would become the page")
	}
	if !config.get("DefaultCacheBehavior", "FunctionAssociations").exists() {
		faults.Errorf("the page's own addresses are not rewritten to index.html")
	}
	paths := map[string]node{}
	for _, b := range config.get("CacheBehaviors").list() {
		paths[b.get("PathPattern").text()] = b
	}
	// Native clients are at /reader/*, /accounts/*, /check/*, /fever* and /v1/*; see api.ServesClients.
	for _, path := range []string{"/api/*", "/auth/*", "/health*", "/metrics", "/reader/*", "/accounts/*", "/check/*",
		"/fever*", "/v1/*", "/websub/*"} {
		b, ok := paths[path]
		if !ok {
			faults.Errorf("%s does not reach the API", path)
			continue
		}
		if b.get("TargetOriginId").text() != "api" || b.get("CachePolicyId").text() != cachingDisabled {
			faults.Errorf("%s: %s goes to the API, never cached: one person's answer is not another's", b.where(), path)
		}
		if b.get("ViewerProtocolPolicy").text() != "https-only" {
			faults.Errorf("%s: %s takes no plain HTTP, not even to redirect a token sent in the clear", b.where(), path)
		}
	}
	public := paths["/popular*"]
	if public.get("TargetOriginId").text() != "api" || public.get("CachePolicyId").form() != "!Ref PublicPages" ||
		public.get("ViewerProtocolPolicy").text() != "https-only" {
		faults.Errorf("the public pages are not from the API, or not cached as they may be")
	}
	cached := template.get("Resources", "PublicPages", "Properties", "CachePolicyConfig")
	for key, wanted := range map[string]string{
		"MinTTL": "0", "DefaultTTL": "0", "MaxTTL": "900", // as the answers say: an error is not kept
		"ParametersInCacheKeyAndForwardedToOrigin": "{CookiesConfig: {CookieBehavior: none}, " +
			"EnableAcceptEncodingBrotli: false, EnableAcceptEncodingGzip: true, " +
			"HeadersConfig: {HeaderBehavior: whitelist, Headers: [Accept-Language]}, QueryStringsConfig: " +
			"{QueryStringBehavior: whitelist, QueryStrings: [period, threshold, lang]}}",
	} {
		want(faults, cached.get(key), "the public pages' "+key, wanted)
	}
	behaviours := append(config.get("CacheBehaviors").list(), config.get("DefaultCacheBehavior"))
	for _, b := range behaviours {
		if b.get("ResponseHeadersPolicyId").text() != "SecurityHeaders" || b.get("Compress").text() != "true" {
			faults.Errorf("%s: security headers and compression on every path", b.where())
		}
	}
	// CloudFront's names are of the whole account.
	for _, kind := range []string{"AWS::CloudFront::Function", "AWS::CloudFront::OriginAccessControl",
		"AWS::CloudFront::ResponseHeadersPolicy", "AWS::CloudFront::OriginRequestPolicy",
		"AWS::CloudFront::CachePolicy"} {
		for name, r := range resources(template, kind) {
			p := r.get("Properties")
			text := p.get("Name").text() + p.get("OriginAccessControlConfig", "Name").text() +
				p.get("ResponseHeadersPolicyConfig", "Name").text() +
				p.get("OriginRequestPolicyConfig", "Name").text() + p.get("CachePolicyConfig", "Name").text()
			if !strings.Contains(text, "${AWS::StackName}") || !strings.Contains(text, "${AWS::Region}") {
				faults.Errorf("%s is named %q: two stacks would claim the same name", name, text)
			}
		}
	}
}

// TestTheApiLearnsWhoAsks: each path of the API brings the viewer's address, written by the distribution. Of the secret
// by which the API believes it, see TestForwarding and TestVariables. R-38
func TestTheApiLearnsWhoAsks(t *testing.T) { hold(t, checkTheApiLearnsWhoAsks) }

func checkTheApiLearnsWhoAsks(faults *findings, template node) {
	config := template.get("Resources", "Distribution", "Properties", "DistributionConfig")
	for _, b := range config.get("CacheBehaviors").list() {
		list := b.get("FunctionAssociations").list()
		if len(list) != 1 || list[0].get("EventType").text() != "viewer-request" ||
			list[0].get("FunctionARN").text() != "ViewerAddress.FunctionARN" {
			faults.Errorf("%s: %s does not tell the viewer's address", b.where(), b.get("PathPattern").text())
		}
	}
	// To the letter: a way round it may look like anything. lambdahost runs it.
	code := template.get("Resources", "ViewerAddress", "Properties", "FunctionCode").text()
	const whole = "function handler(event) { event.request.headers['x-ruri-viewer'] = { value: event.viewer.ip }; " +
		"return event.request; }"
	if strings.Join(strings.Fields(code), " ") != whole {
		faults.Errorf("the function writes the connection's address over what was sent, and does nothing else:\n%s",
			code)
	}
}

// TestPageFilesAreThemselves: what a browser asks for by itself (worker, manifest, icons) reaches the bucket under its
// own name, and the page's addresses are the page.
func TestPageFilesAreThemselves(t *testing.T) { hold(t, checkPageFilesAreThemselves) }

func checkPageFilesAreThemselves(faults *findings, template node) {
	code := template.get("Resources", "PageRoutes", "Properties", "FunctionCode").text()
	var files []*regexp.Regexp
	for _, m := range regexp.MustCompile(`/(\^(?:[^/\\\[]|\\.|\[[^\]]*\])*)/\.test`).FindAllStringSubmatch(code, -1) {
		files = append(files, regexp.MustCompile(strings.ReplaceAll(m[1], `\/`, "/")))
	}
	if len(files) != 2 {
		faults.Errorf("%d patterns of files in\n%s", len(files), code)
	}
	for path, isFile := range map[string]bool{
		"/worker.js": true, "/app.webmanifest": true, "/icons/icon-192.png": true, "/theme.js": true, "/icon.svg": true,
		"/assets/index-1.js": true, "/help/": true, "/help/ja/search.html": true,
		"/": false, "/all": false, "/feed/3/i/4": false, "/add": false, "/settings/offline": false,
		"/explore/tag/node.js": false,
	} {
		if got := slices.ContainsFunc(files, func(re *regexp.Regexp) bool {
			return re.MatchString(path)
		}); got != isFile {
			faults.Errorf("%s is a file: %v", path, got)
		}
	}
}

// TestNoSecrets: secrets are named, never written down.
func TestNoSecrets(t *testing.T) { hold(t, checkNoSecrets) }

func checkNoSecrets(faults *findings, template node) {
	template.get("Parameters").each(func(name string, p node) {
		secret := strings.Contains(name, "Secret") || strings.Contains(name, "Password") ||
			strings.Contains(name, "Token")
		if (secret && !strings.HasSuffix(name, "Parameter")) || p.get("NoEcho").exists() {
			faults.Errorf("%s: %s would carry a secret; name an SSM parameter instead", p.where(), name)
		}
	})
}
