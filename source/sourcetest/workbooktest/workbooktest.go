// Package workbooktest provides helpers that the tests of several workbook formats share.
package workbooktest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/workbook"
)

// KindName returns the name that FormatCell uses for a kind.
func KindName(k intray.CellKind) string {
	return [...]string{"text", "number", "date", "datetime", "time", "bool", "error"}[k]
}

// FormatCell returns a cell as text: its reference, its kind, its value, its displayed
// text in brackets if that is different, and a mark if its row is hidden.
func FormatCell(r workbook.Row, c workbook.Cell) string {
	text := fmt.Sprintf("%s%d %s %s", workbook.ColumnName(c.Column), r.Number, KindName(c.Kind), c.Value)
	if c.Formatted != nil {
		text += fmt.Sprintf(" [%s]", c.Formatted)
	}
	if r.Hidden {
		text += " hidden"
	}
	return text
}

// ReadSheet reads a sheet and formats each cell with FormatCell. It returns an error if the rows
// violate the contract of workbook.Rows. If there is an error, it also returns the cells before
// the error.
func ReadSheet(ctx context.Context, book workbook.Workbook, sheet int) (cells []string, err error) {
	rows, err := book.Rows(ctx, sheet)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	last := int64(0)
	for {
		row, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return cells, nil
		}
		if err != nil {
			return cells, err
		}
		if row.Number <= last || len(row.Cells) == 0 {
			return cells, fmt.Errorf("row %d with %d cells follows row %d", row.Number, len(row.Cells), last)
		}
		last = row.Number
		for i, c := range row.Cells {
			if i > 0 && c.Column <= row.Cells[i-1].Column {
				return cells, fmt.Errorf("row %d: column %d follows %d", row.Number, c.Column, row.Cells[i-1].Column)
			}
			cells = append(cells, FormatCell(row, c))
		}
	}
}

// CountCells reads the first sheet and returns the number of its cells.
func CountCells(b *testing.B, book workbook.Workbook) (cells int) {
	b.Helper()
	rows, err := book.Rows(b.Context(), 0)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for {
		row, err := rows.Next(b.Context())
		if errors.Is(err, io.EOF) {
			return cells
		}
		if err != nil {
			b.Fatal(err)
		}
		cells += len(row.Cells)
	}
}

// CheckCancel checks that open, Rows and Next return an error if their context is canceled, and
// that Rows returns an error for an invalid sheet index. open must open a workbook with at least
// two rows.
func CheckCancel(t *testing.T, open func(ctx context.Context) (workbook.Workbook, error)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	book, err := open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.Rows(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rows.Next(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := rows.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Next: error %v", err)
	}
	if _, err := book.Rows(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Rows: error %v", err)
	}
	if _, err := open(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("open: error %v", err)
	}
	for _, sheet := range []int{-1, len(book.Sheets())} {
		if _, err := book.Rows(t.Context(), sheet); err == nil {
			t.Errorf("sheet %d: no error", sheet)
		}
	}
	if err := errors.Join(rows.Close(), book.Close()); err != nil {
		t.Error(err)
	}
}

// CheckMergedAndHidden checks that a format reports the merged range, hidden row and hidden
// column of a file, and that it fills the range only on request. The file must have three rows
// of two cells: "region" and "n", then "North" and 1, then an empty cell and 2. A2:A3 must be
// merged, and row 3 and column B must be hidden.
func CheckMergedAndHidden(t *testing.T, format source.Format, file []byte) {
	t.Helper()
	for _, fill := range []bool{false, true} {
		reader, evidence := sourcetest.Open(t, format, string(file), source.Options{FillMerged: fill})
		if evidence["merged cells"] != "1 range (first: A2:A3)" || evidence["hidden rows"] != "1 (first: 3)" || evidence["hidden columns"] != "B" {
			t.Errorf("evidence %q", evidence)
		}
		batch := &intray.Records{}
		if err := reader.Next(t.Context(), batch); err != nil || batch.Len() != 2 {
			t.Fatalf("%d records, error %v", batch.Len(), err)
		}
		if got := string(batch.Cell(1, 0)); fill != (got == "North") {
			t.Errorf("filled %v: cell %q", fill, got)
		}
	}
}

// ReportRowsPerCPU reports the metric rows/cpu-s: the number of rows per second of CPU
// time. before is the result of sourcetest.CPUTime when the benchmark started to read.
func ReportRowsPerCPU(b *testing.B, rows int, before time.Duration) {
	b.ReportMetric(float64(rows)/(sourcetest.CPUTime()-before).Seconds(), "rows/cpu-s")
}
