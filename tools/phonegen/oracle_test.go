package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nyaruka/phonenumbers"

	"github.com/intraydata/intray/celltype/phone"
)

// oracleNumbers is the number of phone numbers that are compared with the library.
var oracleNumbers = flag.Int("phones", 20_000, "numbers to compare with libphonenumber")

// TestGeneratedFiles checks that the files in package phone are those that the program
// generates from the library.
func TestGeneratedFiles(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "testdata"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeFiles(folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plans.bin", "testdata/regions.tsv"} {
		want, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("../../celltype/phone", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("celltype/phone/%s has %d bytes and differs from the %d that the metadata yield; run go generate there", name, len(got), len(want))
		}
	}
}

// These are the reasons why package phone and the library may differ.
const (
	unknownCode = "after a plus without a known calling code the library reads the digits as a national number; package phone reports a problem"
	zeroPrefix  = "00 is read as the plus if the digits are no number otherwise"
	twoReadings = "a number that is valid with its calling code and without is a problem"
	argentina   = "the module writes Argentine mobile numbers in their national form without the area code; Java's libphonenumber has it (011 15-2345-6789)"
	sharedPlan  = "a number that belongs to a shared plan alone is read in all its countries"
	plainPrefix = "if the transform rule yields no number, only the national prefix is cut"
	unstable    = "a number that the library itself does not read again after its calling code is not valid"
)

// forms contains the formats of a number. All are empty if the number is invalid.
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

func newReader(t testing.TB, c phone.Config) *phone.Reader {
	t.Helper()
	r, err := phone.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// byReaders returns the formats that package phone writes. Package phone does not write numbers
// of other countries in the national format, but the library does. For such numbers, byReaders
// returns the library's national format.
func byReaders(t *testing.T, raw, region string) (forms, phone.Code) {
	var out [3]string
	var code phone.Code
	for i, c := range []phone.Config{{Country: region}, {Country: region, Formatted: true}, {Country: region, Format: "national", Formatted: true}} {
		text, p := newReader(t, c).Append(nil, []byte(raw))
		if p.Code == phone.OtherCountry {
			n, _ := phonenumbers.Parse(raw, region)
			text = []byte(phonenumbers.Format(n, phonenumbers.NATIONAL))
		} else {
			code = p.Code
		}
		out[i] = string(text)
	}
	return forms{out[0], out[1], out[2]}, code
}

// difference is a number for which package phone and the library disagree.
type difference struct {
	raw, region string
	code        phone.Code
	got, want   forms
}

// reason returns the reason why a difference is intended, or "".
func (d difference) reason(metadata map[string]*phonenumbers.PhoneMetadata) string {
	switch {
	case d.code == phone.UnknownCode:
		return unknownCode
	case d.code == phone.TwoReadings && d.differsAs("+"+d.raw):
		return twoReadings
	case d.code == phone.Read && d.want == (forms{}):
		return d.reasonToRead(metadata[d.region])
	case d.code == phone.NotValid && byLibrary(d.want.e164, "").e164 != d.want.e164:
		return unstable
	}
	alike := d.got.e164 == d.want.e164 && d.got.international == d.want.international
	if alike && strings.HasPrefix(d.want.national, "09 15-") {
		return argentina
	}
	return ""
}

// differsAs reports whether the library parses both the cell and raw, but as different numbers.
func (d difference) differsAs(raw string) bool {
	second := byLibrary(raw, "")
	return d.want.e164 != "" && second.e164 != "" && second.e164 != d.want.e164
}

// reasonToRead returns the reason why package phone accepts a number that the library rejects.
func (d difference) reasonToRead(home *phonenumbers.PhoneMetadata) string {
	main := phonenumbers.GetRegionCodeForCountryCode(int(home.GetCountryCode()))
	switch {
	case strings.HasPrefix(d.raw, "00") && byLibrary("+"+d.raw[2:], "").e164 == d.got.e164:
		return zeroPrefix
	case main != d.region && byLibrary(d.raw, main).e164 == d.got.e164:
		return sharedPlan
	case home.GetNationalPrefixTransformRule() != "" && strings.HasPrefix(d.raw, home.GetNationalPrefix()):
		return plainPrefix
	}
	return ""
}

// TestOracle checks that package phone returns the same verdicts and formats as the library,
// except for intended differences. For each region, it compares the example numbers, modified
// example numbers and random digits.
func TestOracle(t *testing.T) {
	collection, err := phonenumbers.MetadataCollection()
	if err != nil {
		t.Fatal(err)
	}
	metadata := map[string]*phonenumbers.PhoneMetadata{}
	for _, m := range collection.GetMetadata() {
		metadata[m.GetId()] = m
	}
	random := rand.New(rand.NewPCG(1, 2))
	regions := regionNames()
	differences, valid, failed := map[string]int{}, 0, 0
	for i := range *oracleNumbers {
		region := regions[i%len(regions)]
		raw := randomNumber(random, region)
		want := byLibrary(raw, region)
		got, code := byReaders(t, raw, region)
		if want.e164 != "" {
			valid++
		}
		if got == want {
			continue
		}
		why := difference{raw, region, code, got, want}.reason(metadata)
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

// TestReadersReadTheirOutput checks that each reader reads its own output as the same
// number, in every country and format.
func TestReadersReadTheirOutput(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	regions := regionNames()
	failed, read := map[string]int{}, 0
	for i := range *oracleNumbers / 4 {
		region := regions[i%len(regions)]
		for _, c := range []phone.Config{
			{Country: region}, {Country: region, Formatted: true},
			{Country: region, Format: "national"}, {Country: region, Format: "national", Formatted: true},
		} {
			r := newReader(t, c)
			raw := randomNumber(random, region)
			first, p := r.Append(nil, []byte(raw))
			if p.Code != phone.Read {
				continue
			}
			read++
			if again, p := r.Append(nil, first); string(again) != string(first) || p.Code != phone.Read {
				failed[c.Format+c.Country]++
				if failed[c.Format+c.Country] <= 2 {
					t.Errorf("%+v %q: %q, which is read as %q %s", c, raw, first, again, p.Code)
				}
			}
		}
	}
	t.Logf("%d numbers read twice", read)
	if read < *oracleNumbers/4 {
		t.Errorf("%d of %d numbers read", read, *oracleNumbers)
	}
}

// regionNames returns all regions that have their own numbers, sorted by name.
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

// randomNumber returns a random number in a format that people in the region may use.
func randomNumber(random *rand.Rand, region string) string {
	code := fmt.Sprint(phonenumbers.GetCountryCodeForRegion(region))
	if random.IntN(8) == 0 {
		return []string{"", "+" + code, "+", "00", code}[random.IntN(5)] + randomDigits(random, 1+random.IntN(18))
	}
	n := phonenumbers.GetExampleNumberForType(region, kinds[random.IntN(len(kinds))])
	if n == nil {
		n = phonenumbers.GetExampleNumber(region)
	}
	national := []byte(phonenumbers.GetNationalSignificantNumber(n))
	for range random.IntN(4) {
		national = modified(random, national)
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

// modified replaces, adds or removes a digit, or replaces the last digits.
func modified(random *rand.Rand, national []byte) []byte {
	at := random.IntN(len(national))
	switch random.IntN(6) {
	case 0:
		national[at] = randomDigits(random, 1)[0]
	case 1:
		return slices.Insert(national, at, randomDigits(random, 1)[0])
	case 2:
		if len(national) > 2 {
			return slices.Delete(national, at, at+1)
		}
	default:
		keep := min(len(national), 1+random.IntN(4))
		return append(national[:keep:keep], randomDigits(random, len(national)-keep)...)
	}
	return national
}

func randomDigits(random *rand.Rand, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = byte('0' + random.IntN(10))
	}
	return string(text)
}

// examples yields the library's valid example numbers of every region and kind.
func examples(yield func(region string, n *phonenumbers.PhoneNumber) bool) {
	for _, region := range regionNames() {
		for _, kind := range kinds {
			n := phonenumbers.GetExampleNumberForType(region, kind)
			if n != nil && phonenumbers.IsValidNumber(n) && !yield(region, n) {
				return
			}
		}
	}
}

// TestExamples checks that every example number can be read in all its international formats.
func TestExamples(t *testing.T) {
	count := 0
	for region, n := range examples {
		count++
		want := phonenumbers.Format(n, phonenumbers.E164)
		for _, form := range []phonenumbers.PhoneNumberFormat{phonenumbers.E164, phonenumbers.INTERNATIONAL, phonenumbers.RFC3966} {
			raw := phonenumbers.Format(n, form)
			for _, country := range []string{region, ""} {
				if got, p := newReader(t, phone.Config{Country: country}).Append(nil, []byte(raw)); string(got) != want {
					t.Errorf("%s %q in country %q: %q %s, want %s", region, raw, country, got, p.Code, want)
				}
			}
		}
	}
	if count < 1000 {
		t.Errorf("%d examples, want at least 1000", count)
	}
}

// TestNationalExamples checks that every example number can be read in its own country, in
// the library's national format and as plain digits.
func TestNationalExamples(t *testing.T) {
	for region, n := range examples {
		want := phonenumbers.Format(n, phonenumbers.E164)
		r := newReader(t, phone.Config{Country: region})
		digits, _ := newReader(t, phone.Config{Country: region, Format: "national"}).Append(nil, []byte(want))
		for _, raw := range []string{phonenumbers.Format(n, phonenumbers.NATIONAL), string(digits)} {
			if region == "AR" && strings.HasPrefix(raw, "09 15-") {
				continue // the module drops the area code
			}
			if got, p := r.Append(nil, []byte(raw)); string(got) != want {
				t.Errorf("%s %q: %q %s, want %s", region, raw, got, p.Code, want)
			}
		}
	}
}

// BenchmarkLibrary measures how long the library takes to parse, validate and format a number.
// It reports the ratio of this time to the time of package phone.
func BenchmarkLibrary(b *testing.B) {
	r := newReader(b, phone.Config{Country: "DE"})
	cells := []string{"089 123456", "089/1234567", "0171 2345678", "+49 89 1234567", "0049 30 1234567", "030-12345678"}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		n, err := phonenumbers.Parse(cells[i%len(cells)], "DE")
		if err == nil && phonenumbers.IsValidNumber(n) {
			phonenumbers.Format(n, phonenumbers.E164)
		}
	}
	b.StopTimer()
	dst, start := make([]byte, 0, 64), time.Now()
	for i := range 10 * b.N {
		dst, _ = r.Append(dst[:0], []byte(cells[i%len(cells)]))
	}
	b.ReportMetric(10*float64(b.Elapsed())/float64(time.Since(start)), "times")
}
