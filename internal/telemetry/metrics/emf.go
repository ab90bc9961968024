package metrics

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Totals are sums by name: a counter over all values of its label, and what Family adds.
type Totals map[string]float64

// app is the one dimension's value: a set of dimensions must not be empty.
const app = "ruri"

// EMF gives what was counted since it was last asked, as a log line of CloudWatch's embedded metric format
// (AmazonCloudWatch user guide, "Specification: embedded metric format"); nil when nothing was. CloudWatch makes
// one custom metric of each name, and each is billed by the month: so there is one dimension with one
// value, and what is counted by reason or status goes along as plain properties, which Logs Insights can search
// at no further cost.
func (s *Set) EMF(now time.Time, namespace string, more ...Family) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := Totals{}
	detail := map[string]map[string]float64{}
	for name, values := range s.counters {
		for value, n := range values {
			total[name] += n
			if d := n - s.toldBy[name][value]; value != "" && d > 0 {
				if detail[name] == nil {
					detail[name] = map[string]float64{}
				}
				detail[name][value] = d
			}
		}
	}
	for _, f := range more {
		for _, n := range f.Samples {
			total[f.Name] += n
		}
	}
	latencies := 0.0
	for _, n := range s.latency.buckets {
		latencies += n
	}
	total[FetchLatency+"_seconds"], total[FetchLatency+"_fetches"] = s.latency.sum, latencies
	line := map[string]any{"msg": "metrics", "app": app}
	var metrics []map[string]string
	for _, name := range slices.Sorted(maps.Keys(total)) {
		delta := total[name] - s.told[name]
		if delta == 0 {
			continue
		}
		line[name] = delta
		unit := "Count"
		switch name {
		case FetchLatency + "_seconds":
			unit = "Seconds"
		case FetchBytes:
			unit = "Bytes"
		}
		metrics = append(metrics, map[string]string{"Name": name, "Unit": unit})
	}
	s.told, s.toldBy = total, map[string]map[string]float64{}
	for name, values := range s.counters {
		s.toldBy[name] = maps.Clone(values)
	}
	if len(metrics) == 0 {
		return nil
	}
	for name, values := range detail {
		line[name+"_by_"+described[name].label] = values
	}
	line["_aws"] = map[string]any{
		"Timestamp": now.UnixMilli(),
		"CloudWatchMetrics": []map[string]any{
			{"Namespace": namespace, "Dimensions": [][]string{{"app"}}, "Metrics": metrics},
		},
	}
	b, err := json.Marshal(line)
	if err != nil {
		return nil // numbers and names always encode
	}
	return append(b, '\n')
}
