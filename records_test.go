package intray_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// TestKindsOfCells adds cells in all three ways, cuts the batch short, uses it
// again, and wants for each cell the kind and value it was given.
func TestKindsOfCells(t *testing.T) {
	type cell struct {
		text, typed string
		kind        intray.CellKind
	}
	some := rapid.Custom(func(t *rapid.T) cell {
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
		rows := rapid.SliceOfN(rapid.SliceOfN(some, 0, 9), 0, 30).Draw(t, "rows")
		typed := 0
		for i, row := range rows {
			for _, c := range row {
				switch c.kind {
				case intray.CellText:
					recs.AppendCell([]byte(c.text))
				case intray.CellNumber:
					recs.AppendCell([]byte(c.text))
					recs.MarkNumber()
				default:
					recs.AppendTyped([]byte(c.text), c.kind, []byte(c.typed))
				}
				if c.kind != intray.CellText {
					typed++
				}
			}
			recs.EndRecord(int64(i))
		}
		if recs.HasTyped() != (typed > 0) {
			t.Fatalf("typed cells: %v, and there are %d", recs.HasTyped(), typed)
		}
		keep := rapid.IntRange(0, len(rows)).Draw(t, "keep")
		recs.Truncate(keep)
		recs.AppendCell([]byte("new"))
		recs.EndRecord(99)
		if kind, _ := recs.TypedCell(keep, 0); kind != intray.CellText {
			t.Fatalf("a new cell is of kind %d", kind)
		}
		for i, row := range rows[:keep] {
			for j, c := range row {
				kind, value := recs.TypedCell(i, j)
				if string(recs.Cell(i, j)) != c.text || kind != c.kind || string(value) != c.typed {
					t.Fatalf("cell %d of row %d is %q of kind %d (%q), want %+v", j, i, recs.Cell(i, j), kind, value, c)
				}
			}
		}
	})
}

func TestTextsGiveBackWhatWasPutIn(t *testing.T) {
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

func TestTextsCopyWhatTheyTake(t *testing.T) {
	var texts intray.Texts
	word := []byte("before")
	texts.Append(word)
	copy(word, "behind")
	if got := string(texts.At(0)); got != "before" {
		t.Errorf("the text became %q when its source was changed", got)
	}
}

// A text that could be appended to in place would overwrite the next.
func TestTextsEndWhereTheNextBegins(t *testing.T) {
	var texts intray.Texts
	texts.AppendString("one")
	texts.AppendString("two")
	_ = append(texts.At(0), '!')
	if got := string(texts.At(1)); got != "two" {
		t.Errorf("the second text became %q", got)
	}
}

// someRecord draws the cells of one record.
func someRecord(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.StringN(0, 4, -1), 0, 4).Draw(t, "record")
}

func add(r *intray.Records, line int64, cells []string) {
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

func TestRecordsGiveBackWhatWasPutIn(t *testing.T) {
	var records intray.Records
	rapid.Check(t, func(t *rapid.T) {
		records.Reset()
		want := rapid.SliceOfN(rapid.Custom(someRecord), 0, 12).Draw(t, "records")
		for i, cells := range want {
			add(&records, int64(i+1), cells)
		}
		same(t, &records, want)
	})
}

// What is added behind a cut must not take up what was cut off.
func TestRecordsTruncated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var records intray.Records
		want := rapid.SliceOfN(rapid.Custom(someRecord), 0, 12).Draw(t, "records")
		for i, cells := range want {
			add(&records, int64(i+1), cells)
		}
		n := rapid.IntRange(0, len(want)).Draw(t, "kept")
		records.Truncate(n)
		want = want[:n:n]
		same(t, &records, want)
		next := someRecord(t)
		add(&records, int64(n+1), next)
		same(t, &records, append(want, next))
	})
}

func same(t *rapid.T, r *intray.Records, want [][]string) {
	t.Helper()
	if diff := cmp.Diff(want, contents(r)); len(want)+r.Len() > 0 && diff != "" {
		t.Fatalf("other records than those put in (-want +got):\n%s", diff)
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

func TestRecordsFull(t *testing.T) {
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
}

func TestLevels(t *testing.T) {
	for _, level := range []intray.Level{intray.LevelError, intray.LevelWarning, intray.LevelInfo} {
		if got, ok := intray.ParseLevel(level.String()); !ok || got != level {
			t.Errorf("%v is read as %v, %v", level, got, ok)
		}
	}
	for _, name := range []string{"", "Error", "fatal"} {
		if _, ok := intray.ParseLevel(name); ok {
			t.Errorf("%q is read as a level", name)
		}
	}
}

func TestHooksAreCounted(t *testing.T) {
	hooks := intray.Hooks{
		Row: []string{"a"}, BulkRow: []string{"a", "b"}, RowDelete: []string{"a"},
		Column: []intray.ColumnHook{{}}, Step: []intray.StepHook{{}, {}}, BeforeFinish: "f",
	}
	if got := hooks.Count(); got != 8 {
		t.Errorf("%d hooks, want 8", got)
	}
	if got := (intray.Hooks{}).Count(); got != 0 {
		t.Errorf("%d hooks in none", got)
	}
}

func TestFieldIndex(t *testing.T) {
	s := intray.Schema{Fields: []intray.Field{{Key: "a"}, {Key: "b"}}}
	for key, want := range map[string]int{"a": 0, "b": 1, "c": -1, "": -1} {
		if got := s.FieldIndex(key); got != want {
			t.Errorf("field %q is at %d, want %d", key, got, want)
		}
	}
}

func TestDefaultSettings(t *testing.T) {
	want := intray.Settings{InvalidDataBehavior: intray.RemoveInvalidRows, MaxFileSize: 1 << 30}
	if diff := cmp.Diff(want, intray.DefaultSettings()); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}
