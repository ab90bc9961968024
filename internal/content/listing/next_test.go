package listing

import "testing"

func TestNextPage(t *testing.T) {
	t.Parallel()
	const page = "https://a.example/list?q=x&page=2"
	for name, c := range map[string]struct{ url, html, want string }{
		"text in an element": {page, `<a href="?q=x&page=3"><span>次へ</span></a>`, "/list?q=x&page=3"},
		"label":              {page, `<a href="?q=x&page=3" aria-label="Next"><svg></svg></a>`, "/list?q=x&page=3"},
		"old word":           {page, `<a href="/next.html">次の頁へ</a>`, "/next.html"},
		"number of pieces":   {page, `<p><a href="?q=x&page=3">次の10点</a></p>`, "/list?q=x&page=3"},
		"number of cars":     {page, `<p class="next"><a href="?q=x&page=3">次の30台 &gt;</a></p>`, "/list?q=x&page=3"},
		"number of postings": {page, `<p><a href="?q=x&page=3">next 100 postings</a></p>`, "/list?q=x&page=3"},
		"next three days":    {page, `<p class="next"><a href="/next.html">次の3日間</a></p>`, ""},
		"next seven days":    {page, `<p class="next"><a href="/next.html">Next 7 days</a></p>`, ""},
		"named as the previous": {page, `<nav class="pagination"><a class="item--prev" href="?q=x&page=3" ` +
			`aria-label="Next page"></a></nav>`, "/list?q=x&page=3"},
		"Czech":       {page, `<a href="?q=x&page=3">Další</a>`, "/list?q=x&page=3"},
		"older posts": {"https://a.example/blog", `<a href="/blog/2">« Older posts</a>`, "/blog/2"},
		"arrow": {page,
			`<div class="pager"><a href="?q=x&page=1">‹</a><a href="?q=x&page=3">›</a></div>`, "/list?q=x&page=3"},
		"arrows": {page,
			`<div class="pager"><a href="?q=x&page=9">»</a> <a href="?q=x&page=3">›</a></div>`, "/list?q=x&page=3"},
		"double arrow": {"https://a.example/list", `<div class="pager"><a href="?page=2">»</a></div>`,
			"/list?page=2"},
		"numbers": {page,
			`<div><a href="?q=x&page=1">1</a> <b>2</b> <a href="?q=x&page=3">3</a> <a href="?q=x&page=4">4</a></div>`,
			"/list?q=x&page=3"},
		"numbers, all links": {page,
			`<ul><li><a href="?q=x&page=1">1</a></li><li class="active"><a href="?q=x&page=2">2</a></li><li><a ` +
				`href="?q=x&page=3">3</a></li></ul>`, "/list?q=x&page=3"},
		"numbers, last page": {"https://a.example/list?page=3",
			`<ul><li><a href="?page=1">1</a></li><li><a href="?page=2">2</a></li><li class="active">3</li></ul>`, ""},
		"current and arrow back": {"https://a.example/list?page=3",
			`<nav class="pagination"><a href="?page=2">‹ 前へ</a> 3 / 3</nav>`, ""},
		"path": {"https://a.example/c/bikes/",
			`<nav><span aria-current="page">1</span><a href="/c/bikes/page/2/">2</a></nav>`, "/c/bikes/page/2/"},
		"file": {"https://a.example/news/index.html",
			`<p>1 <a href="index2.html">2</a> <a href="index3.html">3</a></p>`, "/news/index2.html"},
		"offset": {"https://a.example/s", `<a href="/s?s=120" title="next page">&gt;</a>`, "/s?s=120"},
		"load more": {"https://a.example/s?q=1",
			`<div class="load-more"><a href="/s?q=1&page=2">もっと見る</a></div>`, "/s?q=1&page=2"},
		"load more, a cursor": {"https://a.example/s",
			`<a class="load-more" href="/s?cursor=abc123">Load more results</a>`, "/s?cursor=abc123"},
		"see more of a section": {"https://a.example/",
			`<section><a href="/ranking">もっと見る</a></section><section><a href="/new-items">See more</a></section>`, ""},
		"carousel": {"https://a.example/s",
			`<div class="carousel"><a class="carousel-next" href="/campaign/2" aria-label="Next">›</a></div>`, ""},
		"carousel, then pages": {"https://a.example/s",
			`<div class="swiper"><a class="swiper-button-next" href="/campaign/2">Next</a></div><a ` +
				`href="/s?page=2">Next</a>`, "/s?page=2"},
		"next month": {"https://a.example/events?month=11",
			`<div class="calendar"><a href="/events?month=12">次へ</a></div>`, ""},
		"next article": {"https://a.example/post/1",
			`<nav class="post-navigation"><a class="nav-next" href="/post/2">Next article</a></nav>`, ""},
		"another host": {"https://a.example/s", `<a href="https://b.example/s?page=2">Next</a>`, ""},
		"anchor": {"https://a.example/s",
			`<a href="#page2">Next</a><a href="javascript:void(0)">次へ</a>`, ""},
		"rel": {"https://a.example/s", `<link rel="next" href="/s?p=2"><a href="/other">Next</a>`,
			"/s?p=2"},
		"picture": {"https://a.example/s",
			`<div class="paging"><a href="/s?p=2"><img src="n.gif" alt="次のページ"></a></div>`, "/s?p=2"},
		"button by class": {"https://a.example/s",
			`<ul class="pagination"><li class="next"><a href="/s?p=2"><i class="fa"></i></a></li></ul>`, "/s?p=2"},
		"ratings": {"https://a.example/s", `<p>Rated <b>4</b> by <a href="/reviews">5</a> people</p>`,
			""},
		"dates": {"https://a.example/s",
			`<table><tr><td>1</td><td><a href="/d/2">2</a></td><td><a href="/d/3">3</a></td></tr></table>`, ""},
		"weiter":  {"https://a.example/s", `<a href="/s?seite=2">Nächste Seite »</a>`, "/s?seite=2"},
		"results": {"https://a.example/s", `<a href="/s?start=20">Next 20 results</a>`, "/s?start=20"},
		"show more": {"https://a.example/s", `<div><a class="d" href="/s?offset=12">Show more</a></div>`,
			"/s?offset=12"},
		"more": {"https://a.example/news", `<a href="?p=2" class="morelink">More</a>`, "/news?p=2"},
	} {
		p, err := Read(t.Context(),
			[]byte(`<body><ul><li><a href="/a">A thing</a></li><li><a href="/b">B thing</a></li></ul>`+c.html),
			"text/html; charset=utf-8", c.url, &Layout{Rows: Rows{Selector: "li"}})
		want := c.want
		if want != "" {
			want = "https://a.example" + want
		}
		if err != nil || p.Next != want {
			t.Errorf("%s: %v %q, want %q", name, err, p.Next, want)
		}
	}
}
