package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/job"
)

type hookAnswer struct {
	Webhook struct {
		ID, URL, Secret, Feeds string
		Events                 []string
		IsEnabled              bool
		OffReason              *string
		Outcomes               []struct{ Code *string }
	}
}

// TestWebhooksAPI: the secret is returned once, a test delivery returns its outcome, starring an item sends a message.
// (issue 4, 3)
func TestWebhooksAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasPrefix(r.Header.Get("X-Ruri-Signature"), "sha256=") {
			t.Errorf("%s with %v", r.Method, r.Header)
		}
		rw.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(receiver.Close)
	var made, listed hookAnswer
	w.want(w.call("POST", "/api/webhooks", map[string]any{"url": receiver.URL, "events": []string{"new", "starred"}},
		&made), 201)
	if len(made.Webhook.Secret) < 40 || !made.Webhook.IsEnabled || made.Webhook.Feeds != "all" ||
		len(made.Webhook.Events) != 2 {
		t.Fatalf("%+v", made)
	}
	path := "/api/webhooks/" + made.Webhook.ID
	var tested struct {
		Outcome struct {
			Status int
			Code   string
		}
	}
	w.want(w.call("POST", path+"/test", nil, &tested), 200)
	if tested.Outcome.Status != http.StatusTeapot || tested.Outcome.Code != "refused" {
		t.Errorf("%+v", tested)
	}
	w.want(w.call("PATCH", path, map[string]any{"feeds": "notify", "isEnabled": false}, &listed), 200)
	if listed.Webhook.Secret != "" || listed.Webhook.OffReason == nil || *listed.Webhook.OffReason != "by_user" ||
		listed.Webhook.Feeds != "notify" || len(listed.Webhook.Outcomes) != 1 {
		t.Errorf("%+v", listed)
	}
	w.want(w.call("POST", path+"/deliveries/x/retry", nil, nil), 409)
	w.want(w.call("PATCH", path, map[string]any{"isEnabled": true, "renewSecret": true}, &listed), 200)
	if listed.Webhook.Secret == "" || listed.Webhook.Secret == made.Webhook.Secret {
		t.Errorf("renewed: %+v", listed)
	}
	w.want(w.call("POST", path+"/deliveries/x/retry", nil, nil), 404)

	var page pageAnswer
	w.want(w.call("GET", "/api/feeds/"+feeds[0].Feed.ID+"/items", nil, &page), 200)
	n := len(w.sent.bodies)
	w.want(w.call("PUT", "/api/items/"+page.Items[0].ID+"/state", map[string]bool{"isStarred": true}, nil), 200)
	var sent job.Job
	if len(w.sent.bodies) != n+1 || json.Unmarshal(w.sent.bodies[n], &sent) != nil || sent.Kind != job.Hook ||
		sent.Item.String() != page.Items[0].ID {
		t.Errorf("starring sent %d messages, %+v", len(w.sent.bodies)-n, sent)
	}

	var outcome struct{ Outcome struct{ Code, Event string } }
	send := "/api/items/" + page.Items[0].ID + "/send"
	w.want(w.call("POST", send, map[string]string{"webhookId": made.Webhook.ID}, nil), 409)
	w.want(w.call("PATCH", path, map[string]any{"events": []string{"starred", "sent"}}, nil), 200)
	w.want(w.call("POST", send, map[string]string{"webhookId": made.Webhook.ID}, &outcome), 200)
	if outcome.Outcome.Code != "refused" || outcome.Outcome.Event != "sent" {
		t.Errorf("sending ended with %+v", outcome)
	}
	w.want(w.call("POST", send, map[string]string{"webhookId": "x"}, nil), 404)
	w.want(w.call("POST", "/api/items/1/send", map[string]string{"webhookId": made.Webhook.ID}, nil), 404)

	for body, want := range map[string]string{
		`{"url":"https://example.org/","events":["sent"],"format":"fax"}`:      "webhook_bad_format",
		`{"url":"https://example.org/","events":["sent"],"format":"readwise"}`: "webhook_needs_key",

		`{"url":"https://example.org/","events":["sent"],"format":"readwise","key":"a"}`: "webhook_key_unknown",

		`{"url":"https://example.org/","events":["sent"],"format":"own","template":"{"}`: "bad_template",

		`{"url":"https://example.org/","events":["sent"],"format":"own","template":"a={url}","headers":{"Host":"x"}}`: "webhook_bad_headers",

		`{"url":"http://10.0.0.1/","events":["new"]}`:                 "webhook_address_refused",
		`{"url":"nowhere","events":["new"]}`:                          "bad_webhook_url",
		`{"url":"https://example.org/","events":["old"]}`:             "webhook_no_events",
		`{"url":"https://example.org/","events":[]}`:                  "webhook_no_events",
		`{"url":"https://example.org/","events":["new"],"feeds":"x"}`: "webhook_bad_feeds",
	} {
		var p problem
		if resp := w.call("POST", "/api/webhooks", body, &p); resp.StatusCode != 400 || p.Code != want {
			t.Errorf("%s: %d %s, want %s", body, resp.StatusCode, p.Code, want)
		}
	}
	w.want(w.call("DELETE", path, nil, nil), 204)
	w.want(w.call("POST", path+"/test", nil, nil), 404)
}
