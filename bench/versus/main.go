// Command versus reads a workbook with excelize, for measurements: the program of another
// library that the reader of Intray is held against. A tally is what it prints:
// how many rows there are and how many bytes each column has.
//
//	versus time|check FILE
//
// With check it also sums the MD5 of the cells of each column. It measures
// nothing itself.
package main

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"

	"github.com/xuri/excelize/v2"
)

type tally struct {
	Rows  int64    `json:"rows"`
	Bytes []int64  `json:"bytes"`
	Sums  []uint64 `json:"sums,omitempty"`
}

// add counts one row. Sums are of the last eight bytes of the MD5.
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

// read reads the first sheet below its header: rows with the raw values of their
// cells, through the iterator, which is what excelize has for large files.
func read(name string, check bool) (t tally, err error) {
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
		cells, err := rows.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return t, fmt.Errorf("read row %d: %w", t.Rows+2, err)
		}
		if !header {
			t.add(cells, check)
		}
	}
	return t, rows.Error()
}

func main() {
	if len(os.Args) != 3 || os.Args[1] != "time" && os.Args[1] != "check" {
		fmt.Fprintln(os.Stderr, "usage: versus time|check FILE")
		os.Exit(2)
	}
	t, err := read(os.Args[2], os.Args[1] == "check")
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(t)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "versus:", err)
		os.Exit(1)
	}
}
