package greader

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/fault/texts"
)

// The page at /check/compatibility tests, from the browser that opens it, what programs rely on and proxies tend to
// break. It is for people who set up an installation; programs get PASS.

// check answers the page, or the one request of its that other routes cannot answer: what has arrived of header and
// form.
func (s *server) check(r *request) error {
	r.w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodPost {
		form, err := clients.Form(r.Request)
		if err != nil {
			return err
		}
		switch {
		case authorization(r.Request.Header.Get("Authorization")) != checkToken:
			return r.text(http.StatusOK, "FAIL: no Authorization header\n")
		case strings.Join(form["i"], ",") != "1,2":
			return r.text(http.StatusOK, "FAIL: no form\n")
		}
		return r.text(http.StatusOK, "PASS\n")
	}
	if !strings.Contains(r.Request.Header.Get("Accept"), "text/html") {
		return r.text(http.StatusOK, "PASS\n")
	}
	lang := texts.English
	if strings.HasPrefix(r.Request.Header.Get("Accept-Language"), texts.Japanese) {
		lang = texts.Japanese
	}
	r.w.Header().Set("Content-Language", lang)
	r.w.Header().Set("Content-Security-Policy", checkPolicy)
	return r.bytes("text/html; charset=utf-8", []byte(checkPages[lang]))
}

// checkToken is the token of the page's test; it opens nothing.
const checkToken = "check"

const checkStyle = `:root{color-scheme:light dark}
body{font:1rem/1.6 system-ui,sans-serif;max-width:36rem;margin:10vh auto;padding:0 1rem}
li{margin:.4rem 0}b{display:inline-block;min-width:5rem}code{overflow-wrap:anywhere}`

// The tests name themselves by the elements that show their results.
const checkScript = `const root=location.pathname.replace(/\/(check\/compatibility)?\/?$/,"");
document.getElementById("address").textContent=location.origin+root;
const form=(o)=>({method:"POST",body:new URLSearchParams(o)});
const tests={
login:async()=>{const r=await fetch(root+"/accounts/ClientLogin",form({Email:"",Passwd:""}));return r.status===401&&(await r.text()).startsWith("Error=BadAuthentication")},
header:async()=>{const r=await fetch(root+"/check/compatibility",{...form([["i","1"],["i","2"]]),headers:{Authorization:"GoogleLogin auth=check"}});return (await r.text()).startsWith("PASS")},
path:async()=>{const r=await fetch(root+"/reader/api/0/stream/contents/feed%2Fhttps%3A%2F%2Fexample.org%2F?n=1");return r.status===401&&r.headers.get("X-Reader-Google-Bad-Token")==="true"}};
let good=true;
for(const [name,test] of Object.entries(tests)){
let ok=false;try{ok=await test()}catch{}
good&&=ok;
document.getElementById(name).textContent=document.body.dataset[ok?"ok":"bad"];}
document.getElementById("result").textContent=document.body.dataset[good?"all":"some"];
`

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

var (
	checkPolicy = "default-src 'none'; connect-src 'self'; script-src " + hashOf(checkScript) + "; style-src " +
		hashOf(checkStyle) +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	checkPages = map[string]string{
		texts.English: checkHTML(texts.English, "TITLE", "Can apps connect?", "INTRO",
			"This page tries what reader apps need. The address for apps that speak the Google Reader API:",
			"LOGIN", "Apps can sign in.", "HEADER", "The Authorization header and forms arrive.", "PATH",
			"Addresses with encoded slashes arrive.",
			"OKAY", "works", "BAD", "fails", "ALL", "Everything works.",
			"SOME", "Something between this browser and the server changes requests: check the reverse proxy.", "WAIT",
			"Checking…", "NOSCRIPT", "The checks need JavaScript."),
		texts.Japanese: checkHTML(texts.Japanese, "TITLE", "アプリは接続できますか", "INTRO",
			"リーダーアプリに必要な通信をこのページで確認します。Google Reader API に対応したアプリに設定するアドレス:",
			"LOGIN", "アプリからログインできます。", "HEADER", "Authorization ヘッダーとフォームが届きます。", "PATH", "エンコードされたスラッシュを含むアドレスが届きます。",
			"OKAY", "正常", "BAD", "失敗", "ALL", "すべて正常です。",
			"SOME", "ブラウザとサーバーの間で通信が変更されています。リバースプロキシの設定を確認してください。", "WAIT", "確認中…", "NOSCRIPT",
			"確認には JavaScript が必要です。"),
	}
)

func checkHTML(lang string, words ...string) string {
	return strings.NewReplacer(append(words, "LANG", lang, "STYLE", checkStyle, "SCRIPT", checkScript)...).Replace(
		`<!doctype html><html lang="LANG"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>TITLE · Ruri</title><style>STYLE</style>
<body data-ok="OKAY" data-bad="BAD" data-all="ALL" data-some="SOME"><main><h1>TITLE</h1><p>INTRO<br><code id="address"></code></p>
<ul><li><b id="login">…</b> LOGIN<li><b id="header">…</b> HEADER<li><b id="path">…</b> PATH</ul>
<p id="result" role="status">WAIT</p><noscript><p>NOSCRIPT</p></noscript></main>
<script type="module">SCRIPT</script></body></html>
`)
}
