package api_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"testing"
)

// TestNotificationsAPI: a browser registers with what its PushSubscription says, twice as one device; folders, searches
// and quiet hours are changed one by one; an API token has no part in it. R-89
func TestNotificationsAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.signedIn().Value
	call := func(method, path string, body, into any) *http.Response {
		return w.callAs(session, method, path, body, into)
	}
	w.want(w.call("GET", "/api/notifications", nil, nil), 403) // with an API token
	type settings struct {
		PublicKey  string
		FolderIDs  []string
		SearchIDs  []string
		QuietHours *struct {
			From, To int
			TimeZone string
		}
		Devices []struct{ ID, Language string }
	}
	var now settings
	w.want(call("GET", "/api/notifications", nil, &now), 200)
	if key, err := base64.RawURLEncoding.DecodeString(now.PublicKey); err != nil || len(key) != 65 ||
		len(now.Devices) > 0 {
		t.Errorf("%+v, %v", now, err)
	}
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	device := map[string]any{"endpoint": "https://1.1.1.1/push/1", "expirationTime": nil, "keys": map[string]string{
		"p256dh": base64.RawURLEncoding.EncodeToString(private.PublicKey().Bytes()),
		"auth":   base64.RawURLEncoding.EncodeToString(make([]byte, 16))}}
	for range 2 {
		w.want(call("POST", "/api/notifications/devices", device, nil), 201)
	}
	quiet := map[string]any{"from": 1320, "to": 420, "timeZone": "Asia/Tokyo"}
	w.want(call("PATCH", "/api/notifications", map[string]any{"folderIds": []string{"3", "2", "3"}}, nil), 200)
	w.want(call("PATCH", "/api/notifications", map[string]any{"quietHours": quiet}, &now), 200)
	if len(now.Devices) != 1 || len(now.FolderIDs) != 2 || now.QuietHours == nil ||
		now.QuietHours.TimeZone != "Asia/Tokyo" {
		t.Errorf("%+v", now)
	}
	now = settings{}
	w.want(call("PATCH", "/api/notifications", map[string]any{"quietHours": nil}, &now), 200)
	if now.QuietHours != nil || len(now.FolderIDs) != 2 {
		t.Errorf("%+v", now)
	}
	quiet["timeZone"] = "Mars/Olympus"
	w.want(call("PATCH", "/api/notifications", map[string]any{"quietHours": quiet}, nil), 400)
	device["endpoint"] = "https://10.0.0.1/push/1"
	w.want(call("POST", "/api/notifications/devices", device, nil), 400)
	w.want(call("DELETE", "/api/notifications/devices/"+now.Devices[0].ID, nil, nil), 204)
	w.want(call("POST", "/api/notifications/devices/"+now.Devices[0].ID+"/test", nil, nil), 404)
}
