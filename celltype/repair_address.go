package celltype

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// These are the ways in which people write an at sign and a dot to hide an address from programs.
var (
	hiddenAt  = lazyRegexp(`(?i)\s*[(\[{<]\s*(?:at|ät|a)\s*[)\]}>]\s*|\s+at\s+`)
	hiddenDot = lazyRegexp(`(?i)\s*[(\[{<]\s*(?:dot|punkt|point|punto)\s*[)\]}>]\s*|\s+dot\s+`)
	manyAts   = lazyRegexp(`@{2,}`)
	manyDots  = lazyRegexp(`\.{2,}`)
)

// repairEmail corrects e-mail addresses.
func repairEmail(text string) []correction {
	reason := reasonSigns
	clean := norm.NFKC.String(text)
	if before, after, found := strings.Cut(clean, "<"); found && before != "" {
		clean, reason = after, reasonPart
		clean, _, _ = strings.Cut(clean, ">")
	}
	clean = unwrap(clean)
	if at := strings.IndexByte(clean, ':'); at > 0 && strings.EqualFold(strings.TrimSpace(clean[:at]), "mailto") {
		clean, _, _ = strings.Cut(clean[at+1:], "?")
		reason = reasonPart
	}
	if before, _, found := strings.Cut(clean, " ("); found && strings.Contains(before, "@") {
		clean, reason = before, reasonPart
	}
	var list []correction
	for part := range strings.FieldsFuncSeq(clean, func(r rune) bool { return strings.ContainsRune(";,/| \n", r) }) {
		if strings.Count(part, "@") == 1 && strings.Count(clean, "@") > 1 {
			list = append(list, correction{part, reasonPart}) // one of several addresses
		}
	}
	clean = hiddenDot().ReplaceAllString(hiddenAt().ReplaceAllString(clean, "@"), ".")
	clean = manyAts().ReplaceAllString(compact(clean), "@")
	local, host, found := strings.Cut(clean, "@")
	if !found {
		return list
	}
	host = strings.NewReplacer(",", ".", ";", ".", "。", ".").Replace(host)
	host = manyDots().ReplaceAllString(strings.Trim(host, ".,;:-<>()[]{}\"'"), ".")
	return append(list, correction{strings.TrimPrefix(strings.Trim(local, ",;:<>()[]{}\""), "'") + "@" + host, reason})
}

var (
	markdownLink = lazyRegexp(`^\[[^\]]*\]\((\S+)\)$`)
	// scheme matches the protocol of a web address, with mistakes, and the signs after it.
	scheme = lazyRegexp(`^(?i)([a-z]{2,7})(?:\s*[:;]+\s*[/\\]*|[/\\]{2,})\s*`)
)

// repairURL corrects web addresses: their protocol, the signs after it, white space, commas in the
// host, and signs around them.
func repairURL(text string) (list []correction) {
	clean := unwrap(strings.TrimSpace(norm.NFKC.String(text)))
	if link := markdownLink().FindStringSubmatch(clean); link != nil {
		clean = link[1]
	}
	clean = strings.TrimRight(clean, ".,; ")
	protocol, reason := "", reasonScheme
	for {
		found := scheme().FindStringSubmatch(clean)
		if found == nil || !isMistypedScheme(strings.ToLower(found[1]), 0) {
			break
		}
		protocol, clean = closestScheme(strings.ToLower(found[1])), clean[len(found[0]):]
	}
	clean = strings.TrimLeft(clean, "/\\: ")
	end := strings.IndexAny(clean, "/?#")
	if end < 0 {
		end = len(clean)
	}
	host := manyDots().ReplaceAllString(strings.NewReplacer(",", ".", "。", ".").Replace(compact(clean[:end])), ".")
	if strings.ContainsAny(host, "@:") && protocol == "" {
		return nil // an e-mail address, or a different protocol
	}
	rest := strings.ReplaceAll(clean[end:], " ", "%20")
	if protocol != "" {
		return []correction{{protocol + "://" + host + rest, reason}}
	}
	return []correction{{"https://" + host + rest, reason}, {"http://" + host + rest, reason}}
}

// closestScheme returns the protocol that a mistyped protocol probably means.
func closestScheme(mistyped string) string {
	if strings.HasSuffix(mistyped, "s") {
		return "https"
	}
	return "http"
}

// isMistypedScheme reports whether a protocol differs from http or https by at least the given number
// of edits, and by at most one.
func isMistypedScheme(name string, least int) bool {
	if name == "shttp" {
		return false // a different protocol
	}
	distance := min(editDistance([]rune(name), []rune("http"), 2), editDistance([]rune(name), []rune("https"), 2))
	return distance >= least && distance <= 1
}

// repairDomain finds the domain in a web address or an e-mail address.
func repairDomain(text string) []correction {
	clean := strings.ToLower(compact(unwrap(text)))
	if found := scheme().FindString(clean); found != "" {
		clean = clean[len(found):]
	}
	clean = strings.TrimLeft(clean, "/\\:")
	if at := strings.LastIndexByte(clean, '@'); at >= 0 {
		clean = clean[at+1:]
	}
	if end := strings.IndexAny(clean, "/?#:"); end >= 0 {
		clean = clean[:end]
	}
	clean = strings.Trim(manyDots().ReplaceAllString(strings.ReplaceAll(clean, ",", "."), "."), ".")
	return []correction{{clean, reasonPart}}
}

// phoneNote matches a remark in brackets at the end.
var phoneNote = lazyRegexp(`\s*[(\[]?\p{L}[\p{L} .]*[)\]]?$`)

// repairPhone corrects phone numbers: letters that look like digits, repeated signs, several numbers,
// remarks, and a missing prefix.
func repairPhone(text string) []correction {
	clean := norm.NFKC.String(text)
	list := []correction{{digitLetters.Replace(clean), reasonDigits}}
	bare := phoneNote().ReplaceAllString(clean, "")
	list = append(list, correction{bare, reasonPart}, correction{digitLetters.Replace(bare), reasonDigits})
	for part := range strings.FieldsFuncSeq(strings.NewReplacer(" oder ", ";", " or ", ";", " und ", ";", " and ", ";").Replace(clean), func(r rune) bool { return strings.ContainsRune(",;/|&\n", r) }) {
		list = append(list, correction{strings.TrimSpace(part), reasonPart})
	}
	digits := "+" + strings.TrimLeft(clean, "+0 ")
	list = append(list, correction{digits, reasonPrefix}, correction{"+" + clean, reasonPrefix}, correction{"0" + clean, reasonPrefix})
	return list
}
