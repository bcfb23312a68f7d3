package csv

import (
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// FuzzCSV checks that reading any bytes returns records with valid text or an error of package
// source.
func FuzzCSV(f *testing.F) {
	for _, s := range samples {
		f.Add(s.Text, false)
	}
	f.Add(contacts(12, map[int]string{5: `5,"Ada,2021-02-03,35.50,"a note, no. 5"`}), false)
	f.Add("sep=;\na;b\n'1';2\n“x”||y\n", true)
	f.Fuzz(func(t *testing.T, text string, asIs bool) {
		if score, reason := (Format{}).Detect(sourcetest.NewInput("", nil), []byte(text)); score < 0 || score > 1 || (score > 0) == reason.IsZero() {
			t.Fatalf("%q: score %v, reason %q", text, score, reason)
		}
		book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte(text)), source.Options{AsIs: asIs})
		if err != nil {
			typed(t, text, err)
			return
		}
		reader, err := book.Open(t.Context(), 0)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		defer func() { _ = reader.Close() }()
		drain(t, text, reader)
	})
}

func typed(t *testing.T, text string, err error) {
	t.Helper()
	if !errors.As(err, new(*source.UnreadableError)) && !errors.As(err, new(*source.LimitError)) {
		t.Fatalf("%q: %v", text, err)
	}
}

func drain(t *testing.T, text string, reader source.Reader) {
	t.Helper()
	var batch intray.Records
	line := int64(0)
	for {
		err := reader.Next(t.Context(), &batch)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			typed(t, text, err)
			return
		}
		for i := range batch.Len() {
			if batch.Lines[i] <= line {
				t.Fatalf("%q: line %d comes after line %d", text, batch.Lines[i], line)
			}
			line = batch.Lines[i]
			for c := range batch.NumCells(i) {
				if !utf8.Valid(batch.Cell(i, c)) {
					t.Fatalf("%q: cell %q is not text", text, batch.Cell(i, c))
				}
			}
		}
	}
}

// FuzzParseRecord compares the records of fastParser and parseRecord for text that fastParser
// accepts.
func FuzzParseRecord(f *testing.F) {
	f.Add("a,b\n\"c,\"\"\",d\r\n\"e\nf\",g\n")
	f.Add("a,\"b\"x\n")
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		d := dialect{delim: ",", open: `"`, shut: `"`}
		var batch intray.Records
		quick := newFastParser(&sheet{dialect: d, width: 2})
		if _, plain := quick.read([]byte(text), intray.BatchRows, &batch); !plain {
			return
		}
		var want, got [][]string
		var r record
		for at := 0; at < len(text); at += r.next {
			d.parseRecord([]byte(text[at:]), notFound, &r)
			var cells []string
			for _, c := range r.cells {
				cells = append(cells, string(d.appendCell(nil, []byte(text[at:]), c)))
			}
			want = append(want, cells)
		}
		for i := range batch.Len() {
			got = append(got, []string{string(batch.Cell(i, 0)), string(batch.Cell(i, 1))})
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q (-tolerant +fast):\n%s", text, diff)
		}
	})
}

// FuzzRepair checks, for any line among regular rows, that no other row changes and that the
// line becomes at most one row.
func FuzzRepair(f *testing.F) {
	for _, line := range []string{"20,Ada,2021-09-21140.50,x", "20;Ada;2021-09-21;140.50;x", ",,,,", "x", "Total,,,1,", "20,,Ada,,2021-09-21,140.50,x,y,z"} {
		f.Add(line)
	}
	want, _ := readRows(f, contacts(40, nil))
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\r\n\"'“”") || !utf8.ValidString(line) || strings.Contains(line, "\x00") || len(line) > 500 {
			return
		}
		got, _ := readRows(t, contacts(40, map[int]string{20: line}))
		if n := len(got); n != 40 && n != 39 {
			t.Fatalf("%q: %d rows", line, n)
		}
		if diff := cmp.Diff(want[:19], got[:19]); diff != "" {
			t.Fatalf("%q, above (-want +got):\n%s", line, diff)
		}
		if diff := cmp.Diff(want[20:], got[len(got)-20:]); diff != "" {
			t.Fatalf("%q, below (-want +got):\n%s", line, diff)
		}
	})
}

// FuzzKept checks that every letter and digit of the input appears in a column name, a cell or
// a notice.
func FuzzKept(f *testing.F) {
	for _, s := range samples {
		f.Add(s.Text)
	}
	for _, text := range []string{
		"A title\n\na,b,c\n1,2,3\n4,5,6\n\nSource: x\n", "\"abc", "a,b\n\"1,2\n3,4\n", "\"a,b,c\"\n\"1,2,3\"\n", "id  n\n---  ---\n1  x\n",
		"h1,h2,h3\n1,a,2\n2,b,3\n3,c,4\n4,d,5\n5,e6\n6,f,7\n7,g,8\n8,h,9\n", "k:;v;\na;b;c\n1;2;3\n", "#c\na,b\n1,2\n#d\n3,4\n",
		"| a | b |\n|---|:--|\n| 1 |   |\n| 2 | x |\n", "+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n+---+---+\n", " a | b\n---+---\n 1 | 2\n(1 row)\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > excerptBytes || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\uFFFD") || strings.HasPrefix(strings.ToLower(strings.TrimLeft(text, "\uFEFF\"")), "sep=") {
			return
		}
		kept, ok := countAllLetters(t, text)
		if !ok {
			return
		}
		for r, n := range maps.All(countLetters(text)) {
			if kept[r] < n {
				t.Fatalf("%q: %d of %d %q remain", text, kept[r], n, r)
			}
		}
	})
}

// countLetters returns the number of occurrences of each letter and digit in text.
func countLetters(text string) map[rune]int {
	counts := map[rune]int{}
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			counts[r]++
		}
	}
	return counts
}

// countAllLetters counts the letters and digits in all names, cells and notices. ok reports
// whether the whole text was read.
func countAllLetters(t *testing.T, text string) (counts map[rune]int, ok bool) {
	t.Helper()
	names, rows, notices, err := readTable(t, []byte(text), source.Options{})
	if err != nil {
		typed(t, text, err)
		return nil, false
	}
	var all strings.Builder
	all.WriteString(strings.Join(names, ""))
	for _, row := range rows {
		all.WriteString(strings.Join(row, ""))
	}
	for _, n := range notices {
		if n.Type == intray.OtherTables && n.Level == intray.LevelWarning {
			return nil, false // a second table, which is not read
		}
		if n.Type == intray.OtherTables && n.Value != nil {
			all.WriteString(*n.Value)
		}
	}
	return countLetters(all.String()), true
}

// FuzzChunks compares the results of parallel and sequential reading, for chunks of any size.
func FuzzChunks(f *testing.F) {
	f.Add("20,,Ada,2021-09-21,140.50,x", uint16(30), uint16(700), false)
	f.Add(`20,"Ada,2021-09-21,140.50,x`, uint16(1), uint16(300), true)
	f.Add(`20,Ada,2021-09-21,140.50,"x""y`+"\n"+`z"`, uint16(90), uint16(999), true)
	f.Add("", uint16(10), uint16(64), false)
	f.Fuzz(func(t *testing.T, line string, at, size uint16, utf16 bool) {
		if !utf8.ValidString(line) || len(line) > 300 {
			return
		}
		text := contacts(200, map[int]string{int(at)%200 + 1: line, int(at)%170 + 20: line})
		raw := []byte(text)
		if utf16 {
			raw = encodeUTF16(text)
		}
		want, notices := readChunks(t, raw, 0)
		got, parallelNotices := readChunks(t, raw, int(size)%5000+64)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q at %d, chunks of %d (-sequential +parallel):\n%s", line, at, size, diff)
		}
		if diff := cmp.Diff(notices, parallelNotices); diff != "" {
			t.Fatalf("%q at %d, chunks of %d, notices (-sequential +parallel):\n%s", line, at, size, diff)
		}
	})
}

// readChunks reads a file in chunks of the given size in bytes, or sequentially if the size is
// 0.
func readChunks(t *testing.T, raw []byte, size int) (rows [][]string, notices []intray.Notice) {
	t.Helper()
	book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", raw), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	r := opened.(*reader)
	r.parallel.size, r.parallel.tail = size, 3000
	if size == 0 {
		r.parallel.fast = nil
	}
	return drainReader(t, r)
}

// TestChunkSizes compares the results of parallel and sequential reading for some malformed
// lines and many chunk sizes.
func TestChunkSizes(t *testing.T) {
	odd := map[int]string{
		30: "30,,Ada,2021-09-21,140.50,x", 31: "", 55: `55,"Ada,2021-09-21,140.50,x`, 90: "90,\"a\nb\",2021-09-21,140.50,\"x\"\"y\nz\"",
		120: "id,name,joined,amount,note", 140: "Total,,,1,", 160: "x,y", 170: "170,\"a\"b\",2021-09-21,140.50,x",
	}
	text := contacts(300, odd)
	for _, raw := range [][]byte{[]byte(text), encodeUTF16(text)} {
		want, notices := readChunks(t, raw, 0)
		if len(want) < 280 {
			t.Fatalf("only %d rows", len(want))
		}
		for size := 100; size < 20_000; size = size*5/3 + 7 {
			got, parallelNotices := readChunks(t, raw, size)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("chunks of %d (-sequential +parallel):\n%s", size, diff)
			}
			if diff := cmp.Diff(notices, parallelNotices); diff != "" {
				t.Errorf("chunks of %d, notices (-sequential +parallel):\n%s", size, diff)
			}
		}
	}
}
