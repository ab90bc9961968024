package reader

import (
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Label finds a label by number.
func (t *Tree) Label(id LabelID) (Label, bool) {
	if i := t.label(id); i >= 0 {
		return t.Labels[i], true
	}
	return Label{}, false
}

func (t *Tree) label(id LabelID) int {
	return slices.IndexFunc(t.Labels, func(l Label) bool { return l.ID == id })
}

func (t *Tree) labelNamed(name string) LabelID {
	for _, l := range t.Labels {
		if l.Name == name {
			return l.ID
		}
	}
	return 0
}

func labelGone() error {
	return fault.Newf(fault.NotFound, "label_not_found", "There is no such label.")
}

func labelExists() error {
	return fault.Newf(fault.Conflict, "label_exists", "There is already a label of this name.")
}

// AddLabel makes a label at the end.
func (t *Tree) AddLabel(name string) (LabelID, error) {
	name, err := Name(name)
	switch {
	case err != nil:
		return 0, err
	case t.labelNamed(name) != 0:
		return 0, labelExists()
	case len(t.Labels) >= MaxLabels:
		return 0, fault.Newf(fault.Conflict, "label_limit", "There are %d labels, the most there may be. Delete one to make room.", MaxLabels)
	}
	t.LastLabel++
	t.Labels = append(t.Labels, Label{ID: t.LastLabel, Name: name})
	return t.LastLabel, nil
}

// RenameLabel gives a label another name.
func (t *Tree) RenameLabel(id LabelID, name string) error {
	i := t.label(id)
	if i < 0 {
		return labelGone()
	}
	name, err := Name(name)
	if err != nil {
		return err
	}
	if same := t.labelNamed(name); same != 0 && same != id {
		return labelExists()
	}
	t.Labels[i].Name = name
	return nil
}

// DeleteLabel takes a label away.
func (t *Tree) DeleteLabel(id LabelID) error {
	i := t.label(id)
	if i < 0 {
		return labelGone()
	}
	t.Labels = slices.Delete(slices.Clone(t.Labels), i, i+1)
	return nil
}

// OrderLabels puts the labels into an order: those named first, then the others as they were.
func (t *Tree) OrderLabels(ids []LabelID) error {
	next := make([]Label, 0, len(t.Labels))
	for i, id := range ids {
		l, ok := t.Label(id)
		if !ok {
			return labelGone()
		}
		if slices.Contains(ids[:i], id) {
			return fault.Newf(fault.Invalid, "bad_order", "An order names each thing of one list once.").At("ids")
		}
		next = append(next, l)
	}
	for _, l := range t.Labels {
		if !slices.Contains(ids, l.ID) {
			next = append(next, l)
		}
	}
	t.Labels = next
	return nil
}
