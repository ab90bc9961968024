package rehearse

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/awswire"
)

// slower is how much more time than in Lambda functions and their API have: what emulates AWS runs beside them, on a
// machine that may be busy.
const slower = 4

// Stack is a deployed template with its functions running.
type Stack struct {
	Name string
	// URL is where people reach it: the stack's own output.
	URL  string
	Host *lambdahost.Host
	Jobs *lambdahost.EventSource
	// Gates are before dynamodb, s3, sqs and ssm; set their hooks before anything runs.
	Gates map[string]*lambdahost.Gate
	// App is the stack opened with the owner's permissions.
	App *wire.App

	settings map[string]string // of App, as environment variables
	rig      *Rig
	d        *deployed
	rights   *rights
	client   struct {
		s3       *s3.Client
		sqs      *sqs.Client
		dynamodb *dynamodb.Client
	}
	extra  *http.ServeMux // what is served in addition to the distribution
	stops  []func()
	cancel context.CancelFunc
	busy   sync.WaitGroup
	once   sync.Once
}

// Parameters returns settings that turn on what is off by default: alarms, budget, point-in-time recovery, a secret.
func Parameters() map[string]string {
	return map[string]string{
		"AlarmEmail": "owner@example.org", "MonthlyBudget": "1", "PointInTimeRecovery": "true",
		"SessionSecretParameter": "/ruri/session-secret",
		// With these the API answers nothing that did not come through the distribution.
		"EdgeSecretParameter": "/ruri/edge-secret", "EdgeOnly": "true",
	}
}

// Deploy deploys the template with parameters, and starts it. Closing the rig does not close it.
func (r *Rig) Deploy(ctx context.Context, parameters map[string]string) (*Stack, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.serial++
	s := &Stack{Name: fmt.Sprintf("rehearsal-%d", r.serial), rig: r, Gates: map[string]*lambdahost.Gate{},
		extra: http.NewServeMux()}
	r.mu.Unlock()
	s.stops = append(s.stops, func() { _ = ln.Close() })
	if err := s.deploy(ctx, ln, parameters); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Stack) deploy(ctx context.Context, ln net.Listener, parameters map[string]string) error {
	d, err := s.rig.create(ctx, filepath.Join(s.rig.o.Root, "template.yaml"), s.Name, ln.Addr().String(), parameters)
	if err != nil {
		return err
	}
	if len(d.Problems) > 0 {
		return fmt.Errorf("rehearse: the template has mistakes:\n  %s", strings.Join(d.Problems, "\n  "))
	}
	s.d = d
	s.URL = d.Outputs["Url"]
	cfg := aws.Config{Region: lambdahost.Region,
		Credentials: credentials.NewStaticCredentialsProvider("owner", "secret", "")}
	moto, fauxqs := s.rig.endpoints["moto"], s.rig.endpoints["fauxqs"]
	s.client.s3 = s3.NewFromConfig(cfg, func(o *s3.Options) { o.BaseEndpoint, o.UsePathStyle = &moto, true })
	s.client.sqs = sqs.NewFromConfig(cfg, func(o *sqs.Options) { o.BaseEndpoint = &fauxqs })
	dynalite := s.rig.endpoints["dynalite"]
	s.client.dynamodb = dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { o.BaseEndpoint = &dynalite })
	if s.rights, err = readRights(d); err != nil {
		return err
	}
	if err := s.startHost(); err != nil {
		return err
	}
	if err := s.openAsOwner(ctx, parameters); err != nil {
		return err
	}
	if err := uploadPage(ctx, s.client.s3, d.Outputs["PageBucketName"], s.rig.o.Page); err != nil {
		return err
	}
	if err := s.startFront(ln); err != nil {
		return err
	}
	return s.startEvents()
}

// programs are the functions' programs by their logical names.
var programs = map[string]string{"OrchestratorFunction": "orchestrator", "CrawlerFunction": "crawler",
	"ApiFunction": "api"}

// properties reads the resolved properties of a resource.
func (d *deployed) properties(logical string, into any) error {
	raw, ok := d.Properties[logical]
	if !ok {
		return fmt.Errorf("rehearse: the stack has no %s", logical)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("rehearse: %s: %w", logical, err)
	}
	return nil
}

// find reads the properties of the resource with a type and a physical name, and reports whether there is one.
func (d *deployed) find(kind, name string, into any) (bool, error) {
	for logical, r := range d.Resources {
		if r.Type == kind && r.Name == name {
			return true, d.properties(logical, into)
		}
	}
	return false, nil
}

// only returns the name of the one resource of a type.
func (d *deployed) only(kind string) (string, error) {
	var found []string
	for name, r := range d.Resources {
		if r.Type == kind {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("rehearse: %d resources of %s, the rehearsal knows how to run one", len(found), kind)
	}
	return found[0], nil
}

// startHost makes the functions as the stack configures them, behind their gates.
func (s *Stack) startHost() error {
	surroundings := map[string]string{
		// scripts are faster than people
		"RURI_ALLOW_NETS": "127.0.0.0/8", "SSL_CERT_FILE": s.rig.certFile, "RURI_RATE_USER": "0",
		"RURI_RATE_ADDRESS": "0",
	}
	s.Host = lambdahost.New(lambdahost.Options{Surroundings: surroundings, Log: s.rig.o.Log})
	s.stops = append(s.stops, s.Host.Close)
	for service, emulator := range map[string]string{"dynamodb": "dynalite", "s3": "moto", "sqs": "fauxqs",
		"ssm": "moto"} {
		target, err := url.Parse(s.rig.endpoints[emulator])
		if err != nil {
			return err
		}
		gate := &lambdahost.Gate{Host: s.Host, Service: service, Target: target, Allow: s.rights.allow}
		if service == "sqs" {
			gate.Translate = s.translateQueues()
		}
		address, err := s.serve(nil, gate)
		if err != nil {
			return err
		}
		s.Gates[service] = gate
		surroundings["AWS_ENDPOINT_URL_"+strings.ToUpper(service)] = "http://" + address
	}
	for logical, r := range s.d.Resources {
		if r.Type != "AWS::Lambda::Function" {
			continue
		}
		var p struct {
			Timeout, MemorySize          number
			ReservedConcurrentExecutions number
			Environment                  struct{ Variables map[string]any }
		}
		if err := s.d.properties(logical, &p); err != nil {
			return err
		}
		program, ok := programs[logical]
		if !ok {
			return fmt.Errorf("rehearse: nobody knows the program of %s", logical)
		}
		env := map[string]string{}
		for k, v := range p.Environment.Variables {
			env[k] = fmt.Sprint(v)
		}
		err := s.Host.Add(lambdahost.Function{
			Name: r.Name, Bootstrap: filepath.Join(s.rig.o.Bootstraps, program, "bootstrap"), Env: env,
			Timeout: time.Duration(p.Timeout) * time.Second * slower, Memory: int(p.MemorySize),
			Reserved: int(p.ReservedConcurrentExecutions),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// translateQueues replaces the queues' addresses, which are AWS's in the functions' variables, by those of fauxqs.
func (s *Stack) translateQueues() func([]byte) []byte {
	var pairs []string
	for logical, address := range s.d.Queues {
		pairs = append(pairs, `"`+s.d.Resources[logical].Name+`"`, `"`+address+`"`)
	}
	replacer := strings.NewReplacer(pairs...)
	return func(body []byte) []byte { return []byte(replacer.Replace(string(body))) }
}

// openAsOwner puts the secrets in their places and opens the stack as an owner's own commands do.
func (s *Stack) openAsOwner(ctx context.Context, parameters map[string]string) error {
	if name := parameters["SessionSecretParameter"]; name != "" {
		if err := putParameter(ctx, s.rig.endpoints["moto"], "SecureString", name,
			"a secret of the rehearsal, long enough"); err != nil {
			return err
		}
	}
	s.settings = map[string]string{
		"AWS_REGION": lambdahost.Region, "AWS_ACCESS_KEY_ID": "owner", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_ENDPOINT_URL_DYNAMODB": s.rig.endpoints["dynalite"], "AWS_ENDPOINT_URL_S3": s.rig.endpoints["moto"],
		"AWS_ENDPOINT_URL_SQS": s.rig.endpoints["fauxqs"], "AWS_ENDPOINT_URL_SSM": s.rig.endpoints["moto"],
		"RURI_TABLE": s.d.Outputs["TableName"], "RURI_BUCKET": s.d.Outputs["RawBucketName"],
		"RURI_QUEUE_URL":      s.d.Queues["Queue"],
		"RURI_DEAD_QUEUE_URL": s.d.Queues["DeadLetters"], "RURI_BASE_URL": s.URL, "RURI_LOG_LEVEL": "error",
		"RURI_ALLOW_NETS": "127.0.0.0/8", "RURI_SESSION_SECRET_PARAMETER": parameters["SessionSecretParameter"],
	}
	app, err := s.open()
	if err != nil {
		return err
	}
	app.Log = slog.New(slog.NewJSONHandler(s.rig.o.Log, &slog.HandlerOptions{Level: slog.LevelError}))
	s.App = app
	s.stops = append(s.stops, app.Close)
	_, err = app.Auth.EnsureOwner(ctx)
	return err
}

// open makes the parts of a process over the stack, with nothing in memory.
func (s *Stack) open() (*wire.App, error) {
	return awswire.Open("rehearsal", func(k string) (string, bool) { v, ok := s.settings[k]; return v, ok }, nil)
}

// startEvents starts the pollers of the event source mapping.
func (s *Stack) startEvents() error {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	mapping, err := s.d.only("AWS::Lambda::EventSourceMapping")
	if err != nil {
		return err
	}
	var m struct {
		FunctionName, EventSourceArn              string
		BatchSize, MaximumBatchingWindowInSeconds number
		FunctionResponseTypes                     []string
		ScalingConfig                             struct{ MaximumConcurrency number }
	}
	if err := s.d.properties(mapping, &m); err != nil {
		return err
	}
	if m.MaximumBatchingWindowInSeconds > 0 || len(m.FunctionResponseTypes) != 1 {
		return fmt.Errorf("rehearse: %s has a window or does not take partial failures, which is not emulated", mapping)
	}
	queue, err := s.queueOf(m.EventSourceArn)
	if err != nil {
		return err
	}
	s.Jobs = &lambdahost.EventSource{
		Host: s.Host, Function: functionName(m.FunctionName), Client: s.client.sqs, QueueURL: queue,
		QueueARN:  m.EventSourceArn,
		BatchSize: int(m.BatchSize), Maximum: int(m.ScalingConfig.MaximumConcurrency),
	}
	s.busy.Go(func() {
		if err := s.Jobs.Run(ctx); err != nil {
			_, _ = fmt.Fprintln(s.rig.o.Log, err)
		}
	})
	return nil
}

// queueOf is the address on fauxqs of a queue that the stack names by its ARN.
func (s *Stack) queueOf(arn string) (string, error) {
	name := arn[strings.LastIndexByte(arn, ':')+1:]
	for _, u := range s.d.Queues {
		if strings.HasSuffix(u, "/"+name) {
			return u, nil
		}
	}
	return "", fmt.Errorf("rehearse: the stack names a queue %s that it does not make", arn)
}

// RunSchedule fires the schedule at the start of each tick until the context ends.
func (s *Stack) RunSchedule(ctx context.Context) error {
	for {
		due := (schedule.TickOf(time.Now()) + 1).Start()
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Until(due)):
		}
		if err := s.fire(ctx, due); err != nil {
			_, _ = fmt.Fprintln(s.rig.o.Log, err)
		}
	}
}

// Tick fires the schedule for a time and waits until the queue is empty again.
func (s *Stack) Tick(ctx context.Context, due time.Time) error {
	if err := s.fire(ctx, due); err != nil {
		return err
	}
	return s.Drained(ctx)
}

// fire invokes the schedule's target once, without the retries of a failed event.
func (s *Stack) fire(ctx context.Context, due time.Time) error {
	name, err := s.d.only("AWS::Scheduler::Schedule")
	if err != nil {
		return err
	}
	var p struct{ Target struct{ Arn, Input string } }
	if err := s.d.properties(name, &p); err != nil {
		return err
	}
	input := strings.ReplaceAll(p.Target.Input, "<aws.scheduler.scheduled-time>", due.UTC().Format(time.RFC3339))
	r, err := s.Host.Invoke(ctx, functionName(p.Target.Arn), []byte(input))
	if err == nil && r.Error != "" {
		err = fmt.Errorf("rehearse: the schedule's target failed: %s", r.Payload)
	}
	return err
}

// Drained waits until no message is in the queue or under way.
func (s *Stack) Drained(ctx context.Context) error {
	for {
		out, err := s.client.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
			QueueUrl: &s.Jobs.QueueURL, AttributeNames: queueCounts,
		})
		if err != nil {
			return err
		}
		waiting := 0
		for _, v := range out.Attributes {
			if v != "0" {
				waiting++
			}
		}
		if waiting == 0 && s.Jobs.Held() == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Denied are the calls that a role had no right to, each once. A stack whose functions did all their work without
// one has rights enough.
func (s *Stack) Denied() []string { return s.rights.refused() }

// serve listens on the loopback, or takes a listener, until the stack is closed.
func (s *Stack) serve(ln net.Listener, h http.Handler) (string, error) {
	if ln == nil {
		var err error
		if ln, err = new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0"); err != nil {
			return "", err
		}
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 30 * time.Second,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	s.stops = append(s.stops, func() { _ = server.Close() })
	s.busy.Go(func() {
		if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			_, _ = fmt.Fprintln(s.rig.o.Log, err)
		}
	})
	return ln.Addr().String(), nil
}

func (s *Stack) startFront(ln net.Listener) error {
	edge, end, err := s.edge()
	if err != nil {
		return err
	}
	s.stops = append(s.stops, end)
	s.extra.Handle("/", edge)
	front := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "//") { // a ServeMux would redirect, CloudFront does not
			edge.ServeHTTP(w, r)
			return
		}
		s.extra.ServeHTTP(w, r)
	})
	_, err = s.serve(tls.NewListener(ln, &tls.Config{
		Certificates: []tls.Certificate{s.rig.certificate}, NextProtos: []string{"h2", "http/1.1"},
		MinVersion: tls.VersionTLS12,
	}), front)
	return err
}

// Close stops the stack's functions and front. What it stored goes with the rig.
func (s *Stack) Close() {
	s.once.Do(func() {
		if s.cancel != nil {
			s.cancel()
		}
		for i := len(s.stops) - 1; i >= 0; i-- {
			s.stops[i]()
		}
		s.busy.Wait()
	})
}

// Resources returns the number of resources of the stack.
func (s *Stack) Resources() int { return len(s.d.Resources) }

// functionName is the name in a function's ARN, or the name itself.
func functionName(arn string) string { return arn[strings.LastIndexByte(arn, ':')+1:] }

// number is a number that a parameter may have given as a text.
type number int

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(b []byte) error {
	var v json.Number
	if err := json.Unmarshal([]byte(strings.Trim(string(b), `"`)), &v); err != nil {
		return err
	}
	i, err := v.Int64()
	*n = number(i)
	return err
}
