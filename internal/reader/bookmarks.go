package reader

// BookmarkCount is the number of people who bookmarked an item.
type BookmarkCount struct {
	Feed FeedID
	Seq  Seq
	N    int
	Sort int64 // of the item, in Unix seconds without its seconds
	// Story is the StoryHash of the item's link.
	Story uint32
}
