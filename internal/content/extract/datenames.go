package extract

import "strings"

// monthNames has the months of the languages that feeds are written in, full and short, lower case,
// without the dot of abbreviations. weekdayNames matter only where a word could be a month too, or where
// the weekday decides between two orders of day and month; others need no list.
var monthNames, weekdayNames = dateNames()

func dateNames() (months, days map[string]int) {
	months, days = map[string]int{}, map[string]int{}
	for _, line := range []string{
		"january february march april may june july august september october november december",
		"jan feb mar apr may jun jul aug sep oct nov dec",
		"jan feb mar apr may june july aug sept oct nov dec",
		"januar februar märz april mai juni juli august september oktober november dezember",
		"jänner feber mär apr mai jun jul aug sep okt nov dez",
		"janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"janv févr mars avr mai juin juil août sept oct nov déc",
		"janv fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"ene feb mar abr may jun jul ago set oct nov dic",
		"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
		"gen feb mar apr mag giu lug ago set ott nov dic",
		"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
		"jan fev mar abr mai jun jul ago set out nov dez",
		"januari februari maart april mei juni juli augustus september oktober november december",
		"jan feb mrt apr mei jun jul aug sep okt nov dec",
		"január február március április május június július augusztus szeptember október november december",
		"jan febr márc ápr máj jún júl aug szept okt nov dec",
		"stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
		"sty lut mar kwi maj cze lip sie wrz paź lis gru",
		"января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
		"янв фев мар апр май июн июл авг сен окт ноя дек",
		"januari februari mars april maj juni juli augusti september oktober november december",
		"januar februar marts april maj juni juli august september oktober november desember",
		"ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
		"ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου " +
			"δεκεμβρίου",
		"ιαν φεβ μαρ απρ μαι ιουν ιουλ αυγ σεπ οκτ νοε δεκ",
		"ledna února března dubna května června července srpna září října listopadu prosince",
		"tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta " +
			"marraskuuta joulukuuta",
	} {
		for i, name := range strings.Fields(line) {
			months[name] = i + 1
		}
	}
	for _, line := range []string{
		"sunday monday tuesday wednesday thursday friday saturday",
		"sun mon tue wed thu fri sat",
		"sun mon tues wednes thur fri sat",
		"dimanche lundi mardi mercredi jeudi vendredi samedi",
		"dim lun mar mer jeu ven sam",
		"sonntag montag dienstag mittwoch donnerstag freitag samstag",
		"so mo di mi do fr sa",
		"domingo lunes martes miércoles jueves viernes sábado",
		"dom lun mar mié jue vie sáb",
	} {
		for i, name := range strings.Fields(line) {
			days[name] = i + 1
		}
	}
	return months, days
}

// zoneNames returns seconds east of UTC. Names with several meanings have the American one, as RFC 5322
// (4.3) gives it, or the one of most feeds.
var zoneNames = func() map[string]int {
	m := map[string]int{"nst": -12600, "ndt": -9000, "ist": 19800, "npt": 20700, "acst": 34200, "acdt": 37800}
	for names, hours := range map[string]int{
		"z ut utc gmt wet uct zulu": 0, "bst west cet met mez": 1, "cest mest mesz eet sast cat": 2,
		"eest msk trt eat": 3,
		"msd gst":          4, "pkt uzt": 5, "ict wib": 7, "hkt sgt pht awst myt": 8, "jst kst wit": 9,
		"aest": 10, "aedt": 11,
		"nzst": 12, "nzdt": 13,
		"ast at": -4, "est et": -5, "cst ct": -6, "mst mt": -7, "pst pt": -8, "akst": -9, "hst": -10,
		"adt brt art": -3, "brst": -2, "edt": -4, "cdt": -5, "mdt": -6, "pdt": -7, "akdt": -8,
	} {
		for _, n := range strings.Fields(names) {
			m[n] = hours * 3600
		}
	}
	return m
}()
