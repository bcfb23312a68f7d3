package httpapi

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/model"
)

// thing is an element of a list.
type thing struct {
	Name string `json:"name"`
	List []int  `json:"list"`
}

type thingList struct {
	Note string  `json:"note"`
	List []thing `json:"list"`
}

// TestListWriterIsTheEncoder compares the output of listWriter with the same documents encoded
// by a single call to encoding/json.
func TestListWriterIsTheEncoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) thing {
			return thing{rapid.String().Draw(t, "name"), rapid.SliceOfN(rapid.Int(), 0, 3).Draw(t, "list")}
		}), 0, 5).Draw(t, "things")
		note := rapid.SampledFrom([]string{"", "[]", "a[]b", "<&>\u2028"}).Draw(t, "note")
		for _, c := range []struct{ frame, whole any }{
			{[]thing{}, append([]thing{}, list...)},
			{thingList{note, []thing{}}, thingList{note, append([]thing{}, list...)}},
		} {
			var out bytes.Buffer
			w := &listWriter{to: &out, frame: c.frame}
			for _, one := range list {
				if err := w.append(one); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.close(); err != nil {
				t.Fatal(err)
			}
			want, err := encodeJSON(c.whole)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), out.String()); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// failAfter is a writer that fails after some writes.
type failAfter struct{ left int }

var errWriter = errors.New("the writer fails")

func (f *failAfter) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errWriter
	}
	return len(p), nil
}

// TestListWriterReportsErrors checks the errors that occur if writing any of the four pieces of
// a list fails, or if an element or the frame cannot be encoded as JSON.
func TestListWriterReportsErrors(t *testing.T) {
	write := func(w *listWriter, elements ...any) error {
		for _, one := range elements {
			if err := w.append(one); err != nil {
				return err
			}
		}
		return w.close()
	}
	long := strings.Repeat("x", listBuffer)
	for left := range 4 {
		if err := write(&listWriter{to: &failAfter{left}, frame: []string{}}, long, long, long); !errors.Is(err, errWriter) {
			t.Errorf("after %d writes: error %v", left, err)
		}
	}
	if err := write(&listWriter{to: &failAfter{4}, frame: []string{}}, long, long, long); err != nil {
		t.Errorf("a list of four pieces: error %v", err)
	}
	for name, err := range map[string]error{
		"an element":            write(&listWriter{to: io.Discard, frame: []any{}}, 1, make(chan int)),
		"the frame":             write(&listWriter{to: io.Discard, frame: make(chan int)}, 1),
		"the frame of no items": write(&listWriter{to: io.Discard, frame: make(chan int)}),
	} {
		if err == nil {
			t.Errorf("%s without JSON was written", name)
		}
	}
}

// TestListResponse checks that a list response deletes its file and reports errors from the
// list and from the spool.
func TestListResponse(t *testing.T) {
	folder := t.TempDir()
	a := &API{cfg: Config{TempDir: folder}}
	boom := errors.New("boom")
	_, err := a.listResponse([]string{}, func(list *listWriter) error {
		check(t, list.append(strings.Repeat("x", listBuffer)))
		return boom
	})
	if !errors.Is(err, boom) {
		t.Errorf("a list that fails: error %v", err)
	}
	a.cfg.TempDir = filepath.Join(folder, "missing")
	_, err = a.listResponse([]string{}, func(list *listWriter) error { return list.append(strings.Repeat("x", keepInMemory)) })
	if !errors.As(err, new(*spoolError)) {
		t.Errorf("without a folder: error %v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, error %v", left, err)
	}
}

// TestSpool checks that a spool returns the bytes that were written, both from
// memory and from a file.
func TestSpool(t *testing.T) {
	a := &API{cfg: Config{TempDir: t.TempDir()}}
	for _, size := range []int{0, 1, keepInMemory, keepInMemory + 1, 3 * keepInMemory} {
		want := strings.Repeat("abc", size)[:size]
		s := a.newSpool(0, nil)
		_, err := io.Copy(s, onlyReader{strings.NewReader(want)})
		check(t, err)
		whole, err := s.bytes()
		check(t, err)
		part := make([]byte, size/2)
		if _, err = s.readerAt().ReadAt(part, int64(size-len(part))); len(part) > 0 {
			check(t, err)
		}
		var streamed strings.Builder
		check(t, s.stream(&streamed))
		if string(whole) != want || string(part) != want[size-len(part):] || streamed.String() != want || s.size != int64(size) {
			t.Errorf("%d bytes: %d and %d and %d came back", size, len(whole), len(part), streamed.Len())
		}
		if (s.file != nil) != (size > keepInMemory) {
			t.Errorf("%d bytes: a file is %v", size, s.file != nil)
		}
	}
}

// TestFindingReliability3Spool checks that a response of up to 1 MiB is kept in memory if the disk is
// full, whether that happens before or after a part of it was written to a file.
func TestFindingReliability3Spool(t *testing.T) {
	a := &API{cfg: Config{TempDir: t.TempDir()}}
	want := strings.Repeat("0123456789abcdef", maxOnFullDisk/16)
	fill := func(s *spool, text string) error {
		_, err := io.CopyBuffer(s, onlyReader{strings.NewReader(text)}, make([]byte, 5000))
		return err
	}
	onFullDisk := func() *spool { // every write to /dev/full fails because the disk is full
		s := a.newSpool(0, nil)
		check(t, fill(s, want[:keepInMemory]))
		file, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
		if err != nil {
			t.Skipf("SKIPPED: no file that is always full: %v", err)
		}
		s.file = &filesys.TempFile{File: file}
		return s
	}
	partly := a.newSpool(0, nil)
	check(t, fill(partly, want[:keepInMemory+5]))
	if !partly.moveToMemory(partly.size) {
		t.Fatal("the spool does not fit into memory")
	}
	for name, s := range map[string]*spool{"from the beginning": onFullDisk(), "in the middle": partly} {
		check(t, fill(s, want[s.size:]))
		whole, err := s.bytes()
		check(t, err)
		if string(whole) != want || s.file != nil {
			t.Errorf("%s: %d bytes came back, want %d", name, len(whole), len(want))
		}
		if err := fill(s, "x"); !errors.Is(err, syscall.ENOSPC) || !errors.As(err, new(*spoolError)) {
			t.Errorf("%s: more than fits: error %v", name, err)
		}
		s.close()
	}
	if n := a.fullSpools.Load(); n != 0 {
		t.Errorf("%d closed spools count as open", n)
	}
	a.fullSpools.Store(maxFullSpools)
	last := onFullDisk()
	if err := fill(last, "x"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("one spool too many: error %v", err)
	}
	last.close()
	if n := a.fullSpools.Load(); n != maxFullSpools {
		t.Errorf("%d spools are open, want %d", n, maxFullSpools)
	}
}

// TestSpoolReportsErrors checks the errors for a spool that exceeds its limit, for a spool whose
// file was closed too early, and for reading past the end.
func TestSpoolReportsErrors(t *testing.T) {
	a := &API{cfg: Config{TempDir: t.TempDir()}}
	over := errors.New("too large")
	limited := a.newSpool(3, over)
	if _, err := limited.Write([]byte("abcd")); !errors.Is(err, over) {
		t.Errorf("over the limit: error %v", err)
	}
	full := func() *spool {
		s := a.newSpool(0, nil)
		_, err := s.Write(make([]byte, keepInMemory+1))
		check(t, err)
		return s
	}
	closed, short := full(), full()
	defer short.close()
	check(t, closed.file.Close())
	short.size++
	_, written := closed.Write([]byte("a"))
	_, read := closed.reader()
	_, whole := closed.bytes()
	_, missing := short.bytes()
	for name, err := range map[string]error{"write": written, "read": read, "read all": whole, "stream": closed.stream(io.Discard), "read more": missing} {
		if !errors.As(err, new(*spoolError)) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := full().stream(&failAfter{}); !errors.Is(err, errWriter) {
		t.Errorf("a client that is gone: error %v", err)
	}
}

func someUpload() model.Upload {
	return model.Upload{
		ID: "0f8fad5b-d9cb-469f-a165-70867728950e", ImportIdentifier: "contacts", Filename: "contacts.csv",
		Status: model.UploadProcessed, TotalRows: 1000, FieldOrder: []string{"email", "name"},
		Problems: model.ProblemSummary{InvalidRows: []int64{1, 2, 3}, Errors: []intray.Notice{{Type: intray.Validation, Text: intray.Literal("Required.")}}},
	}
}

func BenchmarkListUploads(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			one := someUpload()
			b.ReportAllocs()
			for b.Loop() {
				w := &listWriter{to: io.Discard, frame: wire.Uploads{End: int64(n), TotalNumUploads: int64(n), Data: []wire.Upload{}}}
				for range n {
					check(b, w.append(wireUpload(one)))
				}
				check(b, w.close())
			}
		})
	}
}
