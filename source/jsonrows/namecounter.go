package jsonrows

import (
	"fmt"

	"github.com/intraydata/intray"
)

const (
	// maxOpenNames is the maximum number of names in an object, including the names read so far in
	// the objects around it. The decoder stores these names to find duplicates.
	maxOpenNames = 1 << 19
	// uncountedBytes is the length of a value, in bytes, up to which its names are not counted.
	// Most values are shorter, and cannot have enough names to use much memory.
	uncountedBytes = 1 << 20
	// maxCountedDepth is the nesting depth beyond which names are not counted. The decoder rejects
	// such values.
	maxCountedDepth = 10_000
)

func tooManyNames() intray.Message {
	return intray.NewMessage("json_file.too_many_names", intray.Params{"limit": maxOpenNames})
}

// nameCounter counts the names of the objects that are open in a JSON value. It accepts any text
// and counts a name for each colon outside strings.
type nameCounter struct {
	// value is the offset of the value and end the offset after its counted bytes.
	value, end int64
	// open holds the number of names of each open object or array, and total is their sum.
	open              []int
	total             int
	inString, escaped bool
}

// reset prepares for the value at the given offset.
func (c *nameCounter) reset(value int64) {
	*c = nameCounter{value: value, end: value, open: append(c.open[:0], 0)}
}

// add counts the names in the next bytes of the value.
func (c *nameCounter) add(text []byte) {
	c.end += int64(len(text))
	for _, b := range text {
		switch {
		case c.escaped:
			c.escaped = false
		case c.inString:
			c.inString, c.escaped = b != '"', b == '\\'
		case b == '"':
			c.inString = true
		case b == ':':
			c.open[len(c.open)-1]++
			c.total++
		case (b == '{' || b == '[') && len(c.open) < maxCountedDepth:
			c.open = append(c.open, 0)
		case (b == '}' || b == ']') && len(c.open) > 1:
			c.total -= c.open[len(c.open)-1]
			c.open = c.open[:len(c.open)-1]
		}
	}
}

// countNames counts the names in the bytes that were just passed to the decoder. The first call for
// a value reads the earlier bytes of the value from the file again. It returns errTooManyNames if
// the value exceeds maxOpenNames.
func (g *limitedReader) countNames(passed []byte) error {
	c := &g.names
	if c.value != g.value || len(c.open) == 0 {
		c.reset(g.value)
	}
	before := g.passed - int64(len(passed))
	for chunk := make([]byte, min(64<<10, max(before-c.end, 0))); c.end < before; {
		chunk = chunk[:min(int64(len(chunk)), before-c.end)]
		if err := readFullAt(g.in, chunk, g.start+c.end); err != nil {
			return fmt.Errorf("count names: %w", err)
		}
		c.add(chunk)
	}
	if c.add(passed); c.total > maxOpenNames {
		return errTooManyNames
	}
	return nil
}
