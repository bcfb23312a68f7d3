package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
	"github.com/intraydata/intray/source/sourcetest"
)

// gzipped compresses text to one gzip stream that stores a file name.
func gzipped(t testing.TB, name, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Name = name
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// zstded compresses text to one zstd frame.
func zstded(t testing.TB, text string, opt ...zstd.EOption) string {
	t.Helper()
	w, err := zstd.NewWriter(nil, opt...)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

// entry is a file to pack.
type entry = sourcetest.Entry

// file returns an entry like those that archivers usually write.
func file(name, text string) entry { return sourcetest.File(name, text) }

// packed returns an entry that is compressed with the given method.
func packed(name string, method uint16, text string) entry {
	e := file(name, text)
	e.Method = method
	return e
}

func zipped(t testing.TB, entries ...entry) string {
	t.Helper()
	return string(sourcetest.Zip(t, entries...))
}

// cabinet is a small format with several sheets. A line "=name" starts a sheet, and each line
// after it is a record with one cell. The line "!" causes an error.
type cabinet struct{}

const cabinetMark = "CABINET\x00\n"

func (cabinet) Name() string { return "cabinet" }

func (cabinet) Detect(_ source.Input, head []byte) (float64, intray.Message) {
	if bytes.HasPrefix(head, []byte(cabinetMark)) {
		return 1, intray.Literal("it begins as a cabinet")
	}
	return 0, intray.Message{}
}

func (cabinet) Open(_ context.Context, in source.Input, _ source.Options) (source.Book, error) {
	text, err := io.ReadAll(io.NewSectionReader(in, 0, in.Size))
	if err != nil {
		return nil, err
	}
	sheets := strings.Split(strings.TrimPrefix(string(text), cabinetMark), "=")[1:]
	if len(sheets) == 0 {
		return nil, &source.UnreadableError{Line: 1, Reason: intray.Literal("the cabinet has no sheet")}
	}
	return cabinetBook(sheets), nil
}

type cabinetBook []string

func (cabinetBook) Close() error { return nil }

func (cabinetBook) Evidence() []intray.Evidence {
	return []intray.Evidence{{Choice: "wood", Value: "oak", Reason: intray.Literal("it looks like it")}}
}

func (d cabinetBook) Sheets() (list []source.Sheet) {
	for _, text := range d {
		name, _, _ := strings.Cut(text, "\n")
		list = append(list, source.Sheet{Name: name})
	}
	return list
}

func (d cabinetBook) Open(_ context.Context, sheet int) (source.Reader, error) {
	return &cabinetReader{lines: strings.Split(strings.TrimSuffix(d[sheet], "\n"), "\n")[1:]}, nil
}

type cabinetReader struct {
	lines []string
	done  bool
}

func (d *cabinetReader) Close() error             { return nil }
func (d *cabinetReader) Columns() []intray.Column { return []intray.Column{{}} }
func (cabinetReader) Evidence() []intray.Evidence { return cabinetBook{}.Evidence() }

func (d *cabinetReader) Next(_ context.Context, batch *intray.Records) error {
	batch.Reset()
	if d.done || len(d.lines) == 0 {
		return io.EOF
	}
	d.done = true
	for i, line := range d.lines {
		if line == "!" {
			return &source.UnreadableError{Line: int64(i) + 1, Reason: intray.Literal("a line that cannot be read")}
		}
		batch.AppendCell([]byte(line))
		batch.EndRecord(int64(i) + 1)
	}
	return nil
}

// format returns a format that reads the files in these tests.
func format() Format { return Format{Inner: []source.Format{csv.Format{}, cabinet{}}} }

// open opens an archive and closes it at the end of the test.
func open(t testing.TB, f Format, name, text string) source.Book {
	t.Helper()
	book, err := f.Open(t.Context(), sourcetest.NewInput(name, []byte(text)), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseAfter(t, book)
	return book
}

// values returns the value of each item of evidence, keyed by choice.
func values(list []intray.Evidence) map[string]string {
	found := map[string]string{}
	for _, e := range list {
		found[e.Choice] = e.Value
	}
	return found
}

// reasons returns the reason of each item of evidence, keyed by choice.
func reasons(list []intray.Evidence) map[string]string {
	found := map[string]string{}
	for _, e := range list {
		found[e.Choice] = e.Reason.String()
	}
	return found
}
