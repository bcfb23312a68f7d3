package main

import (
	"fmt"
	"testing"

	"github.com/nyaruka/phonenumbers"
)

// absent is a kind of number that does not exist in a region.
var absent = &phonenumbers.PhoneNumberDesc{NationalNumberPattern: new("NA"), PossibleLength: []int32{-1}}

// made returns a region whose numbers are all of one kind.
func made(id, lead, numbers string, lengths ...int32) *phonenumbers.PhoneMetadata {
	general := &phonenumbers.PhoneNumberDesc{NationalNumberPattern: new(numbers), PossibleLength: lengths}
	m := &phonenumbers.PhoneMetadata{
		Id: new(id), CountryCode: new(int32(99)), GeneralDesc: general, FixedLine: general, Mobile: absent, TollFree: absent, PremiumRate: absent,
		SharedCost: absent, Voip: absent, PersonalNumber: absent, Pager: absent, Uan: absent, Voicemail: absent,
	}
	if lead != "" {
		m.LeadingDigits = new(lead)
	}
	return m
}

// shared returns a plan of two regions. The first digits identify the second region.
func shared() plan {
	main := made("AA", "", `[1-8]\d{3,5}`, 4, 6)
	main.NumberFormat = []*phonenumbers.NumberFormat{format(`(\d{2})(\d{2})`, "$1 $2", "0$1"), format(`(\d{3})(\d{3})`, "$1-$2", "")}
	main.NumberFormat[0].LeadingDigitsPattern = []string{"1", "12"}
	return plan{99, []*phonenumbers.PhoneMetadata{main, made("BB", "9", `9\d{3}`, 4)}}
}

func TestOutcomes(t *testing.T) {
	r, err := newRules(shared())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		number string
		want   outcome
	}{
		{"1234", outcome{general: 1, region: 1, national: "0xx xx", international: "xx xx"}},
		{"1334", outcome{general: 1, region: 1}},
		{"123456", outcome{general: 1, region: 1, national: "xxx-xxx", international: "xxx-xxx"}},
		{"12345", outcome{general: 1}},
		{"9123", outcome{general: 2, region: 2}},
		{"912", outcome{}},
		{"", outcome{}},
	} {
		at := r.set.start()
		for _, digit := range c.number {
			at = r.set.nextStates(at, int(digit-'0'))
		}
		if got := r.outcome(at, len(c.number)); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.number, got, c.want)
		}
	}
}

// TestGraph checks that the graph and the rules return the same outcome for short numbers.
func TestGraph(t *testing.T) {
	r, err := newRules(shared())
	if err != nil {
		t.Fatal(err)
	}
	g := newGraph()
	root, err := g.addPlan(r)
	if err != nil {
		t.Fatal(err)
	}
	for number := range 2000 {
		for _, tail := range []string{"", "0", "55", "9999"} {
			digits := fmt.Sprint(number) + tail
			at, ref := r.set.start(), root
			for _, digit := range digits {
				at = r.set.nextStates(at, int(digit-'0'))
				ref = g.next(ref, int(digit-'0'))
			}
			if got, want := g.end(ref), r.outcome(at, len(digits)); got != want {
				t.Fatalf("%s: %+v, want %+v", digits, got, want)
			}
		}
	}
	if len(g.branches) == 0 || len(g.branches) > 10 {
		t.Errorf("%d branches, want few", len(g.branches))
	}
}

// next returns the node after a digit. After a leaf, this is the leaf for one digit fewer.
func (g *graph) next(ref uint16, digit int) uint16 {
	if ref&leafBit == 0 {
		return g.branches[ref].next[digit]
	}
	tail := g.leafOutcomes(ref)
	if len(tail) == 0 {
		return ref
	}
	return g.leafID(tail[1:])
}

func (g *graph) end(ref uint16) outcome {
	if ref&leafBit == 0 {
		return g.outcomes[g.branches[ref].outcome]
	}
	if tail := g.leafOutcomes(ref); len(tail) > 0 {
		return g.outcomes[tail[0]]
	}
	return outcome{}
}

func TestLengthBits(t *testing.T) {
	for want, lengths := range map[uint32][]int32{0: nil, 1 << 8: {8}, 1<<7 | 1<<10: {7, 10}, 1 << 31: {-1}} {
		if got := lengthBits(lengths); got != want {
			t.Errorf("%v: %b, want %b", lengths, got, want)
		}
	}
}

// TestManyRegions checks that a plan is rejected if its regions do not fit into an outcome.
func TestManyRegions(t *testing.T) {
	p := shared()
	for range 40 {
		p.regions = append(p.regions, made("CC", "8", `8\d`, 2))
	}
	if err := newTables().addPlan(p); err == nil {
		t.Error("42 regions fit into 32 bits")
	}
}
