package bench

import (
	"bufio"
	"bytes"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// content summarizes the lines of a file, regardless of their order, by their number and
// the sum of their hashes.
type content struct {
	Lines int64
	Sum   uint64
}

// lineSeed is the same seed for all files, so that their sums are comparable.
var lineSeed = maphash.MakeSeed()

// contentOf summarizes a result. It ignores the decimal places of numbers such as 5.0, because DuckDB writes
// all numbers of type DOUBLE with them. The order of lines does not matter, because DuckDB writes
// rows in the order in which its threads finish.
func contentOf(t *testing.T, name string) content {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c, err := readContent(file)
	if err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	return c
}

func readContent(from io.Reader) (c content, err error) {
	lines := bufio.NewReaderSize(from, 1<<20)
	var whole []byte
	for {
		line, err := lines.ReadSlice('\n')
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 {
			c.Lines++
			whole = appendWhole(whole[:0], line)
			c.Sum += maphash.Bytes(lineSeed, whole)
		}
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return c, err
		}
	}
}

// appendWhole appends a line without each .0 at the end of a number.
func appendWhole(dst, line []byte) []byte {
	for {
		at := bytes.Index(line, []byte(".0"))
		if at < 0 {
			return append(dst, line...)
		}
		dst = append(dst, line[:at]...)
		rest := line[at+2:]
		if at == 0 || line[at-1] < '0' || line[at-1] > '9' || len(rest) == 0 || rest[0] != ',' && rest[0] != '}' {
			dst = append(dst, ".0"...)
		}
		line = rest
	}
}

func TestContent(t *testing.T) {
	read := func(text string) content {
		c, err := readContent(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if a, b := read("one\ntwo\n"), read("two\none"); a != b || a.Lines != 2 {
		t.Errorf("%+v and %+v for the same lines", a, b)
	}
	if a, b := read(`{"a":5.0,"b":12.0}`), read(`{"a":5,"b":12}`); a != b {
		t.Error("the decimal places of a whole number count")
	}
	for _, other := range []string{`{"a":5.05}`, `{"a":".0","b":1}`} {
		if a, b := read(strings.ReplaceAll(other, ".0", "")), read(other); a == b {
			t.Errorf("%q has the same content without .0", other)
		}
	}
	for _, other := range []string{"one\n", "one\ntwo\ntwo\n", "one\ntwO\n", ""} {
		if a, b := read("one\ntwo\n"), read(other); a == b {
			t.Errorf("%q has the same content as other lines: %+v", other, b)
		}
	}
	if _, err := readContent(strings.NewReader(strings.Repeat("a", 2<<20))); err == nil {
		t.Error("a line longer than the buffer is accepted")
	}
	name := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(name, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := contentOf(t, name); got != read("a") {
		t.Errorf("%+v", got)
	}
}
