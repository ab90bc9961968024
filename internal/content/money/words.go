package money

import (
	"strings"
	"sync"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// role is the meaning of an amount.
type role uint8

// The roles, those that are asked for first.
const (
	strong role = iota // the price now, next to a former one
	usual              // nothing speaks against it
	second             // another way to buy
	each               // for a night, an hour, a person, a year: the price where there is no other
	listed             // the list price: the price where there is no other
	other              // of a part, a month, the delivery; a discount, points, a former price, a bound
)

// roleWords say it before or behind an amount. Of a text before, the end is compared; of one behind, the start.
type roleWords struct {
	role          role
	before, after *pattern.Pattern
}

const (
	units = `(?:kg|kilo(?:gram)?m?|g|gr|grams?|gramm|mg|ml|cl|dl|l|ltr|lit(?:er|re)s?|litro|oz|ounces?|fl\.? ?oz` +
		`|lbs?|pounds?|pint|gal(?:lon)?|cm|mm|m|m2|m²|m³|㎡|㎏|ℓ|sqm|qm|sq\.? ?(?:ft|m)|ft²|ft|feet|yd|acre|` +
		`counts?|ct|pcs?|pieces?|units?|items?|sheets?|wash(?:es)?|loads?|tablets?|capsules?|servings?|dose|stk\.?` +
		`|stück|st(?:ck)?\.?|pi[eè]ces?|unidad|pieza|pezzo|szt\.?|шт\.?|кг|л|г|м²|м2)`
	cjkUnits = `(?:グラム|キロ|リットル|個|ヶ|枚|本|袋|粒|錠|包|杯|回分|回|食|束|缶|箱|坪|畳|㎡|平米|평|개|매|장|정|斤|公斤|克|毫升|升|片|瓶|包|支|件|个|個)`
	month    = `(?:mo\.?|mos|mth|months?|monat(?:lich)?|mtl\.?|mois|mes|mese|mês|maand|mån(?:aden|ad)?|måned|kk` +
		`|mies\.?|měs\.?|мес\.?|ay|月|ヶ月|か月|カ月|개월|월|个月|weeks?|wk|woche|semaine|semana|settimana|週)`
)

var roles = sync.OnceValue(func() []roleWords {
	before := func(s string) *pattern.Pattern { return pattern.New(`(?i)(?:^|[^\pL])(?:` + s + `)[:=']? ?$`) }
	after := func(s string) *pattern.Pattern { return pattern.New(`(?i)^ ?(?:` + s + `)`) }
	word := `(?:[^\p{Latin}]|$)`
	return []roleWords{
		{ // what is saved, or paid back
			other,
			before(`(?:\d+ ?% )?off|save|you save|saves?|saving|savings|spare[n]?|sie sparen|ersparnis` +
				`|[ée]conomisez|ahorra(?:s)?|risparmi|bespaar|spara|spar|discount|rabatt|remise|descuento|sconto` +
				`|korting|zľava|sleva|coupon|voucher|gutschein|` +
				`(?:with|after|using) (?:coupon|code|voucher|cashback)(?: \pL+)?|cash ?back|points?|credits?|reward` +
				`|bonus|trade-?in(?: value)?|купон|скидка|` +
				`.*(?:割引(?:額|後)?|値引き?(?:額)?|クーポン\S{0,8}|ポイント\S{0,6}|還元|キャッシュバック|お得|オフ|下取り?|優惠|优惠(?:券)?|立减|满|返现|积分` +
				`|할인|쿠폰\S{0,6}|적립|포인트|캐시백)`),
			after(`off` + word +
				`|rabatt|nachlass|gespart|de (?:remise|réduction|rabais|descuento|desconto)|di sconto|korting|rabat` +
				`|discount|savings?|saved|less|cheaper|günstiger|moins cher|coupon|voucher|gutschein|` +
				`(?:store |in )?credit|cash ?back|back` + word + `|rewards?|bonus|points?` + word + `|pts?` +
				word + `|gift|` +
				`引き?|オフ|値引|割引|お得|安い|安く|分?の?(?:ポイント|クーポン)|相当|分(?:還元|進呈|付与)|還元|キャッシュバック|ダウン|할인|쿠폰|적립|포인트|캐시백|优惠|優惠|立减` +
				`|返现|积分`),
		},
		{ // paid in parts, or again and again
			other,
			before(`.*(?:月々|分割(?:払い)?\S{0,4}|ローン|毎月|\d+ ?回(?:払い)?[^\d]{0,3}|月払い?|頭金|할부\S{0,4}|매월|월|每月|月供|分期\S{0,4}` +
				`|首付)|` +
				`instal?ments?(?: of)?|(?:\d+|payments?) (?:interest-free |monthly |easy )?(?:payments?` +
				`|instal?ments?) of|payments? of|monthly(?: payments?)?(?: of)?|per month|deposit|down payment|` +
				`raten?(?: à| zu je| von)?|mtl\.|monatlich|mensualit[ée]s?(?: de)?|cuotas?(?: de)?` +
				`|parcelas?(?: de)?|rate da|em até \d+ ?x(?: sem juros)?(?: de)?|\d+ ?x ?(?:de|à|of|a|von|da|zu)?` +
				`|\d+ (?:fois|rate|raten|veces)(?: de)?|finance(?: from)?`),
			after(`[x*] ?\d+|\d+ ?回|の?\d+ ?回払|/ ?(?:\d+ ?)?` + month + word +
				`|(?:per|a|an|each|every|pro|im|je|par|al|à la|por|al|per|i|om|pr\.?) ` + month + word +
				`|(?:mtl|monthly|monatlich|mensuels?|mensual(?:es)?|mensili|månadsvis)` + word +
				`|/?(?:月(?:[^曜\d]|$)|ヶ月|毎月|每月|개월|월)|down` + word + `|deposit`),
		},
		{ // of a part
			other,
			before(`grundpreis|unit price|price per unit|preis pro einheit|(?:price )?(?:per|pro|je|par|por` +
				`|al) (?:\d+[.,]?\d* ?)?` + units + `|\d+[.,]?\d* ?` + units + ` ?=|@|prix (?:au|par) \pL+|` +
				`.*(?:あたり|当た?り|につき|単価|毎|@|당|每)(?:の価格)?|.*(?:\d+|[一1１])[ ]?(?:` + units + `|` + cjkUnits +
				`)(?:あたり|当た?り|につき|당|=|/)`),
			after(`/ ?(?:\d+[.,]?\d* ?)?(?:` + units + word + `|` + cjkUnits +
				`)|(?:per|pro|je|par|por|a|an|à|au|al|à la|the|za|på|/) (?:\d+[.,]?\d* ?)?` + units + word + `|` +
				`\(?(?:\d+[.,]?\d* ?(?:` + units + `|` + cjkUnits + `)|[一1])?(?:あたり|当た?り|につき)|(?:/|每|毎) ?(?:\d+)?(?:` +
				cjkUnits + `)(?:[^\pL]|$)|unit price|each (?:when|if)`),
		},
		{ // of several things
			other,
			before(`\d+ ?(?:for|pour|für|per|por|voor|för|za|/|@)|buy \d+ (?:get|for)|.*\d+ ?(?:点|個|本|枚|冊|セット)(?:で` +
				`|以上で?|購入で)`), nil,
		},
		{ // the delivery, taxes, fees
			other,
			before(`(?:shipping|delivery|postage|p ?& ?p|s ?& ?h|versand(?:kosten)?|lieferung|livraison` +
				`|frais de port|envío|gastos de envío|spedizione|verzend(?:ing|kosten)?|bezorg\pL*|frakt|porto` +
				`|dostawa|wysyłka|doprava|доставка|frete|` +
				`vat|tax(?:es)?|mwst\.?|tva|iva|btw|moms|fees?|pfand|deposit|kaution|gebühr|service charge` +
				`|import charges?|zzgl\.?|plus|excl\.?|incl\.?|including|inkl\.?|incluye|dont|davon|\+)(?: (?:fees?` +
				`|costs?|charges?|from|ab|of|dès|kosten|von|ca\.))?|` +
				`.*(?:送料|配送料|配送費|運賃|手数料|消費税|内税|敷金|礼金|保証金|管理費|共益費|諸費用|배송비|택배비|운송비|운비|关税|运费|運費|邮费|押金|定金)(?:は|一律|全国一律` +
				`|別途?|約)?`),
			after(`(?:shipping|delivery|postage|p ?& ?p|s ?& ?h|versand|lieferung|de port|de livraison` +
				`|frais de port|de envío|di spedizione|verzend|bezorg|frakt|fees?` + word + `|tax` + word +
				`|(?:の)?(?:送料|配送料|手数料)(?:[ )]|$)|배송비|택배비|运费)`),
		},
		{ // what was asked before
			other,
			before(`was|before|formerly|(?:i |we )?paid|bought (?:for|at)|(?:cost|costs|retails?|retailed` +
				`|new)(?: (?:me|us|new|for|at|price|is|was|at))*|neupreis(?: war| ist)?(?: ca\.?)?|np` +
				`|(?:ur)?sprünglich|gekostet|einkaufspreis|(?:prix )?neuf|payée?s?|acheté\pL*|valeur(?: neuf)?` +
				`|pagad[oa]|comprad[oa] (?:por|a)|nuev[oa]|pagato|nuovo|nieuwprijs|nypris|old(?: price)?` +
				`|previous(?:ly)?|instead of|statt|bisher|vorher|zuvor|ehem\.?|au lieu de|avant|ancien prix|antes` +
				`|en vez de|prima|invece di|före|tidigare|ord\.?(?: pris)?|før|przedtem|было|původně|` +
				`(?:lowest|niedrigster|prix le plus bas|najniższa|laagste)\b.{0,40}|reg(?:ular)?\.?(?: price)?` +
				`|normally|orig(?:inal(?:ly)?)?\.?(?: price)?|compare at|streichpreis|durchgestrichen|prix (?:barré` +
				`|normal)|precio anterior|` +
				`.*(?:元値|旧価格|新品(?:価格|定価|で)?|購入(?:価格|時(?:の価格)?|額)|買値|値下げ前|割引前|変更前|以前|当初|前回|原价|原價|정상가|기존가)(?:価格)?|從`),
			nil,
		},
		{ // a bound
			other,
			before(`up to|to|bis(?: zu)?|max(?:\.|imum|imal)?|jusqu'à|hasta|fino a|tot|até|under|unter|below` +
				`|less than|over|über|above|more than|at least|mindestens|ab einem \pL+ von|~|≈|約|およそ|approx\.?` +
				`|approximately|about|around|ca\.?|circa|env(?:iron)?\.?|` +
				`<|>|≤|≥|<=|>=|roughly|worth|valued at|valor|.*(?:最大|最高|上限|最多|총|約)`),
			after(`(?:以上|以下|未満|以内|超|以降|まで|이상|이하|미만|以上|or (?:less|under|below)|and (?:under|below)|max\b|maximum)`),
		},
		{
			listed,
			before(`rrp|uvp|msrp|list(?: price)?|ppc|pvp(?:r)?|prix (?:public|conseillé|de vente conseillé)` +
				`|adviesprijs|listenpreis|.*(?:定価|通常価格|標準価格|参考価格|希望小売価格|メーカー\S{0,10}価格|市場価格|정가|소비자가|市场价|定价|定價|建議售價)`),
			after(`(?:rrp|uvp|msrp)` + word),
		},
		{
			each,
			before(`.*(?:月額|年額|年会費|월세)`),
			after(`(?:/|per|pro|je|par|por|a|an|à la|p\.?) ?(?:nights?|nacht|nuit|noche|notte|hours?|hr|h|std\.?` +
				`|stunde|heure|hora|ora|uur|persons?|person|personne|persona|pers\.?|pax|guest|adult|yr|years?|jahr` +
				`|an|année|año|anno|annum|jaar|år|room|zimmer|vehicle|day|tag|jour|día|dag|giorno|p|w|y|a|m|pp)` +
				word +
				`|each|ea` + word + `|pcm|pw` + word + `|pp` + word + `|p\.?a\.?` + word +
				`|p\.p\.|annually|yearly|jährlich|/ ?(?:泊|日|人|名|時間|晚|晩|年|박|인|시간|년)|per head|for (?:one|1) \pL+`),
		},
		{
			second,
			before(`buy(?: it)? now|sofort-?kauf(?:en)?|achat immédiat|compralo ya|member(?:s)?(?: price)?|.*(?:即決` +
				`|即決価格|会員価格?|アプリ限定|새상품|중고가?)`), nil,
		},
		{
			strong,
			before(`now|now only|sale(?: price)?|special(?: price)?|deal(?: price)?|today(?:'s price)?|clearance` +
				`|jetzt|nur noch|aktuell|neu|neuer preis|maintenant|désormais|ahora|adesso|ora|nu|voor|teraz|сейчас` +
				`|current (?:bid|price)|` +
				`.*(?:販売価格|特価|セール価格|現在(?:価格|の価格)?|当店価格|値下げ後|割引後の?価格|現価格|현재가|판매가|할인가|할인판매가|现价|現價|到手价|特价|特價|售价)`), nil,
		},
	}
})

// roleBefore and roleBehind tell what an amount stands for by the words before and behind it.
func roleBefore(s string) role {
	if s = strings.TrimRight(s, " "); s == "" || withoutPay.MatchString(s) {
		return usual
	}
	for _, r := range roles() {
		if r.before != nil && r.before.MatchString(s) {
			return r.role
		}
	}
	return usual
}

func roleBehind(s string) role {
	if s = strings.TrimLeft(s, "~-+ *"); s == "" {
		return usual
	}
	for _, r := range roles() {
		if r.after != nil && r.after.MatchString(s) {
			return r.role
		}
	}
	return usual
}

// withoutPay are words for things that come with the price.
var withoutPay = pattern.New(`(?i)\d ?(?:ポイント|pts?|points?)$|(?:free|gratis|kostenlose[rn]?|gratuite?|無料` +
	`|inkl\.?|incl\.?|including|with|mit|inc\.?|plus|excl\.?|ex|exkl\.?|zzgl\.?) (?:shipping|delivery|postage` +
	`|versand|lieferung|livraison|vat|tax|mwst\.?|tva|iva|btw|moms)[:]?$`)

var (
	fromBefore = pattern.New(`(?i)(?:^|[^\pL])(?:from|ab|von|starting (?:at|from)|starts (?:at|from)` +
		`|as low as|à partir de|a partir de|a partire da|partir de|dès|desde|de|da|entre|between|zwischen|tra|vanaf` +
		`|från|fra|od|от|min\.?|最低|最安|最安値|やすい)[: ]*$`)
	fromAfter = pattern.New(`(?i)^ ?(?:~|から|より|起|부터|and up|& up|or more|plus tard|より)`)
	inclusive = pattern.New(`(?i)税込|込み|tax incl|incl|inkl|inc\b|ttc|with (?:vat|tax)|con iva|iva inc|含税` +
		`|brutto|gross|m\. moms|s dph|vč(?:etně|\.) dph|bruttó|cu tva|с ндс|sis\. alv|com iva|iva inclus`)
	exclusive = pattern.New(`(?i)税抜|税別|本体|外税|\+ ?税|未税|net\b|netto|ex\b|excl|exkl|ht\b|sin iva|zzgl|hors tax` +
		`|u\. moms|exc\b|plus (?:vat|tax|gst)|ex gst|bez (?:dph|vat|pdv|ddv)|nettó|áfa nélkül|fără tva|без ндс` +
		`|ilman alv|alv ?0|sem iva|iva (?:esclusa|no incluido)|ekskl|ohne mwst|未稅|부가세 별도`)
)

var between = pattern.New(`(?i)^ ?(?:-|~|to|bis|à|a|до|do|til|till|から|から~|より|至|up to|hasta|al|tot|and|und|y` +
	`|e|o|et|och|og|en) ?$`)

// joins are the words between the ends of a range that are also used otherwise: they need one before the range.
var (
	joins        = pattern.New(`(?i)^ ?(?:and|und|y|e|o|et|och|og|en) ?$`)
	rangeOpening = pattern.New(`(?i)(?:between|zwischen|entre|tra|fra|mellan|mellem|tussen|między)[: ]*$`)
)

var huge = pattern.New(`(?i)^ ?(?:兆|조|m\b|mm\b|b\b|bn\b|tn\b|mio\b|mln\b|mn\b|mrd\b|mld\b|mia\b|mill` +
	`|mio\.|milh|mili|milj|mil\b|bili|bilh|billi|miljar|trill|tys\b|tsd\b|thousand|tausend|mille\b|тыс|млн|млрд` +
	`|lakhs?\b|lacs?\b|crores?\b|cr\b|grand\b|hundred\b|dozen)`)

var trillions = pattern.New(`^ ?[兆조]`)

// freeLabel says what costs nothing: 参加費：無料.
var freeLabel = pattern.New(`(?i)^ *(?:(?:参加|入場|観覧|受講|入館|利用)(?:費|料金?)|料金|費用|会費|価格|가격|참가비|입장료|价格|门票` +
	`|(?:price|cost|entry|admission|fee|tickets?|preis|eintritt|kosten|prix|tarif|precio|prezzo)\b)[:： ]*`)

var free = func() map[string]bool {
	out := map[string]bool{}
	for _, words := range []string{
		"無料", "入場無料", "参加無料", "観覧無料", "参加費無料", "無料譲渡", "譲渡無料", "無償", "タダ", "ただ", "0円", "差し上げます", "あげます", "free",
		"free of charge", "free entry", "free admission", "for free",
		"free to a good home", "give away", "giveaway", "giving away", "kostenlos", "gratis", "kostenfrei",
		"eintritt frei", "zu verschenken", "verschenke", "gratuit", "gratuite", "entrée gratuite", "entrée libre",
		"à donner", "don", "entrada libre",
		"entrada gratuita", "entrada gratis", "gratuito", "gratuita", "regalo", "se regala", "ingresso gratuito",
		"ingresso libero", "gratis toegang", "gratis af te halen", "te geef", "fri entré", "skänkes", "bortskänkes",
		"gis bort", "gives væk",
		"za darmo", "wstęp wolny", "bezpłatnie", "bezpłatny", "oddam za darmo", "grátis", "무료", "무료입장", "무료나눔", "무료 나눔",
		"나눔", "나눔해요", "나눔합니다", "免费", "免费入场", "免費", "免費入場", "免费送", "免費贈送", "赠送", "бесплатно", "даром", "отдам даром",
		"zdarma", "za odvoz", "ingyenes", "ücretsiz", "bedava", "ilmainen", "annetaan", "مجاني", "مجانا", "חינם",
		"miễn phí", "ฟรี", "percuma",
	} {
		out[words] = true
	}
	return out
}()
