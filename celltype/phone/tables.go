package phone

import (
	_ "embed" // the tables
	"math/bits"
)

//go:generate go -C ../../tools run ./phonegen ../celltype/phone

//go:embed plans.bin
var plansFile string

// These are the sizes, in bytes, of the records in the sections of the file
// that tools/phonegen writes.
const (
	branchSize      = 22
	leafSize        = 4
	outcomeSize     = 10
	layoutSize      = 32
	planSize        = 6
	regionSize      = 24
	instructionSize = 8
	ruleSize        = 8
	// leafBit is set in references to leaves and not set in references to branches.
	leafBit = 0x8000
)

// tables holds the sections of the file. The small sections are decoded.
type tables struct {
	branches, leaves, chains, outcomes, layouts, programs, rules string
	plans                                                        []plan
	regions                                                      []region
	// codes holds, for each calling code, the index of its plan plus 1, and 0 for all other
	// numbers.
	codes [1000]uint8
}

// plan is the numbering plan of one calling code.
type plan struct {
	code int
	// text is the calling code with the plus sign.
	text string
	root uint16
	// main is the region whose rules apply if no country is configured. shared
	// reports whether other regions share the plan.
	main   *region
	shared bool
}

// region is a country or territory, with the rules for reading its numbers.
type region struct {
	name string
	plan *plan
	// lengths has bit n set if a national number can have n digits. local has
	// bit n set if a number of n digits can be dialed only locally.
	lengths, local uint32
	// general is the bit of the region in outcome.general.
	general uint32
	// internationalPrefix and nationalPrefix are the programs of the prefixes.
	// groups and transformRule belong to the national prefix.
	internationalPrefix, nationalPrefix program
	groups                              int
	transformRule                       string
	// trunkPrefix is the national prefix as it is written, or "" if there is none.
	trunkPrefix string
}

// outcome is the information in the tables about a national number.
type outcome struct {
	general                 uint32
	valid                   bool
	national, international uint16
}

var metadata = parseTables(plansFile)

func parseTables(rest string) *tables {
	t := &tables{}
	var plans, regions string
	for _, section := range []*string{&t.branches, &t.leaves, &t.chains, &t.outcomes, &t.layouts, &plans, &regions, &t.programs, &t.rules} {
		size := readUint32(rest, 0)
		*section, rest = rest[4:4+size], rest[4+size:]
	}
	t.plans = make([]plan, len(plans)/planSize)
	t.regions = make([]region, len(regions)/regionSize)
	for i := range t.plans {
		record := plans[i*planSize:]
		t.plans[i] = newPlan(record, &t.regions[readUint16(record, 4)])
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
	p := plan{code: int(readUint16(record, 0)), root: readUint16(record, 2), main: main}
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
		plan:    &t.plans[t.codes[readUint16(record, 12)]-1],
		lengths: readUint32(record, 4), local: readUint32(record, 8),
		general:             1 << record[14],
		internationalPrefix: t.program(readUint16(record, 16)),
		nationalPrefix:      t.program(readUint16(record, 18)),
		groups:              int(record[15]),
		transformRule:       t.ruleText(readUint16(record, 20)),
		trunkPrefix:         t.ruleText(readUint16(record, 22)),
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

// byName returns the region with the given two-letter code, or nil.
func (t *tables) byName(name string) *region {
	for i := range t.regions {
		if t.regions[i].name == name && len(name) == 2 {
			return &t.regions[i]
		}
	}
	return nil
}

// planOf returns the plan for the calling code at the start of digits, and the
// remaining digits. No calling code is a prefix of another.
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

// outcome looks up the digits in the graph of the plan.
func (p *plan) outcome(digits []byte) outcome {
	at, branches := p.root, metadata.branches
	for i, digit := range digits {
		if at&leafBit != 0 {
			return metadata.leafOutcome(at, len(digits)-i)
		}
		at = readUint16(branches, int(at)*branchSize+int(digit-'0')*2)
	}
	if at&leafBit != 0 {
		return metadata.leafOutcome(at, 0)
	}
	return metadata.outcome(readUint16(metadata.branches, int(at)*branchSize+20))
}

// leafOutcome returns the outcome at a leaf if the given number of digits is left.
func (t *tables) leafOutcome(at uint16, left int) outcome {
	record := int(at&^leafBit) * leafSize
	if left >= int(t.leaves[record+2]) {
		return outcome{}
	}
	return t.outcome(readUint16(t.chains, (int(readUint16(t.leaves, record))+left)*2))
}

func (t *tables) outcome(id uint16) outcome {
	at := int(id) * outcomeSize
	return outcome{
		general:  readUint32(t.outcomes, at),
		valid:    t.outcomes[at+4] != 0,
		national: readUint16(t.outcomes, at+6), international: readUint16(t.outcomes, at+8),
	}
}

// layout returns a formatting pattern: x is a digit to write, ! is a digit to drop, and all
// other characters are literals. It returns "" if only the digits are written.
func (t *tables) layout(id uint16) string {
	at := int(id) * layoutSize
	return t.layouts[at+1 : at+1+int(t.layouts[at])]
}

// lengthFit describes whether the length of a national number is valid in a region.
type lengthFit uint8

const (
	lengthFits lengthFit = iota
	lengthTooShort
	lengthTooLong
	// lengthImpossible is a length between valid ones that no number has.
	lengthImpossible
	// lengthLocalOnly is the length of a number that can be dialed only locally.
	lengthLocalOnly
)

// noNumbersBit is set for regions that have no numbers.
const noNumbersBit = 1 << 31

func (r *region) fitLength(length int) lengthFit {
	bit := uint32(1) << length
	switch {
	case r.lengths&noNumbersBit != 0:
		return lengthImpossible
	case r.local&bit != 0:
		return lengthLocalOnly
	case r.lengths&bit != 0:
		return lengthFits
	case length < bits.TrailingZeros32(r.lengths):
		return lengthTooShort
	case length >= bits.Len32(r.lengths):
		return lengthTooLong
	}
	return lengthImpossible
}

// matchesRegion reports whether the general pattern of a region matches the number.
func (o outcome) matchesRegion(r *region) bool { return o.general&r.general != 0 }

func readUint16(s string, at int) uint16 { return uint16(s[at]) | uint16(s[at+1])<<8 }

func readUint32(s string, at int) uint32 {
	return uint32(readUint16(s, at)) | uint32(readUint16(s, at+2))<<16
}
