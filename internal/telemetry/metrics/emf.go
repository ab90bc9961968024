package metrics

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// app is the value of the only dimension: a set of dimensions must not be empty.
const app = "ruri"

// EMF returns what was counted since its last call, as a log line of CloudWatch's embedded metric format
// (AmazonCloudWatch user guide, "Specification: embedded metric format"); nil if nothing was. CloudWatch bills each
// combination of name and dimensions by the month, so there is one dimension with one value, and counts by label value
// are properties, which Logs Insights can search.
func (s *Set) EMF(now time.Time, namespace string, more ...Family) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := map[string]float64{}
	detail := map[string]map[string]float64{}
	for name, values := range s.counters {
		for value, n := range values {
			total[name] += n
			if d := n - s.reportedBy[name][value]; value != "" && d > 0 {
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
		delta := total[name] - s.reported[name]
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
	s.reported, s.reportedBy = total, map[string]map[string]float64{}
	for name, values := range s.counters {
		s.reportedBy[name] = maps.Clone(values)
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
