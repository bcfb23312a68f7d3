package output_test

import (
	"bytes"
	"testing"

	"github.com/intraydata/intray/importer"
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
