package clients

import (
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// GroupID numbers a group of feeds for programs that know no folders in folders. It fits 31 bits.
type GroupID int32

// Ungrouped is the group of the feeds that are in no folder: some programs fail over a feed without a group.
const Ungrouped GroupID = 1

// Group is a folder with all feeds that the page shows in it, those of the folders in it too.
type Group struct {
	ID    GroupID
	Title string // the path of the folder
	Feeds []*stream.Subscribed
}

// Between separates the names in a group's title.
const Between = " / "

// Groups flattens a user's folders, in their order, the feeds without a folder first. A folder precedes those in it:
// some programs know one group of a feed, the last.
func Groups(tree *library.Tree, feeds []*stream.Subscribed) []Group {
	out := []Group{{ID: Ungrouped, Title: "Uncategorized"}}
	at := map[GroupID]int{Ungrouped: 0}
	var add func(parent reader.FolderID, path []string)
	add = func(parent reader.FolderID, path []string) {
		for _, f := range tree.Children(parent) {
			path := append(slices.Clone(path), f.Name)
			at[GroupOf(f.ID)] = len(out)
			out = append(out, Group{ID: GroupOf(f.ID), Title: strings.Join(path, Between)})
			add(f.ID, path)
		}
	}
	add(0, nil)
	for _, x := range feeds {
		folders := tree.Around(x.Sub.Folders)
		if folders == nil {
			folders = []reader.FolderID{Ungrouped.Folder()}
		}
		for _, id := range folders {
			g := &out[at[GroupOf(id)]]
			g.Feeds = append(g.Feeds, x)
		}
	}
	return out
}

// GroupOf is the group of a folder.
func GroupOf(id reader.FolderID) GroupID { return GroupID(id) + Ungrouped }

// Folder is the folder of a group; zero for Ungrouped.
func (g GroupID) Folder() reader.FolderID { return reader.FolderID(g - Ungrouped) }
