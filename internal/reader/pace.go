package reader

import "strings"

// Characters that are read in a minute, blanks included: in scripts without blanks between words, and in others.
const densePace, spacedPace = 500, 1200

// Minutes is how long a text takes to read, at least one; 0 for an empty text. The page has the same rule for articles
// (web/src/features/reader/article/reading-time.ts).
func Minutes(lang string, characters int) int {
	if characters <= 0 {
		return 0
	}
	pace := spacedPace
	switch primary, _, _ := strings.Cut(strings.ToLower(lang), "-"); primary {
	case "ja", "zh", "ko":
		pace = densePace
	}
	return max(1, (characters+pace/2)/pace)
}
