package jsruntime

import (
	"math/bits"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

func appendHead(dst []byte, budget time.Duration, op string) []byte {
	dst = append(dst, budgetHead...)
	dst = strconv.AppendInt(dst, budget.Milliseconds(), 10)
	return appendMember(append(dst, ','), "op", op)
}

func appendComma(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

func appendMember(dst []byte, name, text string) []byte {
	dst = append(dst, '"')
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	return appendText(dst, text)
}

func appendFlag(dst []byte, name string, set bool) []byte {
	if !set {
		return dst
	}
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	return append(dst, `":true`...)
}

func appendNumber(dst []byte, name string, n int) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return strconv.AppendInt(dst, int64(n), 10)
}

// appendPart appends the index of a column of a many-to-one field, or -1 for any other field.
func appendPart(dst []byte, part int, manyToOne bool) []byte {
	if !manyToOne {
		part = -1
	}
	return appendNumber(dst, "part", part)
}

func appendLimit(dst []byte, limit int) []byte {
	if limit == 0 {
		return dst
	}
	return appendNumber(dst, "limit", limit)
}

func appendNames(dst []byte, names []string) []byte {
	dst = append(dst, '[')
	for i, name := range names {
		dst = appendText(appendComma(dst, i), name)
	}
	return append(dst, ']')
}

func appendAbout(dst, about []byte) []byte {
	dst = append(dst, `,"about":`...)
	if len(about) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, about...)
}

func appendNewIDs(dst []byte, start string, next int) []byte {
	return appendNumber(appendMember(append(dst, ','), "newIds", start), "nextId", next)
}

// appendText appends text as a JSON string. Each invalid UTF-8 byte becomes U+FFFD.
func appendText[T string | []byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	from := 0
	for i := verbatimLength(text, highBits); i < len(text); i += verbatimLength(text[i:], highBits) {
		b := text[i]
		if b >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))])); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, text[from:i]...)
		dst = appendEscape(dst, b)
		i++
		from = i
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, b byte) []byte {
	const digits = "0123456789abcdef"
	switch {
	case b == '"' || b == '\\':
		return append(dst, '\\', b)
	case b == '\n':
		return append(dst, `\n`...)
	case b >= utf8.RuneSelf:
		return append(dst, "\uFFFD"...)
	default:
		return append(dst, '\\', 'u', '0', '0', digits[b>>4], digits[b&15])
	}
}

func (r *Rows) append(dst []byte) []byte {
	dst = appendNumber(dst, "rows", r.Count)
	dst = append(dst, `,"first":`...)
	dst = strconv.AppendInt(dst, r.First, 10)
	if r.Indexes != nil {
		dst = append(dst, `,"indexes":[`...)
		for i, index := range r.Indexes {
			dst = strconv.AppendInt(appendComma(dst, i), index, 10)
		}
		dst = append(dst, ']')
	}
	if r.IDs != nil {
		dst = appendNames(append(dst, `,"ids":`...), r.IDs)
	}
	dst = append(dst, `,"columns":[`...)
	for i, column := range r.Columns {
		dst = appendComma(dst, i)
		if column == nil {
			dst = append(dst, '0')
			continue
		}
		dst = column.append(dst)
	}
	return append(dst, ']')
}

func (c *Column) append(dst []byte) []byte {
	if c.Kept {
		return strconv.AppendInt(dst, int64(len(c.Parts))+1, 10)
	}
	if c.Parts != nil {
		dst = append(dst, `{"parts":[`...)
		for i := range c.Parts {
			dst = c.Parts[i].append(appendComma(dst, i))
		}
		return append(dst, "]}"...)
	}
	dst = c.Value.append(append(dst, `{"value":`...))
	if c.Result != nil {
		dst = c.Result.append(append(dst, `,"result":`...))
	}
	dst = appendFlag(dst, "lists", c.Value.hasLists() || c.Result != nil && c.Result.hasLists())
	if len(c.Infos) > 0 {
		dst = appendInfos(append(dst, `,"infos":`...), c.Infos)
	}
	if len(c.Options) > 0 {
		dst = appendOptions(append(dst, `,"options":`...), c.Options)
	}
	return append(dst, '}')
}

func (c *Cells) hasLists() bool {
	for _, kind := range c.Kinds {
		if kind == ValueList {
			return true
		}
	}
	return false
}

func (c *Cells) count() int {
	switch {
	case c.To > 0:
		return c.To - c.From
	case c.Texts == nil:
		return 0
	}
	return c.Texts.Len()
}

// cellAt returns the text and kind of cell i, counted from the first row of the call.
func (c *Cells) cellAt(i int) (text []byte, kind ValueKind) {
	kind = ValueText
	if c.Kinds != nil {
		kind = c.Kinds[i]
	}
	return c.Texts.At(c.From + i), kind
}

func (c *Cells) append(dst []byte) []byte {
	dst = append(dst, '[')
	for i := range c.count() {
		dst = appendComma(dst, i)
		switch text, kind := c.cellAt(i); kind {
		case ValueText:
			dst = appendText(dst, text)
		case ValueNull:
			dst = append(dst, "null"...)
		default:
			dst = append(dst, text...)
		}
	}
	return append(dst, ']')
}

func appendInfos(dst []byte, cells []CellInfos) []byte {
	dst = append(dst, '[')
	for i, cell := range cells {
		dst = strconv.AppendInt(appendComma(dst, i), int64(cell.Row), 10)
		dst = append(dst, ",["...)
		for j, info := range cell.Infos {
			dst = appendMember(append(appendComma(dst, j), '{'), "message", info.Message)
			dst = append(appendMember(append(dst, ','), "level", info.Level.String()), '}')
		}
		dst = append(dst, ']')
	}
	return append(dst, ']')
}

func appendOptions(dst []byte, cells []CellOptions) []byte {
	dst = append(dst, '[')
	for i, cell := range cells {
		dst = strconv.AppendInt(appendComma(dst, i), int64(cell.Row), 10)
		dst = append(dst, ",["...)
		for j, option := range cell.Options {
			dst = appendOption(appendComma(dst, j), option)
		}
		dst = append(dst, ']')
	}
	return append(dst, ']')
}

func appendOption(dst []byte, option intray.SelectOption) []byte {
	dst = appendMember(append(dst, '{'), "label", option.Label)
	dst = appendMember(append(dst, ','), "value", option.Value)
	if len(option.AlternateMatches) > 0 {
		dst = appendNames(append(dst, `,"alternateMatches":`...), option.AlternateMatches)
	}
	return append(dst, '}')
}

// The functions below process eight bytes at a time. They mark a byte by setting its high bit.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x80 * lowBits
)

// markSpecialBytes marks the bytes that must be escaped in a JSON string: quotes, backslashes
// and control characters. Bytes after the first marked byte may be marked incorrectly.
func markSpecialBytes(word uint64) uint64 {
	quotes, slashes := word^'"'*lowBits, word^'\\'*lowBits
	return ((word - ' '*lowBits) | (quotes - lowBits) | (slashes - lowBits)) & ^word & highBits
}

// verbatimLength returns the number of bytes at the start of a JSON string that need no
// escape. It also stops at bytes that have any of the bits in stops: highBits stops at
// non-ASCII bytes, and 0 does not.
func verbatimLength[T string | []byte](text T, stops uint64) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		word := loadWord(text, i)
		if marks := markSpecialBytes(word) | word&stops; marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	for i < len(text) && isVerbatim(text[i]) && uint64(text[i])&stops == 0 {
		i++
	}
	return i
}

func isASCII[T string | []byte](text T) bool {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if loadWord(text, i)&highBits != 0 {
			return false
		}
	}
	for ; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isVerbatim(b byte) bool { return b >= ' ' && b != '"' && b != '\\' }

// loadWord returns the eight bytes at offset i as a little-endian word.
func loadWord[T string | []byte](text T, i int) uint64 {
	eight := text[i : i+8]
	return uint64(eight[0]) | uint64(eight[1])<<8 | uint64(eight[2])<<16 | uint64(eight[3])<<24 |
		uint64(eight[4])<<32 | uint64(eight[5])<<40 | uint64(eight[6])<<48 | uint64(eight[7])<<56
}
