package api

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/rules"
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
	Since      *string          `json:"appliesSince"`
}

type conditionJSON struct {
	Field     rules.Field `json:"field" required:"true"`
	Mode      rules.Mode  `json:"mode" required:"true"`
	Words     []string    `json:"words,omitempty"`
	Pattern   string      `json:"pattern,omitempty"`
	IsNegated bool        `json:"isNegated" required:"true"`
}

type ruleActionJSON struct {
	Type  rules.Verb `json:"type" required:"true"`
	Label numberJSON `json:"labelId,omitempty"`
}

// numberJSON is a number of the user's tree, from 1, on the wire a decimal string.
type numberJSON int32

func (n numberJSON) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, strconv.Itoa(int(n))), nil
}

func (n *numberJSON) UnmarshalJSON(b []byte) error {
	var s string
	err := json.Unmarshal(b, &s)
	v, bad := strconv.ParseUint(s, 10, 31)
	if err != nil || bad != nil || v == 0 || strconv.FormatUint(v, 10) != s {
		return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[numberJSON]()} // json puts the field's name in
	}
	*n = numberJSON(v)
	return nil
}

func (s *Server) ruleRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/rules", Handle: s.listRules},
		{Method: "PUT", Path: "/api/rules", Handle: s.setRules},
		{Method: "POST", Path: "/api/rules/dry-run", Handle: s.tryRule},
		{Method: "POST", Path: "/api/rules/apply", Handle: s.applyRules},
		{Method: "GET", Path: "/api/rules/hidden", Handle: s.listHidden},
		{Method: "POST", Path: "/api/rules/hidden/{id}/show", Handle: s.showHidden},
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
	out := rulesJSON{Rules: make([]ruleJSON, len(list)), Revision: strconv.FormatInt(rev, 10)}
	for i := range list {
		out.Rules[i] = ruleShape(&list[i])
	}
	return r.json(http.StatusOK, out)
}

// setRules replaces all rules: their order is part of what they do.
func (s *Server) setRules(r *request) error {
	var in rulesJSON
	if err := r.decode(&in); err != nil {
		return err
	}
	rev, err := strconv.ParseInt(in.Revision, 10, 64)
	if err != nil || rev < 0 {
		return fault.Newf(fault.Conflict, "rules_changed", "The rules were changed elsewhere since they were read.")
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

// scopeJSON chooses feeds: one, those of a folder, or all.
type scopeJSON struct {
	Feed   reader.FeedID `json:"feedId"`
	Folder numberJSON    `json:"folderId"`
}

func (x scopeJSON) scope() (stream.Scope, error) {
	if x.Feed != 0 && x.Folder != 0 {
		return stream.Scope{}, ambiguous()
	}
	return stream.Scope{Feed: x.Feed, Folder: reader.FolderID(x.Folder)}, nil
}

// triedItems is how many of the newest items a trial looks at.
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

func (s *Server) tryRule(r *request) error {
	var in struct {
		Rule ruleJSON `json:"rule" required:"true"`
		scopeJSON
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	rule, err := in.Rule.rule()
	if err != nil {
		return err
	}
	sc, err := in.scope()
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
	rows := rowsOf(feeds)
	for i := range found {
		parts := make([]partJSON, len(found[i].Parts))
		for j, p := range found[i].Parts {
			parts[j] = partJSON(p)
		}
		out.Matches[i] = foundJSON{item(&found[i].Entry, rows[found[i].Feed]), parts}
	}
	return r.json(http.StatusOK, out)
}

func rowsOf(feeds []stream.Subscribed) map[reader.FeedID]*store.FeedRow {
	rows := make(map[reader.FeedID]*store.FeedRow, len(feeds))
	for i := range feeds {
		rows[feeds[i].Feed.ID()] = feeds[i].Feed
	}
	return rows
}

func (s *Server) applyRules(r *request) error {
	var in struct {
		Rule   optional[string] `json:"ruleId"`
		Cursor string           `json:"cursor"`
		scopeJSON
	}
	if err := r.decodeIfAny(&in); err != nil {
		return err
	}
	only := in.Rule.or("")
	if in.Rule.given && only == "" { // an empty one is none, and not all
		return fault.Newf(fault.NotFound, "rule_not_found", "There is no such rule.")
	}
	sc, err := in.scope()
	if err != nil {
		return err
	}
	done, err := s.Streams.ApplyRules(r.Context(), r.user, only, sc, in.Cursor)
	if err != nil {
		return err
	}
	t, err := s.Streams.Totals(r.Context(), r.user, stream.Subscribed{})
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
	// Rule would hide it now; null when none would any more.
	Rule *ruleNameJSON `json:"rule"`
}

type ruleNameJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// listHidden names the rules by judging the page's items again: remembering would be a write for each item.
func (s *Server) listHidden(r *request) error {
	limit, err := r.limit()
	if err != nil {
		return err
	}
	p, feeds, err := s.Streams.AllItems(r.Context(), r.user, stream.Hidden, r.URL.Query().Get("cursor"), limit)
	if err != nil {
		return err
	}
	by, err := s.Streams.HiddenBy(r.Context(), r.user, p.Items, feeds)
	if err != nil {
		return err
	}
	out := struct {
		Items []hiddenJSON `json:"items"`
		Next  *string      `json:"nextCursor"`
	}{make([]hiddenJSON, len(p.Items)), orNull(p.Next)}
	rows := rowsOf(feeds)
	for i := range p.Items {
		e := &p.Items[i]
		out.Items[i].Item = item(e, rows[e.Feed])
		if rule := by[e.ID]; rule != nil {
			out.Items[i].Rule = &ruleNameJSON{rule.ID, rule.Name}
		}
	}
	return r.json(http.StatusOK, out)
}

func (s *Server) showHidden(r *request) error {
	id, err := r.itemID()
	if err != nil {
		return err
	}
	e, sub, err := s.Streams.Show(r.Context(), r.user, id)
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
	}{item(&e, sub.Feed), counts(&sub), totals(t)})
}

func ruleShape(x *rules.Rule) ruleJSON {
	out := ruleJSON{
		ID: x.ID, Name: x.Name, IsEnabled: !x.Off, Feeds: x.Feeds, Folders: []numberJSON{}, Match: "all", Stop: x.Stop,
	}
	if out.Feeds == nil {
		out.Feeds = []reader.FeedID{}
	}
	for _, f := range x.Folders {
		out.Folders = append(out.Folders, numberJSON(f))
	}
	if x.Any {
		out.Match = "any"
	}
	for _, c := range x.Conditions {
		out.Conditions = append(out.Conditions, conditionJSON{c.Field, c.Mode, c.Words, c.Pattern, c.Not})
	}
	for _, a := range x.Actions {
		out.Actions = append(out.Actions, ruleActionJSON{a.Do, numberJSON(a.Label)})
	}
	at := rfc3339(time.UnixMilli(x.Since))
	out.Since = &at
	return out
}

// rule reads a rule; one without an id is new, and gets one. From when it applies is not the client's to say.
func (x *ruleJSON) rule() (rules.Rule, error) {
	out := rules.Rule{ID: x.ID, Name: reader.CutName(x.Name), Off: !x.IsEnabled, Any: x.Match == "any", Stop: x.Stop}
	if x.Match != "any" && x.Match != "all" {
		return out, fault.Newf(fault.Invalid, "bad_rule_match", "A rule matches when all of its conditions hold, or any.").At("match")
	}
	if out.ID == "" {
		var b [6]byte
		if _, err := rand.Read(b[:]); err != nil {
			return out, err
		}
		out.ID = "r" + hex.EncodeToString(b[:])
	}
	if len(x.Feeds) > 0 {
		out.Feeds = x.Feeds
	}
	for _, f := range x.Folders {
		out.Folders = append(out.Folders, int32(f))
	}
	for _, c := range x.Conditions {
		y := rules.Condition{Field: c.Field, Mode: c.Mode, Pattern: c.Pattern, Not: c.IsNegated}
		if len(c.Words) > 0 {
			y.Words = c.Words
		}
		out.Conditions = append(out.Conditions, y)
	}
	for _, a := range x.Actions {
		out.Actions = append(out.Actions, rules.Action{Do: a.Type, Label: int32(a.Label)})
	}
	return out, nil
}
