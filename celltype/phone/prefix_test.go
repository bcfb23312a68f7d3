package phone

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
)

// TestPrograms checks that the programs of all prefixes match the same digits
// as the regular expressions from which they were compiled.
func TestPrograms(t *testing.T) {
	random, found := rand.New(rand.NewPCG(5, 6)), 0
	for _, l := range libraryRegions(t) {
		r := metadata.byName(l.name)
		if r == nil {
			continue
		}
		found += compare(t, random, r.name, r.internationalPrefix, l.internationalPrefix)
		found += compare(t, random, r.name, r.nationalPrefix, l.nationalPrefix)
	}
	if found < 1000 {
		t.Errorf("%d prefixes found, want at least 1000", found)
	}
}

// compare checks that a program and its regular expression match the same random numbers. It
// returns the number of matches.
func compare(t *testing.T, random *rand.Rand, region string, p program, text string) (matched int) {
	if text == "" {
		if _, found := p.match([]byte("0123456789")); found {
			t.Errorf("%s: no prefix, and one is found", region)
		}
		return 0
	}
	expression := regexp.MustCompile("^(?:" + text + ")")
	starts := []string{"", "0", "00", "011", "1", "8", "90", "9", "011", "01115", "0351"}
	for range 40 {
		number := []byte(starts[random.IntN(len(starts))])
		for range 1 + random.IntN(12) {
			number = append(number, byte('0'+random.IntN(10)))
		}
		var want []int8
		for _, at := range expression.FindSubmatchIndex(number) {
			want = append(want, int8(at))
		}
		m, found := p.match(number)
		if found != (want != nil) || found && !slices.Equal(m[:len(want)], want) {
			t.Errorf("%s %q in %s: %v %v, want %v", region, text, number, found, m, want)
		}
		if found {
			matched++
		}
	}
	return matched
}

func TestExchange(t *testing.T) {
	for _, c := range []struct{ country, raw, want string }{
		{"AR", "0111523456789", "91123456789"},
		{"AR", "0351152345678", "93512345678"},
		{"BR", "01511961234567", "11961234567"},
		{"BB", "2345678", "2462345678"},
		{"BB", "12462345678", "2462345678"},
		{"SM", "886377", "0549886377"},
		{"DE", "089123456", "89123456"},
		{"DE", "89123456", "89123456"},
		{"HU", "0612345678", "12345678"},
		{"ES", "912345678", "912345678"},
	} {
		var space prefixBuffer
		if got, _ := metadata.byName(c.country).cutNationalPrefix([]byte(c.raw), space[:]); string(got) != c.want {
			t.Errorf("%s %s: %s, want %s", c.country, c.raw, got, c.want)
		}
	}
}

func TestAbroad(t *testing.T) {
	for _, c := range []struct {
		country, raw, want string
		found              bool
	}{
		{"DE", "004412", "4412", true},
		{"DE", "000412", "000412", false},
		{"US", "0114989", "4989", true},
		{"US", "004989", "004989", false},
		{"JP", "0104989", "4989", true},
		{"AU", "00114989", "4989", true},
		{"BR", "00154989", "4989", true},
		{"DE", "00", "", true},
		{"DE", "", "", false},
	} {
		got, found := metadata.byName(c.country).cutInternationalPrefix([]byte(c.raw))
		if string(got) != c.want || found != c.found {
			t.Errorf("%s %s: %s %v, want %s %v", c.country, c.raw, got, found, c.want, c.found)
		}
	}
}
