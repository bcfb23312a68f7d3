package engine_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// cancelingFile is a file that cancels a run at one of its reads.
type cancelingFile struct {
	io.ReaderAt
	mu     sync.Mutex
	cancel context.CancelFunc
	// reads is the number of reads, and cancelAt is the one that cancels the run, or 0. late is
	// the number of reads that began after that.
	reads, cancelAt, late int
}

func (f *cancelingFile) ReadAt(b []byte, offset int64) (int, error) {
	f.mu.Lock()
	f.reads++
	if f.cancelAt > 0 && f.reads > f.cancelAt {
		f.late++
	}
	if f.reads == f.cancelAt {
		f.cancel()
	}
	f.mu.Unlock()
	return f.ReaderAt.ReadAt(b, offset)
}

// TestS1CanceledRunStops cancels runs at some of the reads of a large file, whose formats have
// different stages: detection, the search for quotes and headers, a survey of all elements,
// decompression, and the rows. The run must read nothing more. Reads that have already begun on
// other goroutines do not count.
func TestS1CanceledRunStops(t *testing.T) {
	lines := "name,email,amount\n" + strings.Repeat("ada,\"ada@example.org\",1.5\n", 100_000)
	objects := "[" + strings.Repeat(`{"name":"ada","email":"ada@example.org"},`, 60_000) + `{"name":"bob"}]`
	cells := strings.Repeat(`<table:table-cell office:value-type="string"><text:p>ada</text:p></table:table-cell>`, 3)
	var ods strings.Builder
	ods.WriteString(`<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="S">`)
	for row := range 20_000 {
		fmt.Fprintf(&ods, `<!-- %x --><table:table-row>%s</table:table-row>`, uint32(row)*2654435761, cells)
	}
	ods.WriteString(`</table:table></office:spreadsheet></office:body></office:document-content>`)
	html := "<html><body><table>" + strings.Repeat("<tr><td>name<td>email", 100_000) + "</table>"
	for name, text := range map[string]string{
		"list.csv": lines, "one.csv": "name\n\"" + strings.Repeat("a", 4<<20), "list.json": objects, "arrays.json": "[" + strings.Repeat(`["a","b"],`, 300_000) + `["c","d"]]`,
		"list.ndjson": strings.Repeat("{\"name\":\"ada\",\"email\":\"b\"}\n", 100_000), "list.html": html,
		"list.csv.gz": gzipped(t, gzip.NoCompression, lines), "list.zip": zipped(t, "list.csv", lines),
		"list.ods": zipped(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", ods.String()),
	} {
		t.Run(name, func(t *testing.T) {
			reads := runCanceled(t, name, text, 0)
			if reads < 4 {
				t.Fatalf("the whole file takes %d reads, want more", reads)
			}
			for i := range 8 {
				runCanceled(t, name, text, 1+i*(reads-1)/8)
			}
		})
	}
}

// runCanceled runs an import and cancels it at a read. It returns the number of reads.
func runCanceled(t *testing.T, name, text string, at int) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	file := &cancelingFile{ReaderAt: strings.NewReader(text), cancel: cancel, cancelAt: at}
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}, Validators: []intray.Validator{{Rule: "unique"}}},
	}}
	s := stageOpener{ctx: ctx, blobs: blobtest.NewMemory()}
	e := engine.New(engine.Config{Formats: formats.Formats(""), Workers: 1})
	out, err := e.Run(ctx, engine.Import{Input: source.Input{Name: name, ReaderAt: file, Size: int64(len(text))}, Schema: schema}, s.open)
	if s.writer != nil {
		s.writer.Abort()
	}
	if at == 0 {
		if err != nil {
			t.Fatal(err)
		}
		return file.reads
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled at read %d: outcome %+v, error %v", at, out, err)
	}
	if file.late > 2 { // one for each goroutine that reads
		t.Errorf("canceled at read %d: %d further reads", at, file.late)
	}
	return file.reads
}

func gzipped(t *testing.T, level int, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zipped returns a ZIP archive without compression. Its arguments are the names and contents of
// the members.
func zipped(t *testing.T, members ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		member, err := w.CreateHeader(&zip.FileHeader{Name: members[i], Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(member, members[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
