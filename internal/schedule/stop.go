package schedule

import (
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	// stopAfter is how many failures in a row stop a feed (G-29, R-72).
	stopAfter = 10
	// stopSpan is how long failures that are not of parsing must last as well: back-off alone reaches
	// ten in under three days, and a server may be down for a week-end (R-73, C-5).
	stopSpan = 7 * 24 * time.Hour
)

// StopInputs is what decides whether a failing feed is given up.
type StopInputs struct {
	Code        string    // of the failure just now
	Errors      int       // failures in a row of any kind, this one included
	ParseErrors int       // parse failures in a row, this one included
	Since       time.Time // when the first failure of the row was
	Now         time.Time
}

// Probed tells whether what stopped a feed may pass by itself: a wall against programs, or a short absence.
func Probed(code string) bool {
	switch code {
	case reader.CodeHTTP401, reader.CodeHTTP403, reader.CodeHTTP404, reader.CodeHTTP410:
		return true
	}
	return false
}

// Stop tells whether a feed is given up, and the code that says why. 404, 410, 401 and 403 stop at
// once (G-28, RFC 9110 15.5.2 to 15.5.11, FRB110 to 119); faults of our own store never do.
func Stop(in StopInputs) (code string, stop bool) {
	if Probed(in.Code) {
		return in.Code, true
	}
	category := reader.FaultOf(in.Code).Category
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
