package staging

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
)

// TestInconsistentManifests checks that a manifest with invalid content is rejected
// even if its checksum is valid.
func TestInconsistentManifests(t *testing.T) {
	segment := func(first int64, groups ...RowGroup) Segment {
		return Segment{Name: "seg-0000.parquet", First: first, Groups: groups}
	}
	cases := map[string]struct {
		manifest Manifest
		want     string
	}{
		"version":      {Manifest{Version: 2}, "version 2"},
		"no version":   {Manifest{}, "version 0"},
		"rows":         {Manifest{Version: 1, Rows: 5}, "0 of 5 rows"},
		"gap":          {Manifest{Version: 1, Rows: 5, Segments: []Segment{segment(1)}}, "begins with row 1"},
		"group gap":    {Manifest{Version: 1, Rows: 5, Segments: []Segment{segment(0, RowGroup{First: 2, Rows: 3})}}, "begins with row 2"},
		"empty groups": {Manifest{Version: 1, Segments: []Segment{segment(0, RowGroup{})}}, "begins with row 0"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			text, err := c.manifest.encode()
			if err != nil {
				t.Fatal(err)
			}
			_, err = openText(text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
	for _, text := range []string{"", "{", "[]", `{"crc":0}`, `{"crc":1,"manifest":{"version":1}}`} {
		if _, err := openText([]byte(text)); !errors.Is(err, ErrDamaged) && !strings.Contains(err.Error(), "version") {
			t.Errorf("%s: got %v, want ErrDamaged", text, err)
		}
	}
}

func openText(manifest []byte) (*Stage, error) {
	store := blobtest.NewMemory()
	w, err := store.Create(context.Background(), "p/manifest.json")
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(manifest); err != nil {
		return nil, err
	}
	if err := w.Commit(); err != nil {
		return nil, err
	}
	return Open(context.Background(), store, "p")
}

func newTestEncoder(t testing.TB) *encoder {
	t.Helper()
	c, err := parquetio.NewCompressor(format.Zstd, 1)
	if err != nil {
		t.Fatal(err)
	}
	return newEncoder(c, format.Zstd)
}

// encoded returns an encoded row group with one column of each kind.
func encoded(t *testing.T) *encodedGroup {
	t.Helper()
	e, g := newTestEncoder(t), &encodedGroup{}
	g.reset(400)
	var plain, few intray.TextColumn
	for i := range 400 {
		plain.Append(fmt.Append(nil, "text ", i*i))
		few.Append(fmt.Append(nil, i%3))
	}
	if err := errors.Join(
		e.writeRequired(g, &plain.Texts), e.writeValues(g, &few, nil), e.writeValues(g, &plain, nil),
		e.writeSparse(g, &intray.TextColumn{}, nil), e.writeInts(g, make([]int64, 400))); err != nil {
		t.Fatal(err)
	}
	return g
}

func decodeAll(body []byte, rows int64) error {
	d := decoder{codec: format.Zstd}
	d.beginGroup(body, rows)
	var texts intray.TextColumn
	if err := d.readRequired(&texts.Texts); err != nil {
		return err
	}
	for range 2 {
		if _, err := d.readValues(&texts, nil, nil); err != nil {
			return err
		}
	}
	if _, err := d.readSparse(&texts, nil, nil); err != nil {
		return err
	}
	_, err := d.readInts(nil)
	return err
}

// TestDecoderDoesNotTrustTheChecksum checks that the decoder rejects damaged row
// groups even without the checksum.
func TestDecoderDoesNotTrustTheChecksum(t *testing.T) {
	g := encoded(t)
	if err := decodeAll(g.body, 400); err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int64{0, 399, 401} {
		if err := decodeAll(g.body, rows); err == nil {
			t.Errorf("a group of 400 rows was read as one of %d", rows)
		}
	}
	for cut := 0; cut < len(g.body); cut += 3 {
		if err := decodeAll(g.body[:cut], 400); err == nil {
			t.Errorf("%d of %d bytes were read as a whole group", cut, len(g.body))
		}
	}
	if err := decodeAll(g.body[g.chunks[0].Bytes:], 400); err == nil {
		t.Error("a group without its first column was read")
	}
}

func TestWindowOfRows(t *testing.T) {
	k := newProblemIndex()
	var problems []intray.Problem
	for row := 0; row < 200_000; row += 3 {
		problems = append(problems, intray.Problem{Row: row, Code: "c"})
	}
	var p packedProblems
	p.packProblems(problems, 1)
	if err := k.addBatch(0, &p); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		skip int64
		n    int
		want []int64
	}{
		{0, 2, []int64{0, 3}},
		{21845, 3, []int64{65535, 65538, 65541}},
		{66665, 9, []int64{199995, 199998}},
		{66667, 9, nil},
		{1 << 40, 9, nil},
		{5, 0, nil},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, bitmapWindow(k.errors, c.skip, c.n)); diff != "" {
			t.Errorf("window(%d, %d): %s", c.skip, c.n, diff)
		}
	}
}

// TestGroupsOfProblems checks the sizes at which a problem group is full, and that a file can
// contain fifty million problems.
func TestGroupsOfProblems(t *testing.T) {
	var f problemFile
	for _, c := range []struct{ groups, problems int }{{0, 8192}, {1023, 8192}, {1024, 65536}, {2000, 65536}} {
		f.groups, f.table = make([]ProblemGroup, c.groups), problemTable{rows: make([]int64, c.problems-1)}
		if f.isGroupFull() {
			t.Errorf("behind %d groups, one of %d problems is full", c.groups, c.problems-1)
		}
		f.table.rows = append(f.table.rows, 0)
		if !f.isGroupFull() {
			t.Errorf("behind %d groups, one of %d problems is not full", c.groups, c.problems)
		}
	}
	f.table = problemTable{texts: intray.Texts{Arena: make([]byte, problemBytes)}}
	if !f.isGroupFull() {
		t.Error("a group of 4 MiB is not full")
	}
	most := maxChunks / len(problemColumns())
	if room := manyGroups*minGroupProblems + (most-manyGroups)*maxGroupProblems; room < 50_000_000 {
		t.Errorf("there is room for %d problems", room)
	}
}

// TestUnknownLevels changes the level of a problem and updates the checksums. The
// problem must be rejected.
func TestUnknownLevels(t *testing.T) {
	for name, groups := range map[string]func(m *Manifest) []ProblemGroup{
		"per row":   func(m *Manifest) []ProblemGroup { return m.ProblemGroups },
		"cross row": func(m *Manifest) []ProblemGroup { return m.CrossRowGroups },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, store := context.Background(), blobtest.NewMemory()
			w := NewWriter(ctx, store, "p", Layout{Fields: []string{"a"}}, Config{})
			b := &intray.Batch{Lines: []int64{1, 2, 3}, Fields: make([]intray.Cells, 1)}
			for range b.Lines {
				b.Fields[0].AppendValue([]byte("x"))
			}
			b.Problems = []intray.Problem{{Row: 0, Code: "c"}, {Row: 1, Code: "c"}}
			commit, err := w.StageBatch(b)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(commit(), w.AddProblem(intray.Problem{Code: "unique"}, roaring.BitmapOf(1))); err != nil {
				t.Fatal(err)
			}
			m, err := w.Close(ctx)
			if err != nil {
				t.Fatal(err)
			}
			damageLastLevel(t, store, &m, &groups(&m)[0])
			s, err := Open(ctx, store, "p")
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for _, err := range s.Batches(ctx) {
				if !errors.Is(err, ErrDamaged) {
					t.Errorf("Batches: %v", err)
				}
			}
			if b, err := s.Window(ctx, 0, 3); !errors.Is(err, ErrDamaged) || b != nil {
				t.Errorf("Window: %v", err)
			}
			if b, err := s.Rows(ctx, []int64{1}); !errors.Is(err, ErrDamaged) || b != nil {
				t.Errorf("Rows: %v", err)
			}
			if b, err := s.Rows(ctx, []int64{0, 2}); err != nil || b.Rows() != 2 {
				t.Errorf("the rows next to it: %v", err)
			}
		})
	}
}

// damageLastLevel changes the level of the last problem in a problem group.
func damageLastLevel(t *testing.T, store blob.Store, m *Manifest, g *ProblemGroup) {
	t.Helper()
	r, err := store.Open(context.Background(), "p/"+problemsName)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	file := make([]byte, r.Size())
	if _, err := r.ReadAt(file, 0); err != nil {
		t.Fatal(err)
	}
	body := file[g.Offset : g.Offset+g.Length]
	body[bytes.LastIndex(body, []byte("error"))] = 'X'
	g.CRC = checksum(body)
	manifest, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{problemsName: file, manifestName: manifest} {
		w, err := store.Create(context.Background(), "p/"+name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Write(content)
		if err := errors.Join(err, w.Commit()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDictionaryEndsWithEmptyText checks that a dictionary whose last entry is empty can be read.
func TestDictionaryEndsWithEmptyText(t *testing.T) {
	var want, got intray.Texts
	for i := range 24 {
		want.AppendString([]string{"a", "bc", ""}[i/8])
	}
	e, g := newTestEncoder(t), &encodedGroup{}
	g.reset(want.Len())
	if err := e.writeRequired(g, &want); err != nil {
		t.Fatal(err)
	}
	if g.chunks[0].DictionaryBytes == 0 {
		t.Fatal("the column has no dictionary")
	}
	d := decoder{codec: format.Zstd}
	d.beginGroup(g.body, int64(g.rows))
	if err := d.readRequired(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
