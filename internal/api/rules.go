package api

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/library/rules"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

type ruleJSON struct {
	ID         string           `json:"id" required:"true"`
	Name       string           `json:"name" required:"true"`
	IsEnabled  bool             `json:"isEnabled" required:"true"`
	Feeds      []reader.FeedID  `json:"feeds" required:"true"`
	Folders    []numberJSON     `json:"folders" required:"true"`
	Match      string           `json:"match" required:"true"` // all, any
	Conditions []conditionJSON  `json:"conditions" required:"true"`
	Actions    []ruleActionJSON `json:"actions" required:"true"`
	Stop       bool             `json:"stop" required:"true"`
	Since      moment           `json:"appliesSince"`
}

type conditionJSON struct {
	Field     rules.Field `json:"field" required:"true"`
	Mode      rules.Mode  `json:"mode" required:"true"`
	Words     []string    `json:"words,omitempty"`
	Pattern   string      `json:"pattern,omitempty"`
	Kana      string      `json:"kana,omitempty"` // fold, exact
	IsNegated bool        `json:"isNegated" required:"true"`
}

type ruleActionJSON struct {
	Type  rules.Verb `json:"type" required:"true"`
	Label numberJSON `json:"labelId,omitempty"`
	Hook  string     `json:"webhookId,omitempty"`
}

// numberJSON is the id of a folder or label, from 1, as a decimal string.
type numberJSON int32

func (n numberJSON) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, strconv.Itoa(int(n))), nil
}

func (n *numberJSON) UnmarshalJSON(b []byte) error {
	var s string
	err := json.Unmarshal(b, &s)
	v, bad := strconv.ParseUint(s, 10, 31)
	if err != nil || bad != nil || v == 0 || strconv.FormatUint(v, 10) != s {
		// encoding/json adds the field
		return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[numberJSON]()}
	}
	*n = numberJSON(v)
	return nil
}

func (s *Server) ruleRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/rules", Handle: s.listRules},
		{Method: "PUT", Path: "/api/rules", Handle: with(s.setRules)},
		{Method: "POST", Path: "/api/rules/dry-run", Handle: with(s.tryRule)},
		{Method: "POST", Path: "/api/rules/apply", Handle: withBody(maxJSON, true, s.applyRules)},
		{Method: "GET", Path: "/api/rules/hidden", Handle: s.listHidden},
		{Method: "POST", Path: "/api/rules/hidden/{id}/show", ID: pathItem, Handle: s.showHidden},
	}
}

type rulesJSON struct {
	Rules    []ruleJSON `json:"rules" required:"true"`
	Revision string     `json:"revision" required:"true"`
}

func (s *Server) listRules(r *request) error {
	list, rev, err := s.Streams.Rules(r.Context(), r.user)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, rulesJSON{Rules: mapped(list, ruleShape), Revision: strconv.FormatInt(rev, 10)})
}

// setRules replaces all rules, since their order matters.
func (s *Server) setRules(r *request, in rulesJSON) error {
	rev, err := strconv.ParseInt(in.Revision, 10, 64)
	if err != nil || rev < 0 {
		return fault.Coded(fault.Conflict, "rules_changed")
	}
	list := make([]rules.Rule, len(in.Rules))
	for i := range in.Rules {
		if list[i], err = in.Rules[i].rule(); err != nil {
			return err
		}
	}
	if err := s.Streams.SetRules(r.Context(), r.user, list, rev); err != nil {
		return err
	}
	return s.listRules(r)
}

// ruleScope is one feed, the feeds of a folder, or all.
func ruleScope(feed reader.FeedID, folder numberJSON) (stream.Scope, error) {
	if feed != 0 && folder != 0 {
		return stream.Scope{}, ambiguous()
	}
	return stream.Scope{Feed: feed, Folder: reader.FolderID(folder)}, nil
}

// triedItems is the number of newest items that a dry run examines.
const triedItems = 200

type partJSON struct {
	Field  rules.Field `json:"field"`
	Before string      `json:"before"`
	Match  string      `json:"match"`
	After  string      `json:"after"`
}

type foundJSON struct {
	Item  itemJSON   `json:"item"`
	Parts []partJSON `json:"parts"`
}

func (s *Server) tryRule(r *request, in struct {
	Rule   ruleJSON      `json:"rule" required:"true"`
	Feed   reader.FeedID `json:"feedId"`
	Folder numberJSON    `json:"folderId"`
}) error {
	rule, err := in.Rule.rule()
	if err != nil {
		return err
	}
	sc, err := ruleScope(in.Feed, in.Folder)
	if err != nil {
		return err
	}
	found, looked, feeds, err := s.Streams.TryRule(r.Context(), r.user, rule, sc, triedItems)
	if err != nil {
		return err
	}
	out := struct {
		Looked  int         `json:"itemsLookedAt"`
		Matches []foundJSON `json:"matches"`
	}{Looked: looked, Matches: make([]foundJSON, len(found))}
	rows, bookmarks := rowsOf(feeds), s.counts(r)
	for i := range found {
		parts := make([]partJSON, len(found[i].Parts))
		for j, p := range found[i].Parts {
			parts[j] = partJSON(p)
		}
		out.Matches[i] = foundJSON{item(&found[i].Entry, rows[found[i].Feed], bookmarks), parts}
	}
	return r.json(http.StatusOK, out)
}

func rowsOf(feeds []*stream.Subscribed) map[reader.FeedID]*store.FeedRow {
	rows := make(map[reader.FeedID]*store.FeedRow, len(feeds))
	for i := range feeds {
		rows[feeds[i].Feed.ID()] = feeds[i].Feed
	}
	return rows
}

func (s *Server) applyRules(r *request, in struct {
	Rule   optional[string] `json:"ruleId"`
	Cursor string           `json:"cursor"`
	Feed   reader.FeedID    `json:"feedId"`
	Folder numberJSON       `json:"folderId"`
}) error {
	only := in.Rule.or("")
	if in.Rule.given && only == "" { // empty is an error, not all rules
		return fault.Coded(fault.NotFound, "rule_not_found")
	}
	sc, err := ruleScope(in.Feed, in.Folder)
	if err != nil {
		return err
	}
	done, err := s.Streams.ApplyRules(r.Context(), r.user, only, sc, in.Cursor)
	if err != nil {
		return err
	}
	t, err := s.Streams.Totals(r.Context(), r.user)
	if err != nil {
		return err
	}
	type undoJSON struct {
		Feed reader.FeedID `json:"feedId"`
		Undo string        `json:"undo"`
	}
	out := struct {
		Judged   int        `json:"itemsLookedAt"`
		Hidden   int        `json:"hidden"`
		Read     int        `json:"markedRead"`
		Starred  int        `json:"starred"`
		Labelled int        `json:"labelled"`
		Next     *string    `json:"nextCursor"`
		Undo     []undoJSON `json:"undo"`
		Totals   totalsJSON `json:"totals"`
	}{done.Judged, done.Hidden, done.Read, done.Starred, done.Labelled, orNull(done.Next), []undoJSON{}, totals(t)}
	for _, u := range done.Undo {
		out.Undo = append(out.Undo, undoJSON{u.Feed, u.Token})
	}
	return r.json(http.StatusOK, out)
}

type hiddenJSON struct {
	Item itemJSON `json:"item"`
	// Rule is the one that would hide it now; null when none would.
	Rule *ruleNameJSON `json:"rule"`
}

type ruleNameJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// listHidden evaluates the rules again for the page's items; storing the rule would be a write for each item.
func (s *Server) listHidden(r *request) error {
	limit, err := r.limit()
	if err != nil {
		return err
	}
	p, err := s.Streams.List(r.Context(), r.user,
		stream.Query{Filter: stream.Hidden, Cursor: r.URL.Query().Get("cursor"), Limit: limit})
	if err != nil {
		return err
	}
	by, err := s.Streams.HiddenBy(r.Context(), r.user, p.Items, p.Feeds)
	if err != nil {
		return err
	}
	out := struct {
		Items []hiddenJSON `json:"items"`
		Next  *string      `json:"nextCursor"`
	}{make([]hiddenJSON, len(p.Items)), orNull(p.Next)}
	rows, bookmarks := rowsOf(p.Feeds), s.counts(r)
	for i := range p.Items {
		e := &p.Items[i]
		out.Items[i].Item = item(e, rows[e.Feed], bookmarks)
		if rule := by[e.ID]; rule != nil {
			out.Items[i].Rule = &ruleNameJSON{rule.ID, rule.Name}
		}
	}
	return r.json(http.StatusOK, out)
}

func (s *Server) showHidden(r *request) error {
	e, sub, err := s.Streams.Show(r.Context(), r.user, r.item)
	if err != nil {
		return err
	}
	t, err := s.Streams.Totals(r.Context(), r.user, sub)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, struct {
		Item   itemJSON   `json:"item"`
		Feed   countsJSON `json:"feed"`
		Totals totalsJSON `json:"totals"`
	}{item(&e, sub.Feed, s.counts(r)), counts(sub), totals(t)})
}

func ruleShape(x rules.Rule) ruleJSON {
	out := ruleJSON{
		ID: x.ID, Name: x.Name, IsEnabled: !x.Off, Feeds: notNil(x.Feeds), Match: "all", Stop: x.Stop,
		Since:   moment(x.Since / 1000),
		Folders: mapped(x.Folders, func(f reader.FolderID) numberJSON { return numberJSON(f) }),
		Conditions: mapped(x.Conditions, func(c rules.Condition) conditionJSON {
			out := conditionJSON{Field: c.Field, Mode: c.Mode, Words: c.Words, Pattern: c.Pattern, IsNegated: c.Not}
			if c.Kana {
				out.Kana = "fold"
			}
			return out
		}),
		Actions: mapped(x.Actions, func(a rules.Action) ruleActionJSON {
			return ruleActionJSON{a.Do, numberJSON(a.Label), a.Hook}
		}),
	}
	if x.Any {
		out.Match = "any"
	}
	return out
}

// rule parses a rule. One without an id is new, and gets one. appliesSince is set by the server.
func (x *ruleJSON) rule() (rules.Rule, error) {
	out := rules.Rule{ID: x.ID, Name: library.CutName(x.Name), Off: !x.IsEnabled, Any: x.Match == "any", Stop: x.Stop}
	if x.Match != "any" && x.Match != "all" {
		return out, fault.Coded(fault.Invalid, "bad_rule_match").At("match")
	}
	if out.ID == "" {
		var b [6]byte
		_, _ = rand.Read(b[:])
		out.ID = "r" + hex.EncodeToString(b[:])
	}
	if len(x.Feeds) > 0 {
		out.Feeds = x.Feeds
	}
	for _, f := range x.Folders {
		out.Folders = append(out.Folders, reader.FolderID(f))
	}
	for _, c := range x.Conditions {
		y := rules.Condition{Field: c.Field, Mode: c.Mode, Pattern: c.Pattern, Not: c.IsNegated}
		if len(c.Words) > 0 {
			y.Words = c.Words
		}
		if c.Kana != "" {
			var err error
			if y.Kana, err = foldsKana(c.Kana); err != nil {
				return out, err
			}
		}
		out.Conditions = append(out.Conditions, y)
	}
	for _, a := range x.Actions {
		out.Actions = append(out.Actions, rules.Action{Do: a.Type, Label: reader.LabelID(a.Label), Hook: a.Hook})
	}
	return out, nil
}
