package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/distinct"
)

// drawTyped draws rows with a column of each kind, nulls, errors and unmapped cells.
func drawTyped(t *rapid.T) *intray.Batch {
	values := [][]string{
		{"Zoë", "", "a", "\xff", "=1"}, {"0.1", "-12.5", "12345678901234567890"}, {"-12.5", "9999999999999999.99", "3"}, {"7", "1234567890123456789"},
		{"true", "false"}, {"1969-12-31", "2024-02-29"}, {"2024-02-29T12:30"}, {"23:59:59", "00:00"}, {`["a","b"]`, `[]`, `["x",null]`},
		{`[1.50,2]`, `[null,3]`}, {"2024-03-01", "0001-01-01"},
	}
	b := &intray.Batch{First: 7, Fields: make([]intray.Cells, len(values)), Unmapped: []intray.UnmappedCells{{Column: 3}}}
	for row := range rapid.IntRange(1, 60).Draw(t, "rows") {
		b.Lines = append(b.Lines, int64(row))
		b.Unmapped[0].Cells.AppendString(rapid.SampledFrom([]string{"", "u", "\xc3", "\xa9"}).Draw(t, "unmapped"))
		for i := range values {
			c, v := &b.Fields[i], []byte(rapid.SampledFrom(values[i]).Draw(t, "value"))
			raw := []byte("raw")
			if i == 9 {
				raw = []byte(`["r","s"]`)
			}
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0, 1:
				c.AppendNull(nil)
			case 2:
				c.AppendParsed(v, raw)
			case 3:
				if i == 9 {
					c.AppendParsed(v, raw)
				} else {
					c.AppendNull(raw)
				}
				for range rapid.IntRange(1, 2).Draw(t, "problems") {
					b.Problems = append(b.Problems, intray.Problem{Row: row, Field: i, Part: rapid.IntRange(0, 1).Draw(t, "part")})
				}
			default:
				if i == 9 {
					c.AppendParsed(v, raw)
				} else {
					c.AppendValue(v)
				}
			}
		}
	}
	return b
}

// numbered returns a copy of a column that stores each distinct text once. A null cell has the code of a
// text.
func numbered(c intray.TextColumn) intray.TextColumn {
	var table distinct.Table
	table.Reset()
	var codes []int32
	for i := range c.Len() {
		codes = append(codes, table.Code(c.At(i), 0))
	}
	return intray.TextColumn{Texts: table.Texts, Codes: codes}
}

// rowBatches returns a batch for each row.
func rowBatches(b *intray.Batch) (list []*intray.Batch) {
	for row := range b.Rows() {
		one := &intray.Batch{First: b.First + int64(row), Lines: b.Lines[row : row+1], Fields: make([]intray.Cells, len(b.Fields)), Unmapped: []intray.UnmappedCells{{Column: 3}}}
		one.Unmapped[0].Cells.Append(b.Unmapped[0].Cells.At(row))
		for i := range b.Fields {
			c := &b.Fields[i]
			v, there := c.Value(row)
			raw := c.Raw(row)
			switch {
			case there && slices.Contains(c.RawRows, uint32(row)):
				one.Fields[i].AppendParsed(v, raw)
			case there:
				one.Fields[i].AppendValue(v)
			default:
				one.Fields[i].AppendNull(raw)
			}
		}
		for _, p := range b.Problems {
			if p.Row == row {
				p.Row = 0
				one.Problems = append(one.Problems, p)
			}
		}
		list = append(list, one)
	}
	return list
}

// TestParquetBatches checks that the rows of a batch are written as if each were a batch, even if columns
// store each distinct text once, and if the pages are small.
func TestParquetBatches(t *testing.T) {
	behaviors := []intray.InvalidDataBehavior{intray.RemoveInvalidRows, intray.IncludeInvalidRows, intray.IncludeInvalidValues}
	rapid.Check(t, func(t *rapid.T) {
		schema := typedFields(rapid.SampledFrom(behaviors).Draw(t, "behavior"))
		schema.Settings.PassThroughUnmappedColumns = true
		if rapid.Bool().Draw(t, "formatted") {
			schema.Fields[9].Type = intray.FieldType{Name: intray.TypeDate, Options: map[string]any{"outputFormat": "dd.MM.yyyy"}}
		}
		b := drawTyped(t)
		want := parquetRows(t, parquetOf(t, schema, rowBatches(b)...))
		for i := range b.Fields {
			if rapid.Bool().Draw(t, "coded") {
				b.Fields[i].Values = numbered(b.Fields[i].Values)
			}
		}
		if diff := cmp.Diff(want, parquetRows(t, parquetOf(t, schema, b))); diff != "" {
			t.Fatalf("one batch (-want +got):\n%s", diff)
		}
		narrow := parquetBounds{
			pageRows: rapid.IntRange(1, 20).Draw(t, "pageRows"), pageBytes: rapid.IntRange(1, 2000).Draw(t, "pageBytes"),
			groupRows: rapid.IntRange(1, 40).Draw(t, "groupRows"), groupBytes: 5000, pieceBytes: 100,
		}
		keep, err := policyFor(schema.Settings.InvalidDataBehavior)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w := newBounded(t, &out, schema, narrow)
		text, rows, err := w.appendBatch(w.appendStart(nil, []int{3}), b, keep)
		if err == nil {
			text, err = w.appendEnd(text, rows)
		}
		if err != nil || int(rows) != len(want)-1 {
			t.Fatalf("%d rows: %v", rows, err)
		}
		out.Write(text)
		if diff := cmp.Diff(want, parquetRows(t, out.Bytes())); diff != "" {
			t.Fatalf("small pages (-want +got):\n%s", diff)
		}
	})
}

// TestParquetRowErrors checks that the error of a row names it, and that the rows before it are counted.
func TestParquetRowErrors(t *testing.T) {
	for name, change := range map[string]func(b *intray.Batch){
		"refused row":   func(b *intray.Batch) { b.Problems = []intray.Problem{{Row: 5, Field: 1}} },
		"broken number": func(b *intray.Batch) { b.Fields[1].Values.Texts.Arena[5] = 'x' },
		"broken coded number": func(b *intray.Batch) {
			b.Fields[1].Values.Texts.Arena[5] = 'x'
			b.Fields[1].Values = numbered(b.Fields[1].Values)
		},
		"two broken columns": func(b *intray.Batch) {
			b.Fields[0].Values.Texts.Arena[7] = 'x'
			b.Fields[1].Values.Texts.Arena[5] = 'x'
		},
		"unknown field": func(b *intray.Batch) { b.Problems = []intray.Problem{{Row: 5, Field: 2}} },
		"problem in front": func(b *intray.Batch) {
			b.Problems = []intray.Problem{{Row: 5, Field: intray.NoField, Level: intray.LevelInfo}, {Row: 2, Level: intray.LevelInfo}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			schema := typed(intray.TypeNumber, intray.TypeNumber)
			schema.Settings.InvalidDataBehavior = intray.BlockSubmit
			b := &intray.Batch{First: 100, Lines: make([]int64, 9), Fields: make([]intray.Cells, 2)}
			for i := range b.Rows() {
				b.Fields[0].AppendValue(fmt.Append(nil, i))
				b.Fields[1].AppendValue(fmt.Append(nil, i))
			}
			change(b)
			rows, err := Write(context.Background(), io.Discard, Parquet, schema, single(b))
			if err == nil || !strings.Contains(err.Error(), "row 105: ") || rows != 5 || errors.Is(err, ErrInvalidRow) != (name == "refused row") {
				t.Errorf("%d rows: %v", rows, err)
			}
		})
	}
}

// TestRepeatedLargeText checks that a text that many rows share does not exceed the limit of a page.
func TestRepeatedLargeText(t *testing.T) {
	b := &intray.Batch{Lines: make([]int64, 1000), Fields: make([]intray.Cells, 1)}
	b.Fields[0].Values.Texts.AppendString(strings.Repeat("x", dictBytes))
	b.Fields[0].Values.Texts.AppendString("y")
	b.Fields[0].Values.Codes = make([]int32, b.Rows())
	for i := range b.Rows() {
		b.Fields[0].Values.Codes[i] = int32(i % 2)
	}
	w := newBounded(t, io.Discard, typed(intray.TypeString), defaultBounds)
	w.appendStart(nil, nil)
	w.begin(b, keepReceived)
	most := 2 * defaultBounds.pageBytes / dictBytes
	if end := w.partEnd(0); end != most-1 {
		t.Errorf("the first page has %d rows", end)
	}
}

// TestSplitCharacters checks that texts that are valid UTF-8 only together are not.
func TestSplitCharacters(t *testing.T) {
	var texts intray.Texts
	for _, text := range []string{"a", "\xc3", "\xa9", "b"} {
		texts.AppendString(text)
	}
	for from := range 4 {
		for to := from + 1; to <= 4; to++ {
			if got, want := areValidTexts(&texts, from, to), to == 1 || from == 3; got != want {
				t.Errorf("texts %d to %d are valid: %v, want %v", from, to, got, want)
			}
		}
	}
}
