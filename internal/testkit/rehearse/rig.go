// Package rehearse deploys template.yaml onto emulated AWS and runs the functions' real bootstraps on it: the reader
// as it would be in an account, on one machine, without Docker. The command is in run/ (`make rehearse`).
//
// A deployment goes: translate (as CloudFormation's serverless transform does), look for the faults that no tool
// notices, create by moto's CloudFormation, make the rest through the services' APIs, read every resource back and
// compare it with the template (aws/deploy.py); then run: table traffic to dynalite, blobs and parameters to moto,
// the queues on fauxqs, each behind a gate that holds every function to the rights of its role; the functions on
// lambdahost with the event source mapping, schedule and HTTP API that were deployed; and in front of all a
// CloudFront with the distribution's own behaviours, its function and its headers.
//
// What this shows is shape: that the template says what the program needs, and that the program does its work with
// what the template gives. Quotas, prices, latency, IAM's finer points, certificates, DNS and CloudFront's caches only
// an account can show.
package rehearse

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/testkit/doubles"
)

// Options say what is rehearsed.
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

	mu       sync.Mutex // one deployment at a time
	deployer *exec.Cmd
	orders   io.WriteCloser
	answers  *bufio.Reader
	serial   int
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
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for name, double := range map[string]string{
		"dynalite": "dynalite", "fauxqs": "fauxqs", "moto": "internal/testkit/rehearse/aws/moto_stack.py",
	} {
		wg.Go(func() {
			url, stop, err := doubles.Serve(double)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, err)
				return
			}
			r.endpoints[name] = url
			r.stops = append(r.stops, stop)
		})
	}
	wg.Wait()
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	return r.startDeployer()
}

// startDeployer starts the program that deploys and reads back; it takes orders until its input ends.
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
	r.deployer, r.orders, r.answers = cmd, in, bufio.NewReaderSize(out, 1<<20)
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

// certify makes the certificate of the fronts, and the file by which the functions trust it: they crawl what is
// served beside the page.
func (r *Rig) certify() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "Ruri rehearsal"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(7 * 24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	r.certificate = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	r.certFile = filepath.Join(r.dir, "certificate.pem")
	return os.WriteFile(r.certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
}

// CertFile is the certificate that a client of the fronts must trust.
func (r *Rig) CertFile() string { return r.certFile }

// Endpoint is the address of an emulator: moto, dynalite or fauxqs.
func (r *Rig) Endpoint(name string) string { return r.endpoints[name] }

// deployed is what the deployer answers.
type deployed struct {
	Error      string
	Problems   []string
	Compared   int
	Unread     []string
	Resources  map[string]struct{ Type, Name string }
	Properties map[string]json.RawMessage
	Outputs    map[string]string
	Queues     map[string]string
}

// order deploys the template under a name, for a front that listens at an address.
func (r *Rig) order(ctx context.Context, name, front string, parameters map[string]string) (*deployed, error) {
	return r.orderTemplate(ctx, filepath.Join(r.o.Root, "template.yaml"), name, front, parameters)
}

func (r *Rig) orderTemplate(ctx context.Context, template, name, front string, parameters map[string]string) (*deployed, error) {
	if secret := parameters["EdgeSecretParameter"]; secret != "" { // the template reads it while it is deployed
		if err := putParameter(ctx, r.endpoints["moto"], "String", secret, "an edge secret of the rehearsal"); err != nil {
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
	if _, err := r.orders.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	answer, err := r.answers.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("rehearse: the deployer ended: %w", err)
	}
	var d deployed
	if err := json.Unmarshal(answer, &d); err != nil {
		return nil, fmt.Errorf("rehearse: the deployer said %.300s: %w", answer, err)
	}
	if d.Error != "" {
		return nil, errors.New("rehearse: " + d.Error)
	}
	return &d, nil
}
