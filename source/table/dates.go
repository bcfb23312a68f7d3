package table

import (
	"strings"
	"unicode/utf8"
)

// isTime reads 9:30, 09:30:15, 09:30:15.250 and the same with AM or PM.
func isTime(cell string) bool {
	if cell == "" || cell[0]-'0' > 9 || strings.IndexByte(cell, ':') < 0 {
		return false
	}
	upper := strings.ToUpper(cell)
	for _, half := range []string{"AM", "PM", "A.M.", "P.M."} {
		if rest, ok := strings.CutSuffix(upper, half); ok {
			upper = strings.TrimSpace(rest)
			break
		}
	}
	var room [mostGroups]string
	groups, seps := digitGroups(upper, &room)
	switch seps {
	case ":", "::", "::.", "::,":
	default:
		return false
	}
	if len(groups) != len(seps)+1 {
		return false
	}
	for i, g := range groups {
		if i < 3 && len(g) > 2 || g == "" || i > 0 && i < 3 && len(g) != 2 {
			return false
		}
	}
	return true
}

// isDate reads days in digits, with or without a time behind, and with month
// names. It does not decide which part is the day.
func isDate(cell string) bool {
	day := cell
	if at := strings.IndexAny(cell, "T "); at >= 6 && at <= 11 && at+1 < len(cell) {
		rest := strings.TrimRight(cell[at+1:], "Zz")
		if zone := strings.LastIndexAny(rest, "+-"); zone > 0 {
			rest = rest[:zone]
		}
		if isTime(strings.TrimSpace(rest)) {
			day = cell[:at]
		}
	}
	var room [mostGroups]string
	groups, seps := digitGroups(day, &room)
	switch {
	case len(groups) == 3 && len(seps) == 2 && seps[0] == seps[1] && strings.Contains("-/.", seps[:1]):
		return dayGroups(groups)
	case len(groups) == 3 && seps == "年月日", len(groups) == 3 && seps == ".. ":
		return true
	case len(day) == 7 && len(groups) == 2 && (seps == "-" || seps == "/"):
		return len(groups[0]) == 4 && groups[1] <= "12" && groups[1] >= "01"
	}
	return hasMonth(day)
}

func dayGroups(groups []string) bool {
	a, b, c := len(groups[0]), len(groups[1]), len(groups[2])
	small := func(n int) bool { return n == 1 || n == 2 }
	within := func(g string, most string) bool { return len(g) < len(most) || g <= most }
	switch {
	case a == 4 && small(b) && small(c):
		return within(groups[1], "12") && within(groups[2], "31")
	case small(a) && small(b) && (c == 4 || c == 2):
		return within(groups[0], "31") && within(groups[1], "31")
	}
	return false
}

// mostGroups is more groups of digits than a day and a time have.
const mostGroups = 6

// digitGroups cuts a text of digits and single characters between them: those
// that stand in days and times. Of other texts it gives nothing.
func digitGroups(s string, into *[mostGroups]string) (groups []string, seps string) {
	groups = into[:0]
	var marks [4 * mostGroups]byte
	from, n := 0, 0
	for i, r := range s {
		if r >= '0' && r <= '9' {
			continue
		}
		if len(groups) == mostGroups-1 || !strings.ContainsRune(":-/., 年月日", r) {
			return nil, ""
		}
		groups = append(groups, s[from:i])
		from = i + utf8.RuneLen(r)
		n += copy(marks[n:], s[i:from])
	}
	if from < len(s) {
		groups = append(groups, s[from:])
	}
	return groups, spelled(marks[:n])
}

// spelled gives the usual separators without new memory.
func spelled(seps []byte) string {
	for _, usual := range [...]string{"", ":", "::", "--", "..", "//", ".", "-"} {
		if string(seps) == usual {
			return usual
		}
	}
	return string(seps)
}

// hasMonth reads 12 Jan 2020, Jan 12, 2020, 12-Jan-20, 3. März 2021.
func hasMonth(day string) bool {
	count, digits, names := 0, 0, 0
	for w := range strings.FieldsFuncSeq(day, func(r rune) bool { return r == ' ' || r >= ',' && r <= '/' }) {
		if count++; count > 4 {
			return false
		}
		if allDigits(w) && len(w) <= 4 {
			digits++
			continue
		}
		switch w = strings.ToLower(w); {
		case months[w]:
			names++
		case strings.Trim(w, "0123456789") == "th", w == "de":
		default:
			return false
		}
	}
	return names == 1 && digits >= 1 && count >= 2
}

func allDigits(w string) bool {
	for i := range len(w) {
		if w[i]-'0' > 9 {
			return false
		}
	}
	return true
}

// monthNames are the names and short names of months in the languages whose
// dates are met most.
const monthNames = " jan feb mar apr may jun jul aug sep sept oct nov dec " +
	"january february march april june july august september october november december " +
	"jän mär mrz mai okt dez januar jänner februar märz juni juli oktober dezember " +
	"janv févr fév mars avr juin juil aoû août déc janvier février avril juillet septembre octobre novembre décembre " +
	"ene abr ago dic enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre " +
	"gen mag giu lug set ott gennaio febbraio aprile maggio giugno luglio settembre ottobre novembre dicembre " +
	"fev out janeiro fevereiro março maio junho julho setembro outubro novembro dezembro " +
	"mrt mei januari februari maart augustus maj oktober desember " +
	"sty lut kwi cze lip sie wrz paź lis gru stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia "

// months are the same to be looked up.
var months = setOf(monthNames)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
