package phone

import (
	_ "embed" // the tables
	"math/bits"
)

//go:generate go run generate.go

//go:embed plans.bin
var file string

// The sizes of the records in the sections of the file, as package gen writes
// them.
const (
	branchSize      = 22
	leafSize        = 4
	outcomeSize     = 10
	layoutSize      = 32
	planSize        = 6
	regionSize      = 24
	instructionSize = 8
	ruleSize        = 8
	// leafBit tells a reference to a leaf from one to a branch.
	leafBit = 0x8000
)

// tables are the sections of the file, of which the small ones are unpacked.
type tables struct {
	branches, leaves, chains, outcomes, layouts, programs, rules string
	plans                                                        []plan
	regions                                                      []region
	// codes gives for each calling code the plan, counted from 1.
	codes [1000]uint8
}

// plan is the numbering plan of one calling code.
type plan struct {
	code int
	// text is the code with the plus before it.
	text string
	root uint16
	// main is the region whose rules hold where none is configured. With shared
	// there are others.
	main   *region
	shared bool
}

// region is a country or territory with its rules for reading numbers.
type region struct {
	name string
	plan *plan
	// lengths has the bit n set for each length n of a national number; local
	// for each length that can only be called from nearby.
	lengths, local uint32
	// general is the bit of the region in an outcome.
	general uint32
	// abroad is the program of the international prefix, national that of the
	// national one, with its groups and the rule that it is exchanged by.
	abroad, national program
	groups           int
	rule             string
	// trunk is the national prefix as it is written, "" where there is none.
	trunk string
}

// outcome is what the tables tell of a national number.
type outcome struct {
	general                 uint32
	valid                   bool
	national, international uint16
}

var known = open(file)

func open(rest string) *tables {
	t := &tables{}
	var plans, regions string
	for _, section := range []*string{&t.branches, &t.leaves, &t.chains, &t.outcomes, &t.layouts, &plans, &regions, &t.programs, &t.rules} {
		size := u32(rest, 0)
		*section, rest = rest[4:4+size], rest[4+size:]
	}
	t.plans = make([]plan, len(plans)/planSize)
	t.regions = make([]region, len(regions)/regionSize)
	for i := range t.plans {
		record := plans[i*planSize:]
		t.plans[i] = newPlan(record, &t.regions[u16(record, 4)])
		t.codes[t.plans[i].code] = uint8(i + 1)
	}
	for i := range t.regions {
		r := t.region(regions[i*regionSize:])
		r.plan.shared = r.general > 1
		t.regions[i] = r
	}
	return t
}

func newPlan(record string, main *region) plan {
	p := plan{code: int(u16(record, 0)), root: u16(record, 2), main: main}
	var text [4]byte
	at := len(text)
	for code := p.code; code > 0; code /= 10 {
		at--
		text[at] = byte('0' + code%10)
	}
	at--
	text[at] = '+'
	p.text = string(text[at:])
	return p
}

func (t *tables) region(record string) region {
	r := region{
		name:    record[:3],
		plan:    &t.plans[t.codes[u16(record, 12)]-1],
		lengths: u32(record, 4), local: u32(record, 8),
		general:  1 << record[14],
		abroad:   t.program(u16(record, 16)),
		national: t.program(u16(record, 18)),
		groups:   int(record[15]),
		rule:     t.ruleText(u16(record, 20)),
		trunk:    t.ruleText(u16(record, 22)),
	}
	if r.name[2] == 0 {
		r.name = r.name[:2]
	}
	return r
}

func (t *tables) ruleText(id uint16) string {
	at := int(id) * ruleSize
	return t.rules[at+1 : at+1+int(t.rules[at])]
}

// byName gives the region of two letters.
func (t *tables) byName(name string) *region {
	for i := range t.regions {
		if t.regions[i].name == name && len(name) == 2 {
			return &t.regions[i]
		}
	}
	return nil
}

// planOf gives the plan whose calling code the digits begin with, and the rest.
// No code is the beginning of another.
func (t *tables) planOf(digits []byte) (*plan, []byte) {
	code := 0
	for i := 0; i < len(digits) && i < 3; i++ {
		code = code*10 + int(digits[i]-'0')
		if p := t.codes[code]; p != 0 && digits[0] != '0' {
			return &t.plans[p-1], digits[i+1:]
		}
	}
	return nil, nil
}

// outcome follows the digits through the graph of a plan.
func (p *plan) outcome(digits []byte) outcome {
	at, branches := p.root, known.branches
	for i, digit := range digits {
		if at&leafBit != 0 {
			return known.leaf(at, len(digits)-i)
		}
		at = u16(branches, int(at)*branchSize+int(digit-'0')*2)
	}
	if at&leafBit != 0 {
		return known.leaf(at, 0)
	}
	return known.outcome(u16(known.branches, int(at)*branchSize+20))
}

// leaf gives the outcome at a leaf with some digits left.
func (t *tables) leaf(at uint16, left int) outcome {
	record := int(at&^leafBit) * leafSize
	if left >= int(t.leaves[record+2]) {
		return outcome{}
	}
	return t.outcome(u16(t.chains, (int(u16(t.leaves, record))+left)*2))
}

func (t *tables) outcome(id uint16) outcome {
	at := int(id) * outcomeSize
	return outcome{
		general:  u32(t.outcomes, at),
		valid:    t.outcomes[at+4] != 0,
		national: u16(t.outcomes, at+6), international: u16(t.outcomes, at+8),
	}
}

// layout is the text of a layout: an x for each digit that is written, a ! for
// each that is left out, and what stands between them. It is empty where the
// digits are written alone.
func (t *tables) layout(id uint16) string {
	at := int(id) * layoutSize
	return t.layouts[at+1 : at+1+int(t.layouts[at])]
}

// fit is how the length of a national number fits a region.
type fit uint8

const (
	fits fit = iota
	short
	long
	// uneven is a length between others that no number has.
	uneven
	// nearby is a length that can only be called from nearby.
	nearby
)

// none is the bit for regions that have no numbers at all.
const none = 1 << 31

func (r *region) fit(length int) fit {
	bit := uint32(1) << length
	switch {
	case r.lengths&none != 0:
		return uneven
	case r.local&bit != 0:
		return nearby
	case r.lengths&bit != 0:
		return fits
	case length < bits.TrailingZeros32(r.lengths):
		return short
	case length >= bits.Len32(r.lengths):
		return long
	}
	return uneven
}

// takes says whether the pattern for all numbers of the region takes the digits.
func (r *region) takes(digits []byte) bool { return r.plan.outcome(digits).of(r) }

// of says whether the pattern for all numbers of a region takes the number.
func (o outcome) of(r *region) bool { return o.general&r.general != 0 }

func u16(s string, at int) uint16 { return uint16(s[at]) | uint16(s[at+1])<<8 }

func u32(s string, at int) uint32 { return uint32(u16(s, at)) | uint32(u16(s, at+2))<<16 }
