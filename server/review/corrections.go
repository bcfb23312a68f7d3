package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/revalidate"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/source"
)

// The headers of the additional columns in an exported workbook.
const (
	rowColumn      = "Row"
	problemsColumn = "Problems"
)

// exportChunkRows is the maximum number of rows that are read at a time.
const exportChunkRows = 1000

// rowExport converts rows under review to a workbook. Each row has a mark that identifies it, one
// column for each visible field (or for each column of a many-to-one field), and its problems.
type rowExport struct{ columns []exportColumn }

type exportColumn struct {
	header      string
	field, part int
	many        bool
	readOnly    bool
	// options are the labels of a select field that people can edit.
	options []string
}

// newRowExport returns the rowExport for an import. All headers are unique.
func newRowExport(schema *intray.Schema, m intray.Mapping, headers []string) rowExport {
	var t rowExport
	taken := map[string]bool{rowColumn: true, problemsColumn: true}
	add := func(f intray.Field, c exportColumn) {
		for c.header = strings.TrimSpace(c.header); taken[c.header] || c.header == ""; {
			c.header += " (" + f.Key + ")"
		}
		taken[c.header] = true
		if f.Type.Name == intray.TypeSelect && !f.ReadOnly {
			for _, option := range f.SelectOptions {
				c.options = append(c.options, option.Label)
			}
		}
		t.columns = append(t.columns, c)
	}
	for i, f := range schema.Fields {
		switch {
		case f.Hidden:
		case !f.ManyToOne:
			add(f, exportColumn{header: f.Label, field: i, readOnly: f.ReadOnly})
		default:
			for part, column := range m.Fields[i].AllColumns() {
				add(f, exportColumn{header: fmt.Sprintf("%s: %s", f.Label, headers[column]), field: i, part: part, many: true, readOnly: f.ReadOnly})
			}
		}
	}
	return t
}

func (s *Service) rowExportOf(imp model.Import) (rowExport, error) {
	schema, err := schemas.Frozen(imp)
	if err != nil || imp.Outcome == nil {
		return rowExport{}, err
	}
	return newRowExport(schema, imp.Outcome.Mapping, imp.Outcome.Headers), nil
}

// schema returns a schema for the workbook. All its columns are text.
func (t rowExport) schema() *intray.Schema {
	schema := &intray.Schema{Settings: intray.DefaultSettings()}
	schema.Settings.InvalidDataBehavior = intray.IncludeInvalidValues
	add := func(name string) {
		schema.Fields = append(schema.Fields, intray.Field{Key: name, Label: name, Type: intray.FieldType{Name: intray.TypeString}})
	}
	add(rowColumn)
	for _, c := range t.columns {
		add(c.header)
	}
	add(problemsColumn)
	return schema
}

// ExportRows writes the rows of a query as a workbook. Cells with problems are highlighted and
// have comments, and select fields have drop-down lists. People can correct the rows in it, and
// [Service.MergeCorrections] merges the corrections.
func (s *Service) ExportRows(ctx context.Context, imp model.Import, q draft.Query, w io.Writer) error {
	t, err := s.rowExportOf(imp)
	if err != nil {
		return err
	}
	return s.withDraft(ctx, imp, func(o *openDraft) error {
		sample, err := o.draft.Window(ctx, q, 0, widthSampleRows)
		if err == nil {
			q.Token = sample.View.Token
			_, err = output.WriteAnnotated(ctx, w, t.schema(), t.sheetColumns(sample.Rows), t.batches(ctx, o.draft, q))
		}
		return describeDraftError(err)
	})
}

// The widths of the columns in an exported workbook, in characters. The width of a column depends
// on its header and the first widthSampleRows rows.
const (
	minColumnWidth, maxColumnWidth = 8, 50
	// columnPadding is added to the longest text.
	columnPadding   = 2
	widthSampleRows = 200
)

// sheetColumns returns the widths and drop-down lists of the columns. rows are the first rows.
func (t rowExport) sheetColumns(rows []draft.Row) []output.SheetColumn {
	columns := make([]output.SheetColumn, len(t.columns)+2)
	widen := func(i int, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			width := min(utf8.RuneCountInString(line)+columnPadding, maxColumnWidth)
			columns[i].Width = max(columns[i].Width, minColumnWidth, width)
		}
	}
	widen(0, rowColumn)
	widen(len(t.columns)+1, problemsColumn)
	for i, c := range t.columns {
		widen(i+1, c.header)
		columns[i+1].Options = c.options
	}
	for _, r := range rows {
		widen(0, t.formatMark(r))
		for i, c := range t.columns {
			widen(i+1, c.text(r))
		}
		widen(len(t.columns)+1, t.problems(r))
	}
	return columns
}

func (t rowExport) batches(ctx context.Context, d *draft.Draft, q draft.Query) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		b := &intray.Batch{}
		for first := int64(0); ; first += exportChunkRows {
			w, err := d.Window(ctx, q, first, exportChunkRows)
			if err != nil {
				yield(nil, err)
				return
			}
			q.Token = w.View.Token
			if len(w.Rows) == 0 && first > 0 {
				return
			}
			b.Reset(len(t.columns) + 2)
			b.First = first
			for row, r := range w.Rows {
				b.Lines = append(b.Lines, r.Line)
				b.Fields[0].AppendValue([]byte(t.formatMark(r)))
				for i, c := range t.columns {
					b.Fields[i+1].AppendValue([]byte(c.text(r)))
					for _, p := range c.problems(r) {
						p.Row, p.Field = row, i+1
						b.Problems = append(b.Problems, p)
					}
				}
				b.Fields[len(t.columns)+1].AppendValue([]byte(t.problems(r)))
			}
			if !yield(b, nil) || len(w.Rows) < exportChunkRows {
				return
			}
		}
	}
}

// rowMark identifies a row. It is in the first column of an exported workbook, in a
// format such as 2v11-5f0c9a1e.
type rowMark struct {
	row int64
	// version is the version of the exported row, or -1 if the mark contains only the row number.
	version int64
	// sum is the checksum of the exported cells, or "". It detects rows with the same
	// number that belong to a different run or import.
	sum string
}

func (t rowExport) formatMark(r draft.Row) string {
	return fmt.Sprintf("%dv%d-%s", r.Number, r.Version, t.checksum(r))
}

// checksum returns the checksum of the exported cells of a row.
func (t rowExport) checksum(r draft.Row) string {
	var sum uint32
	for _, c := range t.columns {
		sum = crc32.Update(sum, crc32.IEEETable, append([]byte(c.text(r)), 0))
	}
	return fmt.Sprintf("%08x", sum)
}

// parseRowMark parses a mark. It returns false if the mark is invalid.
func parseRowMark(text string) (m rowMark, ok bool) {
	number, after, versioned := strings.Cut(strings.TrimSpace(text), "v")
	version, sum, _ := strings.Cut(after, "-")
	m.sum, m.version = sum, -1
	row, err := strconv.ParseInt(number, 10, 64)
	if m.row = row; err != nil || row < 0 {
		return m, false
	}
	if !versioned {
		return m, true
	}
	m.version, err = strconv.ParseInt(version, 10, 64)
	return m, err == nil && m.version >= 0
}

// text returns the raw value of the column in a row.
func (c exportColumn) text(r draft.Row) string {
	cell := r.Cells[c.field]
	if !c.many {
		return cell.Raw
	}
	return cell.RawPart(c.part)
}

// problems returns the problems of the column in a row.
func (c exportColumn) problems(r draft.Row) []intray.Problem {
	list := r.Cells[c.field].Problems
	if !c.many {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(p intray.Problem) bool { return p.Part != c.part })
}

// problems returns the problems of a row, one per line.
func (t rowExport) problems(r draft.Row) string {
	list := make([]string, 0, len(r.Problems))
	for _, p := range r.Problems {
		list = append(list, p.Text.String())
	}
	for _, c := range t.columns {
		for _, p := range c.problems(r) {
			list = append(list, c.header+": "+p.Text.String())
		}
	}
	return strings.Join(list, "\n")
}

// maxCellUnits is the maximum length of a cell in a workbook, in UTF-16 code units.
const maxCellUnits = 32_767

// exceedsCellLimit reports whether text is too long for a cell of a workbook, where it is
// truncated.
func exceedsCellLimit(text string) bool {
	return len(text) > maxCellUnits && len(utf16.Encode([]rune(text))) > maxCellUnits
}

// sameText reports whether text from a file equals the exported text. It takes into account that
// long text was truncated and that applications can change line endings.
func sameText(fromFile, exported string) bool {
	fromFile, exported = strings.ReplaceAll(fromFile, "\r\n", "\n"), strings.ReplaceAll(exported, "\r\n", "\n")
	if fromFile == exported {
		return true
	}
	start, truncated := strings.CutSuffix(fromFile, "…")
	return truncated && strings.HasPrefix(exported, start) && len(utf16.Encode([]rune(fromFile))) >= maxCellUnits-1
}

// CorrectionFile is a file with corrected rows to merge.
type CorrectionFile struct {
	// Op is the id of the change. If Preview is set, the change is computed but not made.
	Op      string
	Preview bool
	// Overwrite resolves conflicts in favor of the file.
	Overwrite bool
	// File contains the file. Size is its size in bytes.
	File io.ReaderAt
	Size int64
}

// MergeResult is the result of merging a CorrectionFile.
type MergeResult struct {
	Change draft.ChangeResult
	// Conflicts is the number of cells that both the file and the review have changed since the
	// export. These cells keep the value of the review unless Overwrite is set. Cells that were
	// truncated in the file are also counted and always keep the value of the review. Examples
	// are the first conflicts, at most 20.
	Conflicts int64
	Examples  []CellConflict
	// Unverified is the number of rows whose exported values are unknown.
	Unverified int64
	// Unknown is the number of rows in the file that are repeated or do not identify a row under
	// review.
	Unknown int64
	// Ignored holds the headers of the first ignored columns, at most 100.
	Ignored []string
}

// CellConflict is a cell whose value in the review differs from that in the file.
type CellConflict struct {
	Row         int64
	Field, Part int
	Here, File  string
}

// The maximum lengths of Examples and Ignored in a MergeResult.
const maxConflictExamples, maxIgnoredHeaders = 20, 100

// MergeCorrections merges a file into the rows that its marks identify. This is one change.
// MergeCorrections changes only cells whose text differs from the exported text.
func (s *Service) MergeCorrections(ctx context.Context, imp model.Import, in CorrectionFile) (MergeResult, error) {
	for range maxTries {
		out, err := s.mergeOnce(ctx, imp, in)
		var overtaken *draft.ConflictError
		if !errors.As(err, &overtaken) {
			return out, err
		}
	}
	return MergeResult{}, busyRowsError()
}

func (s *Service) mergeOnce(ctx context.Context, imp model.Import, in CorrectionFile) (out MergeResult, err error) {
	t, err := s.rowExportOf(imp)
	if err != nil {
		return out, err
	}
	b := &correctionMerger{rowExport: t, overwrite: in.Overwrite, out: &out, seenRows: roaring.New()}
	err = s.withDraft(ctx, imp, func(o *openDraft) error {
		b.draft, b.revalidator = o.draft, o.revalidator
		return s.engine.EachSheet(ctx, source.Input{ReaderAt: in.File, Size: in.Size}, func(columns []intray.Column, recs *intray.Records) error { return b.readSheet(ctx, columns, recs) })
	})
	if err != nil {
		return out, unreadableError(err)
	}
	if !b.found {
		return out, model.NewError(model.Invalid, "no_row_column", intray.NewMessage("review.no_row_column", intray.Params{"column": rowColumn}))
	}
	change := draft.Set{Cells: b.cells}
	if in.Preview {
		err = s.WithRows(ctx, imp, func(d *draft.Draft) error {
			out.Change, err = d.Preview(ctx, change, nil)
			return err
		})
		return out, err
	}
	request, err := json.Marshal(map[string]any{"kind": "file", "cells": len(b.cells)})
	if err != nil {
		return out, err
	}
	out.Change, err = s.ChangeRows(ctx, imp, EditRequest{Op: in.Op, Kind: "file", Request: request, Change: change})
	return out, err
}

// unreadableError converts errors that occur while reading a file to errors for the caller.
func unreadableError(err error) error {
	var broken *source.UnreadableError
	var limit *source.LimitError
	switch {
	case errors.Is(err, source.ErrEmpty):
		return model.NewError(model.Invalid, "unreadable_file", intray.NewMessage("review.file_empty", nil))
	case errors.As(err, &broken):
		return model.NewError(model.Invalid, "unreadable_file", intray.NewMessage("review.file_unreadable", intray.Params{"problem": intray.MessageOf(broken)}))
	case errors.As(err, &limit):
		return model.NewError(model.Invalid, "unreadable_file", intray.NewMessage("review.file_over_limit", intray.Params{"problem": intray.MessageOf(limit)}))
	}
	return err
}

// correctionMerger collects the cells that a file changes.
type correctionMerger struct {
	rowExport
	draft       *draft.Draft
	revalidator *revalidate.Revalidator
	overwrite   bool
	out         *MergeResult
	// found is set if a sheet has the column with the marks.
	found bool
	// seenRows are the rows that have already been merged. If a row occurs again, it is ignored.
	seenRows *roaring.Bitmap
	cells    []draft.Typed
}

// maxMergedCells is the maximum number of cells that a file can change.
const maxMergedCells = 1_000_000

// sheetColumn is an exported column and its index in a sheet.
type sheetColumn struct {
	column exportColumn
	index  int
}

func (b *correctionMerger) readSheet(ctx context.Context, columns []intray.Column, recs *intray.Records) error {
	at := slices.IndexFunc(columns, func(c intray.Column) bool { return c.Header == rowColumn })
	if at < 0 {
		return nil // not an exported sheet
	}
	b.found = true
	sheetColumns := b.matchColumns(columns)
	records := map[int64]int{}
	marks := map[int64]rowMark{}
	versions := map[int64]int64{}
	for i := range recs.Len() {
		if recs.NumCells(i) <= at {
			continue
		}
		m, ok := parseRowMark(string(recs.Cell(i, at)))
		if _, repeated := records[m.row]; !ok || repeated || b.seenRows.Contains(uint32(m.row)) {
			b.out.Unknown++
			continue
		}
		records[m.row], marks[m.row], versions[m.row] = i, m, m.version
	}
	rows, err := b.draft.RowsAtVersions(ctx, versions)
	if err != nil {
		return err
	}
	b.out.Unknown += int64(len(records) - len(rows))
	for _, r := range rows {
		b.seenRows.Add(uint32(r.Now.Number))
		b.compareRow(sheetColumns, recs, records[r.Now.Number], marks[r.Now.Number], r)
	}
	if len(b.cells) > maxMergedCells {
		return &source.LimitError{Reason: intray.NewMessage("review.too_many_changed_cells", intray.Params{"n": maxMergedCells})}
	}
	return nil
}

// matchColumns finds the exported columns in a sheet and records the ignored ones.
func (b *correctionMerger) matchColumns(columns []intray.Column) (list []sheetColumn) {
	for at, c := range columns {
		i := slices.IndexFunc(b.columns, func(exported exportColumn) bool { return exported.header == c.Header })
		switch {
		case c.Header == rowColumn || c.Header == problemsColumn || c.Header == "":
		case i >= 0 && !b.columns[i].readOnly:
			list = append(list, sheetColumn{b.columns[i], at})
		case len(b.out.Ignored) < maxIgnoredHeaders && !slices.Contains(b.out.Ignored, c.Header):
			b.out.Ignored = append(b.out.Ignored, c.Header)
		}
	}
	return list
}

// compareRow collects the cells that the file changes in one row.
func (b *correctionMerger) compareRow(columns []sheetColumn, recs *intray.Records, record int, m rowMark, r draft.RowAtVersion) {
	verified := r.Known && (m.sum == "" || m.sum == b.checksum(r.Then))
	if !verified {
		b.out.Unverified++
	}
	if m.version < 0 {
		r.Then, verified = r.Now, true // without a version, the current row is the reference
	}
	for _, p := range columns {
		if p.index >= recs.NumCells(record) {
			continue // the record has fewer cells
		}
		kind, value := recs.TypedCell(record, p.index)
		text := b.revalidator.TypedText(p.column.field, string(recs.Cell(record, p.index)), kind, string(value))
		now := p.column.text(r.Now)
		exported := now // assumed if the exported text is unknown
		if verified {
			exported = p.column.text(r.Then)
		}
		if sameText(text, now) || sameText(text, exported) {
			continue
		}
		truncated := exceedsCellLimit(exported) && !exceedsCellLimit(text) // applying the change would lose the truncated part
		if (!verified || exported != now || truncated) && !b.recordConflict(p.column, r.Now.Number, now, text) || truncated {
			continue
		}
		b.cells = append(b.cells, draft.Typed{
			Row: r.Now.Number, Field: p.column.field, Part: p.column.part, Text: text, Version: r.Now.Version, Seen: now,
		})
	}
}

// recordConflict records a conflict. It reports whether the value in the file takes precedence.
func (b *correctionMerger) recordConflict(c exportColumn, row int64, here, file string) bool {
	b.out.Conflicts++
	if len(b.out.Examples) < maxConflictExamples {
		b.out.Examples = append(b.out.Examples, CellConflict{row, c.field, c.part, here, file})
	}
	return b.overwrite
}
