package draft

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// Show says which rows a filter shows by their problems.
type Show uint8

// The rows that a filter shows.
const (
	// All shows all rows.
	All Show = iota
	// Problems shows rows with a problem of any level; Errors, Warnings and Infos
	// those with one of that level.
	Problems
	Errors
	Warnings
	Infos
	// Valid shows rows without an error.
	Valid
)

// Filter says which rows are meant or shown. The zero value is all rows. A row must
// fit all of it; Show, Field and Code are about one and the same problem, and with
// Show All they ask for a problem of any level.
type Filter struct {
	Show Show
	// Field is the place of the field that has the problem, or intray.NoField for
	// problems of whole rows; nil is any.
	Field *int
	// Code is that of the problem; "" is any.
	Code string
	// Search is text that a cell has in its raw text, in what is shown in its place or
	// in its value, whatever the case; "" is any.
	Search string
	// In is the place of the field that is searched; nil is all but hidden ones.
	In *int
	// Also are texts of cells, by field, that count as found by Search: those that the
	// person sees as something else than the draft knows.
	Also map[int][]string
}

// all says whether all rows fit.
func (f Filter) all() bool {
	return f.Show == All && f.Field == nil && f.Code == "" && f.Search == ""
}

// filterKey is a filter that can be compared.
type filterKey struct {
	show   Show
	field  int
	code   string
	search searchKey
}

// anyField is no place of a field.
const anyField = intray.NoField - 1

func (f Filter) key() filterKey {
	return filterKey{f.Show, placeOf(f.Field), f.Code, searchKey{f.Search, placeOf(f.In), f.also()}}
}

// also is the same for the same texts.
func (f Filter) also() string {
	if len(f.Also) == 0 {
		return ""
	}
	text, _ := json.Marshal(f.Also) // fields and texts alone
	return string(text)
}

func placeOf(field *int) int {
	if field == nil {
		return anyField
	}
	return *field
}

func noField(field int) intray.Message {
	return intray.NewMessage("review.unknown_field", intray.Params{"field": field})
}

// check makes sure that the filter is about fields that are there.
func (d *Draft) check(f Filter) error {
	if f.Field != nil && (*f.Field < intray.NoField || *f.Field >= len(d.cfg.Fields)) {
		return &Refusal{Text: noField(*f.Field)}
	}
	if f.In != nil && (*f.In < 0 || *f.In >= len(d.cfg.Fields)) {
		return &Refusal{Text: noField(*f.In)}
	}
	if f.Show > Valid {
		return &Refusal{Text: intray.NewMessage("review.unknown_filter", nil)}
	}
	for field := range f.Also {
		if field < 0 || field >= len(d.cfg.Fields) {
			return &Refusal{Text: noField(field)}
		}
	}
	if len(f.Search) > maxSearch {
		return &Refusal{Text: intray.NewMessage("review.search_too_long", intray.Params{"n": maxSearch})}
	}
	return nil
}

// rowsOf gives the live rows that fit a filter. The bitmap must not be changed.
func (d *Draft) rowsOf(ctx context.Context, s *snapshot, f Filter, progress func(done, total int64)) (*roaring.Bitmap, error) {
	if err := d.check(f); err != nil {
		return nil, err
	}
	rows := d.byProblem(s, f)
	if f.Search == "" {
		return rows, nil
	}
	found, err := d.search(ctx, s, f, progress)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return roaring.And(rows, found), nil
}

// byProblem gives the live rows that fit a filter without its search.
func (d *Draft) byProblem(s *snapshot, f Filter) *roaring.Bitmap {
	if f.Field == nil && f.Code == "" {
		switch f.Show {
		case All:
			return s.live
		case Errors, Warnings, Infos:
			return s.levels[f.Show-Errors]
		case Problems:
			return roaring.FastOr(s.levels[:]...)
		case Valid:
			return roaring.AndNot(s.live, s.errors())
		}
	}
	rows := roaring.FastOr(s.matching(d.ruleKinds, f.tells)...)
	if f.Show == Valid {
		return roaring.AndNot(rows, s.errors())
	}
	return rows
}

// tells says whether a filter is about problems of a kind.
func (f Filter) tells(k Kind) bool {
	if f.Field != nil && *f.Field != k.Field || f.Code != "" && f.Code != k.Code {
		return false
	}
	return f.Show < Errors || f.Show > Infos || k.Level == intray.Level(f.Show-Errors)
}
