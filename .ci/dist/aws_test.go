package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/testkit/doubles"
)

// stackTemplate has of the template what deploy.sh reads; the rehearsal deploys the whole.
const stackTemplate = `Parameters:
  Stage: { Type: String, Default: dev }
Resources:
  PageBucket: { Type: AWS::S3::Bucket }
Outputs:
  Url: { Value: !Sub "https://${Stage}.example.com" }
`

// TestDeployScript: with the AWS CLI alone the script creates a stack and uploads the page with its headers. An update
// is not tried: the emulator fails on change sets without changes.
func TestDeployScript(t *testing.T) {
	need(t, "aws", "bash")
	endpoint := strings.Replace(doubles.Moto(t), "127.0.0.1", "localhost", 1)
	env := append(os.Environ(), "AWS_ENDPOINT_URL="+endpoint, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"AWS_REGION=us-east-1", "AWS_DEFAULT_REGION=us-east-1", "NO_PROXY=localhost",
		"AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=/dev/null",
		"AWS_SHARED_CREDENTIALS_FILE=/dev/null", "ARTIFACTS="+doubles.Name("artifacts"))
	run := func(folder, name string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = folder, env
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		return out.String(), err
	}
	if said, err := run(".", "aws", "sts", "get-caller-identity", "--query", "Account"); err != nil ||
		!strings.Contains(said, "123456789012") {
		t.Skipf("SKIPPED: the AWS CLI here knows no AWS_ENDPOINT_URL: %s", said)
	}
	folder, stack := t.TempDir(), doubles.Name("release")
	for name, text := range map[string]string{
		"template.yaml": stackTemplate, "deploy.sh": string(read(t, "aws/deploy.sh")),
		"page/index.html": "<p>", "page/assets/a-1.js": "1", "page/assets/a-2.js": "2", "page/worker.js": "3",
		"page.tsv": "assets/a-1.js\ttext/javascript\tpublic, immutable\n" +
			"assets/a-2.js\ttext/javascript\tpublic, immutable\n" +
			"worker.js\ttext/javascript\tno-cache\nindex.html\ttext/html; charset=utf-8\tno-cache\n",
	} {
		write(t, filepath.Join(folder, name), strings.NewReader(text), 0o755)
	}
	said, err := run(folder, "./deploy.sh", stack, "Stage=prod")
	if err != nil || !strings.Contains(said, "ruri link --home aws:"+stack+"@us-east-1") {
		t.Fatalf("%v\n%s", err, said)
	}
	_, rest, _ := strings.Cut(said, " files in ")
	bucket, _, _ := strings.Cut(rest, "\n")
	for name, want := range map[string]string{
		"assets/a-2.js": "text/javascript\tpublic, immutable", "worker.js": "text/javascript\tno-cache",
		"index.html": "text/html; charset=utf-8\tno-cache",
	} {
		said, err := run(folder, "aws", "s3api", "head-object", "--bucket", bucket, "--key", name, "--output", "text",
			"--query", "[ContentType,CacheControl]")
		if err != nil || strings.TrimSpace(said) != want {
			t.Errorf("%s has %q, %v", name, said, err)
		}
	}
	if said, err := run(folder, "./deploy.sh"); err == nil || !strings.Contains(said, "usage: ") {
		t.Errorf("without a stack: %v, %s", err, said)
	}
}
