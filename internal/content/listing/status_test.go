package listing

import "testing"

func TestStatusWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Status{
		"SOLD": Sold, "Sold out!": Sold, "Sold on 3 May": Sold, "Reserved": Sold, "Ended": Sold, "Auction ended": Sold,
		"Bidding has ended": Sold, "Under offer": Sold, "Sold STC": Sold,
		"受付終了": Sold, "受付は終了しました": Sold, "売却済": Sold, "売却済み": Sold, "売約済": Sold, "売り切れ": Sold, "落札": Sold,
		"落札されました": Sold, "終了": Sold, "取引中": Sold, "商談中": Sold, "募集終了": Sold,
		"Reserviert": Sold, "Verkauft": Sold, "Vendue": Sold, "Reservado": Sold, "예약중": Sold, "판매완료": Sold, "已结束": Sold,
		"已售": Sold, "Продано": Sold, "Myyty": Sold,
		"In stock": OnSale, "在庫あり（残り3点）": OnSale, "受付中": OnSale, "出品中": OnSale, "Auf Lager": OnSale,
		"Sold by Ito": StatusUnknown, "Ends in 3 days": StatusUnknown, "終了日 11月30日": StatusUnknown,
		"Closed-back headphones": StatusUnknown, "Weekend": StatusUnknown, "Reservation form": StatusUnknown,
		"Unsold": StatusUnknown, "残り時間": StatusUnknown,
	} {
		if got := parseStatus(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
