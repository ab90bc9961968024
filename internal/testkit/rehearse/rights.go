package rehearse

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
)

// rights are the roles of the functions, as far as their Allow statements go: actions by name, resources by ARN.
type rights struct {
	mu     sync.Mutex
	of     map[string][]grant // by function
	denied map[string]bool
}

type grant struct {
	action  string
	pattern *regexp.Regexp
}

// list is a text or several: IAM takes both.
type list []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *list) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(l))
	}
	*l = list{""}
	return json.Unmarshal(b, &(*l)[0])
}

func readRights(d *deployed) (*rights, error) {
	r := &rights{of: map[string][]grant{}, denied: map[string]bool{}}
	for logical, res := range d.Resources {
		if res.Type != "AWS::Lambda::Function" {
			continue
		}
		var f struct{ Role string }
		if err := d.properties(logical, &f); err != nil {
			return nil, err
		}
		role := ""
		for name, res := range d.Resources {
			if res.Type == "AWS::IAM::Role" && strings.HasSuffix(f.Role, "/"+res.Name) {
				role = name
			}
		}
		var p struct {
			Policies []struct {
				PolicyDocument struct {
					Statement []struct {
						Effect           string
						Action, Resource list
						Condition        json.RawMessage
					}
				}
			}
		}
		if err := d.properties(role, &p); err != nil {
			return nil, fmt.Errorf("rehearse: the role %s of %s: %w", f.Role, logical, err)
		}
		for _, policy := range p.Policies {
			for _, s := range policy.PolicyDocument.Statement {
				if s.Effect == "Deny" && len(s.Condition) > 0 {
					// for some keys of the table, which no program of that role writes; the template's tests check
					// which
					continue
				}
				if s.Effect != "Allow" {
					return nil, fmt.Errorf("rehearse: %s has a statement of %s, which is not played", role, s.Effect)
				}
				for _, action := range s.Action {
					for _, resource := range s.Resource {
						r.of[res.Name] = append(r.of[res.Name], grant{action, arnPattern(resource)})
					}
				}
			}
		}
	}
	return r, nil
}

// arnPattern reads the * and ? of a policy's resource.
func arnPattern(resource string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(resource)) +
		"$")
}

// allow says whether a function's role lets it do something to a resource.
func (r *rights) allow(function, action, resource string) bool {
	arn := ""
	switch service, _, _ := strings.Cut(action, ":"); service {
	case "dynamodb":
		arn = "arn:aws:dynamodb:" + lambdahost.Region + ":" + lambdahost.Account + ":table/" + resource
	case "sqs":
		arn = "arn:aws:sqs:" + lambdahost.Region + ":" + lambdahost.Account + ":" + resource
	case "s3":
		arn = "arn:aws:s3:::" + resource
	case "ssm":
		arn = "arn:aws:ssm:" + lambdahost.Region + ":" + lambdahost.Account + ":parameter" + resource
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.of[function] {
		if g.action == action && g.pattern.MatchString(arn) {
			return true
		}
	}
	r.denied[fmt.Sprintf("%s: %s on %s", function, action, arn)] = true
	return false
}

func (r *rights) refused() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for text := range r.denied {
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}
