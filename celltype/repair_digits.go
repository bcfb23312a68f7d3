package celltype

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

var (
	// threeNumbers matches a date in numbers, with any signs between them and around them, and a time.
	threeNumbers = lazyRegexp(`^[^\d\pL]*(?:\pL{1,8}[.:]?\s*)?(\d{1,4})[^\d\pL]{1,3}(\d{1,2})[^\d\pL]{1,3}(\d{1,4})(?:[T ]\s*(\d{1,2}:\d{2}(?::\d{2})?))?[^\d\pL]*$`)
	twoNumbers   = lazyRegexp(`^\D{0,2}(\d{1,2})\D{1,2}(\d{2})(?:\D{1,2}(\d{2}))?\D{0,2}$`)
)

// repairDate corrects the signs between the numbers of a date, and letters that look like digits.
func repairDate(text string) (list []correction) {
	clean := norm.NFKC.String(text)
	reason := reasonSeparators
	found := threeNumbers().FindStringSubmatch(clean)
	if found == nil {
		found, reason = threeNumbers().FindStringSubmatch(digitLetters.Replace(clean)), reasonDigits
	}
	if found == nil {
		return nil
	}
	clock := ""
	if found[4] != "" {
		clock = " " + found[4]
	}
	if len(found[1]) == 4 {
		return []correction{{fmt.Sprintf("%s-%02s-%02s%s", found[1], found[2], found[3], clock), reason}}
	}
	// The column decides which of these are valid.
	for _, sign := range []string{".", "/", "-"} {
		list = append(list, correction{strings.Join(found[1:4], sign) + clock, reason})
	}
	return list
}

// repairTime corrects the signs between the numbers of a time, and letters that look like digits.
func repairTime(text string) []correction {
	clean := digitLetters.Replace(norm.NFKC.String(text))
	found := twoNumbers().FindStringSubmatch(clean)
	if found == nil {
		return nil
	}
	fixed := found[1] + ":" + found[2]
	if found[3] != "" {
		fixed += ":" + found[3]
	}
	return []correction{{fixed, reasonSeparators}}
}

var (
	// unit matches a number with a unit. Abbreviations of factors and of debit and credit change the
	// number, so they are not units.
	unit    = lazyRegexp(`^([-+]?\d[\d.,' ]*)\s*([\p{L}°²³µ/%]{1,12}\.?)$`)
	factors = lazyRegexp(`^(?i)(?:k|m|b|t|g|e|x|bn|mn|mm|mio|mrd|mill?|tsd|tr?|cr|dr|db|th|st|nd|rd|am|pm|ce|bc|ad)\.?$`)
)

// repairNumber corrects numbers: letters that look like digits, a formula, marks, and units.
func repairNumber(text string) []correction {
	clean := strings.Trim(norm.NFKC.String(text), "=\"'~≈*#^¹²³ ")
	if strings.HasPrefix(clean, "(-") && strings.HasSuffix(clean, ")") {
		clean = clean[1 : len(clean)-1]
	}
	list := []correction{{clean, reasonSigns}}
	if strings.Contains(clean, "_") {
		list = append(list, correction{strings.ReplaceAll(clean, "_", ""), reasonSeparators})
	}
	if strings.ContainsAny(clean, "0123456789") {
		list = append(list, correction{digitLetters.Replace(clean), reasonDigits})
	}
	if found := unit().FindStringSubmatch(clean); found != nil && !factors().MatchString(found[2]) {
		list = append(list, correction{strings.TrimSpace(found[1]), reasonUnit})
	}
	return list
}

var (
	dashes   = lazyRegexp(`[\p{Pd}\s./]+`)
	zipForm  = lazyRegexp(`^(\d{3,5})-?(\d{4})?(?:\.0+)?$`)
	uuidForm = lazyRegexp(`^([0-9A-Fa-f]{8})-?([0-9A-Fa-f]{4})-?([0-9A-Fa-f]{4})-?([0-9A-Fa-f]{4})-?([0-9A-Fa-f]{12})$`)
)

// repairZIP corrects ZIP codes: the sign before the last four digits, missing zeros, and what
// spreadsheets add to numbers.
func repairZIP(text string) []correction {
	clean := strings.Trim(norm.NFKC.String(text), "'\"= ")
	if whole, _, found := strings.Cut(clean, ".0"); found {
		clean = whole
	}
	found := zipForm().FindStringSubmatch(strings.TrimRight(dashes().ReplaceAllString(digitLetters.Replace(clean), "-"), "-"))
	if found == nil {
		return nil
	}
	fixed := strings.Repeat("0", 5-len(found[1])) + found[1]
	if found[2] != "" {
		fixed += "-" + found[2]
	}
	return []correction{{fixed, reasonSigns}}
}

// repairSSN corrects the signs between the digits.
func repairSSN(text string) []correction {
	clean := strings.Trim(norm.NFKC.String(text), "'\"= ")
	return []correction{{strings.ReplaceAll(dashes().ReplaceAllString(digitLetters.Replace(clean), "-"), "-", ""), reasonSigns}}
}

// repairUUID adds missing dashes and removes what some programs put around a UUID.
func repairUUID(text string) []correction {
	clean := unwrap(strings.TrimPrefix(strings.ToLower(norm.NFKC.String(text)), "urn:uuid:"))
	found := uuidForm().FindStringSubmatch(dashes().ReplaceAllString(clean, "-"))
	if found == nil {
		return nil
	}
	return []correction{{strings.Join(found[1:], "-"), reasonSigns}}
}
