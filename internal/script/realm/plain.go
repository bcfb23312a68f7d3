package realm

// Eight bytes are looked at together: each mark stands in the high bit of its byte.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// marks sets the high bit of bytes that cannot stand in a JSON text as they are:
// quotes, backslashes and control characters. Behind the first one there may be
// others that are none.
func marks(word uint64) uint64 {
	quotes, slashes := word^'"'*ones, word^'\\'*ones
	return ((word - ' '*ones) | (quotes - ones) | (slashes - ones)) & ^word & highs
}

// verbatim counts the bytes at the start of a JSON text that stand for themselves. It
// stops as well at bytes that have one of the bits of stops in each byte: highs for
// what is not ASCII, 0 for no others.
func verbatim[T string | []byte](text T, stops uint64) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if word := wordAt(text, i); marks(word)|word&stops != 0 {
			break
		}
	}
	for i < len(text) && isVerbatim(text[i]) && uint64(text[i])&stops == 0 {
		i++
	}
	return i
}

func isVerbatim(b byte) bool { return b >= ' ' && b != '"' && b != '\\' }

// wordAt puts eight bytes into one word, the first lowest.
func wordAt[T string | []byte](text T, i int) uint64 {
	eight := text[i : i+8]
	return uint64(eight[0]) | uint64(eight[1])<<8 | uint64(eight[2])<<16 | uint64(eight[3])<<24 |
		uint64(eight[4])<<32 | uint64(eight[5])<<40 | uint64(eight[6])<<48 | uint64(eight[7])<<56
}
