package rehearse

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rig opens one without functions: deploying and reading back needs none.
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

// TestPlantedFaults deploys the template with one fault at a time; each is told, with the resource's name. The last
// cases are properties that nobody reads back and a type that nobody makes: they must not pass for checked.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	r := rig(t)
	template, err := os.ReadFile(filepath.Join(r.o.Root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, told string }{
		{"none", "", "", ""},
		{"a batch of a hundred without a window", "BatchSize: 1\n", "BatchSize: 100\n", "CrawlerFunctionJobs: batches of 100 need a window"},
		{"more at a time than are reserved", "Timeout: 120\n", "Timeout: 120\n      ReservedConcurrentExecutions: 1\n", "1 reserved"},
		{"a function slower than its API", "Timeout: 29 ", "Timeout: 40 ", "ApiFunction may take 40 s"},
		{"a rate that AWS refuses", "ScheduleExpression: !Ref Schedule", "ScheduleExpression: rate(15 minute)", "rate(15 minute) is refused by AWS"},
		{"an attribute that is no key", "{ AttributeName: sk, AttributeType: S }", "{ AttributeName: sk, AttributeType: S }\n        - { AttributeName: more, AttributeType: S }", "ValidationException"},
		{"a log group that keeps for ever", "LogGroup: !Ref ApiLogs", "LogGroup: elsewhere", "ApiFunction: logs into elsewhere"},
		{"a property nobody reads back", "      VisibilityTimeout: 720", "      FifoThroughputLimit: perQueue\n      VisibilityTimeout: 720", "Queue.FifoThroughputLimit"},
		{"a type that moto leaves out", "Resources:\n", "Resources:\n  More:\n    Type: AWS::Athena::DataCatalog\n    Properties: { Name: more, Type: GLUE }\n", "AWS::Athena::DataCatalog"},
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
		d, err := r.orderTemplate(t.Context(), path, strings.ReplaceAll(c.name, " ", "-"), "127.0.0.1:9", Parameters())
		var told string
		if err != nil {
			told = err.Error()
		} else {
			told = strings.Join(d.Problems, "\n")
		}
		if c.told == "" && told != "" || !strings.Contains(told, c.told) {
			t.Errorf("%s: told was\n%s\nwant %q", c.name, told, c.told)
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
		{"s3:GetObject", "b/feeds/1/2"}: true, {"s3:GetObject", "b/stars/1"}: false, {"s3:DeleteObject", "b/feeds/1"}: false,
		{"dynamodb:Query", "t"}: true, {"dynamodb:Query", "t2"}: false, {"dynamodb:Scan", "t"}: false, {"sqs:SendMessage", "q"}: false,
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
	if got := r.unused(); len(got) != 1 || !strings.Contains(got[0], "s3:PutObject") {
		t.Errorf("unused are %q", got)
	}
}
