package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// printReading prints the tables of one number of feeds, and returns how many operations failed.
func (b *bench) printReading(r *reading) (failed int) {
	starts := slices.Sorted(slices.Values(r.starts))
	title := fmt.Sprintf("Reading %d feeds over HTTP", r.feeds)
	if len(r.one) > 1 {
		title += fmt.Sprintf(" (medians of %d rounds)", len(r.one))
	}
	b.rows(title+"; the musts are those for 5,000 feeds, of P18 for 1,000 and 5,000",
		"gate\twhat\treached\tmust",
		fmt.Sprintf("P18\tstart to the first list of feeds, ms (%.0f to %.0f in %d starts; %.0f the first after the "+
			"crawl)\t%.1f\t60; 150",
			millis(starts[0]), millis(starts[len(starts)-1]), len(starts), millis(r.firstStart),
			millis(middle(starts))),
		fmt.Sprintf("P12\tPSS of the server after one at a time, MB\t%.1f\t", mb(middle(r.pssOne))),
		fmt.Sprintf("P12\tPSS of the server after %d at once, MB\t%.1f\t", atOnce, mb(middle(r.pssMany))),
		fmt.Sprintf("P12\tPSS of the server after the searches, MB\t%.1f\t", mb(middle(r.pssSearch))),
		fmt.Sprintf("P11\tfirst search after a start, ms (median of %d)\t%s\t", len(r.cold), fine(middle(r.cold))),
	)
	lines := []string{fmt.Sprintf("gate\toperation\tkB\titems\tp50 ms\tp99 ms\tCPU ms\tmust p50\t%d at once: /s\tp50 "+
		"ms\tp99 ms\tCPU ms\tmust /s", atOnce)}
	var notes []string
	for i, o := range r.names {
		one, many := r.figures(i)
		for _, why := range []string{one.failed, many.failed} {
			if why != "" {
				notes = append(notes, fmt.Sprintf("%s failed: %.300s", o.name, why))
			}
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%.1f\t%s\t%s\t%s\t%s\t%s", o.gate, o.name, one.kilobytes,
			orBlank(one.items), fine(one.p50),
			fine(one.p99), fine(one.cpu), o.must)+atOnceCells(many, o.atRate))
	}
	b.rows("", lines...)
	for _, n := range notes {
		fmt.Fprintln(b.out, n)
	}
	return len(notes)
}

// figures are an operation's medians, one at a time and 16 at once.
func (r *reading) figures(i int) (one, many figures) {
	at := func(rounds [][]figures) figures {
		return medians(each(rounds, func(list []figures) (f figures) {
			if i < len(list) {
				f = list[i]
			}
			return f
		}))
	}
	return at(r.one), at(r.many)
}

func atOnceCells(f figures, must string) string {
	if f.n == 0 {
		return "\t\t\t\t\t"
	}
	return fmt.Sprintf("\t%.0f\t%s\t%s\t%s\t%s", f.rate, fine(f.p50), fine(f.p99), fine(f.cpu), must)
}

// printGrowth compares each number of feeds with the one before (P20).
func (b *bench) printGrowth(all []reading) {
	if len(all) < 2 {
		return
	}
	head := "operation"
	lines := make([]string, 1+len(all[0].names))
	for i := 1; i < len(all); i++ {
		head += fmt.Sprintf("\t%d to %d: p50\tCPU", all[i-1].feeds, all[i].feeds)
	}
	lines[0] = head
	for k := range all[0].names {
		lines[1+k] = all[0].names[k].name
		for i := 1; i < len(all); i++ {
			from, _ := all[i-1].figures(k)
			to, _ := all[i].figures(k)
			lines[1+k] += fmt.Sprintf("\t%.1fx\t%.1fx", ratio(to.p50, from.p50), ratio(to.cpu, from.cpu))
		}
	}
	b.rows("Growth with the number of feeds (P20: lists, entries and marks at most 1.5x from 1,000 to 5,000, "+
		"searches and mark all 2x)", lines...)
}

// printCells prints all sizes side by side, as docs/develop/performance.md has them: p50; p99; CPU of a request in ms,
// and at once requests a second; p99 in ms.
func (b *bench) printCells(all []reading) {
	cells := func(of func(r *reading) string) (text string) {
		for i := range all {
			text += " " + of(&all[i]) + " |"
		}
		return text
	}
	fmt.Fprintf(b.out, "\nFor docs/develop/performance.md: %d feeds\n\n",
		each(all, func(r reading) int { return r.feeds }))
	fmt.Fprintf(b.out, "| P18 start |%s\n", cells(func(r *reading) string { return fine(middle(r.starts)) }))
	fmt.Fprintf(b.out, "| P11 first search |%s\n", cells(func(r *reading) string { return fine(middle(r.cold)) }))
	fmt.Fprintf(b.out, "| PSS |%s\n", cells(func(r *reading) string {
		return fmt.Sprintf("%.0f; %.0f; %.0f", mb(middle(r.pssOne)), mb(middle(r.pssMany)), mb(middle(r.pssSearch)))
	}))
	for i, o := range all[0].names {
		fmt.Fprintf(b.out, "| %s %s |%s\n", o.gate, o.name, cells(func(r *reading) string {
			f, _ := r.figures(i)
			return fine(f.p50) + "; " + fine(f.p99) + "; " + fine(f.cpu)
		}))
	}
	for i, o := range all[0].names {
		if _, many := all[0].figures(i); many.n > 0 {
			fmt.Fprintf(b.out, "| P12 %s |%s\n", o.name, cells(func(r *reading) string {
				_, f := r.figures(i)
				return fmt.Sprintf("%.0f; %s", f.rate, fine(f.p99))
			}))
		}
	}
}

// fine is milliseconds with the digits that mean something.
func fine(d time.Duration) string {
	digits := 2
	if d >= 10*time.Millisecond {
		digits = 1
	}
	return strconv.FormatFloat(millis(d), 'f', digits, 64)
}

func orBlank(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
