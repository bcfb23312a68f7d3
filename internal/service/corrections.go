package service

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/draft"
	"github.com/intraydata/intray/source"
)

// Bringing is a file with rows that were mended elsewhere.
type Bringing struct {
	// Op is the id of the change, and Preview says that it is only to be looked at.
	Op      string
	Preview bool
	// Over puts what the file holds also into cells that were changed here since the
	// file was made.
	Over bool
	// File has so many bytes.
	File io.ReaderAt
	Size int64
}

// Brought says what came of it.
type Brought struct {
	Verdict draft.Verdict
	// Clashes counts the cells that the file changes and that were changed here to
	// something else since it was made. They stay as they are here, unless the file
	// was to be put over them. Those that were too long for the file count too, and stay
	// in any case. Examples are the first of them, 20 at most.
	Clashes  int64
	Examples []Parted
	// Untold counts the rows of which it is not known what they held when the file was
	// made.
	Untold int64
	// Unknown counts the rows of the file that are not among those under review.
	Unknown int64
	// Ignored are the headers of columns that were left alone.
	Ignored []string
}

// Parted is a cell that holds one text here and another in the file.
type Parted struct {
	Row         int64
	Field, Part int
	Here, File  string
}

// maxExamples is the most cells that are told.
const maxExamples = 20

// maxBroughtNames is the most headers that are told.
const maxBroughtNames = 100

// TakeRows merges a file into the rows that it names, as one change. A cell changes
// only where the file holds another text than it was made with.
func (s *Service) TakeRows(ctx context.Context, imp Import, in Bringing) (Brought, error) {
	for range maxTries {
		out, err := s.takeOnce(ctx, imp, in)
		var overtaken *draft.Conflict
		if !errors.As(err, &overtaken) {
			return out, err
		}
	}
	return Brought{}, busyRows()
}

func (s *Service) takeOnce(ctx context.Context, imp Import, in Bringing) (out Brought, err error) {
	t, err := s.takeoutOf(imp)
	if err != nil {
		return out, err
	}
	b := &bringing{takeout: t, over: in.Over, out: &out, met: roaring.New()}
	err = s.withDraft(ctx, imp, func(o *openDraft) error {
		b.draft, b.desk = o.draft, o.desk
		return s.cfg.Engine.EachSheet(ctx, source.Input{ReaderAt: in.File, Size: in.Size}, func(columns []intray.Column, recs *intray.Records) error { return b.take(ctx, columns, recs) })
	})
	if err != nil {
		return out, unread(err)
	}
	if !b.found {
		return out, refuse(Invalid, "no_row_column", intray.NewMessage("review.no_row_column", intray.Params{"column": rowColumn}))
	}
	change := draft.Set{Cells: b.cells}
	if in.Preview {
		err = s.Rows(ctx, imp, func(d *draft.Draft) error {
			out.Verdict, err = d.Preview(ctx, change, nil)
			return err
		})
		return out, err
	}
	request, err := json.Marshal(map[string]any{"kind": "file", "cells": len(b.cells)})
	if err != nil {
		return out, err
	}
	out.Verdict, err = s.ChangeRows(ctx, imp, EditOrder{Op: in.Op, Kind: "file", Request: request, Change: change})
	return out, err
}

// unread makes refusals of what cannot be read.
func unread(err error) error {
	var broken *source.UnreadableError
	var limit *source.LimitError
	switch {
	case errors.Is(err, source.ErrEmpty):
		return refuse(Invalid, "unreadable_file", intray.NewMessage("review.file_empty", nil))
	case errors.As(err, &broken):
		return refuse(Invalid, "unreadable_file", intray.NewMessage("review.file_unreadable", intray.Params{"problem": intray.MessageOf(broken)}))
	case errors.As(err, &limit):
		return refuse(Invalid, "unreadable_file", intray.NewMessage("review.file_over_limit", intray.Params{"problem": intray.MessageOf(limit)}))
	}
	return err
}

// bringing gathers what a file changes.
type bringing struct {
	takeout
	draft *draft.Draft
	desk  *engine.Desk
	over  bool
	out   *Brought
	// found says that a sheet had the column of rows.
	found bool
	// met are the rows under review that the file named so far.
	met   *roaring.Bitmap
	cells []draft.Typed
}

// maxBrought is the most cells that a file may change.
const maxBrought = 1_000_000

// place is where in a sheet a column of the workbook is.
type place struct {
	column takeoutColumn
	at     int
}

func (b *bringing) take(ctx context.Context, columns []intray.Column, recs *intray.Records) error {
	at := slices.IndexFunc(columns, func(c intray.Column) bool { return c.Header == rowColumn })
	if at < 0 {
		return nil // another sheet
	}
	b.found = true
	places := b.places(columns)
	records := map[int64]int{}
	marks := map[int64]rowMark{}
	versions := map[int64]int64{}
	for i := range recs.Len() {
		if recs.NumCells(i) <= at {
			continue
		}
		m, is := readRowMark(string(recs.Cell(i, at)))
		if _, twice := records[m.row]; !is || twice || b.met.Contains(uint32(m.row)) {
			b.out.Unknown++
			continue
		}
		records[m.row], marks[m.row], versions[m.row] = i, m, m.version
	}
	rows, err := b.draft.Since(ctx, versions)
	if err != nil {
		return err
	}
	b.out.Unknown += int64(len(records) - len(rows))
	for _, r := range rows {
		b.met.Add(uint32(r.Now.Number))
		b.row(places, recs, records[r.Now.Number], marks[r.Now.Number], r)
	}
	if len(b.cells) > maxBrought {
		return &source.LimitError{Reason: intray.NewMessage("review.too_many_changed_cells", intray.Params{"n": maxBrought})}
	}
	return nil
}

// places finds the columns, and notes those that are left alone.
func (b *bringing) places(columns []intray.Column) (list []place) {
	for at, c := range columns {
		i := slices.IndexFunc(b.columns, func(own takeoutColumn) bool { return own.header == c.Header })
		switch {
		case c.Header == rowColumn || c.Header == problemsColumn || c.Header == "":
		case i >= 0 && !b.columns[i].readOnly:
			list = append(list, place{b.columns[i], at})
		case len(b.out.Ignored) < maxBroughtNames && !slices.Contains(b.out.Ignored, c.Header):
			b.out.Ignored = append(b.out.Ignored, c.Header)
		}
	}
	return list
}

// row finds the cells of one row that the file changes.
func (b *bringing) row(places []place, recs *intray.Records, record int, m rowMark, r draft.Since) {
	told := r.Known && (m.sum == "" || m.sum == b.sum(r.Then))
	if !told {
		b.out.Untold++
	}
	if m.version < 0 {
		r.Then, told = r.Now, true // it is taken for one of the rows as they are now
	}
	for _, p := range places {
		if p.at >= recs.NumCells(record) {
			continue // the record ends before
		}
		kind, behind := recs.Typed(record, p.at)
		text := b.desk.Typing(p.column.field, string(recs.Cell(record, p.at)), kind, string(behind))
		now := p.column.text(r.Now)
		from := now // what the file was made with, as far as that is known
		if told {
			from = p.column.text(r.Then)
		}
		if same(text, now) || same(text, from) {
			continue
		}
		cut := isCut(from) && !isCut(text) // taken, it would lose what the file never had
		if (!told || from != now || cut) && !b.clash(p.column, r.Now.Number, now, text) || cut {
			continue
		}
		b.cells = append(b.cells, draft.Typed{
			Row: r.Now.Number, Field: p.column.field, Part: p.column.part, Text: text, Version: r.Now.Version, Seen: now,
		})
	}
}

// clash notes a cell that the file changes and that may not simply be as in the file,
// and says whether it is to be so all the same.
func (b *bringing) clash(c takeoutColumn, row int64, here, file string) bool {
	b.out.Clashes++
	if len(b.out.Examples) < maxExamples {
		b.out.Examples = append(b.out.Examples, Parted{row, c.field, c.part, here, file})
	}
	return b.over
}
