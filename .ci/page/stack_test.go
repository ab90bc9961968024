package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/testkit/doubles"
)

// small has the template's resources that hold something, with their policies; the rehearsal deploys the whole.
const small = `AWSTemplateFormatVersion: "2010-09-09"
Parameters:
  Stage: { Type: String, Default: dev }
  Architecture: { Type: String, Default: arm64 }
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{ AttributeName: pk, AttributeType: S }, { AttributeName: sk, AttributeType: S }]
      KeySchema: [{ AttributeName: pk, KeyType: HASH }, { AttributeName: sk, KeyType: RANGE }]
  RawBucket:
    Type: AWS::S3::Bucket
    DeletionPolicy: Retain
    Properties: { VersioningConfiguration: { Status: Enabled } }
  PageBucket: { Type: AWS::S3::Bucket }
  Queue: { Type: AWS::SQS::Queue }
  DeadLetters: { Type: AWS::SQS::Queue }
`

// TestLifeOfAStack goes the way of an owner: deploy, sign in, deploy again, look at what a removal keeps, think
// better of it, remove, and remove for good.
//
func TestLifeOfAStack(t *testing.T) {
	if testing.Short() {
		t.Skip("deployments")
	}
	t.Parallel()
	a := newAccount(t)
	stack, artifacts := doubles.Name("life"), doubles.Name("artifacts")
	if code, _, text := a.ask("s3", "PUT", "/"+artifacts, "", ""); code != http.StatusOK {
		t.Fatal(text)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("template.yaml", small)
	config := write("samconfig.toml", `version = 0.1
[default.global.parameters]
stack_name = "`+stack+`"
[default.deploy.parameters]
capabilities = "CAPABILITY_IAM"
confirm_changeset = true
fail_on_empty_changeset = false
s3_bucket = "`+artifacts+`"
parameter_overrides = "Stage=\"dev\""
`)
	env := []string{"SAMCONFIG=" + config, "SAM_DIR=" + dir, "PAGE=" + build(t, first)}
	with := func(more ...string) []string { return append(append([]string{}, env...), more...) }

	out, code := a.run(with("AWS_REGION=", "AWS_DEFAULT_REGION="), ".ci/deploy.sh", "deploy", "dev")
	if code == 0 || !strings.Contains(out, "AWS_REGION") {
		t.Errorf("without a region, and nobody to ask: %d %s", code, out)
	}
	amd64 := with("LAMBDA_ARCH=amd64") // so that a parameter is added to samconfig's
	out = a.must(amd64, ".ci/deploy.sh", "deploy", "dev")
	if !strings.Contains(out, `"Architecture": "x86_64"`) || !strings.Contains(out, `"Stage": "dev"`) ||
		!strings.Contains(out, "make link STAGE=dev") {
		t.Errorf("a deployment for the other processor says\n%s", out)
	}
	if out = a.must(amd64, ".ci/deploy.sh", "deploy", "dev"); !strings.Contains(out, "No changes to deploy") ||
		!strings.Contains(out, "0 of them new or changed") {
		t.Errorf("the same deployed again says\n%s", out)
	}
	out = a.must(nil, ".tools/aws/bin/python", ".ci/aws.py", "keeps", stack, "--json")
	table, raw := between(t, out, `"table": "`, `"`), between(t, out, `"bucket": "`, `"`)
	if link := a.must(env, ".ci/deploy.sh", "link", "dev"); !strings.Contains(link, "/auth/link/") {
		t.Errorf("the link is %q", link)
	}
	exists := func(bucket string) bool {
		code, _, _ := a.ask("s3", "GET", "/"+bucket, "", "")
		return code == http.StatusOK
	}
	for range 2 { // two versions, and a mark that deletes
		a.ask("s3", "PUT", "/"+raw+"/feeds/x", "", "body")
	}
	a.ask("s3", "DELETE", "/"+raw+"/feeds/x", "", "")

	for _, no := range []string{"", "yes", "y"} {
		if out, code := a.run(with("CONFIRM="+no), ".ci/deploy.sh", "destroy", "dev"); code == 0 ||
			!strings.Contains(out, table) || !strings.Contains(out, raw) {
			t.Errorf("CONFIRM=%s: %d, and what is kept is not reported:\n%s", no, code, out)
		}
	}
	if out, code := a.run(with("PURGE=1", "CONFIRM="+stack), ".ci/deploy.sh", "destroy", "dev"); code == 0 ||
		!strings.Contains(out, "ruri backup") {
		t.Errorf("a purge asks for no word of its own: %d\n%s", code, out)
	}
	a.must(with("CONFIRM="+stack), ".ci/deploy.sh", "destroy", "dev")
	if !exists(raw) {
		t.Error("the bodies went with the stack")
	}
	if out, code := a.run(env, ".ci/deploy.sh", "destroy", "dev"); code == 0 ||
		!strings.Contains(out, "there is no stack") {
		t.Errorf("removed twice: %d %s", code, out)
	}
	kept := `{"table": "` + table + `", "bucket": "` + raw + `"}`
	a.must(nil, ".tools/aws/bin/python", ".ci/aws.py", "purge", kept)
	if exists(raw) {
		t.Error("a purge left the bucket")
	}
	if out := a.must(nil, ".tools/aws/bin/python", ".ci/aws.py", "purge", kept); strings.Count(out,
		"gone already") != 2 {
		t.Errorf("purged twice: %s", out)
	}
}
