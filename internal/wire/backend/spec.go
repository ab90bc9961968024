package homes

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Spec names a home as people write it: a data folder, "aws:STACK" or "aws:STACK@REGION".
type Spec struct {
	Folder        string // of a home on this machine, absolute
	Stack, Region string // of one in the cloud; an empty region is the one of the surroundings
}

const cloudPrefix = "aws:"

// What CloudFormation allows, and how regions look (us-gov-west-1 is the longest kind).
var (
	stackName  = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9-]{0,127}$`)
	regionName = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+){1,3}-[0-9]{1,2}$`)
)

// ParseSpec reads a spec. A folder whose name begins with "aws:" is written as "./aws:…".
func ParseSpec(s string) (Spec, error) {
	rest, cloud := strings.CutPrefix(s, cloudPrefix)
	if !cloud {
		if s == "" {
			return Spec{}, fault.Newf(fault.Invalid, "bad_home", "A home is a data folder, aws:STACK or aws:STACK@REGION, and not nothing.")
		}
		abs, err := filepath.Abs(s)
		if err != nil {
			return Spec{}, fault.New(fault.Invalid, "bad_home", "homes: parse", err)
		}
		return Spec{Folder: abs}, nil
	}
	stack, region, hasRegion := strings.Cut(rest, "@")
	switch {
	case !stackName.MatchString(stack):
		return Spec{}, fault.Newf(fault.Invalid, "bad_home", "%q is no name of a stack: letters, digits and hyphens, beginning with a letter.", stack)
	case hasRegion && !regionName.MatchString(region):
		return Spec{}, fault.Newf(fault.Invalid, "bad_home", "%q is no AWS region, which looks like eu-central-1.", region)
	}
	return Spec{Stack: stack, Region: region}, nil
}

// Cloud reports whether the home is a stack.
func (s Spec) Cloud() bool { return s.Stack != "" }

// String writes the spec as ParseSpec reads it.
func (s Spec) String() string {
	switch {
	case !s.Cloud():
		return s.Folder
	case s.Region == "":
		return cloudPrefix + s.Stack
	}
	return cloudPrefix + s.Stack + "@" + s.Region
}
