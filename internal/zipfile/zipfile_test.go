package zipfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// ample holds limits that the archives in these tests do not reach.
var ample = Limits{InflatedBytes: 1 << 30, PartBytes: 1 << 30, Ratio: 1 << 20, Entries: 100}

// open opens an archive, which must be valid.
func open(t *testing.T, raw []byte, limits Limits, foldCase bool) *Archive {
	t.Helper()
	a, err := Open(inputOf(raw), limits, foldCase)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// content returns the content of a part.
func content(ctx context.Context, a *Archive, name string) (string, error) {
	p, err := a.Open(ctx, name)
	if err != nil {
		return "", err
	}
	defer p.Close()
	text, err := io.ReadAll(p)
	return string(text), err
}

func TestOpen(t *testing.T) {
	for _, foldCase := range []bool{true, false} {
		a := open(t, some(t), ample, foldCase)
		for name, want := range map[string]bool{"a.xml": true, "A.XML": foldCase, "none": false, "": false} {
			text, err := content(t.Context(), a, name)
			if a.Has(name) != want || (err == nil) != want || want && text != "<a/>" {
				t.Errorf("%q with folded case %v: %v, %q, error %v", name, foldCase, a.Has(name), text, err)
			}
			if err != nil && sourcetest.Outline(err) != "workbook.part_missing(part: "+name+")" {
				t.Error(err)
			}
		}
		if diff := cmp.Diff([]string{"a.xml", "b.xml", "c.xml"}, slices.Sorted(a.Names())); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for range a.Names() {
			break
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	good := some(t)
	for name, test := range map[string]struct {
		raw  []byte
		want string
	}{
		"not an archive":       {[]byte("hello"), "workbook.damaged(problem: workbook.directory_unreadable())"},
		"entries":              {sourcetest.Zip(t, make([]sourcetest.Entry, 101)...), "workbook.too_many_entries(limit: 100)"},
		"a bad name":           {sourcetest.Zip(t, sourcetest.File("../a", "")), "workbook.bad_entry_name(entry: ../a, problem: archive.name_leaves_folder())"},
		"a name twice":         {sourcetest.Zip(t, sourcetest.File("a", ""), sourcetest.File("A", "")), "workbook.duplicate_entry(entry: A)"},
		"no header":            {change(good, beginAt, 1), "workbook.damaged(problem: workbook.entry_header(entry: c.xml))"},
		"an entry outside":     {change(good, compressedAt, 1<<30), "workbook.entry_outside_file(entry: c.xml)"},
		"entries that overlap": {change(good, beginAt, 0), "workbook.overlapping_entries(first: a.xml, second: c.xml)"},
	} {
		_, err := Open(inputOf(test.raw), ample, true)
		got := strings.ReplaceAll(sourcetest.Outline(err), "first: c.xml, second: a.xml", "first: a.xml, second: c.xml")
		if got != test.want {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}

// flagged returns a copy of an archive in which the given flag is set in all entries.
func flagged(raw []byte, flag uint16) []byte {
	raw = bytes.Clone(raw)
	for _, mark := range []struct {
		text string
		at   int
	}{{"PK\x03\x04", 6}, {"PK\x01\x02", 8}} {
		for at := 0; ; at++ {
			next := bytes.Index(raw[at:], []byte(mark.text))
			if next < 0 {
				break
			}
			at += next
			binary.LittleEndian.PutUint16(raw[at+mark.at:], binary.LittleEndian.Uint16(raw[at+mark.at:])|flag)
		}
	}
	return raw
}

func TestDamagedParts(t *testing.T) {
	good := some(t)
	method := bytes.Clone(good)
	binary.LittleEndian.PutUint16(method[bytes.LastIndex(method, []byte("PK\x01\x02"))+10:], 99)
	bits := bytes.Clone(good)
	at := bytes.Index(bits, []byte("c.xml")) + len("c.xml")
	copy(bits[at:], "\xFF\xFF\xFF")
	for name, test := range map[string]struct {
		raw  []byte
		want string
	}{
		"encrypted":          {flagged(good, 1), "workbook.password()"},
		"an unknown method":  {method, "workbook.damaged(problem: workbook.part(part: c.xml, problem: workbook.part_unknown_method()))"},
		"another sum":        {change(good, sumAt, 1), "workbook.damaged(problem: workbook.part(part: c.xml, problem: workbook.part_wrong_checksum()))"},
		"fewer bytes":        {change(good, compressedAt, 3), "workbook.damaged(problem: workbook.part(part: c.xml, problem: workbook.part_cut_short()))"},
		"bytes that are bad": {bits, "workbook.damaged(problem: workbook.part(part: c.xml, problem: workbook.part_not_decompressed()))"},
	} {
		if _, err := content(t.Context(), open(t, test.raw, ample, false), "c.xml"); sourcetest.Outline(err) != test.want {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	if _, err := content(t.Context(), open(t, flagged(good, 1), ample, false), "a.xml"); !errors.Is(err, ErrPassword) {
		t.Errorf("%v", err)
	}
}

func TestPartLimits(t *testing.T) {
	large := sourcetest.Zip(t, sourcetest.File("a", strings.Repeat("a", 17<<20)), sourcetest.File("b", strings.Repeat("b", 1000)))
	for name, test := range map[string]struct {
		change func(*Limits)
		want   string
	}{
		"part":  {func(l *Limits) { l.PartBytes = 999 }, "workbook.part_too_large(limit: 999, part: b)"},
		"all":   {func(l *Limits) { l.InflatedBytes = 17<<20 + 999 }, "workbook.too_large(limit: 17826791)"},
		"ratio": {func(l *Limits) { l.Ratio = 500 }, "workbook.part_ratio_too_high(limit: 500, part: a)"},
		"none":  {func(l *Limits) { l.PartBytes, l.InflatedBytes = 17<<20, 17<<20+1000 }, ""},
	} {
		limits := ample
		test.change(&limits)
		a := open(t, large, limits, true)
		_, errA := content(t.Context(), a, "a")
		if name == "part" {
			errA = nil
		}
		_, errB := content(t.Context(), a, "b")
		err := errors.Join(errA, errB)
		if (err == nil) != (test.want == "") || sourcetest.Outline(err) != test.want {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}

// TestCountsOnce checks that a part that is read repeatedly counts only once toward the limit
// on inflated bytes.
func TestCountsOnce(t *testing.T) {
	limits := ample
	limits.InflatedBytes = 1004
	a := open(t, some(t), limits, true)
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() { _, errs[i] = content(t.Context(), a, "c.xml") })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if _, err := content(t.Context(), a, "a.xml"); err != nil {
		t.Error(err)
	}
	if _, err := content(t.Context(), a, "b.xml"); err == nil {
		t.Error("no error for more bytes than the limit")
	}
}

func TestOpenSmall(t *testing.T) {
	large := sourcetest.Zip(t, sourcetest.File("a", strings.Repeat("a", 64<<20+1)))
	a := open(t, large, ample, true)
	p, err := a.OpenSmall(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, p)
	p.Close()
	if want := "workbook.part_too_large(limit: 67108864, part: a)"; sourcetest.Outline(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	if text, err := content(t.Context(), a, "a"); len(text) != 64<<20+1 || err != nil {
		t.Errorf("%d bytes, error %v", len(text), err)
	}
	if _, err := a.OpenSmall(t.Context(), "none"); err == nil {
		t.Error("no error for a missing part")
	}
}

func TestContextEnds(t *testing.T) {
	a := open(t, some(t), ample, true)
	ctx, cancel := context.WithCancel(t.Context())
	p, err := a.Open(ctx, "c.xml")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	cancel()
	if _, err := p.Read(make([]byte, 1)); !errors.Is(Cause(ctx, err), context.Canceled) {
		t.Errorf("error %v", err)
	}
	p.SetContext(t.Context())
	if _, err := p.Read(make([]byte, 1)); err != nil {
		t.Errorf("in another context: %v", err)
	}
}

func TestWholeFile(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := WholeFile(ctx, inputOf([]byte("text")), "document")
	text, err := io.ReadAll(p)
	if string(text) != "text" || err != nil || p.Name != "document" {
		t.Errorf("%s: %q, error %v", p.Name, text, err)
	}
	cancel()
	if _, err := p.Read(make([]byte, 1)); !errors.Is(Cause(ctx, err), context.Canceled) {
		t.Errorf("error %v", err)
	}
	p.Close()
	sourcetest.FailEachRead(t, sourcetest.NewInput("", []byte("text")), func(in source.Input) error {
		_, err := io.ReadAll(WholeFile(t.Context(), NewInput(in), "document"))
		return err
	})
}

// TestStoreFails checks, for a failure at each read, that the failure of the store is returned
// and no damage is reported.
func TestStoreFails(t *testing.T) {
	sourcetest.FailEachRead(t, sourcetest.NewInput("", some(t)), func(in source.Input) error {
		a, err := Open(NewInput(in), ample, true)
		if err != nil {
			return err
		}
		for _, name := range []string{"a.xml", "b.xml", "c.xml"} {
			if _, err := content(t.Context(), a, name); err != nil {
				return err
			}
		}
		return nil
	})
}
