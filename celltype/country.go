package celltype

import (
	_ "embed" // countries.txt and regions.txt
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// countryParser parses the type country: an ISO 3166-1 code of two or three letters, or the name
// of a country in one of the interface languages.
type countryParser struct {
	alpha3  bool
	invalid Result
	names   map[string]string
}

func newCountry(f intray.Field, o options) (Parser, error) {
	return &countryParser{
		o.text("format", "2-letter") == "3-letter",
		invalidResult(f, intray.NewMessage("country.unknown", nil)),
		countryNames(),
	}, nil
}

func (p *countryParser) Parse(c Cell, scratch []byte) Result {
	text := trimSpace(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	code, known := p.names[string(text)]
	if !known && len(text) <= maxCountryName {
		var room [maxCountryName]byte
		code, known = p.names[string(appendNormalizedCountry(room[:0], text))]
	}
	if !known && len(text) <= maxCountryName {
		code, known = p.names[simplifyCountryName(normalizeCountryName(string(text)))]
	}
	if !known {
		return p.invalid
	}
	if p.alpha3 {
		code = code[2:]
	} else {
		code = code[:2]
	}
	return newResult(c.Raw, append(scratch, code...))
}

// normalizeCountryName returns the lookup key of a code or name: in lower case,
// without dots, with single spaces between words.
func normalizeCountryName(name string) string {
	return string(appendNormalizedCountry(nil, []byte(name)))
}

func appendNormalizedCountry(dst, name []byte) []byte {
	from, gap := len(dst), false
	for len(name) > 0 {
		r, size := utf8.DecodeRune(name)
		name = name[size:]
		switch {
		case r == '.':
			continue
		case unicode.IsSpace(r):
			gap = len(dst) > from
			continue
		case r == '’':
			r = '\''
		}
		if gap {
			dst, gap = append(dst, ' '), false
		}
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}

// countryNameReplacer replaces ampersands and removes articles and parentheses.
var countryNameReplacer = strings.NewReplacer("&", " and ", " (the)", "", " (the ", ", ", ", the ", ", ", " (", ", ", ")", "", " [", ", ", "]", "")

// simplifyCountryName returns a second key, for names that are not found by the
// first. It replaces "&" with "and", "St" with "Saint" and a parenthesis with a
// comma, and drops the article.
func simplifyCountryName(key string) string {
	words := strings.Fields(countryNameReplacer.Replace(strings.TrimPrefix(key, "the ")))
	for i, word := range words {
		if word == "st" && i+1 < len(words) {
			words[i] = "saint"
		}
	}
	return strings.Join(words, " ")
}

// maxCountryName is an upper bound for the length of a country name, in bytes.
const maxCountryName = 160

// country is a country of ISO 3166-1 with its codes of two and three letters.
type country struct {
	code, code3 string
	// label is the name in English. names are the names in the languages of the interface.
	label string
	names []string
}

//go:embed regions.txt
var regionTable string

// countries returns all countries in regions.txt, by their code of two letters.
var countries = sync.OnceValue(func() map[string]country {
	all := map[string]country{}
	for line := range strings.Lines(regionTable) {
		code, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if code == "#" {
			continue
		}
		code3, list, _ := strings.Cut(rest, " ")
		names := strings.Split(list, "|")
		all[code] = country{code, code3, names[0], names}
	}
	return all
})

// countryNames maps each code and name to the two-letter code followed by the three-letter code.
// A name that means different countries in two languages is omitted unless commonCountryNames or
// countries.txt contains it.
var countryNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	shared := map[string]bool{}
	for _, c := range countries() {
		for _, name := range c.names {
			key := normalizeCountryName(name)
			if before, taken := names[key]; taken && before != c.code+c.code3 {
				shared[key] = true
			}
			names[key] = c.code + c.code3
		}
	}
	for name, code := range commonCountryNames {
		names[name] = code + countries()[code].code3
		delete(shared, name)
	}
	for name, code := range tableCountryNames() {
		names[normalizeCountryName(name)] = code + countries()[code].code3
		delete(shared, normalizeCountryName(name))
	}
	for key := range shared {
		delete(names, key)
	}
	addSimplifiedNames(names)
	for _, c := range countries() { // codes take precedence over names
		for _, code := range []string{c.code, c.code3} {
			names[normalizeCountryName(code)] = c.code + c.code3
			names[code] = c.code + c.code3 // found without simplifying the name
		}
	}
	return names
})

// addSimplifiedNames adds the simplified key of each name. It omits keys that
// two countries share.
func addSimplifiedNames(names map[string]string) {
	plain, shared := map[string]string{}, map[string]bool{}
	for key, codes := range names {
		short := simplifyCountryName(key)
		shared[short] = shared[short] || plain[short] != "" && plain[short] != codes
		plain[short] = codes
	}
	for short, codes := range plain {
		if names[short] == "" && !shared[short] {
			names[short] = codes
		}
	}
}

// commonCountryNames maps common names to country codes. They take precedence over the display
// names of CLDR, which lack most of them.
var commonCountryNames = map[string]string{
	"united states of america": "US", "the united states": "US", "the united states of america": "US", "great britain": "GB",
	"england": "GB", "scotland": "GB", "wales": "GB", "northern ireland": "GB", "the netherlands": "NL", "holland": "NL",
	"czech republic": "CZ", "south korea": "KR", "korea, republic of": "KR", "republic of korea": "KR", "north korea": "KP",
	"russian federation": "RU", "viet nam": "VN", "ivory coast": "CI", "türkiye": "TR", "turkey": "TR", "burma": "MM", "swaziland": "SZ",
	"macedonia": "MK", "cape verde": "CV", "taiwan": "TW", "hong kong": "HK", "macau": "MO", "vatican": "VA", "usa": "US", "uk": "GB",
	"republic of ireland": "IE", "deutschland": "DE", "brd": "DE", "tschechische republik": "CZ", "grossbritannien": "GB",
	"großbritannien": "GB", "holanda": "NL", "estados unidos de américa": "US", "états-unis d'amérique": "US", "中华人民共和国": "CN",
	"大韓民国": "KR", "uae": "AE", "iran, islamic republic of": "IR", "bolivia, plurinational state of": "BO", "tanzania, united republic of": "TZ",
	"venezuela, bolivarian republic of": "VE", "moldova, republic of": "MD", "lao people's democratic republic": "LA", "syrian arab republic": "SY",
}

//go:embed countries.txt
var countryTable string

// tableCountryNames yields the names in countries.txt with their codes.
func tableCountryNames() iter.Seq2[string, string] {
	return func(yield func(name, code string) bool) {
		for line := range strings.Lines(countryTable) {
			code, list, _ := strings.Cut(strings.TrimSpace(line), " ")
			if code == "#" {
				continue
			}
			for name := range strings.SplitSeq(list, "|") {
				if !yield(name, code) {
					return
				}
			}
		}
	}
}
