package intray_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// TestTypedCells checks the kind and value of each cell after plain, number and typed cells were
// appended, the batch was truncated and another cell was appended. It reuses the batch.
func TestTypedCells(t *testing.T) {
	type cell struct {
		text, typed string
		kind        intray.CellKind
	}
	anyCell := rapid.Custom(func(t *rapid.T) cell {
		switch rapid.IntRange(0, 2).Draw(t, "way") {
		case 0:
			return cell{text: "1.234"}
		case 1:
			return cell{"1.5", "1.5", intray.CellNumber}
		}
		return cell{"3 May", "2024-05-03", intray.CellDate}
	})
	var recs intray.Records
	rapid.Check(t, func(t *rapid.T) {
		recs.Reset()
		rows := rapid.SliceOfN(rapid.SliceOfN(anyCell, 0, 9), 0, 30).Draw(t, "rows")
		typed := 0
		for i, row := range rows {
			for _, c := range row {
				switch c.kind {
				case intray.CellText, intray.CellNumber:
					recs.AppendCell([]byte(c.text))
				default:
					recs.AppendTyped([]byte(c.text), c.kind, []byte(c.typed))
				}
				if c.kind != intray.CellText {
					typed++
				}
			}
			recs.EndRecord(int64(i))
			for j, c := range row {
				if c.kind == intray.CellNumber {
					recs.MarkNumber(j)
				}
			}
		}
		if recs.HasTyped() != (typed > 0) {
			t.Fatalf("HasTyped returned %v for %d typed cells", recs.HasTyped(), typed)
		}
		n := rapid.IntRange(0, len(rows)).Draw(t, "n")
		recs.Truncate(n)
		recs.AppendCell([]byte("new"))
		recs.EndRecord(99)
		if kind, _ := recs.TypedCell(n, 0); kind != intray.CellText {
			t.Fatalf("a new cell is of kind %d", kind)
		}
		for i, row := range rows[:n] {
			for j, c := range row {
				kind, value := recs.TypedCell(i, j)
				if string(recs.Cell(i, j)) != c.text || kind != c.kind || string(value) != c.typed {
					t.Fatalf("cell %d of row %d is %q of kind %d (%q), want %+v", j, i, recs.Cell(i, j), kind, value, c)
				}
			}
		}
	})
}

func TestTextsRoundTrip(t *testing.T) {
	var texts intray.Texts
	rapid.Check(t, func(t *rapid.T) {
		texts.Reset()
		want := rapid.SliceOfN(rapid.String(), 0, 20).Draw(t, "texts")
		for i, text := range want {
			if i%2 == 0 {
				texts.AppendString(text)
			} else {
				texts.Append([]byte(text))
			}
		}
		if texts.Len() != len(want) {
			t.Fatalf("%d texts, want %d", texts.Len(), len(want))
		}
		for i, text := range want {
			if got := string(texts.At(i)); got != text {
				t.Fatalf("text %d is %q, want %q", i, got, text)
			}
		}
	})
}

func TestTextsAppendCopies(t *testing.T) {
	var texts intray.Texts
	word := []byte("before")
	texts.Append(word)
	copy(word, "change")
	if got := string(texts.At(0)); got != "before" {
		t.Errorf("the text became %q when its source was changed", got)
	}
}

// TestTextsAtLimitsCapacity checks that appending to a returned slice does not overwrite
// the next string.
func TestTextsAtLimitsCapacity(t *testing.T) {
	var texts intray.Texts
	texts.AppendString("one")
	texts.AppendString("two")
	_ = append(texts.At(0), '!')
	if got := string(texts.At(1)); got != "two" {
		t.Errorf("the second text became %q", got)
	}
}

// drawRecord draws the cells of a record.
func drawRecord(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.StringN(0, 4, -1), 0, 4).Draw(t, "record")
}

func appendRecord(r *intray.Records, line int64, cells []string) {
	for _, cell := range cells {
		r.AppendCell([]byte(cell))
	}
	r.EndRecord(line)
}

func contents(r *intray.Records) [][]string {
	all := make([][]string, r.Len())
	for i := range all {
		all[i] = make([]string, r.NumCells(i))
		for c := range all[i] {
			all[i][c] = string(r.Cell(i, c))
		}
	}
	return all
}

func TestRecordsRoundTrip(t *testing.T) {
	var records intray.Records
	rapid.Check(t, func(t *rapid.T) {
		records.Reset()
		want := rapid.SliceOfN(rapid.Custom(drawRecord), 0, 12).Draw(t, "records")
		for i, cells := range want {
			appendRecord(&records, int64(i+1), cells)
		}
		checkRecords(t, &records, want)
	})
}

// TestRecordsTruncate checks that records appended after Truncate do not contain removed cells.
func TestRecordsTruncate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var records intray.Records
		want := rapid.SliceOfN(rapid.Custom(drawRecord), 0, 12).Draw(t, "records")
		for i, cells := range want {
			appendRecord(&records, int64(i+1), cells)
		}
		n := rapid.IntRange(0, len(want)).Draw(t, "kept")
		records.Truncate(n)
		want = want[:n:n]
		checkRecords(t, &records, want)
		next := drawRecord(t)
		appendRecord(&records, int64(n+1), next)
		checkRecords(t, &records, append(want, next))
	})
}

func checkRecords(t *rapid.T, r *intray.Records, want [][]string) {
	t.Helper()
	if diff := cmp.Diff(want, contents(r)); len(want)+r.Len() > 0 && diff != "" {
		t.Fatalf("records (-want +got):\n%s", diff)
	}
	bytes := 0
	for i, cells := range want {
		if r.Lines[i] != int64(i+1) {
			t.Fatalf("record %d begins at line %d, want %d", i, r.Lines[i], i+1)
		}
		for _, cell := range cells {
			bytes += len(cell)
		}
	}
	if r.Bytes() != bytes || len(r.Lines) != len(want) {
		t.Fatalf("%d bytes and %d lines, want %d and %d", r.Bytes(), len(r.Lines), bytes, len(want))
	}
}

func TestRecordsIsFull(t *testing.T) {
	var r intray.Records
	for range intray.BatchRows - 1 {
		r.EndRecord(1)
	}
	if r.IsFull() {
		t.Error("full one record before the limit")
	}
	r.EndRecord(1)
	if !r.IsFull() {
		t.Error("not full at the limit of records")
	}
	r.Reset()
	r.AppendCell(make([]byte, intray.BatchBytes-1))
	r.EndRecord(1)
	if r.IsFull() {
		t.Error("full one byte before the limit")
	}
	r.AppendCell([]byte{'x'})
	if !r.IsFull() {
		t.Error("not full at the limit of bytes")
	}
	r.Reset()
	for range intray.BatchCells - 1 {
		r.AppendCell(nil)
	}
	if r.IsFull() {
		t.Error("full one cell before the limit")
	}
	r.AppendCell(nil)
	if !r.IsFull() {
		t.Error("not full at the limit of cells")
	}
	r.Reset()
	r.Width = intray.BatchCells / 4
	for range 3 {
		r.EndRecord(1)
	}
	if r.IsFull() {
		t.Error("full one wide record before the limit")
	}
	r.EndRecord(1)
	if !r.IsFull() {
		t.Error("not full at the limit of cells of wide records")
	}
}

func TestRecordsSwap(t *testing.T) {
	a, b := intray.Records{Width: 1}, intray.Records{Width: 2}
	appendRecord(&a, 7, []string{"x"})
	a.Swap(&b)
	if a.Width != 1 || b.Width != 2 || a.Len() != 0 || b.Len() != 1 || string(b.Cell(0, 0)) != "x" {
		t.Errorf("swapped to %+v and %+v", a, b)
	}
}

// TestRecordsArena checks the cells of a record that consists of spans of an adopted arena and
// of copied cells.
func TestRecordsArena(t *testing.T) {
	var r intray.Records
	r.AppendCell([]byte("old"))
	r.Reset()
	if before := r.AdoptArena([]byte("one,two")); len(before) != 0 || cap(before) < 3 {
		t.Errorf("AdoptArena returned %d bytes of %d, want the previous arena", len(before), cap(before))
	}
	r.AppendSpan(0, 3)
	r.AppendSpan(4, 7)
	r.AppendCell([]byte("three"))
	r.EndRecord(1)
	if diff := cmp.Diff([][]string{{"one", "two", "three"}}, contents(&r)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// TestRecordsSpanRoom checks that records can be added in the room for spans, and that the spans of an
// unfinished record remain when the room grows.
func TestRecordsSpanRoom(t *testing.T) {
	var r intray.Records
	r.AdoptArena([]byte("one,two,three,four,"))
	kept := 0
	var want [][]string
	for line := range int64(1000) {
		room := r.SpanRoom(kept, kept+3)
		copy(room[kept:], []intray.Span{intray.NewSpan(4, 7), intray.NewSpan(8, 13), intray.NewSpan(14, 18)})
		if kept == 0 {
			r.EndSpans(2, line)
			want = append(want, []string{"two", "three"})
		} else {
			r.EndSpans(4, line)
			want = append(want, []string{"four", "two", "three", "four"})
		}
		kept = 1 - kept
	}
	if diff := cmp.Diff(want, contents(&r)); diff != "" {
		t.Errorf("records (-want +got):\n%.2000s", diff)
	}
	for i := range r.Len() {
		for c, cell := range r.Cells(i) {
			if string(cell) != want[i][c] || cap(cell) != len(cell) {
				t.Fatalf("cell %d of record %d is %q with capacity %d, want %q", c, i, cell, cap(cell), want[i][c])
			}
		}
	}
}

// TestRecordsCopies checks that AppendRecord and AppendColumn copy the cells of a batch in
// which some records are too short for the column.
func TestRecordsCopies(t *testing.T) {
	var from, to intray.Records
	from.AppendTyped([]byte("3 May"), intray.CellDate, []byte("2024-05-03"))
	from.AppendCell([]byte("b"))
	from.EndRecord(5)
	from.AppendCell([]byte("7"))
	from.EndRecord(6)
	from.MarkNumber(0)
	from.EndRecord(9)
	for i := range from.Len() {
		to.AppendRecord(&from, i)
	}
	if diff := cmp.Diff(contents(&from), contents(&to)); diff != "" {
		t.Errorf("copies (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{5, 6, 9}, to.Lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	for i, want := range []struct {
		kind  intray.CellKind
		value string
	}{{intray.CellDate, "2024-05-03"}, {intray.CellNumber, "7"}} {
		if kind, value := to.TypedCell(i, 0); kind != want.kind || string(value) != want.value {
			t.Errorf("record %d: kind %d, value %q, want %+v", i, kind, value, want)
		}
	}
	for column, want := range [][]string{{"3 May", "7", ""}, {"b", "", ""}, {"", "", ""}} {
		var texts intray.Texts
		from.AppendColumn(column, &texts)
		got := make([]string, texts.Len())
		for i := range got {
			got[i] = string(texts.At(i))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("column %d (-want +got):\n%s", column, diff)
		}
	}
}
