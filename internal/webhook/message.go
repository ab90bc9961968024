package webhook

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault/texts"
)

const (
	// maxText bounds what a message says: Discord takes 2,000 characters, ntfy 4,096 bytes.
	maxText  = 1800
	maxTitle = 250
	// listedTitles is how many titles a message about several items has.
	listedTitles = 10
)

// message is a delivery in words, for chat services and bookmark lists.
type message struct {
	Title, Text, URL string
	// of one item
	Feed, Author, Snippet, Published string
}

// messageOf puts a delivery into words.
func messageOf(b *Body, language string) *message {
	m := &message{}
	if b.Feed != nil {
		m.Feed, m.URL = b.Feed.Title, b.Feed.SiteURL
	}
	say := func(t texts.Text, values ...any) string { return fmt.Sprintf(t.In(language), values...) }
	switch {
	case b.Event == EventTest:
		m.Title, m.Text, m.URL = "Ruri Reader", texts.TestMessage.In(language), projectURL
	case b.Event == EventServer:
		m.Title, m.URL = texts.ServerProblem.In(language), projectURL
		m.Text = texts.Backup(b.Problem.Code).Message.In(language)
	case b.Budget != nil:
		x := b.Budget
		m.Title, m.URL = say(texts.BudgetReached, x.Percent), projectURL
		m.Text = say(texts.BudgetMeaning, x.Spent, x.Limit, x.Slow)
	case b.Problem != nil:
		title := texts.FeedStopped
		if b.Event == EventProblem {
			title = texts.WatchProblem
		}
		t, _ := texts.Of(b.Problem.Code)
		m.Title, m.Text = say(title, m.Feed), cmp.Or(t.Message.In(language), b.Problem.Code)
	case len(b.Items) == 1:
		it := &b.Items[0]
		m.Title, m.URL, m.Author, m.Snippet, m.Published = it.Title, it.Link, it.Author, it.Snippet, it.PublishedAt
		m.Text = strings.Trim(m.Feed+"\n"+Clip(it.Snippet, 400), "\n")
	default:
		m.Title = say(texts.NewArticles, len(b.Items), m.Feed)
		for i := range b.Items[:min(len(b.Items), listedTitles)] {
			m.Text += "• " + Clip(b.Items[i].Title, maxTitle/2) + "\n"
		}
		m.Text = strings.TrimSuffix(m.Text, "\n")
		if len(b.Items) > listedTitles {
			m.Text += "\n…"
		}
	}
	m.Title = Clip(cmp.Or(m.Title, m.URL), maxTitle)
	m.Snippet = cmp.Or(m.Snippet, m.Text)
	return m
}

const projectURL = "https://github.com/ruri-reader/ruri"

// chat returns a message as one text. Words are made harmless by escape; the address is last, and whole or left out.
func (m *message) chat(escape func(string) string) string {
	address := m.URL
	if len(address) > maxText/2 {
		address = ""
	}
	text := Clip(escape(m.Title)+"\n"+escape(m.Text), maxText-len(address))
	return strings.Trim(text+"\n"+address, "\n")
}

// Clip shortens a text to so many bytes, between characters.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:max(most-len("…"), 0)], "") + "…"
}
