package phone

import "github.com/intraydata/intray"

// Convention is how a column writes ambiguous numbers of the configured
// country, which are valid both with their first digits as the calling code and
// without.
type Convention uint8

// The conventions.
const (
	// NoConvention is unknown; such numbers are a problem.
	NoConvention Convention = iota
	// WithCode: the numbers have their calling code, without the plus.
	WithCode
	// WithoutCode: the numbers have their area code, without the national
	// prefix.
	WithoutCode
)

var conventionNames = [...]string{"unknown", "with-code", "without-code"}

// String returns the name of the convention.
func (h Convention) String() string { return conventionNames[h] }

// ParseConvention returns the convention with this name.
func ParseConvention(name string) (Convention, bool) {
	for i, n := range conventionNames {
		if n == name {
			return Convention(i), true
		}
	}
	return NoConvention, false
}

// notation is how one number of the configured country is written without a
// plus.
type notation uint8

// Numbers start with the calling code, with the national prefix or with
// neither. Any other notation decides nothing.
const (
	notationCode notation = iota + 1
	notationPrefix
	notationBare
)

// Sniffer observes the cells of a column and decides its convention. The zero
// Sniffer is ready to use. It is not safe for concurrent use.
type Sniffer struct {
	// counts counts the numbers that were read, by their notation; open counts
	// the ambiguous ones.
	counts  [notationBare + 1]int64
	open    int64
	example string
}

// HasAmbiguous reports whether any number can be ambiguous: a national number
// must be longer than another one by the calling code.
func (r *Reader) HasAmbiguous() bool {
	return r.home != nil && r.home.trunkPrefix != "" && r.home.lengths&(r.home.lengths<<(len(r.home.plan.text)-1)) != 0
}

// Observe adds the next cell of a column.
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
	// minWinRatio is how many cells must support a convention per cell that
	// contradicts it, and maxOpenPerDecisive how many cells may depend on one
	// decisive cell.
	minWinRatio        = 20
	maxOpenPerDecisive = 20
)

// Decide decides the convention, with the reason. It returns NoConvention if no
// number depends on it.
//
// If national numbers have their prefix, a number without it starts with the
// calling code.
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

// WithConvention returns a reader for a column with this convention.
func (r *Reader) WithConvention(h Convention) *Reader {
	with := *r
	with.convention = h
	return &with
}
