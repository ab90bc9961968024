package doctor_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/testkit/doubles"
)

const drifted = `<member><LogicalResourceId>%s</LogicalResourceId><StackId>s</StackId><ResourceType>T</ResourceType>` +
	`<StackResourceDriftStatus>MODIFIED</StackResourceDriftStatus><Timestamp>2026-04-01T08:00:00Z</Timestamp></member>`

// aws answers what the doubles have no answer for; the rest goes to them.
type aws struct {
	drift, alarms, ticks, age string
	refuse                    bool
}

func (a *aws) serve(t *testing.T, behind string) string {
	t.Helper()
	to, err := url.Parse(behind)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		action := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "GraniteServiceVersion20100801.")
		if form, err := url.ParseQuery(string(body)); err == nil && form.Get("Action") != "" {
			action = form.Get("Action")
		}
		var result string
		switch action {
		case "DescribeAlarms", "GetMetricData":
			if a.refuse {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			if action == "DescribeAlarms" {
				fmt.Fprintf(w, `{"MetricAlarms":[%s]}`, a.alarms)
				return
			}
			fmt.Fprintf(w, `{"MetricDataResults":[{"Id":"ticks","Values":[%s]},{"Id":"age","Values":[%s]}]}`, a.ticks,
				a.age)
			return
		case "DetectStackDrift":
			result = `<StackDriftDetectionId>d</StackDriftDetectionId>`
		case "DescribeStackDriftDetectionStatus":
			status := "IN_SYNC"
			if a.drift != "" {
				status = "DRIFTED"
			}
			result = `<DetectionStatus>DETECTION_COMPLETE</DetectionStatus><StackDriftStatus>` + status +
				`</StackDriftStatus><StackDriftDetectionId>d</StackDriftDetectionId><StackId>s</StackId>` +
				`<Timestamp>2026-04-01T08:00:00Z</Timestamp>`
		case "DescribeStackResourceDrifts":
			result = `<StackResourceDrifts>` + fmt.Sprintf(drifted, a.drift) + `</StackResourceDrifts>`
		case "DescribeStackResource":
			result = `<StackResourceDetail><PhysicalResourceId>ruri-orchestrator</PhysicalResourceId>` +
				`</StackResourceDetail>`
		default:
			r.Body = io.NopCloser(bytes.NewReader(body))
			proxy.ServeHTTP(w, r)
			return
		}
		fmt.Fprintf(w, `<%sResponse><%[1]sResult>%s</%[1]sResult></%[1]sResponse>`, action, result)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestPlantedFaultsOfAStack: what is wrong around a stack's data.
func TestPlantedFaultsOfAStack(t *testing.T) {
	t.Parallel()
	cloud := doubles.NewCloud(t)
	template := strings.Replace(doubles.StorageTemplate, `"Parameters": {`,
		`"Parameters": {"ScheduleState": {"Type": "String", "Default": "ENABLED"}, `, 1)
	running := cloud.Deploy(t, template)
	stopped := cloud.Deploy(t, strings.Replace(template, `"ENABLED"`, `"DISABLED"`, 1))
	for _, f := range []struct {
		name, stack string
		change      func(*aws, *world)
		check, says string
	}{
		{"nothing", running, func(*aws, *world) {}, "owner", ""},
		{"no stack", "nobody", func(*aws, *world) {}, "database", "no stack"},
		{"a changed resource", running, func(a *aws, _ *world) { a.drift = "Table" }, "drift", "Table"},
		{"an alarm", running, func(a *aws, _ *world) {
			a.alarms = `{"AlarmName":"ruri-DeadLettersAlarm","AlarmDescription":"A message failed five times."}`
		}, "alarms", "five times"},
		{"a schedule that is off", stopped, func(*aws, *world) {}, "schedule", "ENABLED"},
		{"a schedule that does not fire", running, func(a *aws, _ *world) { a.ticks = "" }, "schedule", "did not fire"},
		{"messages that wait", running, func(a *aws, _ *world) { a.age = "4000" }, "queue age", "67 minutes"},
		{"missing permissions", running, func(a *aws, _ *world) { a.refuse = true }, "alarms",
			"cloudwatch:DescribeAlarms"},
		{"a page that is not uploaded", running, func(_ *aws, w *world) { w.answers[base+"/"] = answer(403, "") },
			"page",
			"make deploy"},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			w, a := newWorld(t), &aws{ticks: "4", age: "12"}
			f.change(a, w)
			for k, v := range cloud.Env() {
				w.env[k] = v
			}
			w.env["AWS_ENDPOINT_URL"] = a.serve(t, w.env["AWS_ENDPOINT_URL"])
			w.home = "aws:" + f.stack
			list := w.examine(t)
			if expect(t, list, f.check, f.says); f.name == "nothing" && len(wrong(list)) != 1 {
				t.Errorf("in a stack that is in order it finds %+v", wrong(list))
			}
		})
	}
}
