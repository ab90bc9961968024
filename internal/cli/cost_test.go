package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/testkit/simulate"
)

var update = flag.Bool("update", false, "write the figures of docs/run/cost.md anew")

const costPage = "../../docs/run/cost.md"

// days are those that were simulated already: several tests look at the same.
var days sync.Map

// simulated is simulate.Run, once for the same day.
func simulated(ctx context.Context, o cost.Options, m cost.Model) (*cost.Day, error) {
	type key struct {
		cost.Options
		cost.Model
	}
	once, _ := days.LoadOrStore(key{o, m}, sync.OnceValues(func() (*cost.Day, error) {
		return simulate.Run(ctx, o, m)
	}))
	return once.(func() (*cost.Day, error))()
}

// costReport runs the command as a program would.
func costReport(t *testing.T, args ...string) cost.Report {
	t.Helper()
	var r cost.Report
	if err := json.Unmarshal([]byte(must(t, t.TempDir(), "", append([]string{"cost", "--json"}, args...)...)),
		&r); err != nil {
		t.Fatal(err)
	}
	return r
}

// growth is the table of installations of several sizes.
func growth(t *testing.T, usual cost.Report) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| feeds | readers | `--news` | write units a day: crawl, readers | no free tier, USD a month | " +
		"always free | in the long run | naïve, always free |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, c := range []struct{ feeds, users, news string }{
		{"100", "1", "1"}, {"100", "1", "2"}, {"1000", "1", "1"}, {"5000", "100", "1"}, {"200000", "10000", "1"},
	} {
		r := usual
		if c.feeds != "100" || c.news != "1" {
			r = costReport(t, "--feeds", c.feeds, "--users", c.users, "--news", c.news)
		}
		d := r.Day
		fmt.Fprintf(&b, "| %s | %s | %s | %.0f, %.0f | %s | %s | %s | %s |\n", c.feeds, c.users, c.news,
			d.CrawlWriteUnits(), d.Reader.Writes, usd(r.Month.Total.USD), usd(r.Month.Total.Always),
			usd(r.LongRun.Always), usd(r.Naive.Total.Always))
	}
	return b.String()
}

// counts is the table of what bookmark counts add.
func counts(t *testing.T, usual cost.Report) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| 100 feeds, one reader | write units a day: crawl, readers | read units a day | URLs, calls a " +
		"day | no free tier, USD a month | always free | in the long run |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, c := range []struct {
		what string
		cost.Report
	}{{"without counts", usual}, {"`--counts`", costReport(t, "--counts")}} {
		r, d := c.Report, c.Day
		fmt.Fprintf(&b, "| %s | %.0f, %.0f | %.0f | %.0f, %.0f | %s | %s | %s |\n", c.what, d.CrawlWriteUnits(),
			d.Reader.Writes,
			d.Plan.Reads+d.Crawl.Reads+d.Reader.Reads, d.CountURLs, d.CountCalls, usd(r.Month.Total.USD),
			usd(r.Month.Total.Always), usd(r.LongRun.Always))
	}
	return b.String()
}

// isUsualReader holds what the page of statistics assumes of reading to what is simulated.
func isUsualReader(t *testing.T, d *cost.Day) {
	t.Helper()
	u := cost.UsualReader
	for what, pair := range map[string][2]float64{
		"reads": {u.Reader.Reads, d.Reader.Reads}, "writes": {u.Reader.Writes, d.Reader.Writes},
		"blob gets": {u.BlobGets, d.BlobGets}, "requests": {u.Requests, d.Requests},
		"seconds": {u.API.Seconds, d.API.Seconds},
		"answers": {u.AnswerBytes, d.AnswerBytes}, "page": {u.PageBytes, d.PageBytes},
	} {
		if by := pair[0]/pair[1] - 1; by > 0.25 || by < -0.25 {
			t.Errorf("%s of the usual reader: %v are assumed, %v are simulated", what, pair[0], pair[1])
		}
	}
}

// isUsualFeed holds what is assumed of single feeds to what is simulated of a hundred.
func isUsualFeed(t *testing.T, d *cost.Day) {
	t.Helper()
	u := cost.UsualFeed(d.Polls/100, d.NewItems/100)
	rows := d.CrawlWrites["feed"] + d.CrawlWrites["delta"]
	for what, pair := range map[string][2]float64{
		"answers with news": {u.Changed, d.Changed / 100}, "reads": {u.Crawl.Reads, d.Crawl.Reads / 100},
		"writes": {u.Crawl.Writes, rows / 100}, "seconds": {u.Crawler.Seconds, d.Crawler.Seconds / 100},
		"bodies": {u.BlobBytes, d.BlobBytes / 100}, "reads of the planner": {u.Plan.Reads, d.Plan.Reads / 100},
	} {
		if by := pair[0]/pair[1] - 1; by > 0.25 || by < -0.25 {
			t.Errorf("%s of a usual feed: %v are assumed, %v are simulated", what, pair[0], pair[1])
		}
	}
}

func usd(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// TestCostPageIsTheOutput holds the figures of the document to what the command prints; in a short run without the
// tables of installations of several sizes and with counts, which take a minute of simulation. R-66
func TestCostPageIsTheOutput(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(costPage)
	if err != nil {
		t.Fatal(err)
	}
	want := string(page)
	usual := costReport(t)
	isUsualReader(t, usual.Day)
	isUsualFeed(t, usual.Day)
	blocks := map[string]string{"usual": "```\n" + must(t, t.TempDir(), "", "cost") + "```\n"}
	if !testing.Short() || *update {
		blocks["growth"], blocks["counts"] = growth(t, usual), counts(t, usual)
	}
	for name, block := range blocks {
		begin, end := "<!-- begin: "+name+" -->\n", "<!-- end: "+name+" -->\n"
		before, rest, ok := strings.Cut(want, begin)
		_, after, ended := strings.Cut(rest, end)
		if !ok || !ended {
			t.Fatalf("%s has no place for %q", costPage, name)
		}
		want = before + begin + block + end + after
	}
	if *update {
		if err := os.WriteFile(costPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !sameFigures(want, string(page)) {
		t.Error("docs/run/cost.md is not what ruri cost prints: run go test ./internal/cli -run Cost -update")
	}
}

var figure = regexp.MustCompile(`\d[\d,]*(\.\d+)?`)

// sameFigures compares two texts: their words exactly, their numbers up to a hundredth: a last digit that is rounded
// can differ between two simulations.
func sameFigures(a, b string) bool {
	numbers := func(s string) (list []float64) {
		for _, n := range figure.FindAllString(s, -1) {
			x, _ := strconv.ParseFloat(strings.ReplaceAll(n, ",", ""), 64)
			list = append(list, x)
		}
		return list
	}
	return figure.ReplaceAllString(a, "#") == figure.ReplaceAllString(b, "#") &&
		slices.EqualFunc(numbers(a), numbers(b), func(x, y float64) bool { return math.Abs(x-y) <= 0.01*max(x, y) })
}

func TestSameFigures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"| 314 | 216 |", "| 314 | 215 |", true}, {"13,822 USD", "13,900 USD", true}, {"| 0.024 |", "| 0.025 |", false},
		{"472 units", "480 units", false}, {"472 units", "472 rows", false}, {"1 2", "1 2 3", false},
	} {
		if sameFigures(c.a, c.b) != c.same {
			t.Errorf("%q and %q: want %v", c.a, c.b, c.same)
		}
	}
}

// An edited price changes the bill, and what is not a price table says so.
func TestCostTakesEditedPrices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	table := must(t, dir, "", "cost", "--print-prices")
	file := filepath.Join(dir, "prices.json")
	write := func(s string) {
		if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.ReplaceAll(table, `"usd": 0.005,`, `"usd": 0.05,`)) // S3 puts, ten times as dear
	small := []string{"--feeds", "10", "--views", "1"}
	usual, dear := costReport(t, small...), costReport(t, append(small, "--prices", file)...)
	if by := dear.Month.Total.Always - usual.Month.Total.Always; by < 8*usual.Day.BlobPuts*30*0.005/1000 {
		t.Errorf("ten times the price of %.0f puts a day adds %.6f USD", usual.Day.BlobPuts, by)
	}
	for content, words := range map[string]string{
		`{`: "cannot be read", strings.Replace(table, `"date": "2026-09", `, "", 1): "date",
		strings.ReplaceAll(table, `"always"`, `"sometimes"`): "sometimes",
	} {
		write(content)
		if code, _, errs := ruri(t, dir, "", "cost", "--prices", file); code != ExitUsage ||
			!strings.Contains(errs, words) {
			t.Errorf("ended with %d: %s", code, errs)
		}
	}
}

func TestCostRefusesInvalidFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, words string }{
		{"--feeds 0", "--feeds"}, {"--feeds 600000", "--feeds"}, {"--users 0", "--users"}, {"--views -1", "--views"},
		{"--tick 10m", "--tick"}, {"--tick 20m", "--tick"}, {"--interval 45m", "--interval"},
		{"--interval 24h", "--interval"},
		{"--region mars-north-1", "us-east-1, ap-northeast-1"}, {"--news 0", "--news"},
		{"--prices /nowhere", "/nowhere"}, {"100", "argument"},
	} {
		if code, out, errs := ruri(t, t.TempDir(), "", append([]string{"cost"}, strings.Fields(c.args)...)...); code !=
			ExitUsage || out != "" || !strings.Contains(errs, c.words) {
			t.Errorf("%s ended with %d: %s%s", c.args, code, out, errs)
		}
	}
}

// Fewer ticks cost less and poll less; Tokyo has prices of its own; alarms cost where nothing is free.
//
func TestCostFollowsItsFlags(t *testing.T) {
	t.Parallel()
	small := []string{"--feeds", "20", "--views", "2"}
	usual := costReport(t, small...)
	hourly := costReport(t, append(small, "--tick", "1h")...)
	if hourly.Day.Polls >= usual.Day.Polls || hourly.Day.CrawlWrites["lease"] > 25 ||
		hourly.Month.Total.USD >= usual.Month.Total.USD {
		t.Errorf("hourly: %+v", hourly.Day)
	}
	eager := costReport(t, append(small, "--interval", "30m")...)
	if eager.Day.Polls <= usual.Day.Polls {
		t.Errorf("%.0f polls a day at 30 minutes, %.0f at 60", eager.Day.Polls, usual.Day.Polls)
	}
	tokyo := costReport(t, append(small, "--region", "ap-northeast-1")...)
	if tokyo.Month.Total.USD == usual.Month.Total.USD || tokyo.Day.Polls != usual.Day.Polls {
		t.Error("Tokyo has the prices of Virginia, or other publishers")
	}
	watched := costReport(t, append(small, "--alarms")...)
	if by := watched.Month.Total.USD - usual.Month.Total.USD; by < 1 ||
		watched.Month.Total.Always != usual.Month.Total.Always {
		t.Errorf("alarms add %.2f USD", by)
	}
	var lines bytes.Buffer
	if err := usual.Write(&lines); err != nil {
		t.Fatal(err)
	}
	if text := lines.String(); strings.Contains(text, "NaN") || strings.Contains(text, "%!") {
		t.Error(text)
	}
}
