package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// check is the run of one program: each step changes something on one side and waits until both sides show the same.
type check struct {
	*rig
	ctx           context.Context
	name, version string
	all           func() (states, error)
}

// say prints a line of the outcome.
func (c *check) say(format string, args ...any) {
	fmt.Printf("%s %s: %s\n", c.name, c.version, fmt.Sprintf(format, args...))
}

// same waits until the program has the items of the page with their states, and want holds of them.
func (c *check) same(step string, want func(s states) error) error {
	var here states
	err := until(step, func() error {
		page, err := c.states()
		if err != nil {
			return err
		}
		if here, err = c.all(); err != nil {
			return err
		}
		return errors.Join(difference(here, page), want(page))
	})
	if err != nil {
		return err
	}
	read, starred := 0, 0
	for _, s := range here {
		if s.Read {
			read++
		}
		if s.Starred {
			starred++
		}
	}
	c.say("%s: %d items, %d of them read and %d starred, are the same as on the page", step, len(here), read, starred)
	return nil
}

// difference names the items that the program shows otherwise than the page.
func difference(here, page states) error {
	var out []string
	for _, title := range slices.Sorted(maps.Keys(page)) {
		if s, ok := here[title]; !ok {
			out = append(out, fmt.Sprintf("%q is missing", title))
		} else if s != page[title] {
			out = append(out, fmt.Sprintf("%q is %+v and on the page %+v", title, s, page[title]))
		}
	}
	for _, title := range slices.Sorted(maps.Keys(here)) {
		if _, ok := page[title]; !ok {
			out = append(out, fmt.Sprintf("%q is not on the page", title))
		}
	}
	if out == nil {
		return nil
	}
	return errors.New(strings.Join(out, "; "))
}

// are demands the states of some items.
func are(want state, titles ...string) func(states) error {
	return func(s states) error {
		for _, t := range titles {
			if s[t] != want {
				return fmt.Errorf("%q is %+v on the page, not %+v", t, s[t], want)
			}
		}
		return nil
	}
}

// counts demands how many items there are and how many are read and starred.
func counts(items, read, starred int) func(states) error {
	return func(s states) error {
		r, st := 0, 0
		for _, x := range s {
			if x.Read {
				r++
			}
			if x.Starred {
				st++
			}
		}
		if len(s) != items || r != read || st != starred {
			return fmt.Errorf("the page has %d items, %d read, %d starred, not %d, %d, %d", len(s), r, st,
				items, read, starred)
		}
		return nil
	}
}

func and(all ...func(states) error) func(states) error {
	return func(s states) error {
		var err error
		for _, one := range all {
			err = errors.Join(err, one(s))
		}
		return err
	}
}

// page makes a condition of what the page shows.
func (c *check) page(want func(states) error) func() error {
	return func() error {
		s, err := c.states()
		if err != nil {
			return err
		}
		return want(s)
	}
}
