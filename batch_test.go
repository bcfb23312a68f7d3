package intray_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// testCell is the content of a cell.
type testCell struct {
	value string
	null  bool
	raw   string
}

// drawCell draws a cell of one of the three kinds: unchanged, parsed or null.
func drawCell(t *rapid.T) testCell {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab\x00é \n")), 0, 4, -1)
	switch rapid.IntRange(0, 2).Draw(t, "way") {
	case 0:
		value := text.Draw(t, "value")
		return testCell{value: value, raw: value}
	case 1:
		return testCell{value: text.Draw(t, "value"), raw: text.Draw(t, "raw")}
	}
	return testCell{null: true, raw: text.Draw(t, "raw")}
}

func appendTestCell(c *intray.Cells, cell testCell) {
	switch {
	case cell.null:
		c.AppendNull([]byte(cell.raw))
	case cell.value == cell.raw:
		c.AppendValue([]byte(cell.value))
	default:
		c.AppendParsed([]byte(cell.value), []byte(cell.raw))
	}
}

func TestCellsRoundTrip(t *testing.T) {
	var cells intray.Cells
	rapid.Check(t, func(t *rapid.T) {
		cells.Reset()
		want := rapid.SliceOfN(rapid.Custom(drawCell), 0, 20).Draw(t, "cells")
		for _, cell := range want {
			appendTestCell(&cells, cell)
		}
		got := make([]testCell, cells.Values.Len())
		for i := range got {
			value, there := cells.Value(i)
			got[i] = testCell{value: string(value), null: !there, raw: string(cells.Raw(i))}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(testCell{})); len(want)+len(got) > 0 && diff != "" {
			t.Fatalf("cells (-want +got):\n%s", diff)
		}
		if !slices.IsSorted(cells.Nulls) || !slices.IsSorted(cells.RawRows) {
			t.Fatalf("lists are not ascending: nulls %v, raw rows %v", cells.Nulls, cells.RawRows)
		}
	})
}

func TestNullWithoutRawTextCostsNoRawRow(t *testing.T) {
	var cells intray.Cells
	cells.AppendNull(nil)
	cells.AppendNull([]byte("?"))
	if diff := cmp.Diff([]uint32{1}, cells.RawRows); diff != "" {
		t.Errorf("raw rows (-want +got):\n%s", diff)
	}
}

func TestBatchReset(t *testing.T) {
	filled := func(fields int) *intray.Batch {
		b := &intray.Batch{}
		b.Reset(fields)
		b.First, b.Lines = 7, append(b.Lines, 8, 9)
		b.Problems = append(b.Problems, intray.Problem{Code: "required"})
		b.Unmapped = []intray.UnmappedCells{{Column: 3}}
		b.Unmapped[0].Cells.AppendString("x")
		for i := range b.Fields {
			b.Fields[i].AppendParsed([]byte("a"), []byte("b"))
			b.Fields[i].AppendNull([]byte("c"))
		}
		return b
	}
	for _, c := range []struct {
		name        string
		before, now int
	}{{"the same", 2, 2}, {"fewer fields", 3, 1}, {"more fields", 1, 4}, {"none", 2, 0}} {
		t.Run(c.name, func(t *testing.T) {
			b := filled(c.before)
			b.Reset(c.now)
			if b.First != 0 || b.Rows() != 0 || len(b.Problems) != 0 || len(b.Fields) != c.now {
				t.Errorf("first %d, %d rows, %d problems, %d fields; want an empty batch of %d fields",
					b.First, b.Rows(), len(b.Problems), len(b.Fields), c.now)
			}
			for i := range b.Fields {
				f := &b.Fields[i]
				if f.Values.Len()+f.Raws.Len()+len(f.Nulls)+len(f.RawRows) != 0 {
					t.Errorf("field %d is not empty: %+v", i, *f)
				}
			}
			if b.Unmapped[0].Cells.Len() != 0 || b.Unmapped[0].Column != 3 {
				t.Errorf("unmapped cells %+v, want those of column 3, empty", b.Unmapped[0])
			}
		})
	}
}

func TestBatchResetKeepsMemory(t *testing.T) {
	b := &intray.Batch{}
	cell := []byte("twelve bytes")
	fill := func() {
		b.Reset(2)
		for range 1000 {
			b.Lines = append(b.Lines, 1)
			b.Fields[0].AppendParsed(cell, cell)
			b.Fields[1].AppendNull(cell)
		}
	}
	fill()
	if n := testing.AllocsPerRun(10, fill); n > 0 {
		t.Errorf("%v allocations to fill a batch again, want none", n)
	}
}

// TestKeep checks that a kept batch is a copy unless its producer hands it over.
func TestKeep(t *testing.T) {
	filled := func() *intray.Batch {
		b := &intray.Batch{First: 5, Numbers: []int64{5, 7}, Lines: []int64{8, 9}, Fields: make([]intray.Cells, 2), Unmapped: []intray.UnmappedCells{{Column: 3}}}
		b.Fields[0].AppendParsed([]byte("a"), []byte("b"))
		b.Fields[0].AppendNull([]byte("c"))
		b.Fields[1].Values = intray.TextColumn{Codes: []int32{0, 0}}
		b.Fields[1].Values.Texts.AppendString("x")
		b.Unmapped[0].Cells.AppendString("u")
		b.Unmapped[0].Cells.AppendString("v")
		b.Problems = []intray.Problem{{Row: 1, Code: "required"}}
		b.Options = []intray.CellOptions{{Row: 1}}
		return b
	}
	overwrite := func(b *intray.Batch) {
		b.First, b.Numbers[0], b.Lines[0], b.Unmapped[0].Column, b.Problems[0].Row, b.Options[0].Row = 0, 0, 0, 0, 0, 0
		for i := range b.Fields {
			f := &b.Fields[i]
			for _, column := range []*intray.TextColumn{&f.Values, &f.Raws} {
				clear(column.Texts.Arena)
				clear(column.Texts.Ends)
				clear(column.Codes)
			}
			clear(f.Nulls)
			clear(f.RawRows)
		}
		clear(b.Unmapped[0].Cells.Arena)
		clear(b.Fields)
	}
	b := filled()
	kept, release := b.Keep()
	overwrite(b)
	if diff := cmp.Diff(filled(), kept, cmpopts.IgnoreUnexported(intray.Batch{}, intray.Problem{})); diff != "" {
		t.Errorf("a kept batch changed (-want +got):\n%s", diff)
	}
	release()

	b, released := filled(), 0
	b.OnKeep(func() func() { return func() { released++ } })
	if kept, release = b.Keep(); kept != b {
		t.Error("the batch was copied although its producer hands it over")
	}
	if release(); released != 1 {
		t.Errorf("released %d times", released)
	}
}
