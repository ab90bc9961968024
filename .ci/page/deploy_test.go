package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/assets/webui"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
)

// account is an emulated AWS account, and the tools pointed at it.
type account struct {
	t   *testing.T
	url string
	env []string
}

func newAccount(t *testing.T) *account {
	t.Helper()
	if _, err := os.Stat("../../.tools/aws/bin/sam"); err != nil {
		if os.Getenv("RURI_REQUIRE_DOUBLES") == "1" {
			t.Fatal("the SAM CLI is not installed: run make tools")
		}
		t.Skip("the SAM CLI is not installed: run make tools")
	}
	// moto understands addresses in S3 by this name alone.
	a := &account{t: t, url: strings.Replace(doubles.Moto(t), "127.0.0.1", "localhost", 1)}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "AWS_") && !strings.HasPrefix(kv, "RURI_") {
			a.env = append(a.env, kv)
		}
	}
	a.env = append(a.env, "AWS_ENDPOINT_URL="+a.url, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"AWS_REGION=us-east-1", "AWS_DEFAULT_REGION=us-east-1",
		"NO_PROXY=localhost,127.0.0.1", "no_proxy=localhost,127.0.0.1",
		"AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null")
	return a
}

// run runs a command of the project's root and gives its exit code and what it said.
func (a *account) run(env []string, args ...string) (string, int) {
	a.t.Helper()
	cmd := exec.CommandContext(a.t.Context(), args[0], args[1:]...)
	cmd.Dir = "../.."
	cmd.Env = append(append([]string{}, a.env...), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		a.t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

func (a *account) must(env []string, args ...string) string {
	a.t.Helper()
	out, code := a.run(env, args...)
	if code != 0 {
		a.t.Fatalf("%s: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

// ask sends one request to a service, by hand.
func (a *account) ask(service, method, path, contentType, body string) (int, http.Header, string) {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), method, a.url+path, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/"+service+
		"/aws4_request, SignedHeaders=host, Signature=x")
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(text)
}

// between gives what stands between two marks.
func between(t *testing.T, s, before, after string) string {
	t.Helper()
	_, rest, ok := strings.Cut(s, before)
	v, _, end := strings.Cut(rest, after)
	if !ok || !end {
		t.Fatalf("no %s…%s in\n%s", before, after, s)
	}
	return v
}

// build writes a page as Vite does.
func build(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var first = map[string]string{
	"index.html": "<!doctype html>1", "index.html.br": "x", "theme.js": "1", "sw.js": "sw", "icon.svg": "<svg/>",
	"manifest.webmanifest": "{}", "assets/index-1a.js": "1", "assets/index-1a.js.gz": "x", "assets/style-1a.css": "a{}",
	"assets/font-1a.woff2": "f", ".gitkeep": "",
}

// TestUpload puts a page into a stack's bucket and reads back the headers of each file; then a
// second page, whose parts replace the first's only after their grace.
func TestUpload(t *testing.T) {
	t.Parallel()
	a := newAccount(t)
	stack, bucket := doubles.Name("upload"), doubles.Name("page")
	distribution := a.distribution()
	a.stack(stack,
		fmt.Sprintf(`{"Resources": {"PageBucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": %q}}},
		"Outputs": {"PageBucketName": {"Value": {"Ref": "PageBucket"}}, "TableName": {"Value": "t"}, "RawBucketName": {"Value": "r"},
			"DistributionId": {"Value": %q}}}`, bucket, distribution))
	upload := func(dir string, more ...string) string {
		t.Helper()
		listed := a.must(nil, "go", "run", "./.ci/page", dir)
		return a.must(nil,
			append([]string{".tools/aws/bin/python", ".ci/aws.py", "page", stack, "--files", listed, "--from", dir},
				more...)...)
	}

	dir := build(t, first)
	upload(dir)
	served := webui.New(os.DirFS(dir), "")
	for name, body := range first {
		code, header, text := a.ask("s3", "GET", "/"+bucket+"/"+name, "", "")
		if strings.HasSuffix(name, ".br") || strings.HasSuffix(name, ".gz") || strings.HasPrefix(name, ".") {
			if code != http.StatusNotFound {
				t.Errorf("%s was uploaded, and CloudFront compresses by itself", name)
			}
			continue
		}
		rec := httptest.NewRecorder()
		served.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/"+name, nil))
		for _, h := range []string{"Content-Type", "Cache-Control"} {
			if header.Get(h) != rec.Header().Get(h) || header.Get(h) == "" {
				t.Errorf("%s: %s is %q in the bucket, %q from the single binary", name, h, header.Get(h),
					rec.Header().Get(h))
			}
		}
		if code != http.StatusOK || text != body {
			t.Errorf("%s: %d %q", name, code, text)
		}
	}
	if got := a.invalidated(distribution); got != "/ /icon.svg /index.html /manifest.webmanifest /sw.js /theme.js" {
		t.Errorf("the first upload invalidated %s", got)
	}

	// The same again forgets nothing.
	if out := upload(dir); !strings.Contains(out, "nothing to invalidate") {
		t.Errorf("an unchanged page: %s", out)
	}

	second := map[string]string{"index.html": "<!doctype html>2", "theme.js": "1", "icon.svg": "<svg/>",
		"assets/index-2b.js": "2", "assets/font-1a.woff2": "f"}
	dir = build(t, second)
	if out := upload(dir); !strings.Contains(out, "invalidated /index.html /\n") {
		t.Errorf("a page whose index changed: %s", out)
	}
	exists := func(name string) bool {
		code, _, _ := a.ask("s3", "GET", "/"+bucket+"/"+name, "", "")
		return code == http.StatusOK
	}
	if _, h, _ := a.ask("s3", "GET", "/"+bucket+"/assets/index-1a.js", "", ""); h.Get("Content-Type") !=
		"text/javascript; charset=utf-8" || !strings.Contains(h.Get("Cache-Control"), "immutable") {
		t.Errorf("an old page's part lost its headers: %v", h)
	}
	if upload(dir); !exists("assets/index-1a.js") {
		t.Error("an old page's part went before its grace")
	}
	if upload(dir, "--grace-days", "0"); exists("assets/index-1a.js") || exists("sw.js") ||
		!exists("assets/font-1a.woff2") || !exists("assets/index-2b.js") {
		t.Error("after the grace the old page's own parts go, and no other")
	}
	// A part that comes back is young again.
	upload(build(t, first))
	upload(dir)
	if upload(build(t, first), "--grace-days", "0"); !exists("assets/index-1a.js") {
		t.Error("a part of the page in use was removed")
	}

	out, code := a.run(nil, ".tools/aws/bin/python", ".ci/aws.py", "page", stack+"-none", "--files",
		"[]", "--from", dir)
	if code != 1 || !strings.Contains(out, "there is no stack") || strings.Contains(out, "Traceback") {
		t.Errorf("a stack that is not there: %d %s", code, out)
	}
}

func (a *account) stack(name, template string) {
	a.t.Helper()
	form := url.Values{"Action": {"CreateStack"}, "StackName": {name}, "TemplateBody": {template}}
	if code, _, text := a.ask("cloudformation", "POST", "/", "application/x-www-form-urlencoded",
		form.Encode()); code != http.StatusOK {
		a.t.Fatalf("create-stack: %d %s", code, text)
	}
}

func (a *account) distribution() string {
	a.t.Helper()
	code, _, text := a.ask("cloudfront", "POST", "/2020-05-31/distribution", "application/xml",
		`<DistributionConfig xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/">
		<CallerReference>`+doubles.Name("d")+`</CallerReference><Comment>x</Comment><Enabled>true</Enabled>
		<Origins><Quantity>1</Quantity><Items><Origin><Id>page</Id><DomainName>x.s3.amazonaws.com</DomainName><S3OriginConfig><OriginAccessIdentity></OriginAccessIdentity></S3OriginConfig></Origin></Items></Origins>
		<DefaultCacheBehavior><TargetOriginId>page</TargetOriginId><ViewerProtocolPolicy>https-only</ViewerProtocolPolicy></DefaultCacheBehavior></DistributionConfig>`)
	if code != http.StatusCreated {
		a.t.Fatalf("create-distribution: %d %s", code, text)
	}
	return between(a.t, text, "<Id>", "</Id>")
}

// invalidated gives the paths of the newest invalidation.
func (a *account) invalidated(distribution string) string {
	a.t.Helper()
	_, _, list := a.ask("cloudfront", "GET", "/2020-05-31/distribution/"+distribution+"/invalidation", "", "")
	id := between(a.t, list, "<Id>", "</Id>")
	_, _, one := a.ask("cloudfront", "GET", "/2020-05-31/distribution/"+distribution+"/invalidation/"+id, "", "")
	var paths []string
	for _, part := range strings.Split(between(a.t, one, "<Items>", "</Items>"), "<Path>")[1:] {
		path, _, _ := strings.Cut(part, "</Path>")
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return strings.Join(paths, " ")
}
