package service_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/review"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// sheet is an exported table. Its first row is the header.
type sheet [][]string

// exportSheet exports all rows of an import.
func (f *fixture) exportSheet(imp model.Import) sheet {
	f.Helper()
	var file bytes.Buffer
	must(f.T, f.ExportRows(f.ctx, imp, draft.Query{}, &file))
	var out sheet
	in := source.Input{ReaderAt: bytes.NewReader(file.Bytes()), Size: int64(file.Len())}
	must(f.T, engine.New(engine.Config{Formats: formats.Formats("")}).EachSheet(f.ctx, in, func(columns []intray.Column, recs *intray.Records) error {
		var header []string
		for _, c := range columns {
			header = append(header, c.Header)
		}
		out = append(out, header)
		for i := range recs.Len() {
			line := make([]string, len(header))
			for c := range recs.NumCells(i) {
				line[c] = string(recs.Cell(i, c))
			}
			out = append(out, line)
		}
		return nil
	}))
	return out
}

// withCell returns a copy of the sheet with a different value in one cell. Row 0 is
// the first row after the header.
func (s sheet) withCell(row int, column, text string) sheet {
	s = append(sheet{}, s...)
	s[row+1] = slices.Clone(s[row+1])
	s[row+1][slices.Index(s[0], column)] = text
	return s
}

func (s sheet) csv() string {
	var out strings.Builder
	w := csv.NewWriter(&out)
	if err := w.WriteAll(s); err != nil {
		panic(err)
	}
	return out.String()
}

// xlsx writes the sheet as a workbook, as a spreadsheet program does, and returns it.
func (s sheet) xlsx(t testing.TB) string {
	t.Helper()
	schema := &intray.Schema{Settings: intray.DefaultSettings()}
	b := &intray.Batch{}
	b.Reset(len(s[0]))
	for i, name := range s[0] {
		schema.Fields = append(schema.Fields, intray.Field{Key: name, Label: name, Type: intray.FieldType{Name: intray.TypeString}})
		for _, line := range s[1:] {
			b.Fields[i].AppendValue([]byte(line[i]))
		}
	}
	b.Lines = make([]int64, len(s)-1)
	var out bytes.Buffer
	var batches iter.Seq2[*intray.Batch, error] = func(yield func(*intray.Batch, error) bool) { yield(b, nil) }
	_, err := output.Write(t.Context(), &out, output.XLSX, schema, batches)
	must(t, err)
	return out.String()
}

// mergeFile merges a file into an import, and checks that the preview shows the same result.
func (f *fixture) mergeFile(imp model.Import, file string, overwrite bool) review.MergeResult {
	f.Helper()
	in := review.CorrectionFile{Op: newEdit(nil).Op, Preview: true, Overwrite: overwrite, File: strings.NewReader(file), Size: int64(len(file))}
	preview, err := f.MergeCorrections(f.ctx, imp, in)
	must(f.T, err)
	in.Preview = false
	out, err := f.MergeCorrections(f.ctx, imp, in)
	must(f.T, err)
	seq := out.Change.Seq
	out.Change.Seq = 0
	if diff := cmp.Diff(preview, out); diff != "" {
		f.Errorf("preview (-) and change (+): %s", diff)
	}
	out.Change.Seq = seq
	return out
}

// mergeSummary returns a short description of a merge result.
func mergeSummary(b review.MergeResult) string {
	return fmt.Sprintf("cells %d conflicts %d%v unverified %d unknown %d", b.Change.Cells, b.Conflicts, b.Examples, b.Unverified, b.Unknown)
}

// setCell changes a cell under review.
func (f *fixture) setCell(imp model.Import, row int64, field int, text string) {
	f.Helper()
	_, err := f.ChangeRows(f.ctx, imp, newEdit(draft.Fill{Where: draft.Selector{Numbers: []int64{row}, Fields: []int{field}}, Text: text}))
	must(f.T, err)
}

// allRows returns the raw values of the first two fields in all rows.
func (f *fixture) allRows(imp model.Import) (out []string) {
	f.Helper()
	must(f.T, f.WithRows(f.ctx, imp, func(d *draft.Draft) error {
		w, err := d.Window(f.ctx, draft.Query{}, 0, 100)
		for _, r := range w.Rows {
			out = append(out, r.Cells[0].Raw+" "+r.Cells[1].Raw)
		}
		return err
	}))
	return out
}

func (f *fixture) wantMerge(imp model.Import, b review.MergeResult, summary string, rows ...string) {
	f.Helper()
	if got := mergeSummary(b); got != summary {
		f.Errorf("the result: %s\nwant:       %s", got, summary)
	}
	if diff := cmp.Diff(rows, f.allRows(imp)); diff != "" {
		f.Errorf("the rows: want (-) and got (+):\n%s", diff)
	}
}

// A reviewer changes one cell of a row, and the merged file changes a different
// one. Both changes must remain, in each file format.
func TestMergeCorrections(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, encode := range map[string]func(s sheet) string{"csv": sheet.csv, "xlsx": func(s sheet) string { return s.xlsx(t) }} {
		imp := f.importInReview()
		file := f.exportSheet(imp)
		f.setCell(imp, 1, 1, "Bert")
		b := f.mergeFile(imp, encode(file), false)
		f.wantMerge(imp, b, "cells 0 conflicts 0[] unverified 0 unknown 0", "ada@example.org Ada", "nobody Bert")
		b = f.mergeFile(imp, encode(file.withCell(1, "E-Mail", "bob@example.org")), false)
		f.wantMerge(imp, b, "cells 1 conflicts 0[] unverified 0 unknown 0", "ada@example.org Ada", "bob@example.org Bert")
		// The first correction is in the file again and has no effect.
		b = f.mergeFile(imp, encode(file.withCell(1, "E-Mail", "bob@example.org").withCell(0, "Name", "")), false)
		f.wantMerge(imp, b, "cells 1 conflicts 0[] unverified 0 unknown 0", "ada@example.org ", "bob@example.org Bert")
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// If the reviewer and the file change a cell to different values, the cell is a conflict, and
// only Overwrite replaces the reviewer's value.
func TestMergeConflicts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	f.setCell(imp, 1, 0, "before")
	file := f.exportSheet(imp)
	f.setCell(imp, 1, 0, "here@example.org")
	f.setCell(imp, 0, 1, "Both")
	corrected := file.withCell(1, "E-Mail", "file@example.org").withCell(1, "Name", "Ben").withCell(0, "Name", "Both").csv()
	b := f.mergeFile(imp, corrected, false)
	const both = "conflicts 1[{1 0 0 here@example.org file@example.org}] unverified 0 unknown 0"
	f.wantMerge(imp, b, "cells 1 "+both, "ada@example.org Both", "here@example.org Ben")
	b = f.mergeFile(imp, corrected, true)
	f.wantMerge(imp, b, "cells 1 "+both, "ada@example.org Both", "file@example.org Ben")
	b = f.mergeFile(imp, corrected, false)
	f.wantMerge(imp, b, "cells 0 conflicts 0[] unverified 0 unknown 0", "ada@example.org Both", "file@example.org Ben")
}

// A row was exported with a change that has been undone since. The exported values
// are known, on every node, until the next change clears the redo history.
func TestMergeAfterUndo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	f.setCell(imp, 1, 1, "Bert")
	file := f.exportSheet(imp)
	_, err := f.ChangeRows(f.ctx, imp, undo("u1"))
	must(t, err)
	f.Service = f.newNode("folder/two")
	b := f.mergeFile(imp, file.withCell(1, "E-Mail", "bert@example.org").csv(), false)
	f.wantMerge(imp, b, "cells 1 conflicts 0[] unverified 0 unknown 0", "ada@example.org Ada", "bert@example.org Bob")
	// The merge cleared the redo history.
	again := file.withCell(1, "E-Mail", "again@example.org").withCell(0, "Name", "Ann").csv()
	b = f.mergeFile(imp, again, false)
	f.wantMerge(imp, b, "cells 1 conflicts 2[{1 0 0 bert@example.org again@example.org} {1 1 0 Bob Bert}] unverified 1 unknown 0", "ada@example.org Ann", "bert@example.org Bob")
	b = f.mergeFile(imp, again, true)
	f.wantMerge(imp, b, "cells 2 conflicts 2[{1 0 0 bert@example.org again@example.org} {1 1 0 Bob Bert}] unverified 1 unknown 0", "ada@example.org Ann", "again@example.org Bert")
}

// If row marks are incomplete or wrong, the preview counts the affected rows as unverified or
// unknown.
func TestMergeInvalidMarks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	f.setCell(imp, 0, 1, "Ann")
	before := f.allRows(imp)
	mark := f.exportSheet(imp)[1][0]
	if !strings.HasPrefix(mark, "0v1-") {
		t.Errorf("the mark is %q", mark)
	}
	preview := func(rows string) string {
		t.Helper()
		file := "Row,E-Mail,Name\n" + rows
		b, err := f.MergeCorrections(f.ctx, imp, review.CorrectionFile{Op: "o", Preview: true, File: strings.NewReader(file), Size: int64(len(file))})
		must(t, err)
		return mergeSummary(b)
	}
	for rows, want := range map[string]string{
		// The mark has no version, so the exported value is unknown.
		"0,x@example.org,Ann\n": "cells 1 conflicts 0[] unverified 1 unknown 0",
		// A mark without a checksum is accepted.
		"0v0,ada@example.org,Abe\n": "cells 0 conflicts 1[{0 1 0 Ann Abe}] unverified 0 unknown 0",
		// The first version never existed, and the second belongs to a different row.
		"0v7,ada@example.org,Abe\n": "cells 0 conflicts 1[{0 1 0 Ann Abe}] unverified 1 unknown 0",
		"1v1,nobody,Ben\n":          "cells 0 conflicts 1[{1 1 0 Bob Ben}] unverified 1 unknown 0",
		// The checksum belongs to a different import.
		"1v0-00000000,nobody,Ben\n": "cells 0 conflicts 1[{1 1 0 Bob Ben}] unverified 1 unknown 0",
		mark + ",,Ann\n":            "cells 1 conflicts 0[] unverified 0 unknown 0",
		// The marks are invalid, name unknown rows, or repeat a row.
		"x,a,b\n0v,a,b\n0v-1,a,b\n-1,a,b\n,a,b\n0v99999999999999999999,a,b\n": "cells 0 conflicts 0[] unverified 0 unknown 6",
		"77v0,a,b\n4294967296v0,a,b\n9223372036854775807v0,a,b\n":             "cells 0 conflicts 0[] unverified 0 unknown 3",
		"1v0,nobody,Ben\n1v0,x,y\n":                                           "cells 1 conflicts 0[] unverified 0 unknown 1",
		// A record with too few cells does not change the missing ones.
		mark + "\n": "cells 0 conflicts 0[] unverified 0 unknown 0",
	} {
		if got := preview(rows); got != want {
			t.Errorf("%q: %s\nwant: %s", rows, got, want)
		}
	}
	if diff := cmp.Diff(before, f.allRows(imp)); diff != "" {
		t.Error(diff)
	}
}

// If several records have the same row number, only the first one counts, however far apart they
// are.
func TestMergeRepeatedRow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	file := "Row,Name\n1v0,Ben\n" + strings.Repeat("99v0,x\n", 50_000) + "1v0,Late\n"
	b := f.mergeFile(imp, file, false)
	f.wantMerge(imp, b, "cells 1 conflicts 0[] unverified 0 unknown 50001", "ada@example.org Ada", "nobody Ben")
}

// A file that was exported from a different import changes no cell, because its row numbers
// belong to other rows.
func TestMergeRowsOfAnotherImport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	file := f.exportSheet(imp).withCell(1, "Name", "Ben").csv()
	other := f.wantStatus(f.finishedImport("E-Mail,Name\nzoe@example.org,Zoe\nnobody,Zed\n", blocking), model.NeedsReview)
	b := f.mergeFile(other, file, false)
	f.wantMerge(other, b, "cells 0 conflicts 3[{0 0 0 zoe@example.org ada@example.org} {0 1 0 Zoe Ada} {1 1 0 Zed Ben}] unverified 2 unknown 0", "zoe@example.org Zoe", "nobody Zed")
}

// A reviewer changes a cell during a merge. The reviewer's change remains.
func TestMergeConcurrently(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	file := f.exportSheet(imp).withCell(1, "Name", "Ben").withCell(0, "Name", "Abe").csv()
	var all sync.WaitGroup
	all.Go(func() {
		f.setCell(imp, 1, 1, "Bert")
	})
	all.Go(func() {
		in := review.CorrectionFile{Op: "concurrent", File: strings.NewReader(file), Size: int64(len(file))}
		if _, err := f.MergeCorrections(f.ctx, imp, in); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	if diff := cmp.Diff([]string{"ada@example.org Abe", "nobody Bert"}, f.allRows(imp)); diff != "" {
		t.Error(diff)
	}
}

// A change to a cell that was truncated in the exported workbook is a conflict and has no effect.
func TestMergeTruncatedCells(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	long := strings.Repeat("ab ", 12_000) + "end"
	f.setCell(imp, 0, 1, long)
	file := f.exportSheet(imp)
	truncated := file[1][slices.Index(file[0], "Name")]
	if !strings.HasSuffix(truncated, "…") {
		t.Fatalf("the cell has %d bytes and is not truncated", len(truncated))
	}
	want := []string{"ada@example.org " + long, "nobody Bob"}
	for name, c := range map[string]struct {
		text      string
		conflicts int64
	}{"unchanged": {truncated, 0}, "changed": {"X" + truncated[1:], 1}, "short": {"short", 1}} {
		for _, overwrite := range []bool{false, true} {
			b := f.mergeFile(imp, file.withCell(0, "Name", c.text).xlsx(t), overwrite)
			if b.Change.Cells != 0 || b.Conflicts != c.conflicts || len(b.Examples) != int(c.conflicts) || !slices.Equal(f.allRows(imp), want) {
				t.Errorf("%s, overwrite %v: %d cells, %d conflicts", name, overwrite, b.Change.Cells, b.Conflicts)
			}
		}
	}
	b := f.mergeFile(imp, file.withCell(0, "Name", long+"!").csv(), false)
	if b.Change.Cells != 1 || b.Conflicts != 0 {
		t.Errorf("a file with the whole text: %d cells, %d conflicts", b.Change.Cells, b.Conflicts)
	}
}

// A row with millions of cells needs little memory. Anyone with a review link can upload one.
func TestMergeWideRow(t *testing.T) {
	f := newFixture(t)
	imp := f.importInReview()
	file := "Row,E-Mail,Name\n" + strings.Repeat(",", 4<<20)
	in := review.CorrectionFile{Op: newEdit(nil).Op, Preview: true, File: strings.NewReader(file), Size: int64(len(file))}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := f.MergeCorrections(f.ctx, imp, in)
	runtime.ReadMemStats(&after)
	if !model.IsKind(err, model.Invalid) {
		t.Errorf("got %v, want Invalid", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
		t.Errorf("a file of 4 MiB takes %d MiB", used>>20)
	}
}
