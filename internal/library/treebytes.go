package library

import (
	"encoding/json"
	"errors"
	"math"

	"github.com/ruri-reader/ruri/internal/reader"
)

// ErrBadTree means that bytes are no valid tree.
var ErrBadTree = errors.New("not a tree of folders and labels")

// Encode returns the tree as JSON; nil for one that was never used.
func (t *Tree) Encode() []byte {
	if t.LastFolder == 0 && t.LastLabel == 0 {
		return nil
	}
	b, _ := json.Marshal(t) // numbers and texts: cannot fail
	return b
}

// DecodeTree decodes the output of Encode, or of a version before JSON, as old archives have it. It refuses trees that
// no sequence of operations makes.
func DecodeTree(b []byte) (t Tree, err error) {
	switch {
	case len(b) == 0:
		return t, nil
	case b[0] == recordFormat:
		t, err = decodeRecord(b[1:])
	default:
		err = json.Unmarshal(b, &t)
	}
	if err != nil || !t.Sound() {
		return Tree{}, ErrBadTree
	}
	return t, nil
}

// recordFormat begins the records of versions before JSON:
//
//	byte format; uvarint highest folder number, highest label number
//	uvarint n, n times uvarint number, uvarint parent, text name: folders in order
//	uvarint n, n times uvarint number, text name: labels in order
const recordFormat = 1

func decodeRecord(b []byte) (t Tree, err error) {
	d := reader.Decoder{Rest: string(b)}
	number := func() int32 { return int32(d.AtMost(math.MaxInt32)) }
	t.LastFolder, t.LastLabel = reader.FolderID(number()), reader.LabelID(number())
	for range d.AtMost(MaxFolders) {
		id, parent := reader.FolderID(number()), reader.FolderID(number())
		t.Folders = append(t.Folders, Folder{ID: id, Parent: parent, Name: d.Text()})
	}
	for range d.AtMost(MaxLabels) {
		t.Labels = append(t.Labels, Label{ID: reader.LabelID(number()), Name: d.Text()})
	}
	if !d.Done() {
		return t, ErrBadTree
	}
	return t, nil
}

// Sound reports whether a tree could be the result of operations: unique numbers, existing parents, no cycle,
// normalised names that are unique among siblings, and everything within the bounds.
func (t *Tree) Sound() bool {
	if len(t.Folders) > MaxFolders || len(t.Labels) > MaxLabels {
		return false
	}
	type sibling struct {
		parent reader.FolderID
		name   string
	}
	ids, names := make(map[reader.FolderID]reader.FolderID, len(t.Folders)), make(map[sibling]bool, len(t.Folders))
	for _, f := range t.Folders {
		_, twice := ids[f.ID]
		s := sibling{f.Parent, f.Name}
		if twice || f.ID < 1 || f.ID > t.LastFolder || names[s] || !isName(f.Name) {
			return false
		}
		ids[f.ID], names[s] = f.Parent, true
	}
	for id := range ids {
		n := 0
		for ; id != 0; n++ {
			parent, ok := ids[id]
			if !ok || n == MaxFolderDepth {
				return false
			}
			id = parent
		}
	}
	isKept := false // is there a label for items to read later?
	labels, words := make(map[reader.LabelID]bool, len(t.Labels)), make(map[string]bool, len(t.Labels))
	for _, l := range t.Labels {
		if labels[l.ID] || l.ID < 1 || l.ID > t.LastLabel || words[l.Name] || !isName(l.Name) {
			return false
		}
		if l.ReadLater && isKept {
			return false
		}
		isKept = isKept || l.ReadLater
		labels[l.ID], words[l.Name] = true, true
	}
	return true
}
