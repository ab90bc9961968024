package greader

import (
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
)

// The names of streams.
const (
	feedPrefix  = "feed/"
	labelPrefix = "user/-/label/"
	statePrefix = "user/-/state/com.google/"

	readingList = "reading-list"
	stateRead   = "read"
	stateStar   = "starred"
	keptUnread  = "kept-unread"
	stateUnread = "unread"
)

// canonical replaces the number of a user in the name of a stream by "-".
func canonical(s string) string {
	if rest, ok := strings.CutPrefix(s, "user/"); ok {
		if _, rest, ok := strings.Cut(rest, "/"); ok {
			return "user/-/" + rest
		}
	}
	return s
}

// labelOf returns the name in the id of a folder or label.
func labelOf(stream string) (name string, ok bool) {
	name, ok = strings.CutPrefix(canonical(stream), labelPrefix)
	return name, ok && name != ""
}

// stateOf returns the name of a state.
func stateOf(stream string) (name string, ok bool) {
	return strings.CutPrefix(canonical(stream), statePrefix)
}

// separator stands between the names of a folder and of one inside it. Some clients show only what follows it.
const separator = "/"

// names are a user's folders and labels as clients know them, by name alone: a folder within others has the whole path
// as its name. Folders whose paths would be the same text are numbered.
type names struct {
	library.Tree
	ofFolder map[reader.FolderID]string
	folders  map[string]reader.FolderID
}

func namesOf(t library.Tree) *names {
	n := &names{Tree: t, ofFolder: make(map[reader.FolderID]string, len(t.Folders)),
		folders: make(map[string]reader.FolderID, len(t.Folders))}
	for _, f := range t.Folders {
		path := strings.Join(t.Path(f.ID), separator)
		name := path
		for i := 2; n.folders[name] != 0; i++ {
			name = path + " (" + strconv.Itoa(i) + ")"
		}
		n.ofFolder[f.ID], n.folders[name] = name, f.ID
	}
	return n
}

// place returns where a folder of a name belongs: in the folder that the name's beginning names, if there is one, else
// at the top.
func (n *names) place(name string) (parent reader.FolderID, leaf string) {
	for i := strings.LastIndex(name, separator); i > 0; i = strings.LastIndex(name[:i], separator) {
		if id, ok := n.folders[name[:i]]; ok && i+1 < len(name) {
			return id, name[i+1:]
		}
	}
	return 0, name
}
