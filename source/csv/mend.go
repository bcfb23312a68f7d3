package csv

import (
	"bytes"
	"context"
	"strings"

	"github.com/intraydata/intray"
)

// mend looks for the one reading of the row that clearly fits.
func (r *reader) mend(ctx context.Context, batch *intray.Records) (bool, error) {
	if r.sheet.learned == nil || r.gaveUp {
		return false, nil
	}
	if r.repair.profiles == nil { // the first row to be mended
		work := r.repair.work
		r.repair = newRepairer(r.sheet.dialect, r.sheet.width, r.sheet.learned())
		r.repair.work = work
	}
	if r.repair.work > maxMendWork {
		r.gaveUp = true
		r.tell(batch, "mends", intray.Notice{Type: intray.RepairedRow, Level: intray.LevelWarning,
			Text: intray.NewMessage("csv.too_many_repairs", intray.Params{"line": r.line})})
		return false, nil
	}
	text := r.w.rest()
	text = text[:physicalLine(text)]
	if !r.rec.unclosed && !r.rec.loose {
		text = r.w.rest()[:r.rec.next]
	}
	text = bytes.Clone(text) // reading on may move it
	follows := func(next int) bool {
		if next >= len(r.w.rest()) {
			return r.w.done
		}
		err := r.cut(ctx, next, &r.ahead)
		return err == nil && (r.fits(&r.ahead) || blankText(r.w.rest()[next:next+r.ahead.next]))
	}
	r.repair.near = r.near(ctx, len(text))
	best, ok := r.repair.repair(text, &r.rec, follows)
	if !ok {
		return false, nil
	}
	r.settle(batch, false)
	row := r.rows + int64(batch.Len())
	raw := excerpt(string(bytes.TrimRight(r.w.rest()[:best.next], "\r\n")))
	r.tell(batch, "repair", intray.Notice{Type: intray.RepairedRow, Level: intray.LevelWarning, Row: &row, Value: &raw,
		Text: intray.NewMessage("csv.row_repaired", intray.Params{
			"line": r.line, "cells": cellCount(len(r.rec.cells)), "columns": columnCount(r.sheet.width), "repair": best.repair.message(),
			"row": excerpt(strings.Join(best.cells, " | ")),
		})})
	r.handCells(batch, best.cells, r.line)
	line := r.w.rest()[:best.next]
	r.pass(best.next, lineBreaks(bytes.TrimRight(line, "\r\n")))
	return true, r.counted()
}

// near tells how well the next row that fits does so, some rows below at most: in
// a long table, rows grow unlike those that were learned from.
func (r *reader) near(ctx context.Context, at int) float64 {
	for range lookAhead {
		if at >= len(r.w.rest()) || r.cut(ctx, at, &r.ahead) != nil {
			break
		}
		if r.fits(&r.ahead) {
			row := make(sampleRow, len(r.ahead.cells))
			for i, text := range r.texts(&r.ahead, at) {
				row[i] = featuresOf(text, r.ahead.cells[i].quoted)
			}
			return r.repair.profiles.score(row)
		}
		at += r.ahead.next
	}
	return r.repair.profiles.usual
}
