package number

import "bytes"

// appendUsual appends the number of a cell that is digits with their signs, and
// refuses all else.
func (s Style) appendUsual(dst, raw []byte) (out []byte, ok bool) {
	if out, ok = appendPlain(dst, raw, s.Decimal); ok {
		return out, true
	}
	return s.appendGrouped(dst, raw)
}

// euro is the mark that most often stands behind a number.
var euro, _ = FindCurrency("€")

// cutMark cuts a currency before the number, or a euro sign behind it, with a
// blank between them. The mark is none where there is neither.
func cutMark(raw []byte) (bare []byte, mark Currency) {
	if len(raw) < 2 || raw[0]-'0' <= 9 {
		bare, found := bytes.CutSuffix(raw, []byte("€"))
		if !found {
			return raw, 0
		}
		return bytes.TrimSuffix(bare, []byte(" ")), euro
	}
	mark, size := markAt(raw, true)
	return bytes.TrimPrefix(raw[size:], []byte(" ")), mark
}

// appendGrouped appends the number of a cell whose thousands are separated, such
// as 1,234.50, where the style leaves no doubt of its signs. It refuses all else.
func (s Style) appendGrouped(dst, raw []byte) (out []byte, ok bool) {
	group := s.Decimal.opposite()
	if s.Decimal == Undecided || s.Group != Undecided && s.Group != group || len(raw) < 5 || len(raw) > maxZeros {
		return dst, false
	}
	from, i := len(dst), 0
	if raw[0] == '-' {
		i = 1
	}
	n := digitRun(raw[i:])
	if n == 0 || n > 3 || raw[i] == '0' || i+n == len(raw) || raw[i+n] != byte(group) {
		return dst, false
	}
	i += n
	out = append(dst, raw[:i]...)
	for i < len(raw) && raw[i] == byte(group) {
		if i+4 > len(raw) || digitRun(raw[i+1:i+4]) < 3 {
			return out[:from], false
		}
		out = append(out, raw[i+1:i+4]...)
		i += 4
	}
	if i == len(raw) {
		return out, true
	}
	return appendFraction(out, raw[i:], s.Decimal, from)
}

// appendFraction appends the decimal sign with the digits that are the rest of a
// cell, less the zeros at their end. Where the rest is none it cuts out at from.
func appendFraction(out, rest []byte, decimal Sign, from int) ([]byte, bool) {
	if rest[0] != byte(decimal) || len(rest) == 1 || digitRun(rest[1:]) < len(rest)-1 {
		return out[:from], false
	}
	end := len(rest)
	for rest[end-1] == '0' {
		end--
	}
	if end > 1 {
		out = append(append(out, '.'), rest[1:end]...)
	}
	return out, true
}
