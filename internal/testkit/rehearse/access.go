package rehearse

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
)

// resourcePolicies are the buckets' policies, for requests that CloudFront signs.
type resourcePolicies []policyStatement

type policyStatement struct {
	Effect           string
	Principal        json.RawMessage // "*", or {"Service": …}
	Action, Resource list
	Condition        map[string]map[string]list
}

func readResourcePolicies(d *deployed) (resourcePolicies, error) {
	var all resourcePolicies
	for logical, r := range d.Resources {
		if r.Type != "AWS::S3::BucketPolicy" {
			continue
		}
		var p struct {
			Bucket         string
			PolicyDocument struct{ Statement resourcePolicies }
		}
		if err := d.properties(logical, &p); err != nil {
			return nil, err
		}
		for _, s := range p.PolicyDocument.Statement {
			for _, resource := range s.Resource {
				if rest, ok := strings.CutPrefix(resource, "arn:aws:s3:::"+p.Bucket); !ok || rest != "" &&
					rest[0] != '/' {
					return nil, fmt.Errorf("rehearse: %s is on %s and speaks of %s, which S3 refuses", logical,
						p.Bucket, resource)
				}
			}
			for operator, keys := range s.Condition {
				for key := range keys {
					if c := operator + " " + key; c != "StringEquals aws:SourceArn" && c != "Bool aws:SecureTransport" {
						return nil, fmt.Errorf("rehearse: %s has a condition %s, which is not played", logical, c)
					}
				}
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// allow says whether CloudFront may do something to a resource for a distribution, over TLS.
func (all resourcePolicies) allow(action, resource, distribution string) bool {
	allowed := false
	for _, s := range all {
		if !s.fits(action, resource, distribution) {
			continue
		}
		if s.Effect == "Deny" {
			return false
		}
		allowed = true
	}
	return allowed
}

func (s policyStatement) fits(action, resource, distribution string) bool {
	var service struct{ Service list }
	if err := json.Unmarshal(s.Principal, &service); err != nil && string(s.Principal) != `"*"` {
		return false
	} else if err == nil && !service.Service.match("cloudfront.amazonaws.com") {
		return false
	}
	for key, values := range s.Condition["StringEquals"] {
		if key == "aws:SourceArn" && !slices.Contains(values, distribution) {
			return false
		}
	}
	if secure, ok := s.Condition["Bool"]["aws:SecureTransport"]; ok && !slices.Contains(secure, "true") {
		return false
	}
	return s.Action.match(action) && s.Resource.match(resource)
}

// match reports whether one of the patterns, with * and ?, matches.
func (l list) match(text string) bool {
	for _, pattern := range l {
		if arnPattern(pattern).MatchString(text) {
			return true
		}
	}
	return false
}

// permissions are those to invoke functions, for API Gateway.
type permissions []struct{ Action, FunctionName, Principal, SourceArn string }

func readPermissions(d *deployed) (permissions, error) {
	var all permissions
	for logical, r := range d.Resources {
		if r.Type != "AWS::Lambda::Permission" {
			continue
		}
		p := make(permissions, 1)
		if err := d.properties(logical, &p[0]); err != nil {
			return nil, err
		}
		all = append(all, p...)
	}
	return all, nil
}

// allow says whether a route of an HTTP API may invoke a function.
func (all permissions) allow(function, route string) bool {
	for _, p := range all {
		if p.Action == "lambda:InvokeFunction" && functionName(p.FunctionName) == function &&
			p.Principal == "apigateway.amazonaws.com" &&
			(p.SourceArn == "" || arnPattern(p.SourceArn).MatchString(route)) {
			return true
		}
	}
	return false
}

// signed says whether requests to an origin are signed under an origin access control.
func (d *deployed) signed(control string) (bool, error) {
	var p struct {
		OriginAccessControlConfig struct{ OriginAccessControlOriginType, SigningBehavior, SigningProtocol string }
	}
	found, err := d.find("AWS::CloudFront::OriginAccessControl", control, &p)
	c := p.OriginAccessControlConfig
	return found && c.OriginAccessControlOriginType == "s3" && c.SigningBehavior == "always" &&
		c.SigningProtocol == "sigv4", err
}

// managedForwards are CloudFront's own origin request policies.
var managedForwards = map[string]lambdahost.Forward{
	"": {},
	"b689b0a8-53d0-40ab-baf2-68738e2966ac": {Headers: "allExcept", Listed: []string{"host"}, Cookies: "all",
		Queries: "all"},
	"216adef6-5c7f-47e4-b989-5492eafa07d3": {Headers: "allViewer", Cookies: "all", Queries: "all"},
}

// forward is what an origin request policy sends on: one of CloudFront's own or of the stack.
func (d *deployed) forward(policy string) (lambdahost.Forward, error) {
	if f, ok := managedForwards[policy]; ok {
		return f, nil
	}
	var p struct {
		OriginRequestPolicyConfig struct {
			HeadersConfig struct {
				HeaderBehavior string
				Headers        []string
			}
			CookiesConfig      struct{ CookieBehavior string }
			QueryStringsConfig struct{ QueryStringBehavior string }
		}
	}
	found, err := d.find("AWS::CloudFront::OriginRequestPolicy", policy, &p)
	if err == nil && !found {
		err = fmt.Errorf("rehearse: the origin request policy %s is neither of the stack nor one that is emulated",
			policy)
	}
	c := p.OriginRequestPolicyConfig
	return lambdahost.Forward{
		Headers: c.HeadersConfig.HeaderBehavior, Listed: c.HeadersConfig.Headers,
		Cookies: c.CookiesConfig.CookieBehavior, Queries: c.QueryStringsConfig.QueryStringBehavior,
	}, err
}
