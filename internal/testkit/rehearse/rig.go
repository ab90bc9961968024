// Package rehearse deploys template.yaml onto emulated AWS and runs the functions' real bootstraps on it: the reader
// as it would be in an account, on one machine, without Docker. The command is in run/ (`make rehearse`).
//
// A deployment translates the template as CloudFormation's serverless transform does, checks it for mistakes that no
// linter finds, and creates it with moto's CloudFormation (aws/deploy.py). Then it runs: table traffic goes to
// dynalite, blobs and parameters to moto, the queues to fauxqs, each through a gate that enforces the role of the
// calling function; the functions run on lambdahost with the event source mapping, schedule and HTTP API of the
// template; and in front is a CloudFront with the distribution's behaviours, its function and its headers.
//
// This proves permissions, wiring and behaviour: the program works with what the template provides. Quotas, prices,
// latency, IAM conditions, certificates, DNS and CloudFront's caches need an account.
package rehearse

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/testkit/doubles"
)

// Options of a rig.
type Options struct {
	Root       string // the repository
	Bootstraps string // folder with NAME/bootstrap for orchestrator, crawler and api, built for this machine
	Page       string // folder of the built page
	Log        io.Writer
}

// Rig is the emulated AWS. Several stacks can be deployed into it.
type Rig struct {
	o           Options
	endpoints   map[string]string // of moto, dynalite and fauxqs
	stops       []func()
	dir         string
	certificate tls.Certificate
	certFile    string

	mu        sync.Mutex // one deployment at a time
	deployer  *exec.Cmd
	requests  io.WriteCloser
	responses *bufio.Reader
	serial    int
}

// Open starts the emulators. Close ends them.
func Open(o Options) (*Rig, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}
	for _, folder := range []*string{&o.Root, &o.Bootstraps, &o.Page} {
		var err error
		if *folder, err = filepath.Abs(*folder); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "ruri-rehearsal-")
	if err != nil {
		return nil, err
	}
	r := &Rig{o: o, endpoints: map[string]string{}, dir: dir}
	r.stops = append(r.stops, func() { _ = os.RemoveAll(dir) })
	if err := r.startAll(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Rig) startAll() error {
	if err := r.certify(); err != nil {
		return err
	}
	var g errgroup.Group
	for name, double := range map[string]string{
		"dynalite": "dynalite", "fauxqs": "fauxqs", "moto": "internal/testkit/rehearse/aws/moto_stack.py",
	} {
		g.Go(func() error {
			url, stop, err := doubles.Serve(double)
			if err != nil {
				return err
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.endpoints[name] = url
			r.stops = append(r.stops, stop)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return r.startDeployer()
}

// startDeployer starts the program that deploys; it takes requests until its input ends.
func (r *Rig) startDeployer() error {
	python, installed := filepath.Join(r.o.Root, ".tools/aws/bin/python"), filepath.Join(r.o.Root, ".tools/stamps/aws")
	if _, err := os.Stat(installed); err != nil { // written last, when all of it is there
		return fmt.Errorf("the SAM translator is not installed: run make tools (%s is missing)", installed)
	}
	cmd := exec.Command(python, filepath.Join(r.o.Root, "internal/testkit/rehearse/aws/deploy.py"))
	cmd.Stderr = r.o.Log
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "AWS_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "AWS_EC2_METADATA_DISABLED=true", "PYTHONDONTWRITEBYTECODE=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.deployer, r.requests, r.responses = cmd, in, bufio.NewReaderSize(out, 1<<20)
	r.stops = append(r.stops, func() { _ = in.Close(); _ = cmd.Wait() })
	return nil
}

// Close ends everything.
func (r *Rig) Close() {
	for i := len(r.stops) - 1; i >= 0; i-- {
		r.stops[i]()
	}
	r.stops = nil
}

// certify sets the certificate of the fronts, httptest's own, and writes the file with which the functions trust it:
// they crawl the sample feeds, which a front serves too.
func (r *Rig) certify() error {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	r.certificate = server.TLS.Certificates[0]
	r.certFile = filepath.Join(r.dir, "certificate.pem")
	return os.WriteFile(r.certFile,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600)
}

// CertFile is the certificate that a client of the fronts must trust.
func (r *Rig) CertFile() string { return r.certFile }

// deployed is a response of the deployer.
type deployed struct {
	Error      string
	Problems   []string
	Resources  map[string]struct{ Type, Name string }
	Properties map[string]json.RawMessage
	Outputs    map[string]string
	Queues     map[string]string
}

// create deploys a template as the stack name, for a front that listens at an address.
func (r *Rig) create(ctx context.Context, template, name, front string,
	parameters map[string]string) (*deployed, error) {
	if secret := parameters["EdgeSecretParameter"]; secret != "" { // the template reads it while it is deployed
		if err := putParameter(ctx, r.endpoints["moto"], "String", secret, "an edge secret of the rehearsal"); err !=
			nil {
			return nil, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	line, err := json.Marshal(map[string]any{
		"template": template, "stack": name, "front": front,
		"parameters": parameters, "endpoints": r.endpoints,
	})
	if err != nil {
		return nil, err
	}
	if _, err := r.requests.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	response, err := r.responses.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("rehearse: the deployer ended: %w", err)
	}
	var d deployed
	if err := json.Unmarshal(response, &d); err != nil {
		return nil, fmt.Errorf("rehearse: the deployer responded %.300s: %w", response, err)
	}
	if d.Error != "" {
		return nil, errors.New("rehearse: " + d.Error)
	}
	return &d, nil
}
