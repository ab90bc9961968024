package watch

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Fits reports whether a row fits the settings. Words are compared as in searches; a row without a price is excluded by
// words alone.
func (set *Settings) Fits(r *listing.Row) bool {
	if !set.fitsPrice(amount(r)) {
		return false
	}
	if len(set.Words) == 0 && len(set.Without) == 0 {
		return true
	}
	title := match.Loose.Fold(r.Title)
	has := func(word string) bool {
		word = strings.TrimSpace(match.Loose.Fold(word))
		_, _, ok := match.Find(title, word, true)
		return ok
	}
	return !slices.ContainsFunc(set.Words, func(w string) bool {
		return !has(w)
	}) && !slices.ContainsFunc(set.Without, has)
}

func (set *Settings) fitsPrice(price int64) bool {
	return price < 0 || price >= set.Min && (set.Max == 0 || price <= set.Max)
}

// reaches reports whether a price is at most the wanted one.
func (set *Settings) reaches(price int64) bool {
	return set.Wanted > 0 && price >= 0 && price <= set.Wanted
}

// CodeSettings is the code of a setting that cannot be; its field says which.
const CodeSettings = "settings_invalid"

// Limits of settings.
const (
	maxWords     = 20
	maxWordRunes = 100
	maxMonths    = 1200
)

// Check checks settings that a person entered; the error is a *listing.Error with the field.
func (set *Settings) Check() error {
	bad := func(field string) error { return &listing.Error{Code: CodeSettings, Field: field} }
	isAmount := func(n int64) bool { return n >= 0 && n < maxAmount }
	switch {
	case strings.TrimSpace(set.Name) == "" || utf8.RuneCountInString(set.Name) > maxName || !utf8.ValidString(set.Name):
		return bad("name")
	case set.Adapter == "" && !isAddress(set.URL):
		return bad("url")
	case set.Adapter == "" && set.Layout == nil:
		return bad("layout")
	case !listing.IsPace(set.Pace):
		return bad("pace")
	case !areWords(set.Words):
		return bad("words")
	case !areWords(set.Without):
		return bad("without")
	case !isAmount(set.Min):
		return bad("min")
	case !isAmount(set.Max) || set.Max > 0 && set.Max < set.Min:
		return bad("max")
	case !isAmount(set.Wanted):
		return bad("wanted")
	case !areKinds(set.Events):
		return bad("events")
	case set.Months < 0 || set.Months > maxMonths:
		return bad("months")
	}
	if set.Detail != nil {
		if err := set.Detail.Check(); err != nil {
			return err
		}
	}
	if set.Layout != nil {
		return set.Layout.Check()
	}
	return nil
}

// Equal reports whether settings are stored as the same.
func (set *Settings) Equal(other *Settings) bool {
	a, err := json.Marshal(set)
	b, err2 := json.Marshal(other)
	return err == nil && err2 == nil && string(a) == string(b)
}

// HasOnlyOtherLayout reports whether settings differ from others in nothing but where things are on the page.
func (set *Settings) HasOnlyOtherLayout(other *Settings) bool {
	a, b := *set, *other
	a.Layout, a.Detail, a.Relaid, a.Found = b.Layout, b.Detail, b.Relaid, b.Found
	return a.Equal(&b)
}

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && len(s) <= reader.MaxURL && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") &&
		u.User == nil
}

func areWords(words []string) bool {
	return len(words) <= maxWords && !slices.ContainsFunc(words, func(w string) bool {
		return strings.TrimSpace(match.Loose.Fold(w)) == "" || utf8.RuneCountInString(w) > maxWordRunes
	})
}

func areKinds(kinds []EventKind) bool {
	all := EventKinds()
	for i, k := range kinds {
		if !slices.Contains(all, k) || slices.Contains(kinds[:i], k) {
			return false
		}
	}
	return true
}
