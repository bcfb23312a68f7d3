package number

import "slices"

// Sniffer observes the cells of one column and decides on its style. It uses a fixed amount of
// memory, about 4 KB. The zero Sniffer is ready to use. It is not safe for concurrent use. Do
// not pass it numbers that a workbook stores as numbers: they need no style.
type Sniffer struct {
	cells, unread, dashes int64
	// decisive counts the cells that fit only one decimal sign, indexed by that
	// sign and by the reason. open counts the cells that fit both signs.
	decisive [2][reasonCount]cellTally
	open     [2]cellTally
	// openZeros counts the open cells that end with a zero.
	openZeros [2]int64
	// groups counts the cells with an unambiguous thousands separator, indexed by separator.
	groups [4]cellTally
	// small and large count integers without separators: those below 1000, and all others.
	small, large int64

	percent, perMille, parentheses, trailingMinus int64
	currencies                                    [512]uint32
	// decisiveMarks are the currencies of the decisive cells, indexed by
	// decimal sign. openMarks are those of the open cells.
	decisiveMarks [2]currencySet
	openMarks     currencySet
}

// cellTally counts cells and stores some of them as examples.
type cellTally struct {
	cells    int64
	examples [3]string
}

// These are the reasons for a decimal sign.
const (
	// reasonLength: the number of digits after the sign is not three.
	reasonLength = iota
	// reasonBoth: the other sign occurs before it.
	reasonBoth
	// reasonRepeat: the other sign occurs more than once.
	reasonRepeat
	// reasonWhole: the digits before it cannot be the start of grouped thousands.
	reasonWhole
	// reasonSpaces: a different separator divides the thousands before it.
	reasonSpaces
	reasonCount
)

// signIndex returns the array index of Point or Comma.
func signIndex(decimal Sign) int {
	if decimal == Comma {
		return 1
	}
	return 0
}

// groupSigns are the signs by which Sniffer.groups is indexed.
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

// exampleList returns the examples.
func (t *cellTally) exampleList() []string {
	if end := slices.Index(t.examples[:], ""); end >= 0 {
		return t.examples[:end]
	}
	return t.examples[:]
}

// Observe observes the next cell. It ignores blank cells.
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

// observePlain counts a cell in the most common format: digits, or digits with a point or comma
// that is not followed by exactly three digits. It reports false for any other cell.
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

// observeNumber counts a cell that scan was able to read.
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

// countDecisive counts a cell that fits only the given decimal sign.
func (s *Sniffer) countDecisive(c *cell, decimal Sign, whole int, raw []byte) {
	last := c.seps[c.sepCount-1]
	why := reasonWhole
	switch {
	case last.sign == arabicDecimal:
		return // a notation other than the one in question
	case last.sign != decimal:
		why = reasonRepeat
	case c.sepCount > 1 && c.seps[0].sign == decimal.opposite():
		why = reasonBoth
	case c.digitCount == whole:
		return // nothing follows the sign
	case c.digitCount-whole != 3:
		why = reasonLength
	case c.sepCount > 1:
		why = reasonSpaces
	}
	s.decisive[signIndex(decimal)][why].addCell(raw)
	s.decisiveMarks[signIndex(decimal)].add(c.reading.Currency)
}

// countAffixes counts the marks before and after the digits.
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
