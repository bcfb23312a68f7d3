package parquet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// noColumns returns a file whose schema consists only of the root.
func noColumns(tb testing.TB, rows int64) []byte {
	return appendFooter(tb, []byte(parquetio.Magic), &format.FileMetaData{
		Version: 1, NumRows: rows, Schema: []format.SchemaElement{{Name: "rows", NumChildren: thrift.New[int32](0)}},
		RowGroups: []format.RowGroup{{NumRows: rows}},
	})
}

func TestFormat(t *testing.T) {
	var samples []sourcetest.Sample
	for _, table := range sourcetest.LargeTables() {
		samples = append(samples, encodeTable(t, table))
	}
	small := encodeTable(t, sourcetest.Table{Name: "small", Headers: []string{"a", "b"}, Records: [][]string{{"1", ""}, {"", "é"}}})
	asIs := small
	asIs.Name, asIs.Options.AsIs = "as is", true
	asIs.Sheets = []sourcetest.Sheet{{Headers: []string{"", ""}, Records: [][]string{{"a", "b"}, {"1", ""}, {"", "é"}}, Lines: []int64{1, 1, 2}}}
	nested, err := sourcetest.Read(t, Format{}, string(nests(t)), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	people := people(t, 300, parquet.MaxRowsPerRowGroup(100), parquet.PageBufferSize(500))
	rows, err := sourcetest.Read(t, Format{}, string(people), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bare := sourcetest.Sample{Name: "bytes", Text: columnFile(t, parquet.Leaf(parquet.ByteArrayType), parquet.ByteArrayValue([]byte("a\xFF"))),
		Sheets: []sourcetest.Sheet{{Headers: []string{"v"}, Records: [][]string{{"61ff"}, {""}}}}}
	sourcetest.Run(t, Format{}, append(samples, small, asIs, bare,
		encodeTable(t, sourcetest.Table{Name: "no rows", Headers: []string{"a"}}),
		sourcetest.Sample{Name: "no columns", Text: noColumns(t, 0), Sheets: make([]sourcetest.Sheet, 1)},
		sourcetest.Sample{Name: "rows of no columns", Text: noColumns(t, 1<<40), Sheets: make([]sourcetest.Sheet, 1)},
		sourcetest.Sample{Name: "nested", Text: nests(t), Sheets: []sourcetest.Sheet{nested}},
		sourcetest.Sample{Name: "people", Text: people, Sheets: []sourcetest.Sheet{rows}},
	))
}

// TestPeople checks the values in a file with many pages in several row groups.
func TestPeople(t *testing.T) {
	for version := 1; version <= 2; version++ {
		file := people(t, 5000, parquet.MaxRowsPerRowGroup(1700), parquet.PageBufferSize(2000), parquet.DataPageVersion(version))
		sheet, err := sourcetest.Read(t, Format{}, string(file), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(sheet.Records) != 5000 {
			t.Fatalf("%d records", len(sheet.Records))
		}
		for i, got := range sheet.Records {
			note := ""
			if i%3 == 0 {
				note = fmt.Sprintf("a remark about %d", i)
			}
			amount := fmt.Sprintf("%03d", i*7919)
			want := []string{fmt.Sprint(i), fmt.Sprintf("Person %d", i), fmt.Sprintf("City %d", i%997), fmt.Sprintf("person%d@example.com", i), note}
			if diff := cmp.Diff(want, got[:5]); diff != "" || got[6] != amount[:len(amount)-2]+"."+amount[len(amount)-2:] || got[7] != fmt.Sprint(i%2 == 0) || got[8] != fmt.Sprint(float64(i%1000)/8) {
				t.Fatalf("record %d: %q %s", i, got, diff)
			}
		}
	}
}

func TestDetect(t *testing.T) {
	file := string(nests(t))
	for _, test := range []struct {
		name, text string
		low, high  float64
	}{
		{"whole", file, 1, 1},
		{"cut", file[:len(file)-1], 0.9, 0.9},
		{"encrypted", "PARE" + file[4:len(file)-4] + "PARE", 1, 1},
		{"encrypted columns", file[:len(file)-4] + "PARE", 1, 1},
		{"text", "PAR1,PAR2\n1,2\n", 0, 0},
		{"short", "PAR", 0, 0},
		{"no", "PK\x03\x04", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			sourcetest.RequireScore(t, Format{}, "a.parquet", test.text, test.low, test.high)
		})
	}
}

func TestEvidence(t *testing.T) {
	file := fileOf(t, []struct {
		A int64  `parquet:"a"`
		B []byte `parquet:"b"`
		C []byte `parquet:"c"`
	}{{1, []byte("x"), []byte("y")}, {2, []byte("\xFF"), []byte("é")}}, parquet.CreatedBy("test", "1", "b\x01"))
	reader, evidence := sourcetest.Open(t, Format{}, string(file), source.Options{})
	want := map[string]string{
		"written by": "test version 1(build b)", "rows": "2", "types": "a: int64, b: bytes, c: bytes",
		"header row": "names", "bytes of b": "hexadecimal", "bytes of c": "text",
	}
	evidence["written by"] = strings.ReplaceAll(evidence["written by"], " (", "(")
	if diff := cmp.Diff(want, evidence); diff != "" {
		t.Error(diff)
	}
	columns := []intray.Column{{Index: 0, Header: "a", Samples: []string{"1", "2"}}, {Index: 1, Header: "b", Samples: []string{"78", "ff"}}, {Index: 2, Header: "c", Samples: []string{"y", "é"}}}
	if diff := cmp.Diff(columns, reader.Columns()); diff != "" {
		t.Error(diff)
	}
}

// TestTypeMismatch checks that the evidence reports the physical type if the logical type does
// not fit it.
func TestTypeMismatch(t *testing.T) {
	file := editFooter(t, columnFile(t, parquet.Leaf(parquet.Int64Type), parquet.Int64Value(1)), func(meta *format.FileMetaData) { logical(&format.DateType{})(&meta.Schema[1]) })
	if _, evidence := sourcetest.Open(t, Format{}, string(file), source.Options{}); evidence["type of v"] != "int64" {
		t.Errorf("the evidence is %v", evidence)
	}
}

// TestReleasedPages checks that the records are the same if pages are released and
// decompressed again for each run of rows.
func TestReleasedPages(t *testing.T) {
	for _, file := range [][]byte{nests(t), people(t, 9000, parquet.MaxRowsPerRowGroup(4000), parquet.PageBufferSize(30_000))} {
		want, err := sourcetest.Read(t, Format{}, string(file), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := openBook(sourcetest.NewInput("", file), source.Options{Limits: source.Limits{}.WithDefaults()})
		if err != nil {
			t.Fatal(err)
		}
		r := newReader(b)
		r.maxHeld = 0
		batch, row := new(intray.Records), 0
		for r.Next(t.Context(), batch) == nil {
			for i := range batch.Len() {
				for c := range batch.NumCells(i) {
					if got := string(batch.Cell(i, c)); got != want.Records[row][c] {
						t.Fatalf("row %d, column %d: %q, not %q", row, c, got, want.Records[row][c])
					}
				}
				row++
			}
		}
		if row != len(want.Records) || r.pages.Held != 0 {
			t.Errorf("%d rows of %d, %d bytes held: %v", row, len(want.Records), r.pages.Held, r.failed)
		}
	}
}
