package output_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/importer"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/test/readers"
)

// TestFindingXLSXDates checks that every date from 0001-01-01 to 9999-12-31, and every time to
// the second, is the same after an import of a result in any format.
func TestFindingXLSXDates(t *testing.T) {
	list := readers.Moments()
	for _, format := range readers.Formats() {
		t.Run(string(format), func(t *testing.T) {
			file := readers.WriteMoments(t, format, list)
			in := source.Input{Name: "dates" + format.Extension(), ReaderAt: bytes.NewReader(file), Size: int64(len(file))}
			imp, err := importer.OpenInput(t.Context(), in, readers.MomentSchema(), importer.Config{TempDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer imp.Close()
			var got []readers.Moment
			for row, err := range imp.Rows(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, readers.Moment{Day: row.Text("day"), At: row.Text("at"), Time: row.Text("time")})
			}
			readers.CheckMoments(t, list, got)
		})
	}
}

// TestDatesInOutputFormat checks the same dates and times in an output format.
func TestDatesInOutputFormat(t *testing.T) {
	schema := readers.MomentSchema()
	schema.Fields = schema.Fields[1:2]
	schema.Fields[0].Type.Options = map[string]any{"withSeconds": true, "outputFormat": "dd.MM.yyyy HH:mm:ss"}
	b := &intray.Batch{Fields: make([]intray.Cells, 1)}
	want := []string{"at"}
	for _, m := range readers.Moments() {
		at, err := time.Parse("2006-01-02T15:04:05", m.At)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, at.Format("02.01.2006 15:04:05"))
		b.Fields[0].AppendValue([]byte(m.At))
	}
	b.Lines = make([]int64, len(want)-1)
	var file bytes.Buffer
	if _, err := output.Write(t.Context(), &file, output.CSV, schema, of(b)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(file.String()), "\n")); diff != "" {
		t.Error(diff)
	}
}
