package listing

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// availability are the values of schema.org.
var availability = map[string]Status{
	"instock": OnSale, "limitedavailability": OnSale, "onlineonly": OnSale, "instoreonly": OnSale, "preorder": OnSale,
	"presale":   OnSale,
	"backorder": OnSale, "madetoorder": OnSale, "reserved": Sold, "soldout": Sold, "outofstock": Sold,
	"discontinued": Sold,
}

// soldWords and saleWords are what pages say of a thing, in lower case.
var (
	soldWords = []string{
		"sold", "sold out", "soldout", "out of stock", "no longer available", "unavailable", "売り切れ", "売切れ", "売切",
		"売り切れました", "品切れ", "品切", "完売",
		"在庫なし", "在庫切れ", "在庫無し", "成約済", "成約済み", "販売終了", "落札済", "落札", "落札されました", "取引終了", "取引済", "取引中", "売却済",
		"売却済み", "売約済", "売約済み",
		"売れました", "受付終了", "募集終了", "掲載終了", "公開終了", "出品終了", "終了", "終了しました", "締切", "締め切りました", "受渡済", "受け渡し済み", "譲渡済み",
		"契約済", "入居済", "商談中", "予約済", "予約済み", "ausverkauft", "verkauft", "nicht lieferbar", "vergriffen",
		"nicht verfügbar", "nicht auf lager", "épuisé", "vendu", "rupture de stock", "indisponible", "agotado",
		"vendido", "sin existencias", "esaurito", "venduto",
		"non disponibile", "uitverkocht", "verkocht", "slutsåld", "såld", "slut i lager", "slut", "udsolgt", "solgt",
		"utsolgt", "wyprzedane", "sprzedane",
		"niedostępny", "brak w magazynie", "esgotado", "품절", "판매완료", "거래완료", "已售罄", "已售", "售罄", "缺货", "нет в наличии",
		"продано", "loppuunmyyty", "vyprodáno",
		"outofstock", "sold_out", "sold-out", "out_of_stock", "out-of-stock", "ended", "closed", "trading", "completed",
		"expired", "reserved", "on hold", "pending", "sale pending",
		"sold stc", "under offer", "under contract", "let agreed", "let", "rented", "auction ended", "bidding ended",
		"listing ended", "sale ended", "reserviert", "vermietet", "beendet", "abgelaufen", "réservé", "loué", "terminé",
		"vendue", "vendus",
		"reservado", "alquilado", "finalizado", "terminado", "riservato", "affittato", "terminata", "concluso",
		"gereserveerd", "verhuurd", "afgelopen", "gesloten", "reserverad", "uthyrd", "avslutad", "reserveret",
		"afsluttet", "reservert",
		"zarezerwowane", "zakończone", "rezervováno", "ukončeno", "예약중", "판매종료", "마감", "종료", "已下架", "已结束", "已結束", "已成交",
		"已预订", "已出租", "已卖出", "已賣出", "售完", "забронировано", "завершено", "снято с продажи", "tükendi", "satıldı",
		"varattu", "myyty",
	}
	saleWords = []string{
		"in stock", "available", "on sale", "for sale", "add to cart", "add to basket", "add to bag", "buy now", "buy",
		"preorder", "pre-order", "low stock",
		"販売中", "在庫あり", "在庫有り", "在庫有", "出品中", "購入する", "カートに入れる", "カートへ", "予約受付中", "残りわずか", "取り寄せ", "お取り寄せ", "受付中", "募集中",
		"auf lager", "lieferbar", "verfügbar", "sofort lieferbar", "in den warenkorb", "vorbestellbar", "en stock",
		"disponible", "ajouter au panier", "añadir al carrito",
		"comprar", "disponibile", "aggiungi al carrello", "op voorraad", "leverbaar", "in winkelwagen", "i lager",
		"lägg i varukorg", "köp", "på lager", "læg i kurv",
		"dostępny", "do koszyka", "em estoque", "disponível", "adicionar ao carrinho", "판매중", "재고 있음", "在售", "有货",
		"加入购物车", "в наличии", "в корзину", "skladem",
		"instock", "in_stock", "on_sale", "onsale", "active", "selling",
	}
	soldSet, saleSet = set(soldWords), set(saleWords)
)

func set(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// parseStatus reads what a layout, schema.org or a page calls a status.
func parseStatus(s string) Status {
	switch s {
	case "":
		return StatusUnknown
	case "onSale":
		return OnSale
	case "sold":
		return Sold
	}
	s = strings.TrimSpace(s)
	if i := strings.LastIndexAny(s, "/#"); i >= 0 && strings.Contains(s, "schema.org") {
		return availability[strings.ToLower(s[i+1:])]
	}
	if st, ok := availability[strings.ToLower(s)]; ok {
		return st
	}
	return wordStatus(s)
}

// maxStatusText is how long a text is at most that says only a status, in characters.
const maxStatusText = 40

// soldStems and saleStems begin words that mean sold or on sale; Chinese, Japanese and Korean ones may stand anywhere.
var (
	soldStems = stems("sold(?: ?out)?(?:[^\\p{L} ].*| (?:on|for)(?: .*)?)?$", "ausverkauf", "vergriffen", "épuisé",
		"agotad", "vendid[oa]", "esaurit", "venduto", "uitverkocht", "slutsåld",
		"udsolgt", "utsolgt", "wyprzedan", "sprzedan", "esgotad", "распродан", "продано", "loppuunmyy", "vyprodán",
		"out of stock", "rupture de stock",
		"nicht (?:mehr )?(?:lieferbar|verfügbar)", "no longer available", "currently unavailable",
		"(?:auction|bidding|listing|sale|offer|event) (?:has )?(?:ended|closed)", "under (?:offer|contract)",
		"není skladem", "nie je na sklade", "nedostupn", "nincs (?:készleten|raktáron)", "elfogyott",
		"nem (?:elérhető|kapható)", "indisponibil", "stoc epuizat", "нет (?:на складе|в наличии)", "ej i lager",
		"ikke på lager", "ei varastossa",
		"niet (?:meer )?(?:op voorraad|leverbaar|beschikbaar)", "no disponible", "non disponible", "não disponível",
		"niedostępn", "stok habis", "tidak tersedia", "reservad[oa]", "réservée?", "reserviert",
		"gereserveerd", "vendue")
	soldInside = pattern.New(`売り?切れ|品切れ|完売|在庫(?:なし|切れ|無し)|(?:成約|売却|売約|契約|譲渡|取引|予約|落札)済|(?:販売|取引|受付|募集|掲載|公開` +
		`|出品|申込|オークション)(?:は|が|を|期間)?終了|落札されました|売れました|商談中|판매종료|예약중|已(?:下架|结束|結束|成交|出租)|품절|판매완료` +
		`|거래완료|售罄|已售` +
		`|(?:예약|판매|접수|모집) ?마감`)
	saleStems = stems("in stock", "auf lager", "(?:sofort )?lieferbar", "verfügbar", "en stock", "disponible",
		"disponibil", "op voorraad", "i lager", "på lager", "dostępn",
		"em estoque", "in den (?:waren)?korb", "add to (?:cart|basket|bag)", "skladem", "varastossa", "в наличии")
	saleInside = pattern.New(`在庫(?:あり|有り?|わずか|僅か)|残り[0-9０-９わ]|カートに入れる|購入する|予約受付中|出品中|販売中|取り寄せ|판매중|재고 ?있음|有货|在售`)
)

func stems(words ...string) *pattern.Pattern {
	return pattern.New(`(?i)(?:^|[^\pL])(?:` + strings.Join(words, "|") + `)`)
}

// wordStatus reads a text that says nothing but a status: "Sold out!", SOLD, 在庫あり（残り3点）.
func wordStatus(s string) Status {
	if utf8.RuneCountInString(s) > maxStatusText {
		return StatusUnknown
	}
	s = strings.ToLower(strings.ReplaceAll(oneLine(s), " - ", " | "))
	for _, part := range append([]string{s}, strings.FieldsFunc(s, parts)...) {
		part = strings.TrimFunc(part, func(r rune) bool { return !unicode.IsLetter(r) })
		switch {
		case soldSet[part]:
			return Sold
		case saleSet[part]:
			return OnSale
		}
	}
	switch {
	case soldStems.MatchString(s) || soldInside.MatchString(s):
		return Sold
	case saleStems.MatchString(s) || saleInside.MatchString(s):
		return OnSale
	}
	return StatusUnknown
}

func parts(r rune) bool {
	return strings.ContainsRune(":：;,、。(（)）[]【】|/·・!！–—", r)
}

var (
	personWords = set([]string{"person", "private", "privat", "privé", "individual", "個人", "個人出品", "particulier",
		"particular", "privato", "개인", "个人"})
	shopWords = set([]string{"shop", "store", "business", "professional", "pro", "gewerblich",
		"gewerblicher anbieter", "ショップ", "法人", "業者", "店舗", "公式", "professionnel", "empresa", "negozio",
		"상점", "店铺", "商家"})
)

func parseSellerType(s string) SellerType {
	s = strings.ToLower(oneLine(s))
	switch {
	case personWords[s]:
		return Person
	case shopWords[s]:
		return Shop
	}
	return SellerUnknown
}
