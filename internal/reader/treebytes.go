package reader

import (
	"encoding/binary"
	"errors"
)

// A tree is stored as a record of bytes:
//
//	byte format; uvarint highest folder number, highest label number
//	uvarint n, n times uvarint number, uvarint parent, text name: folders in order
//	uvarint n, n times uvarint number, text name: labels in order
//
// where text is a uvarint length and so many bytes. A tree of 20 folders is 300 bytes.
const treeFormat = 1

// ErrBadTree tells that bytes are no tree.
var ErrBadTree = errors.New("not a tree of folders and labels")

// Encode gives the tree as bytes; an empty one that never held anything is none.
func (t *Tree) Encode() []byte {
	if t.LastFolder == 0 && t.LastLabel == 0 {
		return nil
	}
	b := []byte{treeFormat}
	b = binary.AppendUvarint(b, uint64(t.LastFolder))
	b = binary.AppendUvarint(b, uint64(t.LastLabel))
	b = binary.AppendUvarint(b, uint64(len(t.Folders)))
	for _, f := range t.Folders {
		b = binary.AppendUvarint(b, uint64(f.ID))
		b = binary.AppendUvarint(b, uint64(f.Parent))
		b = appendName(b, f.Name)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Labels)))
	for _, l := range t.Labels {
		b = binary.AppendUvarint(b, uint64(l.ID))
		b = appendName(b, l.Name)
	}
	return b
}

func appendName(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// DecodeTree reads what Encode wrote, and refuses what no sequence of operations makes.
func DecodeTree(b []byte) (Tree, error) {
	var t Tree
	if len(b) == 0 {
		return t, nil
	}
	if b[0] != treeFormat {
		return t, ErrBadTree
	}
	d := treeReader{b: b[1:]}
	t.LastFolder, t.LastLabel = FolderID(d.number()), LabelID(d.number())
	n := d.count(MaxFolders)
	for range n {
		t.Folders = append(t.Folders, Folder{ID: FolderID(d.number()), Parent: FolderID(d.number()), Name: d.name()})
	}
	n = d.count(MaxLabels)
	for range n {
		t.Labels = append(t.Labels, Label{ID: LabelID(d.number()), Name: d.name()})
	}
	if d.bad || len(d.b) > 0 || !t.Sound() {
		return Tree{}, ErrBadTree
	}
	return t, nil
}

// Sound tells whether a tree from outside is one that operations could have made: numbers once, parents there and
// no circle, names in their form and unique among siblings, all within the bounds.
func (t *Tree) Sound() bool {
	if len(t.Folders) > MaxFolders || len(t.Labels) > MaxLabels {
		return false
	}
	type sibling struct {
		parent FolderID
		name   string
	}
	ids, names := make(map[FolderID]FolderID, len(t.Folders)), make(map[sibling]bool, len(t.Folders))
	for _, f := range t.Folders {
		_, twice := ids[f.ID]
		s := sibling{f.Parent, f.Name}
		if twice || f.ID < 1 || f.ID > t.LastFolder || names[s] || !keptName(f.Name) {
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
	labels, words := make(map[LabelID]bool, len(t.Labels)), make(map[string]bool, len(t.Labels))
	for _, l := range t.Labels {
		if labels[l.ID] || l.ID < 1 || l.ID > t.LastLabel || words[l.Name] || !keptName(l.Name) {
			return false
		}
		labels[l.ID], words[l.Name] = true, true
	}
	return true
}

// treeReader reads records; after the first fault it gives zeros.
type treeReader struct {
	b   []byte
	bad bool
}

func (d *treeReader) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *treeReader) number() int32 {
	v := d.uvarint()
	if v > 1<<31-1 {
		d.bad = true
		return 0
	}
	return int32(v)
}

func (d *treeReader) count(limit int) int {
	n := d.uvarint()
	if n > uint64(limit) || n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return 0
	}
	return int(n)
}

func (d *treeReader) name() string {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}
