package metrics_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/ruri-reader/ruri/internal/telemetry/metrics"
)

// parse reads the text with Prometheus' own parser.
func parse(t *testing.T, text []byte) map[string]*dto.MetricFamily {
	t.Helper()
	p := expfmt.NewTextParser(model.LegacyValidation)
	families, err := p.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return families
}

// R-82, G-45
func TestTextIsWhatPrometheusReads(t *testing.T) {
	t.Parallel()
	s := metrics.New()
	s.Add(metrics.FetchSuccess, "", 3)
	s.Add(metrics.FetchFail, "timeout", 2)
	s.Add(metrics.FetchFail, "http_404", 1)
	s.Add(metrics.HTTPStatus, "304", 2)
	s.Add(metrics.ItemsUpserted, "", 12)
	odd := "a\"b\\c\nd\xff"
	s.Add(metrics.Runs, odd, 1)
	for _, ms := range []int{50, 51, 700, 60_000} { // a bound belongs to its bucket
		s.Latency(time.Duration(ms) * time.Millisecond)
	}
	got := parse(t,
		s.Text(metrics.Family{Name: "table_write_units_count", Help: "a\nb", Label: "row",
			Samples: map[string]float64{"feed": 2.5}}))
	value := func(name, label string) float64 {
		for _, m := range got[name].GetMetric() {
			if len(m.GetLabel()) == 0 && label == "" || len(m.GetLabel()) == 1 && m.GetLabel()[0].GetValue() == label {
				return m.GetCounter().GetValue()
			}
		}
		t.Errorf("%s{%q} is not there", name, label)
		return math.NaN()
	}
	for _, c := range []struct {
		name, label string
		want        float64
	}{
		{"fetch_success_count", "", 3},
		{"fetch_fail_count", "timeout", 2},
		{"fetch_fail_count", "http_404", 1},
		{"parse_fail_count", "", 0},
		{"http_status_count", "304", 2},
		{"items_upserted_count", "", 12},
		{"run_count", "a\"b\\c\nd?", 1},
		{"table_write_units_count", "feed", 2.5},
	} {
		if v := value(c.name, c.label); v != c.want {
			t.Errorf("%s{%q} is %v, want %v", c.name, c.label, v, c.want)
		}
	}
	if l := got["http_status_count"].GetMetric()[0].GetLabel()[0].GetName(); l != "status_code" {
		t.Errorf("the label is %s", l)
	}
	h := got["fetch_latency"]
	if h.GetType() != dto.MetricType_HISTOGRAM {
		t.Fatalf("fetch_latency is a %v", h.GetType())
	}
	hist := h.GetMetric()[0].GetHistogram()
	if hist.GetSampleCount() != 4 || math.Abs(hist.GetSampleSum()-60.801) > 1e-9 {
		t.Errorf("%d samples, sum %v", hist.GetSampleCount(), hist.GetSampleSum())
	}
	want := map[float64]uint64{0.05: 1, 0.1: 2, 0.5: 2, 1: 3, 10: 3, math.Inf(1): 4}
	last := uint64(0)
	for _, b := range hist.GetBucket() {
		if n, ok := want[b.GetUpperBound()]; ok && n != b.GetCumulativeCount() {
			t.Errorf("up to %v: %d, want %d", b.GetUpperBound(), b.GetCumulativeCount(), n)
		}
		if b.GetCumulativeCount() < last {
			t.Errorf("the buckets sink at %v", b.GetUpperBound())
		}
		last = b.GetCumulativeCount()
	}
}

func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	s := metrics.New()
	for i := range 5000 {
		s.Add(metrics.FetchFail, strings.Repeat("x", i%1000), 1)
	}
	all := parse(t, s.Text())["fetch_fail_count"].GetMetric()
	sum := 0.0
	for _, m := range all {
		sum += m.GetCounter().GetValue()
	}
	if len(all) > 101 || sum != 5000 {
		t.Errorf("%d values, %v counted", len(all), sum)
	}
}

// TestEMF holds the line to the specification of the embedded metric format: every metric that is named has a
// number of its own at the top, and every dimension a string.
func TestEMF(t *testing.T) {
	t.Parallel()
	s := metrics.New()
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	if line := s.EMF(at, "ruri-dev"); line != nil {
		t.Errorf("nothing happened, and it tells %s", line)
	}
	s.Add(metrics.FetchSuccess, "", 3)
	s.Add(metrics.FetchFail, "timeout", 2)
	s.Add(metrics.FetchFail, "dns_failure", 1)
	s.Latency(2 * time.Second)
	read := func(line []byte) (numbers map[string]float64, rest map[string]any) {
		t.Helper()
		if !bytes.HasSuffix(line, []byte("}\n")) || bytes.Count(line, []byte("\n")) != 1 {
			t.Fatalf("not one line: %q", line)
		}
		if err := json.Unmarshal(line, &rest); err != nil {
			t.Fatal(err)
		}
		aws := rest["_aws"].(map[string]any)
		if aws["Timestamp"] != float64(at.UnixMilli()) {
			t.Errorf("the time is %v", aws["Timestamp"])
		}
		numbers = map[string]float64{}
		for _, d := range aws["CloudWatchMetrics"].([]any) {
			d := d.(map[string]any)
			if d["Namespace"] != "ruri-dev" {
				t.Errorf("the namespace is %v", d["Namespace"])
			}
			for _, set := range d["Dimensions"].([]any) {
				if len(set.([]any)) == 0 {
					t.Error("a set of dimensions is empty")
				}
				for _, name := range set.([]any) {
					if _, ok := rest[name.(string)].(string); !ok {
						t.Errorf("the dimension %v has no value", name)
					}
				}
			}
			for _, m := range d["Metrics"].([]any) {
				m := m.(map[string]any)
				n, ok := rest[m["Name"].(string)].(float64)
				if !ok || m["Unit"] == "" {
					t.Errorf("%v has no value or unit", m)
				}
				numbers[m["Name"].(string)] = n
			}
		}
		return numbers, rest
	}
	units := metrics.Family{Name: "table_write_units_count", Label: "row",
		Samples: map[string]float64{"feed": 2, "run": 1}}
	first, line := read(s.EMF(at, "ruri-dev", units))
	if first["fetch_success_count"] != 3 || first["fetch_fail_count"] != 3 || first["table_write_units_count"] != 3 ||
		first["fetch_latency_seconds"] != 2 {
		t.Errorf("it tells %v", first)
	}
	if by := line["fetch_fail_count_by_reason"].(map[string]any); by["timeout"] != 2.0 {
		t.Errorf("reasons are %v", by)
	}
	s.Add(metrics.FetchFail, "timeout", 1)
	second, line := read(s.EMF(at, "ruri-dev", units))
	if len(second) != 1 || second["fetch_fail_count"] != 1 {
		t.Errorf("the second line tells %v", second)
	}
	if by := line["fetch_fail_count_by_reason"].(map[string]any); len(by) != 1 || by["timeout"] != 1.0 {
		t.Errorf("reasons are %v", by)
	}
}
