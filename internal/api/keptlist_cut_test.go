package api

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// titles shapes a feed as its title.
type titles struct{ steadyShaper }

func (titles) order(list []*stream.Subscribed) []*stream.Subscribed { return list }

func (titles) shape(_ context.Context, b []byte, x *stream.Subscribed) (shaped, error) {
	return shaped{b: append(b, x.Feed.Title...)}, nil
}

// A feed that comes, goes or changes costs its chunk alone, at the ends of chunks and of the list too.
func TestAChangeCostsOneChunk(t *testing.T) {
	t.Parallel()
	feed := func(n int) *stream.Subscribed {
		x := &stream.Subscribed{Feed: &store.FeedRow{Title: fmt.Sprint(n)}, Sub: &store.SubscriptionRow{}}
		x.Feed.SK, x.Sub.SK = fmt.Sprintf("%06d", n), fmt.Sprintf("S#%06d", n)
		return x
	}
	lists := newKeptLists()
	k := lists.get(listKey{"u", "titles"})
	var list []*stream.Subscribed
	update := func() int64 {
		t.Helper()
		before := lists.built.Load()
		v, err := k.update(t.Context(), slices.Clone(list), basis{}, func() time.Time {
			return time.Unix(1, 0)
		}, titles{})
		if err != nil {
			t.Fatal(err)
		}
		if err := k.ready(v, false); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, c := range v.chunks {
			got.Write(c.plain)
		}
		want := make([]string, len(list))
		for i, x := range list {
			want[i] = x.Feed.Title
		}
		if got.String() != strings.Join(want, ",") {
			t.Fatalf("the list is %s, want %v", &got, want)
		}
		return lists.built.Load() - before
	}
	for n := range 640 {
		list = append(list, feed(n))
	}
	if n := update(); n != 640 {
		t.Fatalf("%d feeds were built at first", n)
	}
	for _, n := range []int{0, 1, 63, 64, 100, 127, 575, 576, 639} {
		whole, at := list, slices.IndexFunc(list, func(x *stream.Subscribed) bool { return int(x.Sub.Feed()) == n })
		list = slices.Clone(whole)
		list[at] = feed(n)
		if built := update(); built != 64 {
			t.Errorf("a change of %d built %d feeds", n, built)
		}
		list = slices.Delete(list, at, at+1)
		if built := update(); built > 127 { // without its last feed a chunk goes on with the next
			t.Errorf("without %d %d feeds were built", n, built)
		}
		list = whole
		if built := update(); built > 128 {
			t.Errorf("with %d again %d feeds were built", n, built)
		}
	}
}

// A list that is larger than all may be is kept while it is the last one used, and what is dropped while a request uses
// it does not count any more.
func TestListsThatDoNotFit(t *testing.T) {
	t.Parallel()
	lists := newKeptLists()
	use := func(k *keptList, size int) {
		t.Helper()
		x := &stream.Subscribed{Feed: &store.FeedRow{Title: strings.Repeat("x", size)}, Sub: &store.SubscriptionRow{}}
		x.Feed.SK, x.Sub.SK = "000001", "S#000001"
		v, err := k.update(t.Context(), []*stream.Subscribed{x}, basis{}, func() time.Time {
			return time.Unix(1, 0)
		}, titles{})
		if err == nil {
			err = k.ready(v, true)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	inUse := lists.get(listKey{"u", "in use"})
	for n := range 3 {
		large := lists.get(listKey{"u", "large"})
		use(large, maxKept+n) // alone too large before it is compressed
		if lists.get(listKey{"u", "large"}) != large {
			t.Error("a list that was just used is not kept")
		}
		use(inUse, maxKept/2+n) // by a request that began before its list was dropped
	}
	sum := 0
	for _, k := range lists.byKey {
		sum += k.bytes
	}
	if sum != lists.bytes || lists.bytes > maxKept {
		t.Errorf("%d bytes are counted for lists of %d", lists.bytes, sum)
	}
}
