package number

import "slices"

// Sniffer takes the cells of one column and decides its style. Its memory is
// bounded whatever it is given: about 4 KB. The zero Survey is empty and ready.
// It is for one goroutine. Numbers that a workbook has typed need no style and
// are not for it.
type Sniffer struct {
	cells, unread, dashes int64
	// decisive counts the cells that fit only one decimal sign, by that sign and by
	// why; open those that fit both.
	decisive [2][reasonCount]cellTally
	open     [2]cellTally
	// openZeros are open cells that end with a zero.
	openZeros [2]int64
	// groups counts the cells whose thousands are certainly separated, by sign.
	groups [4]cellTally
	// small and large are whole numbers without any sign, below 1000 and from
	// there on.
	small, large int64

	percent, perMille, parentheses, trailingMinus int64
	currencies                                    [512]uint32
	// decisiveMarks are the currencies of the cells that tell a decimal sign, by that
	// sign; openMarks those of the cells that fit both.
	decisiveMarks [2]currencySet
	openMarks     currencySet
}

// cellTally counts cells and keeps some of them.
type cellTally struct {
	cells    int64
	examples [3]string
}

// Kinds of evidence for a decimal sign.
const (
	// reasonLength: other than three digits stand behind the sign.
	reasonLength = iota
	// reasonBoth: the other sign stands before it.
	reasonBoth
	// reasonRepeat: the other sign stands in the cell more than once.
	reasonRepeat
	// reasonWhole: what stands before it cannot be the beginning of thousands.
	reasonWhole
	// reasonSpaces: another sign separates the thousands before it.
	reasonSpaces
	reasonCount
)

// signIndex is the place of Point and Comma in arrays.
func signIndex(decimal Sign) int {
	if decimal == Comma {
		return 1
	}
	return 0
}

// groupSigns are the signs of Survey.groups.
var groupSigns = [4]Sign{Point, Comma, Space, Apostrophe}

const maxExample = 40

func (t *cellTally) addCell(raw []byte) {
	if t.cells < int64(len(t.examples)) && len(raw) <= maxExample {
		list := t.exampleList()
		if cell := string(raw); !slices.Contains(list, cell) {
			t.examples[len(list)] = cell
		}
	}
	t.cells++
}

// exampleList are the examples there are.
func (t *cellTally) exampleList() []string {
	if end := slices.Index(t.examples[:], ""); end >= 0 {
		return t.examples[:end]
	}
	return t.examples[:]
}

// Observe takes the next cell. Blank cells count for nothing.
func (s *Sniffer) Observe(raw []byte) {
	if s.observePlain(raw) {
		return
	}
	if len(raw) > smallCellBytes {
		var room largeBuffer
		s.observeCell(raw, &cell{digits: room.digits[:], seps: room.seps[:]})
		return
	}
	var room smallBuffer
	s.observeCell(raw, &cell{digits: room.digits[:], seps: room.seps[:]})
}

func (s *Sniffer) observeCell(raw []byte, c *cell) {
	c.scan(raw)
	switch c.reading.Reason {
	case Empty:
		return
	case Dash:
		s.dashes++
	case Read:
		s.observeNumber(c, trimBlank(raw))
	default:
		s.unread++
	}
	s.cells++
}

// observePlain takes what most cells are: digits, or digits with a sign that has
// other than three digits behind it.
func (s *Sniffer) observePlain(raw []byte) bool {
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
		s.countInteger(i - start)
		return true
	}
	if at <= start || i-at == 4 || i-at == 1 || i > maxPlaces {
		return false
	}
	s.cells++
	s.decisive[signIndex(Sign(raw[at]))][reasonLength].addCell(raw)
	return true
}

func (s *Sniffer) countInteger(digits int) {
	if digits <= 3 {
		s.small++
	} else {
		s.large++
	}
}

// observeNumber takes a cell whose parts are numbers.
func (s *Sniffer) observeNumber(c *cell, raw []byte) {
	atPoint, point := c.integerDigits(Point)
	atComma, comma := c.integerDigits(Comma)
	if !point && !comma {
		s.unread++
		return
	}
	s.countAffixes(c)
	if point && comma && atPoint != atComma {
		// The cell fits both decimal signs.
		i := signIndex(c.seps[0].sign)
		s.open[i].addCell(raw)
		s.openMarks.add(c.reading.Currency)
		if c.digits[c.digitCount-1] == '0' {
			s.openZeros[i]++
		}
		return
	}
	if c.sepCount > 0 {
		first, decimal := c.seps[0].sign, Comma
		if point {
			decimal = Point
		}
		if i := slices.Index(groupSigns[:], first); i >= 0 && first != decimal {
			s.groups[i].addCell(raw)
		}
	}
	switch {
	case point && comma:
		if c.sepCount == 0 && !c.hasExponent {
			s.countInteger(c.digitCount)
		}
	case point:
		s.countDecisive(c, Point, atPoint, raw)
	default:
		s.countDecisive(c, Comma, atComma, raw)
	}
}

// countDecisive counts a cell that fits only where decimal stands before the fraction.
func (s *Sniffer) countDecisive(c *cell, decimal Sign, whole int, raw []byte) {
	last := c.seps[c.sepCount-1]
	why := reasonWhole
	switch {
	case last.sign == arabicDecimal:
		return // another way to write than the one in question
	case last.sign != decimal:
		why = reasonRepeat
	case c.sepCount > 1 && c.seps[0].sign == decimal.opposite():
		why = reasonBoth
	case c.digitCount == whole:
		return // nothing behind the sign
	case c.digitCount-whole != 3:
		why = reasonLength
	case c.sepCount > 1:
		why = reasonSpaces
	}
	s.decisive[signIndex(decimal)][why].addCell(raw)
	s.decisiveMarks[signIndex(decimal)].add(c.reading.Currency)
}

// countAffixes counts what stands around the digits.
func (s *Sniffer) countAffixes(c *cell) {
	switch c.reading.Shift {
	case 2:
		s.percent++
	case 3:
		s.perMille++
	}
	if c.open {
		s.parentheses++
	}
	if c.trailingSign {
		s.trailingMinus++
	}
	if mark := c.reading.Currency; mark != 0 && int(mark) < len(s.currencies) {
		s.currencies[mark] = min(s.currencies[mark], 1<<32-2) + 1
	}
}
