package zipfile

import "math/bits"

// entryCode is an entry of a table of codes. Its lowest bits are the length of the code, in bits. The entry
// of a string or distance holds the number of extra bits and the least value. The entry of a byte holds the
// byte as the value. Codes that are longer than the index of the table have an entry that refers to a
// second table: its value is the index of the table, and its extra bits are the bits of the index. The entry
// of an invalid code has the length after which compress/flate reports it.
type entryCode uint32

const (
	lengthMask = 0x1F
	extraShift = 8
	extraMask  = 0xF
	valueShift = 16
	isInvalid  = 1 << 13
	isSubtable = 1 << 14
	isSpecial  = 1 << 15 // a second table, an invalid code or the end of the block
	isLiteral  = 1 << 31

	invalidCode = isSpecial | isInvalid
	maxCodeBits = 15
)

const (
	literalBits  = 11
	literalMask  = 1<<literalBits - 1
	distanceBits = 8
	distanceMask = 1<<distanceBits - 1

	endOfBlock      = 256
	maxLiterals     = 286
	fixedLiterals   = 288
	maxDistances    = 30
	fixedDistances  = 32
	lengthCodeBits  = 7
	lengthCodeCount = 19
)

// The tables have room for second tables of 1 << (maxCodeBits - index bits) entries. Each of them has at
// least two codes.
type (
	literalTable  [1<<literalBits + fixedLiterals/2<<(maxCodeBits-literalBits)]entryCode
	distanceTable [1<<distanceBits + fixedDistances/2<<(maxCodeBits-distanceBits)]entryCode
)

// literalEntries and distanceEntries hold the entry of each symbol, without the length of its code.
var literalEntries, distanceEntries = symbolEntries()

func symbolEntries() (literals [fixedLiterals]entryCode, distances [fixedDistances]entryCode) {
	for i := range endOfBlock {
		literals[i] = isLiteral | entryCode(i)<<valueShift
	}
	literals[endOfBlock] = isSpecial
	least := 3
	for i := endOfBlock + 1; i < maxLiterals-1; i++ {
		extra := max(i-endOfBlock-5, 0) / 4
		literals[i] = entryCode(least)<<valueShift | entryCode(extra)<<extraShift
		least += 1 << extra
	}
	literals[maxLiterals-1] = 258 << valueShift
	literals[maxLiterals], literals[maxLiterals+1] = invalidCode, invalidCode
	least = 1
	for i := range maxDistances {
		extra := max(i-2, 0) / 2
		distances[i] = entryCode(least)<<valueShift | entryCode(extra)<<extraShift
		least += 1 << extra
	}
	distances[maxDistances], distances[maxDistances+1] = invalidCode, invalidCode
	return literals, distances
}

// buildTable fills a table whose index has the given number of bits, from the length of the code of each
// symbol. It returns false if the lengths do not form a code. A code with a single symbol may be
// incomplete, and one without any makes all codes invalid.
func buildTable(table []entryCode, indexBits int, lengths []uint8, entries []entryCode) bool {
	var counts, starts [maxCodeBits + 2]int
	for _, n := range lengths {
		counts[n]++
	}
	counts[0] = 0 // symbols without a code
	code, longest := 0, 0
	for n := 1; n <= maxCodeBits; n++ {
		starts[n+1] = starts[n] + counts[n]
		if counts[n] > 0 {
			code, longest = code<<(n-longest)+counts[n], n
		}
	}
	if code != 1<<longest && (code > 1 || longest > 1) {
		return false
	}
	var sorted [fixedLiterals]uint16 // by the length of the code
	for symbol, n := range lengths {
		if n > 0 {
			sorted[starts[n]] = uint16(symbol)
			starts[n]++
		}
	}
	// A code with at least two symbols replaces these entries.
	table[0] = invalidCode | entryCode(min(longest, 1))
	table[1] = table[0]
	free, prefix, next, code := 1<<indexBits, -1, 0, 0
	subtableBits := max(longest-indexBits, 0)
	for n := 1; n <= max(longest, indexBits); n++ {
		if n > 1 && n <= indexBits { // codes with fewer bits apply regardless of this one
			copy(table[1<<(n-1):1<<n], table[:1<<(n-1)])
		}
		code <<= 1
		for ; counts[n] > 0; counts[n]-- {
			e := entries[sorted[next]] | entryCode(n)
			reversed := int(bits.Reverse16(uint16(code)) >> (16 - n))
			next, code = next+1, code+1
			if n <= indexBits {
				table[reversed] = e
				continue
			}
			if first := reversed & (1<<indexBits - 1); first != prefix { // codes with one prefix are in sequence
				prefix = first
				table[first] = isSpecial | isSubtable | entryCode(free)<<valueShift | entryCode(subtableBits)<<extraShift
				free += 1 << subtableBits
			}
			at := int(table[prefix] >> valueShift)
			for i := reversed >> indexBits; i < 1<<subtableBits; i += 1 << (n - indexBits) {
				table[at+i] = e
			}
		}
	}
	return true
}

// useFixedCodes sets the codes that need no description.
func (d *inflater) useFixedCodes() {
	if d.fixed {
		return
	}
	d.fixed, d.endBits = true, 7
	var lengths [fixedLiterals]uint8
	for i := range lengths {
		switch {
		case i < 144, i >= 280:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		default:
			lengths[i] = 7
		}
	}
	buildTable(d.literals[:], literalBits, lengths[:], literalEntries[:])
	for i := range fixedDistances {
		lengths[i] = 5
	}
	buildTable(d.distances[:], distanceBits, lengths[:fixedDistances], distanceEntries[:])
}

// lengthOrder is the order in which the lengths of the codes of lengths are stored.
var lengthOrder = [lengthCodeCount]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// readCodes reads the codes of a block.
func (d *inflater) readCodes() error {
	header, err := d.take(14)
	if err != nil {
		return err
	}
	literals, distances := int(header&31)+257, int(header>>5&31)+1
	if literals > maxLiterals || distances > maxDistances {
		return d.corrupt()
	}
	var lengths [maxLiterals + maxDistances]uint8
	for _, symbol := range lengthOrder[:header>>10+4] {
		n, err := d.take(3)
		if err != nil {
			return err
		}
		lengths[symbol] = uint8(n)
	}
	var table [1 << lengthCodeBits]entryCode
	var symbols [lengthCodeCount]entryCode
	for i := range symbols {
		symbols[i] = entryCode(i) << valueShift
	}
	if !buildTable(table[:], lengthCodeBits, lengths[:lengthCodeCount], symbols[:]) {
		return d.corrupt()
	}
	all := lengths[:literals+distances]
	d.fixed = false // the tables change
	if err := d.readLengths(&table, all); err != nil {
		return err
	}
	if !buildTable(d.literals[:], literalBits, all[:literals], literalEntries[:]) || !buildTable(d.distances[:], distanceBits, all[literals:], distanceEntries[:]) {
		return d.corrupt()
	}
	d.endBits = uint(all[endOfBlock])
	return nil
}

// readLengths reads the lengths of codes, which are compressed with a code themselves.
func (d *inflater) readLengths(table *[1 << lengthCodeBits]entryCode, lengths []uint8) error {
	for i := 0; i < len(lengths); {
		for d.count < lengthCodeBits && (d.pos < d.end || d.srcErr == nil) {
			if d.pos == d.end {
				d.fill()
				continue
			}
			d.bits |= uint64(d.in[d.pos]) << d.count
			d.pos++
			d.count += 8
		}
		e := table[d.bits&(1<<lengthCodeBits-1)]
		if err := d.check(e, &d.bits, &d.count); err != nil {
			return err
		}
		symbol := uint8(e >> valueShift)
		if symbol < 16 {
			lengths[i] = symbol
			i++
			continue
		}
		value, least, extra := uint8(0), 3, uint(3)
		switch {
		case symbol == 16 && i == 0:
			return d.corrupt()
		case symbol == 16:
			value, extra = lengths[i-1], 2
		case symbol == 18:
			least, extra = 11, 7
		}
		more, err := d.take(extra)
		if err != nil {
			return err
		}
		repeat := least + int(more)
		if i+repeat > len(lengths) {
			return d.corrupt()
		}
		for range repeat {
			lengths[i] = value
			i++
		}
	}
	return nil
}
