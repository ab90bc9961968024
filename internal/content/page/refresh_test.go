package page

import (
	"strings"
	"testing"
)

func TestRefresh(t *testing.T) {
	t.Parallel()
	const at, there = "https://a.example/b/c?d", "https://a.example/new"
	for _, c := range []struct{ page, want string }{
		{`<meta http-equiv="refresh" content="0; url=/new">`, there},
		{`<META HTTP-EQUIV=Refresh CONTENT="0;URL='https://a.example/new#x'">`, there},
		{`<title>x</title><noscript><meta content=" 1.5 , ../new " http-equiv="refresh"></noscript>`, there},
		{`<meta http-equiv="refresh" content="0 url = &quot;/new&quot;">`, there},
		{`<meta http-equiv="refresh" content="3;url=/a b">`, "https://a.example/a%20b"},
		{`<meta http-equiv="refresh" content="0;url=https://u:p@a.example/new">`, there},
		{`<meta http-equiv="refresh" content="300;url=/new">`, ""},
		{`<meta http-equiv="refresh" content="5">`, ""},
		{`<meta http-equiv="refresh" content="0;url=#top">`, ""},
		{`<meta http-equiv="refresh" content="0;url=/b/c?d#e">`, ""},
		{`<meta http-equiv="refresh" content="0;url=javascript:alert(1)">`, ""},
		{`<meta http-equiv="refresh" content="0;url=data:text/html,x">`, ""},
		{`<meta http-equiv="refresh" content="x;url=/new">`, ""},
		{`<meta name="refresh" content="0;url=/new">`, ""},
		{`<body><p>Write <meta http-equiv="refresh" content="0;url=/new">`, ""},
		{`<script>"<meta http-equiv='refresh' content='0;url=/new'>"</script><!-- <meta http-equiv="refresh" content="0;url=/new"> -->`,
			""},
		{strings.Repeat(" ", metaReach) + `<meta http-equiv="refresh" content="0;url=/new">`, ""},
	} {
		if got := Refresh([]byte("<html><head>"+c.page), "text/html", at); got != c.want {
			t.Errorf("%s: %q, want %q", strings.TrimSpace(c.page), got, c.want)
		}
	}
}

func FuzzRefresh(f *testing.F) {
	f.Add(`0; url="/new'`)
	f.Add(" .,URL")
	f.Fuzz(func(t *testing.T, content string) {
		got := Refresh([]byte(`<meta http-equiv=refresh content="`+content+`">`), "", "https://a.example/")
		if got != "" && !strings.HasPrefix(got, "http") {
			t.Errorf("%q", got)
		}
	})
}
