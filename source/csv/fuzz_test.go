package csv

import (
	stdcsv "encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// cut gives all records of a text but the blank lines.
func cut(t *testing.T, text string) ([][]string, error) {
	scan := newScanner(sourcetest.Input("", []byte(text)), source.Limits{}.WithDefaults(), 0, 1)
	var records [][]string
	for {
		if err := scan.next(t.Context()); errors.Is(err, io.EOF) {
			return records, nil
		} else if err != nil {
			return nil, err
		}
		if scan.blank() {
			continue
		}
		var record []string
		for i := range scan.split.cells {
			cell, _ := scan.cell(i, nil)
			record = append(record, string(cell))
		}
		records = append(records, record)
	}
}

// FuzzCSV compares with the standard library where that reads a text as we do:
// without CR, which it drops, and without the quotes that it refuses.
func FuzzCSV(f *testing.F) {
	for _, r := range readings {
		f.Add(r.Text)
	}
	f.Add("a,\"b\"\"\n\"\n\n\"c\"x\n")
	f.Fuzz(func(t *testing.T, text string) {
		if score, reason := (Format{}).Detect(sourcetest.Input("", nil), []byte(text)); score < 0 || score > 1 || reason == "" {
			t.Fatalf("%q: score %v, reason %q", text, score, reason)
		}
		got, err := cut(t, text)
		if strings.ContainsAny(text, "\r\x00") || !utf8.ValidString(text) {
			return
		}
		theirs := stdcsv.NewReader(strings.NewReader(text))
		theirs.FieldsPerRecord = -1
		want, theirErr := theirs.ReadAll()
		if theirErr != nil {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q (-encoding/csv +got):\n%s", text, diff)
		}
	})
}

// FuzzRoundTrip writes a table, whose cells the text gives between marks, and
// reads it again.
func FuzzRoundTrip(f *testing.F) {
	f.Add("a|b#1|2", uint8(0))
	f.Add("a|\"#\r\n|,#|#x", uint8(1))
	f.Add("#\r|\"\"é", uint8(2))
	f.Fuzz(func(t *testing.T, text string, end uint8) {
		text = strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "0")
		var want [][]string
		var written []byte
		for _, line := range strings.Split(text, "#") {
			record := strings.Split(line, "|")
			want = append(want, record)
			written = appendRecord(written, record, []string{"\n", "\r\n", "\r"}[end%3])
		}
		got, err := cut(t, string(written))
		if err != nil {
			t.Fatalf("%q: %v", written, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", written, diff)
		}
	})
}
