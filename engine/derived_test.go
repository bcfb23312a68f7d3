package engine

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/source"
)

func TestDerivedText(t *testing.T) {
	row := []celltype.Cell{
		{Raw: []byte("Ada")}, {Raw: []byte(" ")}, {Raw: []byte("Lovelace, Augusta, King")}, {}, {Raw: []byte(" 03/04/2026")}, {Raw: []byte("5. März 2026")},
		{Raw: []byte("3/4/26"), Kind: intray.CellDate, Typed: []byte("2026-03-04")},
		{Raw: []byte("3/4/26 "), Kind: intray.CellDate, Typed: []byte("2026-03-04")},
	}
	cell := func(column int) celltype.Cell { return row[column] }
	for answer, want := range map[string]string{
		`{"name":"x","constant":"DE"}`:                                                         "DE",
		`{"name":"x","join":{"columns":[0,1,2],"with":" - "}}`:                                 "Ada - Lovelace, Augusta, King",
		`{"name":"x","join":{"columns":[3,1],"with":" "}}`:                                     "",
		`{"name":"x","split":{"column":2,"at":",","part":0}}`:                                  "Lovelace",
		`{"name":"x","split":{"column":2,"at":",","part":1}}`:                                  "Augusta",
		`{"name":"x","split":{"column":2,"at":",","part":1,"rest":true}}`:                      "Augusta, King",
		`{"name":"x","split":{"column":2,"at":",","part":3}}`:                                  "",
		`{"name":"x","split":{"column":3,"at":",","part":0}}`:                                  "",
		`{"name":"x","change":{"column":2,"case":"upper"}}`:                                    "LOVELACE, AUGUSTA, KING",
		`{"name":"x","change":{"column":2,"find":", ","with":"/"}}`:                            "Lovelace/Augusta/King",
		`{"name":"x","change":{"column":2,"find":",","with":"  ","trim":true,"case":"lower"}}`: "lovelace augusta king",
		`{"name":"x","change":{"column":3,"case":"title"}}`:                                    "",
		`{"name":"x","change":{"column":4,"dates":{"order":"DMY","format":"yyyy-MM-dd"}}}`:     "2026-04-03",
		`{"name":"x","change":{"column":4,"dates":{"order":"MDY","format":"d.M.yyyy"}}}`:       "4.3.2026",
		// Either number may be the day, and neither is the year.
		`{"name":"x","change":{"column":4,"dates":{"order":"YMD","format":"d.M.yyyy"}}}`:            " 03/04/2026",
		`{"name":"x","change":{"column":5,"dates":{"order":"MDY","format":"yyyy-MM"}}}`:             "2026-03",
		`{"name":"x","change":{"column":6,"dates":{"order":"DMY","format":"yyyyMMdd"}}}`:            "20260304",
		`{"name":"x","change":{"column":7,"trim":true,"dates":{"order":"DMY","format":"yyyy-MM"}}}`: "2026-03",
		`{"name":"x","change":{"column":0,"dates":{"order":"DMY","format":"yyyy"}}}`:                "Ada",
	} {
		list, ok := intray.ParseDerivedColumns("["+answer+"]", len(row))
		if !ok {
			t.Fatal(answer)
		}
		column := newDerivedColumn(list[0])
		if got := string(column.append([]byte("<"), cell)); got != "<"+want {
			t.Errorf("%s: %q, want %q", answer, got, want)
		}
	}
}

// sliceReader returns all rows in one batch, as a source may do.
type sliceReader struct {
	source.Reader
	rows [][]string
	done bool
}

func (r *sliceReader) Columns() []intray.Column { return []intray.Column{{Header: "A"}} }

func (r *sliceReader) Next(_ context.Context, recs *intray.Records) error {
	recs.Reset()
	if r.done {
		return io.EOF
	}
	r.done = true
	for i, row := range r.rows {
		for _, cell := range row {
			recs.AppendCell([]byte(cell))
		}
		recs.EndRecord(int64(i + 2))
	}
	return nil
}

// TestDerivedBatches checks that added cells that are much longer than those of the file do not make a batch
// larger than usual, and that a row with too much added text is refused.
func TestDerivedBatches(t *testing.T) {
	const rows, long = 1000, 10_000
	grown := []intray.DerivedColumn{{Name: "x", Change: &intray.ChangedColumn{Find: "a", With: strings.Repeat("b", 1000)}}}
	given := slices.Repeat([][]string{{strings.Repeat("a", long/1000)}}, rows)
	d := addColumns(&sliceReader{rows: given}, grown)
	var recs intray.Records
	total, batches := 0, 0
	for {
		err := d.Next(t.Context(), &recs)
		if recs.Bytes() > 2*intray.BatchBytes {
			t.Fatalf("a batch has %d bytes", recs.Bytes())
		}
		if recs.Len() > 0 && (recs.First != int64(total) || len(recs.Cell(0, 1)) != long) {
			t.Fatalf("the batch begins with row %d, want %d, with %d bytes", recs.First, total, len(recs.Cell(0, 1)))
		}
		total, batches = total+recs.Len(), batches+1
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if total != rows || batches < 5 {
		t.Errorf("%d rows in %d batches", total, batches)
	}
	d = addColumns(&sliceReader{rows: [][]string{{"a"}, {strings.Repeat("a", 1000)}}}, slices.Repeat(grown, 3))
	var limit *source.LimitError
	if err := d.Next(t.Context(), &recs); !errors.As(err, &limit) || limit.Line != 3 {
		t.Errorf("a row with 3 MB of added text: %v", err)
	}
}
