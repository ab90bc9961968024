package backend

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Spec names an installation: a data folder, "aws:STACK" or "aws:STACK@REGION".
type Spec struct {
	Folder        string // absolute; "" for a stack
	Stack, Region string // Region "": the one of the environment
}

const cloudPrefix = "aws:"

// Names that CloudFormation allows, and the form of regions (us-gov-west-1 is the longest).
var (
	stackName  = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9-]{0,127}$`)
	regionName = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+){1,3}-[0-9]{1,2}$`)
)

// ParseSpec parses a spec. A folder whose name begins with "aws:" is written as "./aws:…".
func ParseSpec(s string) (Spec, error) {
	rest, cloud := strings.CutPrefix(s, cloudPrefix)
	if !cloud {
		if s == "" {
			return Spec{},
				fault.Newf(fault.Invalid, "bad_home",
					"An installation is a data folder, aws:STACK or aws:STACK@REGION.")
		}
		abs, err := filepath.Abs(s)
		if err != nil {
			return Spec{}, fault.New(fault.Invalid, "bad_home", "backend: parse", err)
		}
		return Spec{Folder: abs}, nil
	}
	stack, region, hasRegion := strings.Cut(rest, "@")
	switch {
	case !stackName.MatchString(stack):
		return Spec{},
			fault.Newf(fault.Invalid, "bad_home",
				"%q is no name of a stack: use letters, digits and hyphens, beginning with a letter.", stack)
	case hasRegion && !regionName.MatchString(region):
		return Spec{}, fault.Newf(fault.Invalid, "bad_home", "%q is not an AWS region like eu-central-1.", region)
	}
	return Spec{Stack: stack, Region: region}, nil
}

// Cloud reports whether the installation is a stack.
func (s Spec) Cloud() bool { return s.Stack != "" }

// String returns the spec in the form that ParseSpec parses.
func (s Spec) String() string {
	switch {
	case !s.Cloud():
		return s.Folder
	case s.Region == "":
		return cloudPrefix + s.Stack
	}
	return cloudPrefix + s.Stack + "@" + s.Region
}
