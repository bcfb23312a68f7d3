package csv

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/intraydata/intray"
)

// slowBoundaries is a simple model of boundaryScanner that reads one byte at a time.
func slowBoundaries(text []byte, delim, quote byte) (found []int, fine bool) {
	if quote == noQuote {
		quote = 0
	}
	ends := func(at int) bool { return text[at] == delim || text[at] == '\n' || text[at] == '\r' }
	for at := 0; at < len(text); at++ {
		if text[at] == quote {
			if at = slowClosingQuote(text, at+1, quote); at < 0 || at < len(text) && !ends(at) {
				return nil, false
			}
		}
		for at < len(text) && !ends(at) {
			if text[at] == quote {
				return nil, false
			}
			at++
		}
		if at < len(text) {
			found = append(found, at)
		}
		if at+1 < len(text) && text[at] == '\r' && text[at+1] == '\n' {
			at++
		}
	}
	return found, true
}

// slowClosingQuote returns the offset after the quote that closes a cell.
func slowClosingQuote(text []byte, at int, quote byte) int {
	for ; at < len(text); at++ {
		if text[at] != quote {
			continue
		}
		if at++; at == len(text) || text[at] != quote {
			return at
		}
	}
	return notFound
}

// scanBoundaries returns the ends of all cells that boundaryScanner finds. It checks where they start,
// which of them are quoted, and the number of empty cells.
func scanBoundaries(t *testing.T, text []byte, delim, quote byte) (found []int, fine bool) {
	t.Helper()
	s := newBoundaryScanner(text, delim, quote)
	cells := make([]intray.Span, len(text)+blockBytes)
	n := 0
	for s.at < len(text) {
		if n, fine = s.next(cells[:n+blockBytes], n); !fine {
			return nil, false
		}
	}
	from, empty := 0, 0
	var quoted []int
	for i, cell := range cells[:n] {
		to := int(uint32(cell))
		if int(cell>>32) != from {
			t.Fatalf("%q: a cell starts at %d, want %d", text, cell>>32, from)
		}
		if from > 0 && text[from-1] == '\r' && text[from] == '\n' {
			from++
		}
		if from == to {
			empty++
		}
		if text[from] == quote && quote != noQuote {
			quoted = append(quoted, i)
		}
		found = append(found, to)
		from = to + 1
	}
	if s.inside != 0 {
		return nil, false
	}
	if diff := cmp.Diff(quoted, s.quotedCells, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%q: quoted cells (-want +got):\n%s", text, diff)
	}
	if s.empty != empty {
		t.Fatalf("%q: %d empty cells, want %d", text, s.empty, empty)
	}
	return found, true
}

func checkBoundaries(t *testing.T, text []byte, delim, quote byte) {
	t.Helper()
	want, whole := slowBoundaries(text, delim, quote)
	got, fine := scanBoundaries(t, text, delim, quote)
	if fine != whole {
		t.Fatalf("%q with %q and %q: fine %v, want %v", text, delim, quote, fine, whole)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); fine && diff != "" {
		t.Fatalf("%q with %q and %q (-want +got):\n%s", text, delim, quote, diff)
	}
}

var boundaryTexts = []string{
	"a,b\n\"c,\"\"\",d\r\n\"e\nf\",g\n", "\"\"\n\"\"\"\"\n", "a,\"b\"x\n", "a\"b\"\n", "\r\r\n\n,\r,\n", "\"a\r\n,\",\r\n",
	"é,日\x80\n", "\xAC,\xA2\"\x8A\n", "\"open\n", "x,\"\"\"\n", ",\"a\"\"b\"\"\",\"\"\n", "\n",
}

// TestBoundaries checks each piece of text at every offset in a block, including offsets at
// which it crosses the end of the block.
func TestBoundaries(t *testing.T) {
	for _, text := range boundaryTexts {
		for lead := range 2*blockBytes + 1 {
			long := strings.Repeat("b", max(lead-1, 0)) + strings.Repeat("\n", min(lead, 1)) + text
			for _, delim := range []byte(",\tb") {
				checkBoundaries(t, []byte(long), delim, '"')
				checkBoundaries(t, []byte(long), delim, noQuote)
			}
		}
		checkBoundaries(t, bytes.Repeat([]byte(text), 3*cellsPerCall/len(text)), ',', '"')
	}
}

// FuzzBoundaries compares the results of boundaryScanner and slowBoundaries.
func FuzzBoundaries(f *testing.F) {
	for _, text := range boundaryTexts {
		f.Add([]byte(text), byte(','), byte('"'), 0)
		f.Add([]byte(text), byte('b'), byte(noQuote), 60)
	}
	f.Fuzz(func(t *testing.T, text []byte, delim, quote byte, lead int) {
		d := dialect{delim: string(rune(delim)), open: `"`, shut: `"`}
		if !d.supportsFastPath() || quote == delim || quote != '\'' && quote != '"' && quote != noQuote || bytes.IndexByte(text, 0) >= 0 || lead < 0 || lead > 4*blockBytes {
			t.Skip()
		}
		text = append([]byte(strings.Repeat("a\n", lead/2+1)[:lead/2*2]), text...)
		checkBoundaries(t, append(text, '\n'), delim, quote)
	})
}

// TestPlain checks which text fastParser accepts, and the number of lines that it returns.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		name, text string
		lines      int64
		plain      bool
	}{
		{"bare", "1,2,3\n4,,6\n", 2, true},
		{"quoted", "\"1\",\"2\"\"\",\"a\nb\r\nc\"\n\"\",\"\",\"\"\r\n4,5,6\r", 5, true},
		{"a blank line", "1,2,3\n\n4,5,6\n", 0, false},
		{"a cell too few", "1,2,3\n4,5\n", 0, false},
		{"a cell too many", "1,2,3\n4,5,6,7\n", 0, false},
		{"mostly empty", "1,2,3\n4,,\n", 0, false},
		{"the header again", "1,2,3\nid,5,6\n", 0, false},
		{"no end", "1,2,3\n4,5,6", 0, false},
		{"an open quote", "1,2,3\n4,5,\"6\n", 0, false},
		{"a quote in a cell", "1,2\",3\n", 0, false},
		{"text after a quote", "1,\"2\"x,3\n", 0, false},
		{"no text", "1,\xFF,3\n", 0, false},
		{"a byte 0", "1,\x00,3\n", 0, false},
		{"too many", strings.Repeat("1,2,3\n", 11), 0, false},
		{"as many as may be", strings.Repeat("1,2,3\n", 10), 10, true},
	} {
		s := &sheet{dialect: dialect{delim: ",", open: `"`, shut: `"`}, width: 3, header: [][]byte{[]byte("id")}}
		var batch intray.Records
		if lines, plain := newFastParser(s).read([]byte(c.text), 10, &batch); plain != c.plain || lines != c.lines {
			t.Errorf("%s: plain %v with %d lines, want %v with %d", c.name, plain, lines, c.plain, c.lines)
		}
	}
	for delim, want := range map[string]bool{",": true, "a": true, "||": false, "\n": false, "\r": false, "\x00": false, `"`: false, "\xA4": false} {
		if d := (dialect{delim: delim, open: `"`, shut: `"`}); d.supportsFastPath() != want {
			t.Errorf("the dialect of %q is plain: %v", delim, !want)
		}
	}
}
