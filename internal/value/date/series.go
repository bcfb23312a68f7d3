package date

import "github.com/intraydata/intray"

// series watches whether the days of a column follow each other in one order of
// reading.
type series struct {
	last Date
	// changes counts the steps between different days.
	changes int64
	// A step of days or of months that is always the same; 0 where there is none.
	days, months int
	irregular    bool
	rises, falls bool
	// yearChanges counts the steps between different years.
	yearChanges int64
}

// add takes the next day. The zero Date is a cell that means no day: after it
// nothing is regular.
func (s *series) add(d Date) {
	if d.IsZero() {
		s.irregular, s.rises, s.falls = true, true, true
		return
	}
	last := s.last
	s.last = d
	if last.IsZero() || last == d {
		s.irregular = s.irregular || last == d
		return
	}
	days := d.number() - last.number()
	months := 0
	if d.Day == last.Day {
		months = 12*(int(d.Year)-int(last.Year)) + int(d.Month) - int(last.Month)
	}
	if s.changes == 0 {
		s.days, s.months = days, months
	}
	s.step(days, months)
	if d.Year != last.Year {
		s.yearChanges++
	}
}

func (s *series) step(days, months int) {
	s.changes++
	if days != s.days {
		s.days = 0
	}
	if months != s.months {
		s.months = 0
	}
	if days > 0 {
		s.rises = true
	} else {
		s.falls = true
	}
}

// regular says whether all steps are the same number of days or months.
func (s *series) regular() bool {
	return !s.irregular && s.changes >= 3 && (s.days != 0 || s.months != 0)
}

// ordered says whether the days only rise, or only fall, often enough that it is
// no accident.
func (s *series) ordered() bool { return s.changes >= 7 && s.rises != s.falls }

// message says what the steps of a regular series are.
func (s *series) message() intray.Message {
	if s.months != 0 {
		return intray.NewMessage("count.months", intray.Params{"n": abs(s.months)})
	}
	return intray.NewMessage("count.days", intray.Params{"n": abs(s.days)})
}

func abs(n int) int { return max(n, -n) }
