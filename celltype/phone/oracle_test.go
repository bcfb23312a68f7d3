package phone

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nyaruka/phonenumbers"
)

// oracleNumbers is how many numbers are compared with the library.
var oracleNumbers = flag.Int("phones", 20_000, "numbers to compare with libphonenumber")

// The reasons why a number may be read otherwise than by the library.
const (
	strangePlus = "after a plus without a known calling code the library reads the digits as a national number; here it is a problem"
	zeroPrefix  = "00 is read as the plus where the digits are no number otherwise"
	twoReadings = "a number that can be read with its calling code and without is a problem"
	argentina   = "the module writes Argentine mobile numbers in their national form without the area code; Java's libphonenumber has it (011 15-2345-6789)"
	sharedPlan  = "a number that belongs to a shared plan alone is read in all its countries"
	plainPrefix = "where the rule of exchange gives no number, the national prefix is cut alone"
	unsteady    = "a number that the library itself does not read again behind its calling code is not valid"
)

// forms are what a number is written as in each form, "" where it is not valid.
type forms struct{ e164, international, national string }

func byLibrary(raw, region string) forms {
	n, err := phonenumbers.Parse(raw, region)
	if err != nil || !phonenumbers.IsValidNumber(n) {
		return forms{}
	}
	return forms{
		phonenumbers.Format(n, phonenumbers.E164),
		phonenumbers.Format(n, phonenumbers.INTERNATIONAL),
		phonenumbers.Format(n, phonenumbers.NATIONAL),
	}
}

// byTables gives the forms as they are written here. The national one is taken
// for any country, as in the library.
func byTables(r *Reader, raw string) (forms, Code) {
	var out [3]string
	var code Code
	for i, form := range []Reader{{home: r.home}, {home: r.home, formatted: true}, {home: r.home, formatted: true, national: true}} {
		text, p := form.Append(nil, []byte(raw))
		if p.Code == OtherCountry {
			n, _ := phonenumbers.Parse(raw, r.home.name)
			text = []byte(phonenumbers.Format(n, phonenumbers.NATIONAL))
		} else {
			code = p.Code
		}
		out[i] = string(text)
	}
	return forms{out[0], out[1], out[2]}, code
}

// difference is a number that is read otherwise than by the library.
type difference struct {
	raw       string
	home      *region
	code      Code
	got, want forms
}

// reason tells why a difference is meant, "" where it is not.
func (d difference) reason() string {
	switch {
	case d.code == UnknownCode:
		return strangePlus
	case d.code == TwoReadings && d.otherwise("+"+d.raw):
		return twoReadings
	case d.code == Read && d.want == (forms{}):
		return d.reasonToRead()
	case d.code == NotValid && byLibrary(d.want.e164, "").e164 != d.want.e164:
		return unsteady
	}
	alike := d.got.e164 == d.want.e164 && d.got.international == d.want.international
	if alike && strings.HasPrefix(d.want.national, "09 15-") {
		return argentina
	}
	return ""
}

// otherwise says whether the library takes the cell, and another text as another
// number.
func (d difference) otherwise(raw string) bool {
	second := byLibrary(raw, "")
	return d.want.e164 != "" && second.e164 != "" && second.e164 != d.want.e164
}

// reasonToRead tells why a number is read that the library calls invalid.
func (d difference) reasonToRead() string {
	main := d.home.plan.main.name
	switch {
	case strings.HasPrefix(d.raw, "00") && byLibrary("+"+d.raw[2:], "").e164 == d.got.e164:
		return zeroPrefix
	case main != d.home.name && byLibrary(d.raw, main).e164 == d.got.e164:
		return sharedPlan
	case d.home.transformRule != "" && strings.HasPrefix(d.raw, d.home.trunkPrefix):
		return plainPrefix
	}
	return ""
}

// TestOracle compares verdicts and forms with the library: for every region its
// example numbers, changed ones and random digits.
func TestOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	regions := regionNames()
	differences, valid, failed := map[string]int{}, 0, 0
	for i := range *oracleNumbers {
		region := regions[i%len(regions)]
		r, err := New(Config{Country: region})
		if err != nil {
			t.Fatal(err)
		}
		raw := madeUp(random, region)
		want := byLibrary(raw, region)
		got, code := byTables(r, raw)
		if want.e164 != "" {
			valid++
		}
		if got == want {
			continue
		}
		why := difference{raw, r.home, code, got, want}.reason()
		differences[why]++
		if why == "" {
			if failed++; failed <= 20 {
				t.Errorf("%s %q: %v %s, the library has %v", region, raw, got, code, want)
			}
		}
	}
	t.Logf("%d numbers, %d valid", *oracleNumbers, valid)
	for why, n := range differences {
		t.Logf("%d: %s", n, why)
	}
	if valid < *oracleNumbers/3 {
		t.Errorf("%d of %d numbers are valid, want at least a third", valid, *oracleNumbers)
	}
}

// regionNames are all regions with numbers of their own, in order.
func regionNames() []string {
	var names []string
	for name := range phonenumbers.GetSupportedRegions() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

var kinds = []phonenumbers.PhoneNumberType{
	phonenumbers.FIXED_LINE, phonenumbers.MOBILE, phonenumbers.TOLL_FREE, phonenumbers.PREMIUM_RATE, phonenumbers.SHARED_COST,
	phonenumbers.VOIP, phonenumbers.PERSONAL_NUMBER, phonenumbers.PAGER, phonenumbers.UAN, phonenumbers.VOICEMAIL,
}

// madeUp gives a number as somebody in the region may write it.
func madeUp(random *rand.Rand, region string) string {
	code := fmt.Sprint(phonenumbers.GetCountryCodeForRegion(region))
	if random.IntN(8) == 0 {
		return []string{"", "+" + code, "+", "00", code}[random.IntN(5)] + digits(random, 1+random.IntN(18))
	}
	n := phonenumbers.GetExampleNumberForType(region, kinds[random.IntN(len(kinds))])
	if n == nil {
		n = phonenumbers.GetExampleNumber(region)
	}
	national := []byte(phonenumbers.GetNationalSignificantNumber(n))
	for range random.IntN(4) {
		national = changed(random, national)
	}
	prefix := phonenumbers.GetNddPrefixForRegion(region, true)
	switch random.IntN(8) {
	case 0:
		return string(national)
	case 1:
		return prefix + string(national)
	case 2:
		return code + string(national)
	case 3:
		return "00" + code + string(national)
	case 4:
		return "+" + code + prefix + string(national)
	case 5:
		return phonenumbers.Format(n, phonenumbers.NATIONAL)
	case 6:
		return phonenumbers.Format(n, phonenumbers.INTERNATIONAL)
	}
	return "+" + code + string(national)
}

// changed exchanges, adds or removes a digit, or exchanges the last ones.
func changed(random *rand.Rand, national []byte) []byte {
	at := random.IntN(len(national))
	switch random.IntN(6) {
	case 0:
		national[at] = digits(random, 1)[0]
	case 1:
		return slices.Insert(national, at, digits(random, 1)[0])
	case 2:
		if len(national) > 2 {
			return slices.Delete(national, at, at+1)
		}
	default:
		keep := min(len(national), 1+random.IntN(4))
		return append(national[:keep:keep], digits(random, len(national)-keep)...)
	}
	return national
}

func digits(random *rand.Rand, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = byte('0' + random.IntN(10))
	}
	return string(text)
}
