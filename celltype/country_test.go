package celltype

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

var update = flag.Bool("update", false, "rewrite regions.txt")

// TestRegions checks that regions.txt has the countries of ISO 3166-1 with the names in
// golang.org/x/text. The program does not contain that package, because it has the names of all
// languages, scripts and regions in more languages.
func TestRegions(t *testing.T) {
	var table strings.Builder
	table.WriteString(regionsHeader)
	for code := range strings.FieldsSeq(countryCodes) {
		region := language.MustParseRegion(code)
		names := []string{display.English.Regions().Name(region)}
		for _, tag := range strings.Fields(interfaceLanguages) {
			namer := display.Regions(language.MustParse(tag))
			if namer == nil {
				continue
			}
			name := namer.Name(region)
			if isName := len(name) > 3 || len(name) > 0 && name[0] >= 0x80; isName && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		table.WriteString(code + " " + region.ISO3() + " " + strings.Join(names, "|") + "\n")
	}
	if *update {
		if err := os.WriteFile("regions.txt", []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(table.String(), regionTable); diff != "" {
		t.Errorf("regions.txt differs; run\n\n\tgo test ./celltype -run TestRegions -update\n\n%s", diff)
	}
}

// TestCountryCodesAreKnown checks the codes in the tables of additional names.
func TestCountryCodesAreKnown(t *testing.T) {
	for name, code := range commonCountryNames {
		if countries()[code].code == "" {
			t.Errorf("%s is called %s, which is no code", code, name)
		}
	}
	for name, code := range tableCountryNames() {
		if countries()[code].code == "" {
			t.Errorf("%s is called %s, which is no code", code, name)
		}
	}
}

const regionsHeader = `# The countries of ISO 3166-1, and their names in English and in the other languages of the
# interface, from Unicode CLDR 32 (unicode.org/license) as in golang.org/x/text. Each line has the
# codes of two and three letters, followed by names.
`

// interfaceLanguages are the languages in which country names are recognized.
const interfaceLanguages = "ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt pt-PT ro ru sk sl sr sv th tr uk vi zh zh-Hant"

// countryCodes are the codes that ISO 3166-1 currently assigns to a country. Withdrawn codes are
// invalid, because some were assigned to two different countries.
const countryCodes = `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO
FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE
JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO
MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW
PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM
TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`
