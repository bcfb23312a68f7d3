package charset

// segment is a run of bytes of 0x40 and above with a byte above 127 among them:
// a word, or several that no comma, space, quote or digit parts. No encoding
// continues a character of several bytes below 0x40, but for the digits of
// GB18030, so that all encodings can be compared on the same segments.
type segment struct {
	bytes []byte
	// before and after are the bytes beside it, a space at the edges.
	before, after byte
	// cut says that the segment goes on where the sample ends.
	cut bool
}

// Bounds of what detection looks at; beyond them more text changes nothing.
const (
	maxSegment  = 1 << 10
	maxSegments = 12 << 10
)

// segments lists the different segments of a sample, in its order. What
// repeats, as in a column of few values, tells nothing new.
func segments(sample []byte, whole bool) []segment {
	var list []segment
	seen := map[string]bool{}
	total := 0
	for i := 0; i < len(sample) && total < maxSegments; {
		i += asciiPrefix(sample[i:])
		if i == len(sample) {
			break
		}
		start, end := segmentAround(sample, i)
		i = end
		s := makeSegment(sample, start, end, whole)
		if key := string(s.bytes); !seen[key] {
			seen[key] = true
			list = append(list, s)
			total += len(s.bytes)
		}
	}
	return dropCut(list)
}

func makeSegment(sample []byte, start, end int, whole bool) segment {
	s := segment{bytes: sample[start:end], before: ' ', after: ' ', cut: end == len(sample) && !whole}
	if start > 0 {
		s.before = sample[start-1]
	}
	if end < len(sample) {
		s.after = sample[end]
	}
	if len(s.bytes) > maxSegment {
		s.bytes, s.cut = s.bytes[:maxSegment], true
	}
	return s
}

// dropCut leaves out the last segment where it is not whole and others are.
func dropCut(list []segment) []segment {
	if n := len(list); n > 1 && list[n-1].cut {
		return list[:n-1]
	}
	return list
}

// segmentAround finds where the segment around the byte at i begins and ends.
func segmentAround(sample []byte, i int) (start, end int) {
	start = i
	for start > 0 && sample[start-1] >= 0x40 {
		start--
	}
	for end = i + 1; end < len(sample) && (sample[end] >= 0x40 || digitInside(sample, end)); {
		end++
	}
	return start, end
}

// digitInside says whether the byte at i is one of the digits in a character of
// four bytes of GB18030: high, digit, high, digit.
func digitInside(sample []byte, i int) bool {
	if !isDigit(sample[i]) || sample[i-1] < 0x81 {
		return false
	}
	if i+2 < len(sample) && sample[i+1] >= 0x81 && isDigit(sample[i+2]) {
		return true
	}
	return i >= 3 && isDigit(sample[i-2]) && sample[i-3] >= 0x81
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// usedBytes are the bytes above 127 in a sample.
func usedBytes(sample []byte) (used [256]bool) {
	for i := 0; i < len(sample); i++ {
		i += asciiPrefix(sample[i:])
		if i < len(sample) {
			used[sample[i]] = true
		}
	}
	return used
}
