package metrics

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// TextType is the media type of Text.
const TextType = "text/plain; version=0.0.4; charset=utf-8"

// Text returns the counters and more families in Prometheus' text format 0.0.4
// (prometheus.io/docs/instrumenting/exposition_formats). The client library does much more than a few counters need.
func (s *Set) Text(more ...Family) []byte {
	var b bytes.Buffer
	for _, f := range append(s.families(), more...) {
		head(&b, f.Name, f.Help, "counter")
		for _, value := range slices.Sorted(maps.Keys(f.Samples)) {
			sample(&b, f.Name, f.Label, value, f.Samples[value])
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	head(&b, FetchLatency, described[FetchLatency].help, "histogram")
	sum := 0.0
	for i, n := range s.latency.buckets {
		sum += n
		le := "+Inf"
		if i < len(bounds) {
			le = float(bounds[i])
		}
		sample(&b, FetchLatency+"_bucket", "le", le, sum)
	}
	sample(&b, FetchLatency+"_sum", "", "", s.latency.sum)
	sample(&b, FetchLatency+"_count", "", "", sum)
	return b.Bytes()
}

var (
	helpEscaper  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func head(b *bytes.Buffer, name, help, kind string) {
	b.WriteString("# HELP " + name + " " + helpEscaper.Replace(help) + "\n# TYPE " + name + " " + kind + "\n")
}

func sample(b *bytes.Buffer, name, label, value string, n float64) {
	b.WriteString(name)
	if label != "" {
		b.WriteString(`{` + label + `="` + labelEscaper.Replace(strings.ToValidUTF8(value, "?")) + `"}`)
	}
	b.WriteString(" " + float(n) + "\n")
}

func float(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }
