package charset

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// finding is the result of decoding a sample with one encoding: its cost, and the data for
// comparing it with other findings.
type finding struct {
	encoding Encoding
	language string // the message code of the language name
	cost     float64
	page     *codePage
	text     string // the segments, for multi-byte encodings
}

// guessByCost chooses the encoding with the lowest cost for the words with bytes above 127. It
// scores all encodings on the same segments, so the difference between two costs is a
// log-likelihood ratio.
func guessByCost(sample []byte, whole bool) Guess {
	list := segments(sample, whole)
	all := make([]finding, 0, len(candidatePages))
	for _, p := range codePages() {
		cost, t := p.segmentsCost(list)
		all = append(all, finding{encoding: p.encoding, language: t.name, cost: cost, page: p})
	}
	all = append(all, scoreScripts(list)...)
	slices.SortStableFunc(all, func(a, b finding) int {
		switch {
		case a.cost < b.cost:
			return -1
		case a.cost > b.cost:
			return 1
		}
		return 0
	})
	used := usedBytes(sample)
	best, alike, other := splitFindings(all, &used)
	g := Guess{Encoding: best.encoding}
	g.Preview, g.Invalid = preview(sample, best.encoding, whole)
	g.Confidence = confidence(list, best, other, g.Invalid)
	var unlike intray.Message
	if hasControlChars(sample) {
		g.Confidence = min(g.Confidence, 0.2)
		unlike = intray.NewMessage("encoding.not_text", nil)
	}
	g.Reason = intray.JoinMessages(append([]intray.Message{unlike}, reasons(list, best, alike, other, g)...)...)
	second, _ := preview(sample, other.encoding, whole)
	g.Second = &Second{other.encoding, min(g.Confidence, (1-g.Confidence)*0.8), second}
	return g
}

// scoreScripts decodes the segments once with each multi-byte encoding. It scores the text for
// each script that uses the encoding.
func scoreScripts(list []segment) []finding {
	texts := map[string]string{}
	var all []finding
	for _, s := range scripts() {
		for _, r := range s.encodings {
			text, read := texts[r.name]
			if !read {
				text = decodeSegments(list, encodingByName(r.name))
				texts[r.name] = text
			}
			cost := r.penalty
			for line := range strings.Lines(text) {
				cost += s.textCost([]rune(strings.TrimSuffix(line, "\n")))
			}
			all = append(all, finding{encoding: encodingByName(r.name), language: s.name, cost: cost, text: text})
		}
	}
	return all
}

// readsBetterAsScript reports whether a sample that is valid UTF-8 is more plausible in an
// East Asian encoding.
func readsBetterAsScript(sample []byte) bool {
	list := segments(sample, true)
	asUTF8 := math.Inf(1)
	for _, t := range languageModels() {
		cost := 0.0
		for _, s := range list {
			cost += t.textCost(string(s.bytes))
		}
		asUTF8 = min(asUTF8, cost)
	}
	return slices.ContainsFunc(scoreScripts(list), func(f finding) bool { return f.cost < asUTF8 })
}

// decodeSegments decodes the segments to lines of UTF-8. It omits a character that is truncated
// at the end of a segment.
func decodeSegments(list []segment, e Encoding) string {
	var lines bytes.Buffer
	room := make([]byte, maxGrowth*maxSegment+minRoom)
	for _, s := range list {
		d := newDecoder(e)
		n, _, _ := d.decode(room, s.bytes, !s.cut)
		lines.Write(room[:n])
		lines.WriteByte('\n')
	}
	return lines.String()
}

// splitFindings returns the first of the sorted findings, the names of the encodings that decode
// the sample to the same text, and the first finding with different text. If the best finding
// has no control characters or undefined bytes, the finding other has none either.
func splitFindings(all []finding, used *[256]bool) (best finding, alike []string, other finding) {
	best = all[0]
	clean := best.isPossible(used)
	for _, f := range all[1:] {
		switch {
		case f.encoding == best.encoding:
		case best.readsSameAs(f, used):
			alike = append(alike, f.encoding.Name())
		case other.encoding == UTF8 && (!clean || f.isPossible(used)):
			other = f
		}
	}
	return best, alike, other
}

// isPossible reports whether none of the used bytes decodes to a control character or is
// undefined.
func (f finding) isPossible(used *[256]bool) bool {
	if f.page == nil {
		return !strings.Contains(f.text, replacement)
	}
	for b, is := range used {
		if kind := f.page.chars[b].kind; is && (kind == controlSymbol || kind == undefinedByte) {
			return false
		}
	}
	return true
}

// readsSameAs reports whether two encodings decode the sample to the same text.
func (f finding) readsSameAs(g finding, used *[256]bool) bool {
	if f.page == nil || g.page == nil {
		return f.page == nil && g.page == nil && f.text == g.text
	}
	for b, is := range used {
		if is && f.page.chars[b].r != g.page.chars[b].r {
			return false
		}
	}
	return true
}

// confidence returns the confidence in the best finding, from 0 to 1. It increases with the
// lead over the other finding, and with the numbers of bytes and of distinct bytes that the
// two decode differently. Distinct bytes matter because a single misread letter can occur many
// times. The confidence is limited if the text does not resemble a known language.
func confidence(list []segment, best, other finding, invalid int) float64 {
	evidence, size := 0, 0
	different := map[byte]bool{}
	for _, s := range list {
		evidence += best.differences(other, s.bytes, different)
		size += len(s.bytes) + 1
	}
	if best.page == nil && other.page == nil {
		evidence /= 3
	}
	margin := (other.cost - best.cost) * min(1, float64(len(different))/4)
	sure := 1 - 0.5*math.Exp(-margin/5.5)
	most := 0.99 - 0.21/float64(max(evidence, 1))
	switch each := best.cost / float64(size); {
	case each > noTextCost:
		most = min(most, 0.5)
	case each > strangeTextCost:
		most = min(most, 0.85)
	}
	if invalid > 0 {
		most = min(most, 0.85)
	}
	return math.Floor(min(sure, most)*100) / 100
}

// These are costs in nats per byte. Text in a known language costs from 2 to 3.5. Text that
// costs more than strangeTextCost does not resemble any known language, and bytes that cost more
// than noTextCost are not text.
const (
	strangeTextCost = 3.9
	noTextCost      = 4.5
)

// differences returns the number of bytes in text that two encodings decode differently, and
// adds these bytes to the set named which.
func (f finding) differences(g finding, text []byte, which map[byte]bool) int {
	count := 0
	for _, b := range text {
		if b >= 0x80 && (f.page == nil || g.page == nil || f.page.chars[b].r != g.page.chars[b].r) {
			count++
			which[b] = true
		}
	}
	return count
}

// reasons returns messages that describe the evidence for the guess.
func reasons(words []segment, best finding, alike []string, other finding, g Guess) []intray.Message {
	list := []intray.Message{intray.NewMessage("encoding.words", intray.Params{
		"n": len(words), "language": intray.NewMessage(best.language, nil), "encoding": best.encoding.Name(),
	})}
	if len(alike) > 0 {
		list = append(list, intray.NewMessage("encoding.same_text", intray.Params{"encodings": alike[:min(len(alike), 3)]}))
	}
	if g.Confidence < Sure {
		list = append(list, intray.NewMessage("encoding.also_possible", intray.Params{"encoding": other.encoding.Name()}))
	}
	if g.Invalid > 0 {
		list = append(list, intray.NewMessage("encoding.invalid_places", intray.Params{"n": g.Invalid}))
	}
	return list
}

// hasControlChars reports whether a sample has too many control characters to be text.
func hasControlChars(sample []byte) bool {
	controls := 0
	for _, b := range sample {
		if b < 0x20 && b != '\t' && b != '\n' && b != '\r' && b != 0x1b && b != '\f' && b != 0x1a {
			controls++
		}
	}
	return controls*100 > len(sample)
}

// segment is a run of bytes of 0x40 and above that contains a byte above 127: one or more
// words without a comma, space, quote or digit between them. Apart from the digits of
// GB18030, no encoding continues a multi-byte character with a byte below 0x40. Therefore
// all encodings can be compared on the same segments.
type segment struct {
	bytes []byte
	// before and after are the adjacent bytes, or spaces at the edges of the sample.
	before, after byte
	// cut reports whether the segment is truncated by the end of the sample or to maxSegment
	// bytes.
	cut bool
}

// These limit the text that detection examines. More text would not change the result.
const (
	maxSegment  = 1 << 10
	maxSegments = 12 << 10
)

// segments returns the distinct segments of a sample in order. It ignores repetitions, such as
// the repeated values of a column, because they are not additional evidence.
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
	if n := len(list); n > 1 && list[n-1].cut {
		return list[:n-1]
	}
	return list
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

// segmentAround returns the start and end offsets of the segment that contains the byte at i.
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

// digitInside reports whether the byte at i is a digit in a four-byte character of GB18030.
// Such a character consists of a high byte, a digit, a high byte and a digit.
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

// usedBytes returns the set of bytes above 127 in a sample.
func usedBytes(sample []byte) (used [256]bool) {
	for i := 0; i < len(sample); i++ {
		i += asciiPrefix(sample[i:])
		if i < len(sample) {
			used[sample[i]] = true
		}
	}
	return used
}
