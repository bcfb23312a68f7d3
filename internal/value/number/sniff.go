package number

import "slices"

// Survey takes the cells of one column and decides its style. Its memory is
// bounded whatever it is given: about 4 KB. The zero Survey is empty and ready.
// It is for one goroutine. Numbers that a workbook has typed need no style and
// are not for it.
type Survey struct {
	cells, unread, dashes int64
	// tells counts the cells that fit only one decimal sign, by that sign and by
	// why; open those that fit both.
	tells [2][reasons]tally
	open  [2]tally
	// openZeros are open cells that end with a zero.
	openZeros [2]int64
	// groups counts the cells whose thousands are certainly separated, by sign.
	groups [4]tally
	// small and large are whole numbers without any sign, below 1000 and from
	// there on.
	small, large int64

	percent, perMille, parentheses, behind int64
	currencies                             [512]uint32
	// tellMarks are the currencies of the cells that tell a decimal sign, by that
	// sign; openMarks those of the cells that fit both.
	tellMarks [2]markSet
	openMarks markSet
}

// tally counts cells and keeps some of them.
type tally struct {
	cells    int64
	examples [3]string
}

// Kinds of evidence for a decimal sign.
const (
	// byLength: other than three digits stand behind the sign.
	byLength = iota
	// byBoth: the other sign stands before it.
	byBoth
	// byRepeat: the other sign stands in the cell more than once.
	byRepeat
	// byWhole: what stands before it cannot be the beginning of thousands.
	byWhole
	// bySpaces: another sign separates the thousands before it.
	bySpaces
	reasons
)

// index is the place of Point and Comma in arrays.
func index(decimal Sign) int {
	if decimal == Comma {
		return 1
	}
	return 0
}

// groupSigns are the signs of Survey.groups.
var groupSigns = [4]Sign{Point, Comma, Space, Apostrophe}

const maxExample = 40

func (t *tally) add(raw []byte) {
	if t.cells < int64(len(t.examples)) && len(raw) <= maxExample {
		t.keep(string(raw))
	}
	t.cells++
}

// keep takes an example, unless it is there already.
func (t *tally) keep(cell string) {
	for i, e := range t.examples {
		if e == cell {
			return
		}
		if e == "" {
			t.examples[i] = cell
			return
		}
	}
}

// some are the examples there are.
func (t *tally) some() []string {
	if end := slices.Index(t.examples[:], ""); end >= 0 {
		return t.examples[:end]
	}
	return t.examples[:]
}

// Observe takes the next cell. Blank cells count for nothing.
func (s *Survey) Observe(raw []byte) {
	if s.observePlain(raw) {
		return
	}
	if len(raw) > usual {
		var room fullRoom
		s.observeCell(raw, &cell{digits: room.digits[:], seps: room.seps[:]})
		return
	}
	var room usualRoom
	s.observeCell(raw, &cell{digits: room.digits[:], seps: room.seps[:]})
}

func (s *Survey) observeCell(raw []byte, c *cell) {
	c.scan(raw)
	switch c.reading.Reason {
	case Empty:
		return
	case Dash:
		s.dashes++
	case Read:
		s.observe(c, trimBlank(raw))
	default:
		s.unread++
	}
	s.cells++
}

// observePlain takes what most cells are: digits, or digits with a sign that has
// other than three digits behind it.
func (s *Survey) observePlain(raw []byte) bool {
	i, at := 0, -1
	if len(raw) > 0 && raw[0] == '-' {
		i = 1
	}
	start := i
	for ; i < len(raw); i++ {
		if c := raw[i]; c-'0' > 9 {
			if at >= 0 || c != '.' && c != ',' {
				return false
			}
			at = i
		}
	}
	if at < 0 && i > start && i < maxPlaces {
		s.cells++
		s.whole(i - start)
		return true
	}
	if at <= start || i-at == 4 || i-at == 1 || i > maxPlaces {
		return false
	}
	s.cells++
	s.tells[index(Sign(raw[at]))][byLength].add(raw)
	return true
}

func (s *Survey) whole(digits int) {
	if digits <= 3 {
		s.small++
	} else {
		s.large++
	}
}

// observe takes a cell whose parts are numbers.
func (s *Survey) observe(c *cell, raw []byte) {
	atPoint, point := c.fits(Point)
	atComma, comma := c.fits(Comma)
	if !point && !comma {
		s.unread++
		return
	}
	s.around(c)
	if point && comma && atPoint != atComma {
		s.leave(c, raw)
		return
	}
	s.group(c, point, raw)
	switch {
	case point && comma:
		if c.k == 0 && !c.hasExponent {
			s.whole(c.n)
		}
	case point:
		s.tell(c, Point, atPoint, raw)
	default:
		s.tell(c, Comma, atComma, raw)
	}
}

// leave counts a cell that fits both decimal signs.
func (s *Survey) leave(c *cell, raw []byte) {
	i := index(c.seps[0].sign)
	s.open[i].add(raw)
	s.openMarks.add(c.reading.Currency)
	if c.digits[c.n-1] == '0' {
		s.openZeros[i]++
	}
}

// tell counts a cell that fits only where decimal stands before the fraction.
func (s *Survey) tell(c *cell, decimal Sign, whole int, raw []byte) {
	last := c.seps[c.k-1]
	why := byWhole
	switch {
	case last.sign == arabicDecimal:
		return // another way to write than the one in question
	case last.sign != decimal:
		why = byRepeat
	case c.k > 1 && c.seps[0].sign == decimal.opposite():
		why = byBoth
	case c.n == whole:
		return // nothing behind the sign
	case c.n-whole != 3:
		why = byLength
	case c.k > 1:
		why = bySpaces
	}
	s.tells[index(decimal)][why].add(raw)
	s.tellMarks[index(decimal)].add(c.reading.Currency)
}

// group counts the sign between the thousands, where there is one.
func (s *Survey) group(c *cell, point bool, raw []byte) {
	if c.k == 0 {
		return
	}
	first, decimal := c.seps[0].sign, Comma
	if point {
		decimal = Point
	}
	if i := slices.Index(groupSigns[:], first); i >= 0 && first != decimal {
		s.groups[i].add(raw)
	}
}

// around counts what stands around the digits.
func (s *Survey) around(c *cell) {
	switch c.reading.Shift {
	case 2:
		s.percent++
	case 3:
		s.perMille++
	}
	if c.open {
		s.parentheses++
	}
	if c.trailing {
		s.behind++
	}
	if mark := c.reading.Currency; mark != 0 && int(mark) < len(s.currencies) {
		s.currencies[mark] = min(s.currencies[mark], 1<<32-2) + 1
	}
}
