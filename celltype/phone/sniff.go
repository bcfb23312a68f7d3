package phone

import "github.com/intraydata/intray"

// Convention is how a column writes the numbers of the configured country that are
// valid with their first digits as the calling code and without.
type Convention uint8

// The habits.
const (
	// NoConvention is not known; such numbers are a problem.
	NoConvention Convention = iota
	// WithCode: the calling code stands there without its plus.
	WithCode
	// WithoutCode: the area code stands there without the national prefix.
	WithoutCode
)

var conventionNames = [...]string{"unknown", "with-code", "without-code"}

// String names the habit.
func (h Convention) String() string { return conventionNames[h] }

// ParseConvention reads what String wrote.
func ParseConvention(name string) (Convention, bool) {
	for i, n := range conventionNames {
		if n == name {
			return Convention(i), true
		}
	}
	return NoConvention, false
}

// notation is how one number of the configured country is written without a plus.
type notation uint8

// Coded numbers begin with the calling code, prefixed ones with the national
// prefix, notationBare ones with neither. Others tell nothing.
const (
	notationCode notation = iota + 1
	notationPrefix
	notationBare
)

// Sniffer takes the cells of a column and finds its habit. The zero Survey is
// empty and ready. It is for one goroutine.
type Sniffer struct {
	// counts are the numbers that are read, by their way; open are those with two
	// readings.
	counts  [notationBare + 1]int64
	open    int64
	example string
}

// HasAmbiguous says whether any number that the reader takes can have two readings:
// a national number must be longer than another one by the calling code.
func (r *Reader) HasAmbiguous() bool {
	return r.home != nil && r.home.trunkPrefix != "" && r.home.lengths&(r.home.lengths<<(len(r.home.plan.text)-1)) != 0
}

// Observe takes the next cell of a column.
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
	// minWinRatio is how many times as many cells as those that contradict it a habit
	// needs, and maxOpenPerDecisive how many cells may depend on one that tells.
	minWinRatio        = 20
	maxOpenPerDecisive = 20
)

// Decide finds the habit, and says why. It is none where no number depends on it.
//
// Where national numbers have their prefix, one without it begins with the calling
// code.
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

// WithConvention gives a reader that reads a column of this habit.
func (r *Reader) WithConvention(h Convention) *Reader {
	with := *r
	with.convention = h
	return &with
}
