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

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/revalidate"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/source"
)

// The columns of a workbook of rows around those of the fields.
const (
	rowColumn      = "Row"
	problemsColumn = "Problems"
)

// exportChunkRows is how many rows are read at a time.
const exportChunkRows = 1000

// rowExport is how rows under review stand in a workbook: for each row its number and
// version, a column for each field that is shown or for each column that feeds it, and
// what is wrong.
type rowExport struct{ columns []exportColumn }

type exportColumn struct {
	header      string
	field, part int
	many        bool
	readOnly    bool
}

// newRowExport gives the columns for an import. No two headers are alike.
func newRowExport(schema *intray.Schema, m intray.Mapping, headers []string) rowExport {
	var t rowExport
	taken := map[string]bool{rowColumn: true, problemsColumn: true}
	add := func(f intray.Field, c exportColumn) {
		for c.header = strings.TrimSpace(c.header); taken[c.header] || c.header == ""; {
			c.header += " (" + f.Key + ")"
		}
		taken[c.header] = true
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

// schema is that of the workbook: text, as it stands in the cells.
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

// ExportRows writes the rows of a query as a workbook, to be mended elsewhere and
// brought back with [Service.MergeCorrections].
func (s *Service) ExportRows(ctx context.Context, imp model.Import, q draft.Query, w io.Writer) error {
	t, err := s.rowExportOf(imp)
	if err != nil {
		return err
	}
	return s.withDraft(ctx, imp, func(o *openDraft) error {
		_, err := output.Write(ctx, w, output.XLSX, t.schema(), t.batches(ctx, o.draft, q))
		return refuseDraftError(err)
	})
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
			for _, r := range w.Rows {
				t.appendRow(b, r)
			}
			if !yield(b, nil) || len(w.Rows) < exportChunkRows {
				return
			}
		}
	}
}

// appendRow adds a row to a batch.
func (t rowExport) appendRow(b *intray.Batch, r draft.Row) {
	b.Lines = append(b.Lines, r.Line)
	b.Fields[0].AppendValue([]byte(t.formatMark(r)))
	for i, c := range t.columns {
		b.Fields[i+1].AppendValue([]byte(c.text(r)))
	}
	b.Fields[len(t.columns)+1].AppendValue([]byte(t.problems(r)))
}

// rowMark is what a workbook says of a row in its first column, as 2v11-5f0c9a1e.
type rowMark struct {
	row int64
	// version is that of the row then, below 0 where the mark is a number alone.
	version int64
	// sum is the checksum of its cells then, or "": by it rows that another run or
	// another import gave out under the same number are told apart.
	sum string
}

func (t rowExport) formatMark(r draft.Row) string {
	return fmt.Sprintf("%dv%d-%s", r.Number, r.Version, t.checksum(r))
}

// checksum is the checksum of the cells of a row.
func (t rowExport) checksum(r draft.Row) string {
	var sum uint32
	for _, c := range t.columns {
		sum = crc32.Update(sum, crc32.IEEETable, append([]byte(c.text(r)), 0))
	}
	return fmt.Sprintf("%08x", sum)
}

// parseRowMark reads a mark.
func parseRowMark(text string) (m rowMark, is bool) {
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

// text is what the column holds of a row.
func (c exportColumn) text(r draft.Row) string {
	cell := r.Cells[c.field]
	if !c.many {
		return cell.Raw
	}
	return cell.RawPart(c.part)
}

// problems says what is wrong with a row.
func (t rowExport) problems(r draft.Row) string {
	var list []string
	for _, p := range r.Problems {
		list = append(list, p.Text.String())
	}
	for _, c := range t.columns {
		for _, p := range r.Cells[c.field].Problems {
			if !c.many || p.Part == c.part {
				list = append(list, c.header+": "+p.Text.String())
			}
		}
	}
	return strings.Join(list, "\n")
}

// maxCellUnits is the most UTF-16 code units that a cell of a workbook holds.
const maxCellUnits = 32_767

// exceedsCellLimit says whether a workbook holds less than a text.
func exceedsCellLimit(text string) bool {
	return len(text) > maxCellUnits && len(utf16.Encode([]rune(text))) > maxCellUnits
}

// sameText says whether a text that came back is the one that was written: longer ones
// were cut, and applications write ends of lines in ways of their own.
func sameText(back, text string) bool {
	back, text = strings.ReplaceAll(back, "\r\n", "\n"), strings.ReplaceAll(text, "\r\n", "\n")
	if back == text {
		return true
	}
	start, cut := strings.CutSuffix(back, "…")
	return cut && strings.HasPrefix(text, start) && len(utf16.Encode([]rune(back))) >= maxCellUnits-1
}

// CorrectionFile is a file with rows that were mended elsewhere.
type CorrectionFile struct {
	// Op is the id of the change, and Preview says that it is only to be looked at.
	Op      string
	Preview bool
	// Overwrite puts what the file holds also into cells that were changed here since the
	// file was made.
	Overwrite bool
	// File has so many bytes.
	File io.ReaderAt
	Size int64
}

// MergeResult says what came of it.
type MergeResult struct {
	Change draft.ChangeResult
	// Conflicts counts the cells that the file changes and that were changed here to
	// something else since it was made. They stay as they are here, unless the file
	// was to be put over them. Those that were too long for the file count too, and stay
	// in any case. Examples are the first of them, 20 at most.
	Conflicts int64
	Examples  []CellConflict
	// Unverified counts the rows of which it is not known what they held when the file was
	// made.
	Unverified int64
	// Unknown counts the rows of the file that are not among those under review.
	Unknown int64
	// Ignored are the headers of columns that were left alone.
	Ignored []string
}

// CellConflict is a cell that holds one text here and another in the file.
type CellConflict struct {
	Row         int64
	Field, Part int
	Here, File  string
}

// maxConflictExamples is the most cells that are told.
const maxConflictExamples = 20

// maxIgnoredHeaders is the most headers that are told.
const maxIgnoredHeaders = 100

// MergeCorrections merges a file into the rows that it names, as one change. A cell changes
// only where the file holds another text than it was made with.
func (s *Service) MergeCorrections(ctx context.Context, imp model.Import, in CorrectionFile) (MergeResult, error) {
	for range maxTries {
		out, err := s.mergeOnce(ctx, imp, in)
		var overtaken *draft.Conflict
		if !errors.As(err, &overtaken) {
			return out, err
		}
	}
	return MergeResult{}, busyRows()
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
	out.Change, err = s.ChangeRows(ctx, imp, EditOrder{Op: in.Op, Kind: "file", Request: request, Change: change})
	return out, err
}

// unreadableError makes refusals of what cannot be read.
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

// correctionMerger gathers what a file changes.
type correctionMerger struct {
	rowExport
	draft       *draft.Draft
	revalidator *revalidate.Revalidator
	overwrite   bool
	out         *MergeResult
	// found says that a sheet had the column of rows.
	found bool
	// seenRows are the rows under review that the file named so far.
	seenRows *roaring.Bitmap
	cells    []draft.Typed
}

// maxMergedCells is the most cells that a file may change.
const maxMergedCells = 1_000_000

// sheetColumn is where in a sheet a column of the workbook is.
type sheetColumn struct {
	column exportColumn
	index  int
}

func (b *correctionMerger) readSheet(ctx context.Context, columns []intray.Column, recs *intray.Records) error {
	at := slices.IndexFunc(columns, func(c intray.Column) bool { return c.Header == rowColumn })
	if at < 0 {
		return nil // another sheet
	}
	b.found = true
	places := b.matchColumns(columns)
	records := map[int64]int{}
	marks := map[int64]rowMark{}
	versions := map[int64]int64{}
	for i := range recs.Len() {
		if recs.NumCells(i) <= at {
			continue
		}
		m, is := parseRowMark(string(recs.Cell(i, at)))
		if _, twice := records[m.row]; !is || twice || b.seenRows.Contains(uint32(m.row)) {
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
		b.compareRow(places, recs, records[r.Now.Number], marks[r.Now.Number], r)
	}
	if len(b.cells) > maxMergedCells {
		return &source.LimitError{Reason: intray.NewMessage("review.too_many_changed_cells", intray.Params{"n": maxMergedCells})}
	}
	return nil
}

// matchColumns finds the columns, and notes those that are left alone.
func (b *correctionMerger) matchColumns(columns []intray.Column) (list []sheetColumn) {
	for at, c := range columns {
		i := slices.IndexFunc(b.columns, func(own exportColumn) bool { return own.header == c.Header })
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

// compareRow finds the cells of one row that the file changes.
func (b *correctionMerger) compareRow(places []sheetColumn, recs *intray.Records, record int, m rowMark, r draft.RowAtVersion) {
	verified := r.Known && (m.sum == "" || m.sum == b.checksum(r.Then))
	if !verified {
		b.out.Unverified++
	}
	if m.version < 0 {
		r.Then, verified = r.Now, true // it is taken for one of the rows as they are now
	}
	for _, p := range places {
		if p.index >= recs.NumCells(record) {
			continue // the record ends before
		}
		kind, behind := recs.TypedCell(record, p.index)
		text := b.revalidator.TypedText(p.column.field, string(recs.Cell(record, p.index)), kind, string(behind))
		now := p.column.text(r.Now)
		from := now // what the file was made with, as far as that is known
		if verified {
			from = p.column.text(r.Then)
		}
		if sameText(text, now) || sameText(text, from) {
			continue
		}
		cut := exceedsCellLimit(from) && !exceedsCellLimit(text) // taken, it would lose what the file never had
		if (!verified || from != now || cut) && !b.recordConflict(p.column, r.Now.Number, now, text) || cut {
			continue
		}
		b.cells = append(b.cells, draft.Typed{
			Row: r.Now.Number, Field: p.column.field, Part: p.column.part, Text: text, Version: r.Now.Version, Seen: now,
		})
	}
}

// recordConflict notes a cell that the file changes and that may not simply be as in the file,
// and says whether it is to be so all the same.
func (b *correctionMerger) recordConflict(c exportColumn, row int64, here, file string) bool {
	b.out.Conflicts++
	if len(b.out.Examples) < maxConflictExamples {
		b.out.Examples = append(b.out.Examples, CellConflict{row, c.field, c.part, here, file})
	}
	return b.overwrite
}
