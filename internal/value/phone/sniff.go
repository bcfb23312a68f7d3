package phone

import "github.com/intraydata/intray"

// Habit is how a column writes the numbers of the configured country that are
// valid with their first digits as the calling code and without.
type Habit uint8

// The habits.
const (
	// NoHabit is not known; such numbers are a problem.
	NoHabit Habit = iota
	// WithCode: the calling code stands there without its plus.
	WithCode
	// WithoutCode: the area code stands there without the national prefix.
	WithoutCode
)

var habitNames = [...]string{"unknown", "with-code", "without-code"}

// String names the habit.
func (h Habit) String() string { return habitNames[h] }

// ParseHabit reads what String wrote.
func ParseHabit(name string) (Habit, bool) {
	for i, n := range habitNames {
		if n == name {
			return Habit(i), true
		}
	}
	return NoHabit, false
}

// way is how one number of the configured country is written without a plus.
type way uint8

// Coded numbers begin with the calling code, prefixed ones with the national
// prefix, bareNational ones with neither. Others tell nothing.
const (
	coded way = iota + 1
	prefixed
	bareNational
)

// Survey takes the cells of a column and finds its habit. The zero Survey is
// empty and ready. It is for one goroutine.
type Survey struct {
	// counts are the numbers that are read, by their way; open are those with two
	// readings.
	counts  [bareNational + 1]int64
	open    int64
	example string
}

// Doubtful says whether any number that the reader takes can have two readings:
// a national number must be longer than another one by the calling code.
func (r *Reader) Doubtful() bool {
	return r.home != nil && r.home.trunk != "" && r.home.lengths&(r.home.lengths<<(len(r.home.plan.text)-1)) != 0
}

// Observe takes the next cell of a column.
func (r *Reader) Observe(s *Survey, raw []byte) {
	var w written
	if r.home == nil || !w.scan(raw) && w.clean(raw) != Read {
		return
	}
	var n number
	plain := Reader{home: r.home}
	switch p := n.read(&plain, w.digits[:w.count], w.plus); p.Code {
	case Read:
		s.counts[n.way]++
	case TwoReadings:
		if s.open == 0 {
			s.example = string(raw)
		}
		s.open++
	}
}

const (
	// outvoted is how many times as many cells as those that contradict it a habit
	// needs, and perTell how many cells may depend on one that tells.
	outvoted = 20
	perTell  = 20
)

// Decide finds the habit, and says why. It is none where no number depends on it.
//
// Where national numbers have their prefix, one without it begins with the calling
// code.
func (s *Survey) Decide() (Habit, intray.Message) {
	if s.open == 0 {
		return NoHabit, intray.Message{}
	}
	code, bare := s.counts[coded]+s.counts[prefixed], s.counts[bareNational]
	switch {
	case code*perTell >= s.open && code >= outvoted*bare && code > 0:
		return WithCode, intray.NewMessage("phone.begin_with_country_code", intray.Params{
			"example": s.example, "n": s.open, "count": code, "against": bare,
		})
	case bare*perTell >= s.open && bare >= outvoted*code && bare > 0:
		return WithoutCode, intray.NewMessage("phone.begin_with_area_code", intray.Params{
			"example": s.example, "n": s.open, "count": bare, "against": code,
		})
	}
	return NoHabit, intray.Message{}
}

// With gives a reader that reads a column of this habit.
func (r *Reader) With(h Habit) *Reader {
	with := *r
	with.habit = h
	return &with
}
