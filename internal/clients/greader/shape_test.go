package greader_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// shape is what a program's decoder accepts: "string" and "int" are those JSON types and never null, a list with one
// element is a list of it, and a map has members, of which those with a question mark may be missing. Other members are
// passed over, as decoders do.
type shape any

type members map[string]shape

// fits reports why a decoded value does not fit; "" if it does.
func fits(v any, s shape, at string) string {
	switch s := s.(type) {
	case string:
		switch x := v.(type) {
		case string:
			if s == "string" {
				return ""
			}
		case json.Number:
			if _, err := x.Int64(); s == "int" && err == nil {
				return ""
			}
		case bool:
			if s == "bool" {
				return ""
			}
		}
		return fmt.Sprintf("%s is %T %v, not %s", at, v, v, s)
	case []shape:
		list, ok := v.([]any)
		if !ok {
			return fmt.Sprintf("%s is %T, not a list", at, v)
		}
		for i, x := range list {
			if why := fits(x, s[0], fmt.Sprintf("%s[%d]", at, i)); why != "" {
				return why
			}
		}
	case members:
		object, ok := v.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s is %T, not an object", at, v)
		}
		for _, name := range slices.Sorted(maps.Keys(s)) {
			name, isOptional := strings.CutPrefix(name, "?")
			x, there := object[name]
			if !there && isOptional {
				continue
			}
			inner := s[name]
			if isOptional {
				inner = s["?"+name]
			}
			if why := fits(x, inner, at+"."+name); why != "" {
				return why
			}
		}
	}
	return ""
}

// strict decodes an answer as a program does that stops at the first surprise.
func strict(t testing.TB, body string, s shape) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %.400s", err, body)
	}
	if why := fits(v, s, ""); why != "" {
		t.Fatalf("%s in %.800s", why, body)
	}
	return v
}

// The decoders of the programs (facts 4 to 12 of their makers' sources): the strictest for each list.
var (
	subscriptionsShape = members{"subscriptions": []shape{members{
		"id": "string", "title": "string", "url": "string", "htmlUrl": "string", "?iconUrl": "string",
		"categories": []shape{members{"id": "string", "label": "string"}},
	}}}
	tagsShape = members{"tags": []shape{members{"id": "string", "?type": "string", "?unread_count": "int"}}}
	idsShape  = members{
		"itemRefs": []shape{members{"id": "string", "directStreamIds": []shape{"string"},
			"timestampUsec": "string"}},
		"?continuation": "string"}
	itemShape = members{
		"id": "string", "title": "string", "author": "string", "published": "int", "updated": "int",
		"crawlTimeMsec": "string", "timestampUsec": "string",
		"categories": []shape{"string"}, "canonical": []shape{members{"href": "string"}},
		"alternate": []shape{members{"href": "string", "type": "string"}},
		"origin":    members{"streamId": "string", "title": "string", "htmlUrl": "string"},
		"summary":   members{"content": "string"}, "?content": members{"content": "string"},
		"?enclosure": []shape{members{"href": "string", "url": "string", "type": "string", "length": "int"}},
		"?marked":    "bool",
	}
	itemsShape  = members{"id": "string", "updated": "int", "items": []shape{itemShape}, "?continuation": "string"}
	unreadShape = members{"max": "int",
		"unreadcounts": []shape{members{"id": "string", "count": "int", "newestItemTimestampUsec": "string"}}}
	addedShape = members{"numResults": "int", "query": "string", "?streamId": "string", "?streamName": "string"}
	userShape  = members{"userId": "string", "userName": "string", "userProfileId": "string", "userEmail": "string"}
	loginShape = members{"SID": "string", "LSID": "string", "Auth": "string"}
)
