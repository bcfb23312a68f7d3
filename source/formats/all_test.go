package formats

import (
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

func TestOpenRecognizes(t *testing.T) {
	tests := []struct{ name, text, format, header, cell string }{
		{"a.csv", "a,b\n1,2\n", "csv", "a", "1"},
		{"a.txt", "a\n1\n", "csv", "a", "1"},
		{"", "a,b\n1,2\n", "csv", "a", "1"},
		{"", "just words\nand more\n", "csv", "just words", "and more"},
		{"a.csv", "[id],[name]\n1,2\n", "csv", "[id]", "1"},
		{"a.csv", "[1],[2]\n3,4\n", "csv", "[1]", "3"},
		{"a.json", "a,b\n1,2\n", "csv", "a", "1"},
		{"a.csv", `[{"a":1}]`, "json", "a", "1"},
		{"a.txt", "{\"a\":1,\"b\":2}\n{\"a\":3}\n", "json", "a", "1"},
		{"", "\uFEFF\n [ {\"a\":1}]", "json", "a", "1"},
		{"", `[{"a":"` + strings.Repeat("x", source.HeadBytes) + `"}]`, "json", "a", strings.Repeat("x", source.HeadBytes)},
	}
	for _, test := range tests {
		book, err := source.Open(t.Context(), sourcetest.NewInput(test.name, []byte(test.text)), Formats(""), source.Options{})
		if err != nil {
			t.Errorf("%s %.20q: %v", test.name, test.text, err)
			continue
		}
		if got := book.Evidence()[0]; got.Choice != "format" || got.Value != test.format || got.Reason.IsZero() {
			t.Errorf("%s %.20q: %v", test.name, test.text, got)
		}
		header, cell := first(t, book)
		if header != test.header || cell != test.cell {
			t.Errorf("%s %.20q: header %q, cell %.20q", test.name, test.text, header, cell)
		}
	}
}

// first returns the header and the first cell of the first column.
func first(t *testing.T, book source.Book) (header, cell string) {
	t.Helper()
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	batch := &intray.Records{}
	if err := reader.Next(t.Context(), batch); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if err := errors.Join(reader.Close(), book.Close()); err != nil {
		t.Fatal(err)
	}
	return reader.Columns()[0].Header, string(batch.Cell(0, 0))
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct{ name, text, reason string }{
		{"a.csv", "", "the file is empty"},
		{"a.csv", "\r\n \n", "the file is empty"},
		{"a.json", " ", "the file is empty"},
		{"a.zip", "PK\x03\x04\x00\x00", "the zip file is damaged"},
		{"a.json", `[1,2]`, "an array of objects"},
		{"a.json", `[{"a":1},`, "ends in the middle"},
		{"a.csv", `[{"a":1}, {"a":}]`, "unexpected character"},
	}
	for _, test := range tests {
		_, err := sheets(t, test.name, test.text)
		var unreadable *source.UnreadableError
		if !errors.As(err, &unreadable) || !strings.Contains(unreadable.Reason.String(), test.reason) {
			t.Errorf("%s %q: got %v, want %q", test.name, test.text, err, test.reason)
		}
	}
}

func sheets(t *testing.T, name, text string) ([]sourcetest.Sheet, error) {
	t.Helper()
	in := sourcetest.NewInput(name, []byte(text))
	book, err := source.Open(t.Context(), in, Formats(""), source.Options{})
	if err != nil {
		return nil, err
	}
	for _, f := range Formats("") {
		if f.Name() == book.Evidence()[0].Value {
			return sourcetest.ReadAll(t.Context(), f, in, source.Options{})
		}
	}
	t.Fatal("the format of the book is not listed")
	return nil, nil
}

func TestFormatNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Formats("") {
		if f.Name() == "" || seen[f.Name()] {
			t.Errorf("format %q", f.Name())
		}
		seen[f.Name()] = true
	}
}

// TestBinaryWorkbook reads a binary workbook on its own, in archives, and encrypted.
func TestBinaryWorkbook(t *testing.T) {
	book := binaryBytes(t, binaryRowHeader(1)+binaryTextCell(0, "name")+binaryRowHeader(2)+binaryTextCell(0, "Ada"))
	xml := workbook(t, `<row><c t="str"><v>name</v></c></row><row><c t="str"><v>Ada</v></c></row>`)
	for name, test := range map[string]struct {
		file   []byte
		format string
	}{
		"a.xlsb":    {book, "xlsb"},
		"a.xlsx":    {book, "xlsb"},
		"b.xlsx":    {workbooktest.EncryptAgile(xml, workbooktest.DefaultPassword, 1000), "xlsx"},
		"b.xlsb":    {workbooktest.EncryptAgile(book, workbooktest.DefaultPassword, 1000), "xlsb"},
		"a.zip":     {zipped(t, "a.xlsb", string(book)), "archive"},
		"a.xlsb.gz": {bytesOf(t, gzipped(gzip.BestSpeed, text(string(book)))), "archive"},
	} {
		opened, err := source.Open(t.Context(), sourcetest.NewInput(name, test.file), Formats(""), source.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := opened.Evidence()[0]; got.Choice != "format" || got.Value != test.format {
			t.Errorf("%s: %v", name, got)
		}
		if header, cell := first(t, opened); header != "name" || cell != "Ada" {
			t.Errorf("%s: header %q, cell %q", name, header, cell)
		}
	}
	_, err := source.Open(t.Context(), sourcetest.NewInput("a.xlsb", workbooktest.EncryptAgile(book, "secret", 1000)), Formats(""), source.Options{})
	if err == nil || !strings.Contains(err.Error(), "password-protected") {
		t.Errorf("another password: %v", err)
	}
}
