package backend_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

func TestSpecs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"aws:ruri": "aws:ruri", "aws:ruri-prod@eu-central-1": "aws:ruri-prod@eu-central-1",
		"aws:a@us-gov-west-1": "aws:a@us-gov-west-1",
		"/srv/ruri":           "/srv/ruri", "/srv/ruri/": "/srv/ruri",
	} {
		if s, err := backend.ParseSpec(in); err != nil || s.String() != want {
			t.Errorf("%s is read as %q, %v", in, s, err)
		}
	}
	if s, err := backend.ParseSpec("./aws:odd"); err != nil || s.Cloud() || filepath.Base(s.Folder) != "aws:odd" {
		t.Errorf("a folder with an odd name is read as %+v, %v", s, err)
	}
	for _, in := range []string{"", "aws:", "aws:1a", "aws:a_b", "aws:a@", "aws:a@nowhere", "aws:a@eu-central-1/x",
		"aws:" + strings.Repeat("a", 129)} {
		if s, err := backend.ParseSpec(in); fault.CodeOf(err) != "bad_home" {
			t.Errorf("%q is read as %+v, %v", in, s, err)
		}
	}
}

func settings(t *testing.T) config.Config {
	t.Helper()
	c, err := config.Load(func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	o := backend.Options{Config: settings(t), MustExist: true}
	if _, err := backend.Open(t.Context(), dir, o); fault.CodeOf(err) != "no_such_home" {
		t.Fatalf("a folder that is not there opened: %v", err)
	}
	o.MustExist = false
	for range 2 {
		h, err := backend.Open(t.Context(), dir, o)
		if err != nil {
			t.Fatal(err)
		}
		if h.Spec.Cloud() || h.Stack != nil || h.Spec.Folder != dir {
			t.Errorf("the home is %+v", h)
		}
		if _, err := h.Auth.EnsureOwner(t.Context()); err != nil {
			t.Error(err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		o.MustExist = true
	}
}

// TestStack opens a deployed stack and uses each of its resources.
func TestStack(t *testing.T) {
	t.Parallel()
	cloud := doubles.NewCloud(t)
	name := cloud.Deploy(t, doubles.StorageTemplate)
	noOutputs, _, _ := strings.Cut(doubles.StorageTemplate, `"Outputs"`)
	bare := cloud.Deploy(t, strings.TrimRight(strings.TrimSpace(noOutputs), ",")+"}")
	for _, spec := range []string{"aws:" + name, "aws:" + name + "@" + doubles.Region, "aws:" + bare} {
		o := backend.Options{Config: settings(t), Lookup: cloud.Lookup, Bulk: true}
		h, err := backend.Open(t.Context(), spec, o)
		if err != nil {
			t.Fatal(spec, err)
		}
		if h.Spec.Region != doubles.Region || h.Stack.DeadQueueURL == "" || h.Stack.ScheduleDeadQueueURL == "" {
			t.Errorf("%s is %+v %+v", spec, h.Spec, h.Stack)
		}
		if h.Config.WriteRate != 20 {
			t.Errorf("%s takes %v writes a second", spec, h.Config.WriteRate)
		}
		if h.Config.Parts != 1 {
			t.Errorf("%s splits its hosts into %d parts, its functions into 1", spec, h.Config.Parts)
		}
		if _, err := h.Auth.EnsureOwner(t.Context()); err != nil {
			t.Errorf("%s: its table: %v", spec, err)
		}
		if err := h.Blobs.Put(t.Context(), "feeds/x", []byte("x"), blob.Meta{}); err != nil {
			t.Errorf("%s: its bucket: %v", spec, err)
		}
		if err := h.Queue.Send(t.Context(), [][]byte{[]byte("x")}, 0); err != nil {
			t.Errorf("%s: its queue: %v", spec, err)
		}
		if _, err := h.Queue.Dead(t.Context(), 1); err != nil {
			t.Errorf("%s: its dead letters: %v", spec, err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOpenErrors: each mistake has its own code and a sentence that names it.
func TestOpenErrors(t *testing.T) {
	t.Parallel()
	cloud := doubles.NewCloud(t)
	good := cloud.Deploy(t, doubles.StorageTemplate)
	foreign := cloud.Deploy(t, `{"Resources": {"Q": {"Type": "AWS::SQS::Queue"}}}`)
	tests := []struct {
		name, spec string
		env        map[string]string
		code, says string
	}{
		{"no such stack", "aws:nobody", nil, "no_such_stack", "nobody"},
		{"another region", "aws:" + good + "@us-west-2", nil, "no_such_stack", "us-west-2"},
		{"another program's stack", "aws:" + foreign, nil, "stack_foreign", foreign},
		{"no credentials", "aws:" + good, map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""},
			"no_aws_credentials", "aws sso login"},
		{"no region", "aws:" + good, map[string]string{"AWS_REGION": ""}, "no_aws_region", "AWS_REGION"},
		{"no such profile", "aws:" + good, map[string]string{"AWS_PROFILE": "ghost"}, "no_aws_profile", "ghost"},
		{"nobody answers", "aws:" + good, map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:1"},
			"aws_unreachable", doubles.Region},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := cloud.Env()
			for k, v := range tt.env {
				env[k] = v
			}
			lookup := func(k string) (string, bool) { v, ok := env[k]; return v, ok }
			h, err := backend.Open(t.Context(), tt.spec,
				backend.Options{Config: settings(t), Lookup: lookup, Bulk: true})
			if err == nil {
				_ = h.Close()
			}
			if fault.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestBedrock: requests of one machine are signed with the credentials of its environment or profile, and those that
// come later are found.
func TestBedrock(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "credentials")
	env := map[string]string{"AWS_REGION": "eu-central-1", "AWS_SHARED_CREDENTIALS_FILE": file,
		"AWS_CONFIG_FILE": filepath.Join(folder, "config"), "AWS_EC2_METADATA_DISABLED": "true"}
	lookup := func(k string) (string, bool) { v, ok := env[k]; return v, ok }
	sign, region, err := backend.Bedrock(t.Context(), "", lookup, clock.System{})
	if fault.CodeOf(err) != "no_aws_credentials" || !strings.Contains(err.Error(), "aws sso login") ||
		region != "eu-central-1" {
		t.Fatalf("without credentials: %q, %v", region, err)
	}
	request := func() (string, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://bedrock.example/model", nil)
		if err != nil {
			t.Fatal(err)
		}
		err = sign(t.Context(), r, []byte("{}"), "bedrock", region)
		return r.Header.Get("Authorization"), err
	}
	if _, err := request(); fault.CodeOf(err) != "no_aws_credentials" {
		t.Errorf("signed without credentials: %v", err)
	}
	profile := "[default]\naws_access_key_id = AKID\naws_secret_access_key = SECRET\n"
	if err := os.WriteFile(file, []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := request(); err != nil || !strings.Contains(got, "AKID/") ||
		!strings.Contains(got, "/eu-central-1/bedrock/aws4_request") {
		t.Errorf("signed %q, %v", got, err)
	}
}
