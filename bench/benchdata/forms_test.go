package benchdata_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/bench/benchdata"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// records parses a generated CSV file with encoding/csv.
func records(t *testing.T, rows int, seed uint64) [][]string {
	t.Helper()
	list, err := csv.NewReader(strings.NewReader(generated(t, rows, seed))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return list[1:]
}

func TestLinesHoldTheSameRows(t *testing.T) {
	const rows = 3000
	var text bytes.Buffer
	if err := benchdata.WriteNDJSON(&text, rows, 7); err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for line := range bytes.Lines(text.Bytes()) {
		var object map[string]any
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber()
		if err := dec.Decode(&object); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		var record []string
		for _, name := range benchdata.Header {
			switch value := object[name].(type) {
			case string:
				record = append(record, value)
			case json.Number:
				record = append(record, value.String())
			default:
				t.Fatalf("%s is %v in %s", name, value, line)
			}
		}
		got = append(got, record)
	}
	if diff := cmp.Diff(records(t, rows, 7), got); diff != "" {
		t.Errorf("rows of the CSV file (-) and of the NDJSON file (+):\n%s", diff)
	}
}

// cells reads all sheets of a workbook. For numbers and dates, it returns the typed value.
func cells(t *testing.T, name string, file []byte) (list [][]string, kinds map[int]intray.CellKind) {
	t.Helper()
	in := source.Input{Name: name, ReaderAt: bytes.NewReader(file), Size: int64(len(file))}
	book, err := source.Open(t.Context(), in, formats.Formats(""), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	kinds = map[int]intray.CellKind{}
	for sheet := range book.Sheets() {
		reader, err := book.Open(t.Context(), sheet)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, sheetCells(t, reader, kinds)...)
		reader.Close()
	}
	return list, kinds
}

func sheetCells(t *testing.T, reader source.Reader, kinds map[int]intray.CellKind) (list [][]string) {
	t.Helper()
	var batch intray.Records
	for {
		err := reader.Next(t.Context(), &batch)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch.Len() {
			var record []string
			for c := range batch.NumCells(i) {
				kind, value := batch.TypedCell(i, c)
				if kinds[c] = kind; kind == intray.CellText {
					value = batch.Cell(i, c)
				}
				record = append(record, string(value))
			}
			list = append(list, record)
		}
	}
}

func TestWorkbooksHoldTheSameRows(t *testing.T) {
	for _, c := range []struct {
		name  string
		rows  int
		write func(io.Writer, int, uint64) error
		typed bool
	}{
		{"people.xlsx", 3000, benchdata.WriteWorkbook, true},
		{"people.xls", 66_000, benchdata.WriteBinaryWorkbook, true}, // two sheets
		{"people.xls", 0, benchdata.WriteBinaryWorkbook, true},
		{"people.ods", 3000, benchdata.WriteDocument, true},
		{"people.html", 3000, benchdata.WritePage, false},
	} {
		var file bytes.Buffer
		if err := c.write(&file, c.rows, 7); err != nil {
			t.Fatal(err)
		}
		got, kinds := cells(t, c.name, file.Bytes())
		if len(got) != c.rows {
			t.Errorf("%s: %d rows, want %d", c.name, len(got), c.rows)
		}
		if c.rows == 0 {
			continue
		}
		want := records(t, c.rows, 7)
		for _, record := range want {
			if c.typed {
				record[6] = strings.TrimRight(record[6], "0")
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rows of the CSV file (-) and of %s (+):\n%s", c.name, diff)
		}
		wantKinds := map[int]intray.CellKind{0: intray.CellNumber, 1: intray.CellText, 5: intray.CellDate, 6: intray.CellNumber, 9: intray.CellText}
		for column, want := range wantKinds {
			if c.typed && kinds[column] != want {
				t.Errorf("%s: %s has the kind %d, want %d", c.name, benchdata.Header[column], kinds[column], want)
			}
		}
	}
}

func TestFullDiskIsReportedInEachForm(t *testing.T) {
	for name, write := range map[string]func(io.Writer, int, uint64) error{"ndjson": benchdata.WriteNDJSON, "workbook": benchdata.WriteWorkbook, "xls": benchdata.WriteBinaryWorkbook, "ods": benchdata.WriteDocument, "html": benchdata.WritePage} {
		if err := write(full{}, 5000, 1); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := benchdata.WriteWorkbook(io.Discard, benchdata.MaxWorkbookRows+1, 1); err == nil {
		t.Error("a workbook has more rows than a worksheet has room for")
	}
}
