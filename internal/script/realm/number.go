package realm

import (
	"strconv"
	"time"
)

// integer reads a whole number from least to most.
func (s *scanner) integer(least, most int64) int64 {
	s.peek()
	negative := s.take('-')
	padded := s.at+1 < len(s.raw) && s.raw[s.at] == '0' && isDigit(s.raw[s.at+1])
	n, digits := int64(0), 0
	for s.at < len(s.raw) && digits < 18 && isDigit(s.raw[s.at]) {
		n = n*10 + int64(s.raw[s.at]-'0')
		s.at++
		digits++
	}
	if negative {
		n = -n
	}
	if digits == 0 || padded || n < least || n > most {
		s.fail("a number from %d to %d is missing", least, most)
		return 0
	}
	return n
}

func isDigit(b byte) bool { return b-'0' <= 9 }

// number reads any number and gives its digits.
func (s *scanner) number() string {
	s.peek()
	from := s.at
	s.take('-')
	first := s.at
	if s.digits(); s.at > first+1 && s.raw[first] == '0' {
		s.fail("a number begins with 0")
	}
	if s.follows('.', '.') {
		s.digits()
	}
	if s.follows('e', 'E') {
		s.follows('+', '-')
		s.digits()
	}
	if s.err != nil {
		return ""
	}
	return s.raw[from:s.at]
}

// follows passes over one of two bytes, if it is there.
func (s *scanner) follows(a, b byte) bool {
	if s.at == len(s.raw) || s.raw[s.at] != a && s.raw[s.at] != b {
		return false
	}
	s.at++
	return true
}

func (s *scanner) digits() {
	from := s.at
	for s.at < len(s.raw) && isDigit(s.raw[s.at]) {
		s.at++
	}
	if s.at == from {
		s.fail("a digit is missing")
	}
}

// milliseconds reads a length of time; one that makes no sense is none.
func (s *scanner) milliseconds() time.Duration {
	ms, err := strconv.ParseFloat(s.number(), 64)
	if err != nil || !(ms >= 0 && ms < 1e9) {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}
