package library

import (
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// MaxLabels limits the labels of a user.
const MaxLabels = 200

// Label can be put on items; the order is that of Tree.Labels.
type Label struct {
	ID   reader.LabelID `json:"id"`
	Name string         `json:"name"`
	// ReadLater marks the label of the items that the user keeps to read later; at most one has the mark.
	ReadLater bool `json:"readLater,omitempty"`
}

// Label finds a label by number.
func (t *Tree) Label(id reader.LabelID) (Label, bool) {
	if i := t.label(id); i >= 0 {
		return t.Labels[i], true
	}
	return Label{}, false
}

func (t *Tree) label(id reader.LabelID) int {
	return slices.IndexFunc(t.Labels, func(l Label) bool { return l.ID == id })
}

// LabelNamed returns the label of a name, zero when there is none.
func (t *Tree) LabelNamed(name string) reader.LabelID {
	for _, l := range t.Labels {
		if l.Name == name {
			return l.ID
		}
	}
	return 0
}

// LabelGone is the error for a label that does not exist.
func LabelGone() error { return fault.Coded(fault.NotFound, "label_not_found") }

func labelExists() error {
	return fault.Coded(fault.Conflict, "label_exists")
}

// AddLabel appends a label.
func (t *Tree) AddLabel(name string) (reader.LabelID, error) {
	name, err := Name(name)
	switch {
	case err != nil:
		return 0, err
	case t.LabelNamed(name) != 0:
		return 0, labelExists()
	case len(t.Labels) >= MaxLabels:
		return 0, fault.Coded(fault.Conflict, "label_limit", MaxLabels)
	}
	t.LastLabel++
	t.Labels = append(t.Labels, Label{ID: t.LastLabel, Name: name})
	return t.LastLabel, nil
}

// EnsureLabel returns the label of a name from a file, and makes one where there is none.
func (t *Tree) EnsureLabel(name string) (reader.LabelID, error) {
	name = cleanName(name)
	if id := t.LabelNamed(name); id != 0 {
		return id, nil
	}
	return t.AddLabel(name)
}

// readLaterName is the first name of the label of items to read later, in a language.
func readLaterName(language string) string {
	if language == "ja" {
		return "あとで読む"
	}
	return "Read later"
}

// ReadLater returns the label of items to read later, zero when there is none.
func (t *Tree) ReadLater() reader.LabelID {
	for _, l := range t.Labels {
		if l.ReadLater {
			return l.ID
		}
	}
	return 0
}

// EnsureReadLater returns the label of items to read later. If there is none, the label of this name becomes it, or a
// new one.
func (t *Tree) EnsureReadLater(name string) (reader.LabelID, error) {
	if id := t.ReadLater(); id != 0 {
		return id, nil
	}
	id, err := t.EnsureLabel(name)
	if err == nil {
		t.Labels[t.label(id)].ReadLater = true
	}
	return id, err
}

// RenameLabel renames a label.
func (t *Tree) RenameLabel(id reader.LabelID, name string) error {
	i := t.label(id)
	if i < 0 {
		return LabelGone()
	}
	name, err := Name(name)
	if err != nil {
		return err
	}
	if same := t.LabelNamed(name); same != 0 && same != id {
		return labelExists()
	}
	t.Labels[i].Name = name
	return nil
}

// DeleteLabel deletes a label. Service.DeleteLabel takes it off its items, too.
func (t *Tree) DeleteLabel(id reader.LabelID) error {
	i := t.label(id)
	if i < 0 {
		return LabelGone()
	}
	t.Labels = slices.Delete(slices.Clone(t.Labels), i, i+1)
	return nil
}

// OrderLabels orders the labels: those named first, then the others as they were.
func (t *Tree) OrderLabels(ids []reader.LabelID) error {
	for _, id := range ids {
		if t.label(id) < 0 {
			return LabelGone()
		}
	}
	next, err := reorder(t.Labels, func(l Label) reader.LabelID { return l.ID }, ids)
	if err == nil {
		t.Labels = next
	}
	return err
}
