package phone

import "github.com/intraydata/intray"

// Convention is the notation that a column uses for ambiguous numbers of the configured country.
// A number is ambiguous if it is valid whether or not its first digits are the calling code.
type Convention uint8

// These are the conventions.
const (
	// NoConvention: the notation is unknown, and ambiguous numbers are a problem.
	NoConvention Convention = iota
	// WithCode: the numbers have a calling code without the plus sign.
	WithCode
	// WithoutCode: the numbers have an area code without the national prefix.
	WithoutCode
)

var conventionNames = [...]string{"unknown", "with-code", "without-code"}

// String returns the name of the convention.
func (h Convention) String() string { return conventionNames[h] }

// ParseConvention returns the convention with this name. It reports false if there is none.
func ParseConvention(name string) (Convention, bool) {
	for i, n := range conventionNames {
		if n == name {
			return Convention(i), true
		}
	}
	return NoConvention, false
}

// notation describes how a number of the configured country starts if it has no plus sign.
type notation uint8

// A number can start with the calling code, with the national prefix or with
// neither. Any other notation is not evidence.
const (
	notationCode notation = iota + 1
	notationPrefix
	notationBare
)

// Sniffer observes the cells of a column and decides on its convention. The
// zero Sniffer is ready to use. It is not safe for concurrent use.
type Sniffer struct {
	// counts counts the numbers that were read, indexed by their notation. open
	// counts the ambiguous numbers.
	counts  [notationBare + 1]int64
	open    int64
	example string
}

// HasAmbiguous reports whether any number can be ambiguous. That is possible only if the lengths
// of two national numbers differ by the length of the calling code.
func (r *Reader) HasAmbiguous() bool {
	return r.home != nil && r.home.trunkPrefix != "" && r.home.lengths&(r.home.lengths<<(len(r.home.plan.text)-1)) != 0
}

// Observe observes the next cell of a column.
func (r *Reader) Observe(s *Sniffer, raw []byte) {
	var w scannedCell
	if r.home == nil || !w.scan(raw) && w.cleanAndScan(raw) != Read {
		return
	}
	var n number
	plain := Reader{home: r.home}
	switch p := n.read(&plain, w.digits[:w.count], w.plus); p.Code {
	case Read:
		s.counts[n.notation]++
	case TwoReadings:
		if s.open == 0 {
			s.example = string(raw)
		}
		s.open++
	}
}

const (
	// minWinRatio is the minimum number of cells that support a convention per
	// cell that contradicts it. maxOpenPerDecisive is the maximum number of
	// ambiguous cells that one decisive cell decides.
	minWinRatio        = 20
	maxOpenPerDecisive = 20
)

// Decide decides on the convention and returns the reason. It returns NoConvention if the cells
// do not decide it, or if there are no ambiguous numbers.
//
// If the national numbers in a column have their prefix, a number without it
// starts with the calling code.
func (s *Sniffer) Decide() (Convention, intray.Message) {
	if s.open == 0 {
		return NoConvention, intray.Message{}
	}
	code, bare := s.counts[notationCode]+s.counts[notationPrefix], s.counts[notationBare]
	switch {
	case code*maxOpenPerDecisive >= s.open && code >= minWinRatio*bare && code > 0:
		return WithCode, intray.NewMessage("phone.begin_with_country_code", intray.Params{
			"example": s.example, "n": s.open, "count": code, "against": bare,
		})
	case bare*maxOpenPerDecisive >= s.open && bare >= minWinRatio*code && bare > 0:
		return WithoutCode, intray.NewMessage("phone.begin_with_area_code", intray.Params{
			"example": s.example, "n": s.open, "count": bare, "against": code,
		})
	}
	return NoConvention, intray.Message{}
}

// WithConvention returns a reader for a column that uses this convention.
func (r *Reader) WithConvention(h Convention) *Reader {
	with := *r
	with.convention = h
	return &with
}
