package webhook

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/storage/store"
)

// An item of a watch says what it announces; the JSON of others has nothing of it.
// M-34
func TestOffer(t *testing.T) {
	t.Parallel()
	h := store.Header{Title: "Lamp"}
	b, err := json.Marshal(itemOf(1<<40, 7, &h))
	if err != nil || strings.Contains(string(b), "offer") {
		t.Errorf("%s, %v", b, err)
	}
	h.Offer = &store.Offer{Event: "dropped", Key: 0xabc, Price: 9800, Before: -1, Currency: "JPY", Status: "onSale"}
	b, err = json.Marshal(itemOf(1<<40, 7, &h))
	want := `"offer":{"event":"dropped","watchId":"7","resultId":"abc","price":9800,"before":null,"currency":"JPY",` +
		`"status":"onSale"}`
	if err != nil || !strings.Contains(string(b), want) {
		t.Errorf("%s, %v", b, err)
	}
}
