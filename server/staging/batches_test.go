package staging_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

const prefix = "imports/7/run-1"

// texts draws the cells of one column: either a few recurring strings or many different ones.
func texts() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "Zürich", "x\x00y", "=1+1", "long text that comes again and again"}),
		rapid.StringN(0, 40, 200))
}

// drawBatch draws a batch that matches the layout.
func drawBatch(t *rapid.T, layout staging.Layout, first int64) *intray.Batch {
	b := &intray.Batch{}
	b.Reset(len(layout.Fields))
	b.First = first
	rows := rapid.IntRange(1, 60).Draw(t, "rows")
	line := rapid.Int64Range(1, 1<<40).Draw(t, "line")
	for range rows {
		b.Lines = append(b.Lines, line)
		line += rapid.Int64Range(1, 3).Draw(t, "lines")
	}
	for i := range b.Fields {
		drawCells(t, &b.Fields[i], rows)
	}
	for _, column := range layout.Unmapped {
		u := intray.UnmappedCells{Column: column}
		for range rows {
			u.Cells.AppendString(texts().Draw(t, "unmapped"))
		}
		b.Unmapped = append(b.Unmapped, u)
	}
	for row := range rows {
		for range rapid.SampledFrom([]int{0, 0, 0, 1, 3}).Draw(t, "problems") {
			b.Problems = append(b.Problems, intray.Problem{
				Row: row, Field: rapid.IntRange(-1, len(layout.Fields)-1).Draw(t, "field"),
				Code:  rapid.SampledFrom([]string{"required", "email"}).Draw(t, "code"),
				Level: intray.Level(rapid.IntRange(0, 2).Draw(t, "level")), Text: intray.Literal(texts().Draw(t, "text")),
			})
		}
	}
	return b
}

func drawCells(t *rapid.T, c *intray.Cells, rows int) {
	kinds := rapid.SampledFrom([][]int{{0}, {1}, {2}, {0, 1, 2}, {0, 0, 0, 0, 2}}).Draw(t, "kinds")
	for range rows {
		text := []byte(texts().Draw(t, "cell"))
		switch rapid.SampledFrom(kinds).Draw(t, "kind") {
		case 0:
			c.AppendValue(text)
		case 1:
			c.AppendParsed([]byte(texts().Draw(t, "value")), text)
		case 2:
			c.AppendNull(text)
		}
	}
}

func drawLayout(t *rapid.T) staging.Layout {
	return staging.Layout{
		Fields:   rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{"a", "A", "a__raw", "_row", ""}), rapid.String()), 1, 4).Draw(t, "keys"),
		Unmapped: rapid.SampledFrom([][]int{nil, {3}, {0, 12}}).Draw(t, "unmapped"),
	}
}

// failer is the part of testing.TB that *rapid.T also implements.
type failer interface {
	Helper()
	Fatal(...any)
}

// writeStage stages the batches and opens the stage.
func writeStage(t failer, store blob.Store, layout staging.Layout, cfg staging.Config, batches ...*intray.Batch) *staging.Stage {
	t.Helper()
	w := staging.NewWriter(context.Background(), store, prefix, layout, cfg)
	defer w.Abort()
	for _, b := range batches {
		commit, err := w.StageBatch(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := commit(); err != nil {
			t.Fatal(err)
		}
	}
	closed, err := w.Close(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s, err := staging.Open(context.Background(), store, w.Location())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(closed, s.Manifest(), cmpopts.EquateEmpty()); diff != "" {
		t.Fatal("the manifest is not the one that was written: " + diff)
	}
	return s
}

// cell is the content of one cell of a row.
type cell struct {
	Value, Raw string
	Null       bool
}

// row is a row with its index in the stage.
type row struct {
	Index, Line int64
	Cells       []cell
	Unmapped    []string
	Problems    []intray.Problem
}

// rowsOf returns the rows of a batch. The problems of each row contain the index of the row in
// the stage.
func rowsOf(b *intray.Batch) []row {
	rows := make([]row, b.Rows())
	for i := range rows {
		rows[i] = row{Index: b.First + int64(i), Line: b.Lines[i]}
		for f := range b.Fields {
			value, ok := b.Fields[f].Value(i)
			rows[i].Cells = append(rows[i].Cells, cell{string(value), string(b.Fields[f].Raw(i)), !ok})
		}
		for u := range b.Unmapped {
			rows[i].Unmapped = append(rows[i].Unmapped, fmt.Sprint(b.Unmapped[u].Column, string(b.Unmapped[u].Cells.At(i))))
		}
	}
	for _, p := range b.Problems {
		at := p.Row
		p.Row += int(b.First)
		rows[at].Problems = append(rows[at].Problems, p)
	}
	return rows
}

func readAll(t failer, s *staging.Stage) []row {
	t.Helper()
	var all []row
	for b, err := range s.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rowsOf(b)...)
	}
	return all
}

func TestStagedRowsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := drawLayout(t)
		var batches []*intray.Batch
		var want []row
		for range rapid.IntRange(0, 5).Draw(t, "batches") {
			b := drawBatch(t, layout, int64(len(want)))
			batches = append(batches, b)
			want = append(want, rowsOf(b)...)
		}
		cfg := staging.Config{
			SegmentRows: rapid.Int64Range(0, 100).Draw(t, "segment"), Codec: rapid.SampledFrom(codecs).Draw(t, "codec"),
			SingleFile: rapid.SampledFrom([]int64{0, 3000, 1 << 20}).Draw(t, "single file"),
		}
		s := writeStage(t, blobtest.NewMemory(), layout, cfg, batches...)
		defer s.Close()
		if diff := cmp.Diff(want, readAll(t, s)); diff != "" {
			t.Fatal("Batches: " + diff)
		}
		checkWindows(t, s, want)
		checkRows(t, s, want)
		checkMarks(t, s, want)
		if err := s.Verify(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
}

func checkWindows(t *rapid.T, s *staging.Stage, want []row) {
	for range 4 {
		first := rapid.IntRange(0, len(want)+3).Draw(t, "first")
		n := rapid.IntRange(0, 130).Draw(t, "n")
		b, err := s.Window(context.Background(), int64(first), n)
		if err != nil {
			t.Fatal(err)
		}
		part := want[min(first, len(want)):min(first+n, len(want))]
		if diff := cmp.Diff(part, rowsOf(b), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("Window(%d, %d): %s", first, n, diff)
		}
	}
}

func checkMarks(t *rapid.T, s *staging.Stage, want []row) {
	var bad []int64
	kinds := map[string][]int64{}
	counts := map[string]int64{}
	for _, r := range want {
		for _, p := range r.Problems {
			if p.Level == intray.LevelError && (len(bad) == 0 || bad[len(bad)-1] != r.Index) {
				bad = append(bad, r.Index)
			}
			key := fmt.Sprint(p.Field, p.Code, p.Level)
			counts[key]++
			if rows := kinds[key]; len(rows) == 0 || rows[len(rows)-1] != r.Index {
				kinds[key] = append(rows, r.Index)
			}
		}
	}
	skip := rapid.IntRange(0, len(bad)+1).Draw(t, "skip")
	n := rapid.IntRange(0, len(bad)+1).Draw(t, "bad")
	got, err := s.ErrorRows(context.Background(), int64(skip), n)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(bad[min(skip, len(bad)):min(skip+n, len(bad))], got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("BadRows(%d, %d): %s", skip, n, diff)
	}
	m := s.Manifest()
	if m.ErrorRows != int64(len(bad)) || len(m.Kinds) != len(kinds) {
		t.Fatalf("%d bad rows and %d kinds, want %d and %d", m.ErrorRows, len(m.Kinds), len(bad), len(kinds))
	}
	for _, k := range m.Kinds {
		key := fmt.Sprint(k.Field, k.Code, k.Level)
		bitmap, err := s.RowsWithProblem(context.Background(), k)
		if err != nil {
			t.Fatal(err)
		}
		var rows []int64
		for _, row := range bitmap.ToArray() {
			rows = append(rows, int64(row))
		}
		if diff := cmp.Diff(kinds[key], rows); diff != "" || k.Problems != counts[key] || k.Rows != int64(len(rows)) {
			t.Fatalf("kind %s with %d problems in %d rows: %s", key, k.Problems, k.Rows, diff)
		}
	}
}

// contacts returns a batch that resembles a file of contacts: an id, a country, an email address,
// an amount, and a phone number. The value of the phone number always differs from its raw value.
func contacts(first int64, rows int) *intray.Batch {
	b := &intray.Batch{}
	b.Reset(5)
	b.First = first
	countries := []string{"Schweiz", "Deutschland", "Österreich", "France", "Italia"}
	var text bytes.Buffer
	for i := range rows {
		n := first + int64(i)
		b.Lines = append(b.Lines, n+2)
		b.Fields[0].AppendValue(fmt.Append(nil, n))
		b.Fields[1].AppendValue([]byte(countries[(n*n)%5]))
		text.Reset()
		fmt.Fprintf(&text, "person.%x@example-%d.com", uint32(n*2654435761), n%997)
		b.Fields[2].AppendValue(text.Bytes())
		if n%50 == 7 {
			b.Fields[3].AppendNull([]byte("n/a"))
			b.Problems = append(b.Problems, intray.Problem{Row: i, Field: 3, Code: "number", Text: intray.Literal("Not a number.")})
		} else {
			b.Fields[3].AppendValue(fmt.Appendf(nil, "%d.%02d", (n*7919)%100000, n%100))
		}
		b.Fields[4].AppendParsed(fmt.Appendf(nil, "+4179%07d", (n*104729)%10000000), fmt.Appendf(nil, "079 %07d", (n*104729)%10000000))
	}
	return b
}

func contactLayout() staging.Layout {
	return staging.Layout{Fields: []string{"id", "country", "email", "amount", "phone"}}
}
