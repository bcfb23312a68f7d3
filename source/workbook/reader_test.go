package workbook

import (
	"context"
	"errors"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// sparse is a workbook whose rows have cells only at the right. Its rows never end.
type sparse struct {
	memory
	columns, filled int
}

func (s sparse) Rows(context.Context, int) (Rows, error) { return &sparseRows{sparse: s}, nil }

func (s sparse) MergedRanges(context.Context, int) ([]Range, error) { return s.ranges, nil }

type sparseRows struct {
	sparse
	row Row
}

func (r *sparseRows) Next(ctx context.Context) (Row, error) {
	if err := ctx.Err(); err != nil {
		return Row{}, err
	}
	r.row.Number++
	r.row.Cells = r.row.Cells[:0]
	for c := r.columns - r.filled; c < r.columns; c++ {
		r.row.Cells = append(r.row.Cells, Cell{Column: c, Value: []byte("x")})
	}
	return r.row, nil
}

func (*sparseRows) Close() error { return nil }

// readAll reads a sheet without keeping its records.
func readAll(t *testing.T, w Workbook, opt source.Options) error {
	t.Helper()
	book, err := NewBook(w, opt)
	if err != nil {
		return err
	}
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		return err
	}
	for batch := new(intray.Records); err == nil; {
		err = reader.Next(t.Context(), batch)
	}
	if err := errors.Join(reader.Close(), book.Close()); err != nil {
		t.Error(err)
	}
	return err
}

// TestFindingSparseRows checks that a sheet with almost only empty cells is refused long before
// the limit of cells, and that other sheets are read up to that limit. Cells that merged ranges
// fill count as empty.
func TestFindingSparseRows(t *testing.T) {
	const (
		columns = 16_384
		limit   = minRatioCells + 4*columns
		tooFew  = `on line 4,097, nearly all cells of the sheet are empty because the rows extend to column XFD; delete the cells that are far to the right and upload the file again`
		tooMany = `on line 4,101, the sheet has more than 67,174,400 cells`
	)
	for name, c := range map[string]struct {
		filled int
		ranges []Range
		want   string
	}{
		"one cell in each row":  {1, nil, tooFew},
		"almost enough cells":   {63, nil, tooFew},
		"enough cells":          {64, nil, tooMany},
		"one cell that is wide": {1, []Range{{FirstRow: 1, LastRow: 1 << 20, FirstColumn: columns - 100, LastColumn: columns - 1}}, tooFew},
	} {
		t.Run(name, func(t *testing.T) {
			opt := source.Options{HeaderRow: source.NoHeader, FillMerged: true, Limits: source.Limits{Cells: limit}}
			err := readAll(t, sparse{memory{ranges: c.ranges}, columns, c.filled}, opt)
			if _, ok := errors.AsType[*source.LimitError](err); !ok || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}
