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

// cells reads a workbook. For numbers and dates, it returns the typed value.
func cells(t *testing.T, file []byte) (list [][]string, kinds map[int]intray.CellKind) {
	t.Helper()
	in := source.Input{Name: "people.xlsx", ReaderAt: bytes.NewReader(file), Size: int64(len(file))}
	book, err := source.Open(t.Context(), in, formats.Formats(""), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	kinds = map[int]intray.CellKind{}
	var batch intray.Records
	for {
		err := reader.Next(t.Context(), &batch)
		if errors.Is(err, io.EOF) {
			return list, kinds
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

func TestWorkbookHoldsTheSameRows(t *testing.T) {
	const rows = 3000
	var file bytes.Buffer
	if err := benchdata.WriteWorkbook(&file, rows, 7); err != nil {
		t.Fatal(err)
	}
	got, kinds := cells(t, file.Bytes())
	want := records(t, rows, 7)
	for _, record := range want {
		record[6] = strings.TrimRight(record[6], "0")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows of the CSV file (-) and of the workbook (+):\n%s", diff)
	}
	for column, want := range map[int]intray.CellKind{0: intray.CellNumber, 1: intray.CellText, 5: intray.CellDate, 6: intray.CellNumber, 9: intray.CellText} {
		if kinds[column] != want {
			t.Errorf("%s has the kind %d, want %d", benchdata.Header[column], kinds[column], want)
		}
	}
}

func TestFullDiskIsReportedInEachForm(t *testing.T) {
	for name, write := range map[string]func(io.Writer, int, uint64) error{"ndjson": benchdata.WriteNDJSON, "workbook": benchdata.WriteWorkbook} {
		if err := write(full{}, 5000, 1); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := benchdata.WriteWorkbook(io.Discard, benchdata.MaxWorkbookRows+1, 1); err == nil {
		t.Error("a workbook has more rows than a worksheet has room for")
	}
}
