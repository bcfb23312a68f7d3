package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/xuri/excelize/v2"
)

// sheetRows is the maximum number of rows of a worksheet.
const sheetRows = 1_048_576

// The kinds of cells in a table.
const (
	kindNumber = "number"
	kindDate   = "date"
)

// table is a CSV file whose columns have kinds. A cell of any other kind, or that is not of the kind of
// its column, is text. Empty cells are missing.
type table struct {
	reader *csv.Reader
	header []any
	kinds  []string
	row    []any
}

// openTable opens a CSV file with a header. kinds is a JSON array.
func openTable(file io.Reader, kinds string) (*table, error) {
	t := &table{reader: csv.NewReader(file)}
	t.reader.ReuseRecord = true
	if err := json.Unmarshal([]byte(kinds), &t.kinds); err != nil {
		return nil, fmt.Errorf("the kinds of columns: %w", err)
	}
	header, err := t.reader.Read()
	if err != nil {
		return nil, err
	}
	if len(header) != len(t.kinds) {
		return nil, fmt.Errorf("%d columns, and %d kinds", len(header), len(t.kinds))
	}
	for _, name := range header {
		t.header = append(t.header, name)
	}
	t.row = make([]any, len(header))
	return t, nil
}

// next returns the cells of the next row. date is the style of dates.
func (t *table) next(date int) ([]any, error) {
	texts, err := t.reader.Read()
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		switch t.row[i] = text; {
		case text == "":
			t.row[i] = nil
		case t.kinds[i] == kindNumber:
			if n, err := strconv.ParseInt(text, 10, 64); err == nil {
				t.row[i] = n
			} else if x, err := strconv.ParseFloat(text, 64); err == nil {
				t.row[i] = x
			}
		case t.kinds[i] == kindDate:
			if day, err := time.Parse(time.DateOnly, text); err == nil {
				t.row[i] = excelize.Cell{StyleID: date, Value: day}
			}
		}
	}
	return t.row, nil
}

// write reads a table and writes it to a workbook with excelize's StreamWriter. If book is "", it
// only reads the table. It returns the number of rows.
func write(name, kinds, book string) (rows int64, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	t, err := openTable(file, kinds)
	if err != nil {
		return 0, err
	}
	if book == "" {
		return t.skip()
	}
	to := excelize.NewFile()
	defer to.Close()
	format := "yyyy-mm-dd"
	date, err := to.NewStyle(&excelize.Style{CustomNumFmt: &format})
	if err != nil {
		return 0, err
	}
	for sheet := 1; ; sheet++ {
		n, more, err := t.writeSheet(to, sheet, date)
		if rows += n; err != nil {
			return rows, err
		}
		if !more {
			return rows, to.SaveAs(book)
		}
	}
}

// skip reads the remaining rows and returns their number.
func (t *table) skip() (rows int64, err error) {
	for ; ; rows++ {
		if _, err := t.next(0); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return rows, err
		}
	}
}

// writeSheet writes a sheet with the header and as many rows as fit. It reports whether there may
// be more rows.
func (t *table) writeSheet(to *excelize.File, number, date int) (rows int64, more bool, err error) {
	name := fmt.Sprint("Sheet", number)
	if _, err := to.NewSheet(name); err != nil {
		return 0, false, err
	}
	w, err := to.NewStreamWriter(name)
	if err != nil {
		return 0, false, err
	}
	if err := w.SetRow("A1", t.header); err != nil {
		return 0, false, err
	}
	more = true
	for rows < sheetRows-1 {
		cells, err := t.next(date)
		if errors.Is(err, io.EOF) {
			more = false
			break
		}
		if err != nil {
			return rows, false, err
		}
		if err := w.SetRow("A"+strconv.FormatInt(rows+2, 10), cells); err != nil {
			return rows, false, err
		}
		rows++
	}
	return rows, more, w.Flush()
}
