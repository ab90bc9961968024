package pages

import "testing"

func TestPagesThatBreakOff(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]bool{
		`<!doctype html><title>Shop</title><ul><li>One<li>Two</ul>`:          false,
		`<html><body><ul><li><a href=/1>One</a><li><a href=/2>Two</a></ul>`:  false,
		`<html><body><div><ul><li>One</ul></body></html>`:                    false, // somebody forgot a tag
		`<html><body><ul><li><a href=/1>One</a></li><li><a href=/2>Tw`:       true,
		`<html><body><ul><li><a href=/1>One</a></li><li><a href=/2>Two</a>`:  true,
		`<html><body><table><tr><td>One</td></tr><tr><td>Tw`:                 true,
		`<html><body><div class=row><h3>One</h3></div><div class=row><h3 id`: true,
		``: false,
	} {
		if got := breaksOff([]byte(page)); got != want {
			t.Errorf("%q: %v", page, got)
		}
	}
}
