package rehearse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/time/rate"

	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
)

// behaviour is a cache behaviour as the template writes it.
type behaviour struct {
	PathPattern, TargetOriginID                    string
	AllowedMethods                                 []string
	ResponseHeadersPolicyID, OriginRequestPolicyID string
	FunctionAssociations                           []struct{ EventType, FunctionARN string }
}

// edge makes the distribution that the stack describes, over its own page bucket and HTTP API.
func (s *Stack) edge() (*lambdahost.Edge, func(), error) {
	name, err := s.d.only("AWS::CloudFront::Distribution")
	if err != nil {
		return nil, nil, err
	}
	var p struct {
		DistributionConfig struct {
			DefaultRootObject string
			Origins           []struct {
				ID, DomainName, OriginAccessControlID string
				OriginCustomHeaders                   []struct{ HeaderName, HeaderValue string }
			}
			DefaultCacheBehavior behaviour
			CacheBehaviors       []behaviour
		}
	}
	if err := s.d.properties(name, &p); err != nil {
		return nil, nil, err
	}
	c := p.DistributionConfig
	e := &lambdahost.Edge{
		Origins: map[string]http.Handler{}, Hosts: map[string]string{}, Sent: map[string]map[string]string{},
		RootObject: c.DefaultRootObject, Distribution: s.d.Resources[name].Name,
	}
	policies, err := readResourcePolicies(s.d)
	if err != nil {
		return nil, nil, err
	}
	api, domain, err := s.httpAPI()
	if err != nil {
		return nil, nil, err
	}
	for _, o := range c.Origins {
		e.Hosts[o.ID] = o.DomainName
		for _, h := range o.OriginCustomHeaders {
			if e.Sent[o.ID] == nil {
				e.Sent[o.ID] = map[string]string{}
			}
			e.Sent[o.ID][h.HeaderName] = h.HeaderValue
		}
		switch {
		case o.DomainName == domain:
			e.Origins[o.ID] = api
		case strings.HasPrefix(o.DomainName, s.d.Outputs["PageBucketName"]+".s3."):
			signed, err := s.d.signed(o.OriginAccessControlID)
			if err != nil {
				return nil, nil, err
			}
			distribution := "arn:aws:cloudfront::" + lambdahost.Account + ":distribution/" + e.Distribution
			e.Origins[o.ID] = &bucketOrigin{
				client: s.client.s3, bucket: s.d.Outputs["PageBucketName"], domain: o.DomainName,
				allows: func(action, resource string) bool {
					return signed && policies.allow(action, resource, distribution)
				},
			}
		default:
			return nil, nil,
				fmt.Errorf("rehearse: the distribution's origin %s at %s is neither the page's bucket nor %s", o.ID,
					o.DomainName, domain)
		}
	}
	var ends []func()
	end := func() {
		for _, f := range ends {
			f()
		}
	}
	c.DefaultCacheBehavior.PathPattern = "*"
	for _, b := range append(c.CacheBehaviors, c.DefaultCacheBehavior) {
		one := lambdahost.Behaviour{
			Pattern: b.PathPattern, Origin: b.TargetOriginID, Methods: b.AllowedMethods,
		}
		if e.Origins[one.Origin] == nil {
			return nil, end, fmt.Errorf("rehearse: %s goes to an origin %q that there is not", one.Pattern, one.Origin)
		}
		if one.Forward, err = s.d.forward(b.OriginRequestPolicyID); err != nil {
			return nil, end, err
		}
		if one.Headers, err = s.headers(b.ResponseHeadersPolicyID); err != nil {
			return nil, end, err
		}
		for _, f := range b.FunctionAssociations {
			if f.EventType != "viewer-request" || one.Function != nil {
				return nil, end, fmt.Errorf("rehearse: %s has a function at %s, which is not played",
					one.Pattern, f.EventType)
			}
			if one.Function, err = s.edgeFunction(f.FunctionARN); err != nil {
				return nil, end, err
			}
			ends = append(ends, one.Function.Close)
		}
		e.Behaviours = append(e.Behaviours, one)
	}
	return e, end, nil
}

// edgeFunction is the template's own code, by the name that it has in the account.
func (s *Stack) edgeFunction(arn string) (*lambdahost.EdgeFunction, error) {
	var p struct{ FunctionCode string }
	found, err := s.d.find("AWS::CloudFront::Function", arn, &p)
	if err == nil && !found {
		err = fmt.Errorf("rehearse: the stack has no CloudFront function %s", arn)
	}
	if err != nil {
		return nil, err
	}
	return lambdahost.NewEdgeFunction(p.FunctionCode)
}

// headers are those of a response headers policy.
func (s *Stack) headers(policy string) ([]lambdahost.EdgeHeader, error) {
	var p struct {
		ResponseHeadersPolicyConfig struct {
			SecurityHeadersConfig struct {
				ContentSecurityPolicy *struct {
					ContentSecurityPolicy string
					Override              bool
				}
				StrictTransportSecurity *struct {
					AccessControlMaxAgeSec               number
					IncludeSubdomains, Preload, Override bool
				}
				ContentTypeOptions *struct{ Override bool }
				FrameOptions       *struct {
					FrameOption string
					Override    bool
				}
				ReferrerPolicy *struct {
					ReferrerPolicy string
					Override       bool
				}
			}
			CustomHeadersConfig struct {
				Items []struct {
					Header, Value string
					Override      bool
				}
			}
		}
	}
	found, err := s.d.find("AWS::CloudFront::ResponseHeadersPolicy", policy, &p)
	if err == nil && !found {
		err = fmt.Errorf("rehearse: the stack has no response headers policy %q", policy)
	}
	if err != nil {
		return nil, err
	}
	var all []lambdahost.EdgeHeader
	add := func(name, value string, override bool) {
		all = append(all, lambdahost.EdgeHeader{Name: name, Value: value, Override: override})
	}
	c := p.ResponseHeadersPolicyConfig.SecurityHeadersConfig
	if h := c.ContentSecurityPolicy; h != nil {
		add("Content-Security-Policy", h.ContentSecurityPolicy, h.Override)
	}
	if h := c.StrictTransportSecurity; h != nil {
		value := "max-age=" + strconv.Itoa(int(h.AccessControlMaxAgeSec))
		if h.IncludeSubdomains {
			value += "; includeSubDomains"
		}
		if h.Preload {
			value += "; preload"
		}
		add("Strict-Transport-Security", value, h.Override)
	}
	if h := c.ContentTypeOptions; h != nil {
		add("X-Content-Type-Options", "nosniff", h.Override)
	}
	if h := c.FrameOptions; h != nil {
		add("X-Frame-Options", h.FrameOption, h.Override)
	}
	if h := c.ReferrerPolicy; h != nil {
		add("Referrer-Policy", h.ReferrerPolicy, h.Override)
	}
	for _, h := range p.ResponseHeadersPolicyConfig.CustomHeadersConfig.Items {
		add(h.Header, h.Value, h.Override)
	}
	return all, nil
}

// httpAPI is the HTTP API, and its own domain name.
func (s *Stack) httpAPI() (*lambdahost.HTTPAPI, string, error) {
	var names [3]string
	for i, kind := range []string{"AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Integration",
		"AWS::ApiGatewayV2::Stage"} {
		var err error
		if names[i], err = s.d.only(kind); err != nil {
			return nil, "", err
		}
	}
	var integration struct {
		IntegrationURI, IntegrationType, PayloadFormatVersion string
		TimeoutInMillis                                       number
	}
	var stage struct {
		DefaultRouteSettings struct{ ThrottlingRateLimit, ThrottlingBurstLimit number }
	}
	if err := errors.Join(s.d.properties(names[1], &integration), s.d.properties(names[2], &stage)); err != nil {
		return nil, "", err
	}
	if integration.PayloadFormatVersion != "2.0" || integration.IntegrationType != "AWS_PROXY" {
		return nil, "", fmt.Errorf("rehearse: an integration of %s, payload %s, is not played",
			integration.IntegrationType, integration.PayloadFormatVersion)
	}
	id := s.d.Resources[names[0]].Name
	domain := id + ".execute-api." + lambdahost.Region + ".amazonaws.com"
	permissions, err := readPermissions(s.d)
	if err != nil {
		return nil, "", err
	}
	function := functionName(integration.IntegrationURI)
	limits := stage.DefaultRouteSettings
	return &lambdahost.HTTPAPI{
		Host: s.Host, Function: function, APIID: id, Domain: domain,
		MayInvoke: func(source string) bool { return permissions.allow(function, source) },
		Timeout:   time.Duration(integration.TimeoutInMillis) * time.Millisecond * slower,
		Limit:     rate.NewLimiter(rate.Limit(limits.ThrottlingRateLimit), int(limits.ThrottlingBurstLimit)),
	}, domain, nil
}

// bucketOrigin is the page's bucket, read as CloudFront's origin access control reads it: S3 refuses what is not
// signed, what its policy does not allow, and a request for another host than the one that was signed.
type bucketOrigin struct {
	client interface {
		GetObject(ctx context.Context, in *s3.GetObjectInput, o ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	}
	bucket, domain string
	allows         func(action, resource string) bool
}

// ServeHTTP implements http.Handler.
func (b *bucketOrigin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(r.URL.Path, "/")
	arn := "arn:aws:s3:::" + b.bucket
	switch {
	case r.Host != b.domain:
		http.Error(w, "<Error><Code>SignatureDoesNotMatch</Code></Error>", http.StatusForbidden)
		return
	case !b.allows("s3:GetObject", arn+"/"+key):
		http.Error(w, "<Error><Code>AccessDenied</Code></Error>", http.StatusForbidden)
		return
	}
	in := &s3.GetObjectInput{Bucket: &b.bucket, Key: &key}
	if tag := r.Header.Get("If-None-Match"); tag != "" {
		in.IfNoneMatch = aws.String(strings.TrimPrefix(tag, "W/"))
	}
	out, err := b.client.GetObject(r.Context(), in)
	var missing *types.NoSuchKey
	var status interface{ HTTPStatusCode() int }
	switch {
	case errors.As(err, &missing) && !b.allows("s3:ListBucket", arn):
		http.Error(w, "<Error><Code>AccessDenied</Code></Error>", http.StatusForbidden)
		return
	case errors.As(err, &missing):
		http.Error(w, "<Error><Code>NoSuchKey</Code></Error>", http.StatusNotFound)
		return
	case errors.As(err, &status) && status.HTTPStatusCode() == http.StatusNotModified:
		w.Header().Set("Etag", *in.IfNoneMatch)
		w.WriteHeader(http.StatusNotModified)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer out.Body.Close()
	h := w.Header()
	for name, value := range map[string]*string{
		"Content-Type": out.ContentType, "Cache-Control": out.CacheControl, "Etag": out.ETag,
		"Content-Encoding": out.ContentEncoding,
	} {
		if aws.ToString(value) != "" {
			h.Set(name, *value)
		}
	}
	_, _ = io.Copy(w, out.Body)
}
