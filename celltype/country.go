package celltype

import (
	_ "embed" // countries.txt
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

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

// interfaceLanguages are the languages in which country names are recognized.
const interfaceLanguages = "ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt pt-PT ro ru sk sl sr sv th tr uk vi zh zh-Hant"

// countryNames maps each code and name to the two-letter code followed by the three-letter code.
// A name that means different countries in two languages is omitted unless commonCountryNames or
// countries.txt contains it.
var countryNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	shared := map[string]bool{}
	add := func(name, codes string) {
		key := normalizeCountryName(name)
		if before, taken := names[key]; taken && before != codes {
			shared[key] = true
		}
		names[key] = codes
	}
	var namers []display.Namer
	for _, tag := range strings.Fields(interfaceLanguages) {
		if namer := display.Regions(language.MustParse(tag)); namer != nil {
			namers = append(namers, namer)
		}
	}
	for _, region := range countries() {
		for _, namer := range namers {
			if name := namer.Name(region); len(name) > 3 || len(name) > 0 && name[0] >= 0x80 {
				add(name, region.String()+region.ISO3())
			}
		}
	}
	for name, code := range commonCountryNames {
		region := language.MustParseRegion(code)
		names[name] = code + region.ISO3()
		delete(shared, name)
	}
	for name, code := range tableCountryNames() {
		names[normalizeCountryName(name)] = code + language.MustParseRegion(code).ISO3()
		delete(shared, normalizeCountryName(name))
	}
	for key := range shared {
		delete(names, key)
	}
	addSimplifiedNames(names)
	for _, region := range countries() { // codes take precedence over names
		for _, code := range []string{region.String(), region.ISO3()} {
			names[normalizeCountryName(code)] = region.String() + region.ISO3()
			names[code] = region.String() + region.ISO3() // found without simplifying the name
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

// countries returns all regions of ISO 3166-1.
func countries() (list []language.Region) {
	for code := range strings.FieldsSeq(countryCodes) {
		list = append(list, language.MustParseRegion(code))
	}
	return list
}

// countryCodes are the codes that ISO 3166-1 currently assigns to a country. Withdrawn codes are
// invalid, because some were assigned to two different countries.
const countryCodes = `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO
FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE
JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO
MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW
PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM
TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`
