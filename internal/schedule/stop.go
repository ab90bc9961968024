package schedule

import (
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	// stopAfter is the number of failures in a row that stop a feed (G-29, R-72).
	stopAfter = 10
	// stopSpan is the least duration of failures other than those of parsing: ten take less than three days, and a
	// server may be down for a weekend (R-73, C-5).
	stopSpan = 7 * 24 * time.Hour
)

// StopInputs are the inputs of the decision to stop a failing feed.
type StopInputs struct {
	Code        string    // of the failure just now
	Errors      int       // failures in a row of any kind, this one included
	ParseErrors int       // parse failures in a row, this one included
	Since       time.Time // of the first failure in the row
	Now         time.Time
}

// StopsAtOnce reports whether a feed is stopped by the first failure with this code (G-28; RFC 9110, 15.5.2 to
// 15.5.11). The cause may pass by itself, such as a login wall or a short absence, so these feeds are probed (Probes).
func StopsAtOnce(code string) bool {
	switch code {
	case reader.CodeHTTP401, reader.CodeHTTP403, reader.CodeHTTP404, reader.CodeHTTP410, reader.CodeRobots,
		reader.CodeChallenge,
		reader.CodeChallenged:
		return true
	}
	return false
}

// Stop reports whether a feed is stopped, and the code that says why. Failures of our own store never stop one.
func Stop(in StopInputs) (code string, stop bool) {
	if StopsAtOnce(in.Code) {
		return in.Code, true
	}
	category := reader.CategoryOf(in.Code)
	switch {
	case category == reader.CategoryStorage:
		return "", false
	case category == reader.CategoryParse && in.ParseErrors >= stopAfter:
		return reader.CodeStoppedParse, true
	case category != reader.CategoryParse && in.Errors >= stopAfter &&
		!in.Since.IsZero() && in.Now.Sub(in.Since) >= stopSpan:
		return reader.CodeStoppedErrors, true
	}
	return "", false
}
