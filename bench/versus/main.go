// Command versus reads a workbook with excelize, for comparison with Intray's reader. It
// prints a tally: the number of rows and the number of bytes in each column.
//
// versus [displayed] time|check FILE
// versus sheets FILE
// versus write TABLE KINDS BOOK
//
// With displayed, it reads the text that Excel displays instead of raw cell values.
// With check, it also prints, for each column, the sum of the MD5 hashes of the cells. With
// sheets, it prints the name, the number of rows and the first cell of each sheet. With write,
// it writes a CSV file as a workbook and prints the number of rows. KINDS is a JSON array with the
// kind of each column: text, number or date. If BOOK is empty, it only reads the table. It does
// not measure time.
package main

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/xuri/excelize/v2"
)

type tally struct {
	Rows  int64    `json:"rows"`
	Bytes []int64  `json:"bytes"`
	Sums  []uint64 `json:"sums,omitempty"`
}

// add counts one row. A sum adds up the last eight bytes of the MD5 of each cell.
func (t *tally) add(cells []string, check bool) {
	t.Rows++
	for len(t.Bytes) < len(cells) {
		t.Bytes = append(t.Bytes, 0)
		t.Sums = append(t.Sums, 0)
	}
	for i, cell := range cells {
		t.Bytes[i] += int64(len(cell))
		if check {
			sum := md5.Sum([]byte(cell))
			t.Sums[i] += binary.LittleEndian.Uint64(sum[8:])
		}
	}
}

// read reads the rows of the first sheet below its header. It uses the row iterator, which
// excelize provides for large files.
func read(name string, check, displayed bool) (t tally, err error) {
	file, err := excelize.OpenFile(name)
	if err != nil {
		return t, fmt.Errorf("open the workbook: %w", err)
	}
	defer file.Close()
	rows, err := file.Rows(file.GetSheetName(0))
	if err != nil {
		return t, fmt.Errorf("open the sheet: %w", err)
	}
	defer rows.Close()
	for header := true; rows.Next(); header = false {
		cells, err := rows.Columns(excelize.Options{RawCellValue: !displayed})
		if err != nil {
			return t, fmt.Errorf("read row %d: %w", t.Rows+2, err)
		}
		if !header {
			t.add(cells, check)
		}
	}
	return t, rows.Error()
}

// sheet describes a worksheet. Rows includes the header.
type sheet struct {
	Name  string
	Rows  int64
	First string
}

// sheets counts the rows of each sheet.
func sheets(name string) (all []sheet, err error) {
	file, err := excelize.OpenFile(name)
	if err != nil {
		return nil, fmt.Errorf("open the workbook: %w", err)
	}
	defer file.Close()
	for _, name := range file.GetSheetList() {
		rows, err := file.Rows(name)
		if err != nil {
			return nil, fmt.Errorf("open the sheet %s: %w", name, err)
		}
		one := sheet{Name: name}
		for rows.Next() {
			if one.Rows++; one.Rows == 1 {
				cells, err := rows.Columns()
				if err != nil {
					return nil, fmt.Errorf("read the first row of %s: %w", name, err)
				}
				one.First = cells[0]
			}
		}
		if err := errors.Join(rows.Error(), rows.Close()); err != nil {
			return nil, fmt.Errorf("read the sheet %s: %w", name, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// answer performs the requested task.
func answer(args []string) (any, error) {
	displayed := len(args) > 0 && args[0] == "displayed"
	if displayed {
		args = args[1:]
	}
	switch {
	case len(args) == 2 && (args[0] == "time" || args[0] == "check"):
		return read(args[1], args[0] == "check", displayed)
	case len(args) == 2 && args[0] == "sheets" && !displayed:
		return sheets(args[1])
	case len(args) == 4 && args[0] == "write" && !displayed:
		return write(args[1], args[2], args[3])
	}
	fmt.Fprintln(os.Stderr, "usage: versus [displayed] time|check FILE, versus sheets FILE, or versus write TABLE KINDS BOOK")
	os.Exit(2)
	return nil, nil
}

func main() {
	t, err := answer(os.Args[1:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(t)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "versus:", err)
		os.Exit(1)
	}
}
