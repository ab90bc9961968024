package rehearse

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
)

// rig opens a rig without functions: deploying needs none.
func rig(t *testing.T) *Rig {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(Options{Root: root})
	if err != nil {
		if os.Getenv("RURI_REQUIRE_DOUBLES") != "1" && strings.Contains(err.Error(), "run make tools") {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// TestPlantedFaults deploys the template with one mistake at a time; each is reported with the resource's name. The
// last one is a type that is not emulated: it must not pass as deployed.
func TestPlantedFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("deployments")
	}
	t.Parallel()
	r := rig(t)
	template, err := os.ReadFile(filepath.Join(r.o.Root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"none", "", "", ""},
		{"a batch of a hundred without a window", "BatchSize: 1\n", "BatchSize: 100\n",
			"CrawlerFunctionJobs: batches of 100 need a window"},
		{"more at a time than are reserved", "Timeout: 120\n", "Timeout: 120\n      ReservedConcurrentExecutions: 1\n",
			"1 reserved"},
		{"a function slower than its API", "Timeout: 29 ", "Timeout: 40 ", "ApiFunction may take 40 s"},
		{"a rate that AWS refuses", "ScheduleExpression: !Ref Schedule", "ScheduleExpression: rate(15 minute)",
			"rate(15 minute) is refused by AWS"},
		{"an attribute that is no key", "{ AttributeName: sk, AttributeType: S }",
			"{ AttributeName: sk, AttributeType: S }\n        - { AttributeName: more, AttributeType: S }",
			"ValidationException"},
		{"a log group without retention", "LogGroup: !Ref ApiLogs", "LogGroup: elsewhere",
			"ApiFunction: logs into elsewhere"},
		{"a type that moto leaves out", "Resources:\n", "Resources:\n  More:\n    Type: AWS::Athena::DataCatalog\n   " +
			" Properties: { Name: more, Type: GLUE }\n", "AWS::Athena::DataCatalog"},
	} {
		src := strings.Replace(string(template), c.old, c.new, 1)
		if c.old != "" && src == string(template) {
			t.Errorf("%s: the template has no %q any more", c.name, c.old)
			continue
		}
		path := filepath.Join(t.TempDir(), "template.yaml")
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := r.create(t.Context(), path, strings.ReplaceAll(c.name, " ", "-"), "127.0.0.1:9", Parameters())
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = strings.Join(d.Problems, "\n")
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: reported\n%s\nwant %q", c.name, got, c.want)
		}
	}
}

func TestRights(t *testing.T) {
	t.Parallel()
	var d deployed
	d.Resources = map[string]struct{ Type, Name string }{
		"F": {"AWS::Lambda::Function", "f"}, "R": {"AWS::IAM::Role", "role"},
	}
	d.Properties = map[string]json.RawMessage{
		"F": json.RawMessage(`{"Role":"arn:aws:iam::123456789012:role/role"}`),
		"R": json.RawMessage(`{"Policies":[{"PolicyDocument":{"Statement":[
			{"Effect":"Allow","Action":["s3:GetObject","s3:PutObject"],"Resource":"arn:aws:s3:::b/feeds/*"},
			{"Effect":"Allow","Action":"dynamodb:Query","Resource":["arn:aws:dynamodb:us-east-1:123456789012:table/t"]}]}}]}`),
	}
	r, err := readRights(&d)
	if err != nil {
		t.Fatal(err)
	}
	for call, want := range map[[2]string]bool{
		{"s3:GetObject", "b/feeds/1/2"}: true, {"s3:GetObject", "b/stars/1"}: false,
		{"s3:DeleteObject", "b/feeds/1"}: false,
		{"dynamodb:Query", "t"}:          true, {"dynamodb:Query", "t2"}: false, {"dynamodb:Scan", "t"}: false,
		{"sqs:SendMessage", "q"}: false,
	} {
		if got := r.allow("f", call[0], call[1]); got != want {
			t.Errorf("%s on %s: %v", call[0], call[1], got)
		}
	}
	if r.allow("g", "dynamodb:Query", "t") {
		t.Error("a function without a role may query")
	}
	if n := len(r.refused()); n != 6 {
		t.Errorf("%d refusals were noted: %q", n, r.refused())
	}
}

// TestFrontRefusesAsAWSDoes deploys the template with one mistake at a time, and asks the front as a browser does.
func TestFrontRefusesAsAWSDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("deployments")
	}
	t.Parallel()
	r := rig(t)
	template, err := os.ReadFile(filepath.Join(r.o.Root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const good, forbidden, failed = http.StatusOK, http.StatusForbidden, http.StatusInternalServerError
	for _, c := range []struct {
		name, old, new string
		page, api      int
	}{
		{"none", "", "", good, good},
		{"the viewer's Host", "b689b0a8-53d0-40ab-baf2-68738e2966ac", "216adef6-5c7f-47e4-b989-5492eafa07d3",
			good, forbidden},
		{"the viewer's Host to the bucket", "CachePolicyId: 658327ea",
			"OriginRequestPolicyId: 216adef6-5c7f-47e4-b989-5492eafa07d3\n          CachePolicyId: 658327ea",
			forbidden, good},
		{"unsigned", "SigningBehavior: always", "SigningBehavior: never", forbidden, good},
		{"no access control", "            OriginAccessControlId: !GetAtt PageAccess.Id\n", "", forbidden, good},
		{"another distribution's bucket", "distribution/${Distribution}", "distribution/${HttpApi}", forbidden, good},
		{"no permission", "FunctionName: !Ref ApiFunction\n", "FunctionName: !Ref CrawlerFunction\n", good, failed},
		{"another API's permission", "${HttpApi}/*/$default", "${HttpApiStage}/*/$default", good, failed},
	} {
		src := strings.ReplaceAll(string(template), c.old, c.new)
		if c.old == "" {
			src = string(template)
		} else if src == string(template) {
			t.Errorf("%s: the template has no %q any more", c.name, c.old)
			continue
		}
		path := filepath.Join(t.TempDir(), "template.yaml")
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &Stack{Name: "front-" + strings.ReplaceAll(strings.ReplaceAll(c.name, " ", "-"), "'", ""), rig: r}
		if s.d, err = r.create(t.Context(), path, s.Name, "127.0.0.1:9", Parameters()); err != nil {
			t.Fatal(err)
		}
		s.client.s3 = s3.New(s3.Options{
			Region: lambdahost.Region, BaseEndpoint: aws.String(r.endpoints["moto"]), UsePathStyle: true,
			Credentials: credentials.NewStaticCredentialsProvider("owner", "secret", ""),
		})
		_, err = s.client.s3.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: aws.String(s.d.Outputs["PageBucketName"]), Key: aws.String("index.html"),
			Body: strings.NewReader("the page"),
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Host = lambdahost.New(lambdahost.Options{})
		edge, end, err := s.edge()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		// The function itself is not run: a request that gets as far as it is answered here.
		gateway := edge.Origins["api"].(*lambdahost.HTTPAPI)
		edge.Origins["api"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			invoked := false
			may := gateway.MayInvoke
			gateway.MayInvoke = func(source string) bool { invoked = may(source); return false }
			answer := httptest.NewRecorder()
			gateway.ServeHTTP(answer, r)
			gateway.MayInvoke = may
			if invoked {
				answer.Code = good
			}
			w.WriteHeader(answer.Code)
		})
		for path, want := range map[string]int{"/": c.page, "/feed/1": c.page, "/api/feeds": c.api} {
			w := httptest.NewRecorder()
			q := httptest.NewRequest(http.MethodGet, "https://reader.example.org"+path, nil)
			edge.ServeHTTP(w, q)
			if w.Code != want {
				t.Errorf("%s: %s answers %d, want %d: %s", c.name, path, w.Code, want, w.Body)
			}
		}
		end()
		s.Host.Close()
	}
}

// TestBucketPolicies: who may what by a bucket's policy, over TLS, for a distribution.
func TestBucketPolicies(t *testing.T) {
	t.Parallel()
	const statements = `{"Effect":"Deny","Principal":"*","Action":"s3:*","Resource":["arn:aws:s3:::b","arn:aws:s3:::b/*"],"Condition":{"Bool":{"aws:SecureTransport":"false"}}},
		{"Effect":"Allow","Principal":{"Service":"cloudfront.amazonaws.com"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*","Condition":{"StringEquals":{"aws:SourceArn":"d"}}},
		{"Effect":"Allow","Principal":{"Service":"lambda.amazonaws.com"},"Action":"s3:ListBucket","Resource":"arn:aws:s3:::b"}`
	read := func(document string) (resourcePolicies, error) {
		var d deployed
		d.Resources = map[string]struct{ Type, Name string }{"P": {"AWS::S3::BucketPolicy", "p"}}
		d.Properties = map[string]json.RawMessage{"P": json.RawMessage(`{"Bucket":"b","PolicyDocument":{"Statement":[` +
			document + `]}}`)}
		return readResourcePolicies(&d)
	}
	all, err := read(statements)
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[[3]string]bool{
		{"s3:GetObject", "arn:aws:s3:::b/x", "d"}: true, {"s3:GetObject", "arn:aws:s3:::b/x", "e"}: false,
		{"s3:PutObject", "arn:aws:s3:::b/x", "d"}: false, {"s3:ListBucket", "arn:aws:s3:::b", "d"}: false,
	} {
		if got := all.allow(asked[0], asked[1], asked[2]); got != want {
			t.Errorf("%v: %v", asked, got)
		}
	}
	for _, wrong := range []string{
		`{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::other/*"}`,
		`{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*",` +
			`"Condition":{"IpAddress":{"aws:SourceIp":"192.0.2.0/24"}}}`,
	} {
		if _, err := read(wrong); err == nil {
			t.Errorf("%s is played", wrong)
		}
	}
}
