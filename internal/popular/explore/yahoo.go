package explore

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/tags"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	yahooURL = "https://jlp.yahooapis.jp/KeyphraseService/V2/extract"
	// maxPhraseText bounds what is sent, in bytes of UTF-8; the API takes requests of 4 KB.
	maxPhraseText = 2000
	// maxYahooAnswer bounds an answer, which has 20 phrases at most.
	maxYahooAnswer = 64 << 10
	// invalidParams is the code of JSON-RPC (2.0, section 5.1) for a text that the service cannot do anything with.
	invalidParams = -32602
)

// Yahoo extracts key phrases by the API of Yahoo! JAPAN: JSON-RPC 2.0 by POST, with the client ID in the User-Agent
// (developer.yahoo.co.jp/webapi/jlp/keyphrase/v2/extract.html).
type Yahoo struct{ fetch fetch.Fetcher }

// NewYahoo returns a client.
func NewYahoo(f fetch.Fetcher) *Yahoo { return &Yahoo{f} }

// Phrases implements Extractor.
func (y *Yahoo) Phrases(ctx context.Context, clientID, text string) ([]tags.Tag, error) {
	body, err := json.Marshal(map[string]any{
		"id": "1", "jsonrpc": "2.0", "method": "jlp.keyphraseservice.extract",
		"params": map[string]string{"q": reader.CutBytes(strings.ToValidUTF8(text, ""), maxPhraseText)},
	})
	if err != nil {
		return nil, err
	}
	resp, err := y.fetch.Do(ctx, fetch.Request{URL: yahooURL, Accept: "application/json", MaxBytes: maxYahooAnswer,
		Post: &fetch.Post{
			ContentType: "application/json", Body: body,
			Header: map[string]string{"User-Agent": "Yahoo AppID: " + clientID}, Answered: true,
		}})
	if err != nil {
		return nil, err
	}
	defer resp.Release()
	switch resp.Status {
	case http.StatusOK:
		return parsePhrases(resp.Body)
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, fault.Newf(fault.Unavailable, phrasesRefused, "yahoo: status %d", resp.Status)
	case http.StatusTooManyRequests:
		return nil, fault.Newf(fault.Unavailable, phrasesLimited, "yahoo: status %d", resp.Status)
	}
	return nil, fault.Newf(fault.Unavailable, phrasesFailed, "yahoo: status %d", resp.Status)
}

// parsePhrases reads an answer. Scores are from 1 to 100, and the best phrase has 100.
func parsePhrases(body []byte) ([]tags.Tag, error) {
	var answer struct {
		Result *struct {
			Phrases []struct {
				Text  string  `json:"text"`
				Score float64 `json:"score"`
			} `json:"phrases"`
		} `json:"result"`
		Error *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	switch err := json.Unmarshal(body, &answer); {
	case err != nil || answer.Result == nil && answer.Error == nil:
		return nil, fault.New(fault.Unavailable, phrasesUnreadable, "yahoo: answer", err)
	case answer.Error != nil && answer.Error.Code == invalidParams:
		return nil, nil
	case answer.Error != nil:
		return nil, fault.Newf(fault.Unavailable, phrasesFailed, "yahoo: error %d", answer.Error.Code)
	}
	var list []tags.Tag
	for _, p := range answer.Result.Phrases {
		if p.Text == "" || p.Score < 1 || p.Score > 100 {
			return nil, fault.New(fault.Unavailable, phrasesUnreadable, "yahoo: phrase", nil)
		}
		list = append(list, tags.Tag{Name: p.Text, Score: p.Score / 100})
	}
	return list, nil
}
