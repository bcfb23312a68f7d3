package draft

import (
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/textedit"
)

// Operation is a change that a reviewer can make: [Set], [Replace], [Fill], [Clear],
// [Trim], [Case], [MapValue], [Delete], [Add] or [Accept].
type Operation interface {
	// plan validates the operation and returns a plan of its effects.
	plan(d *Draft) (*changePlan, error)
}

// Selector selects cells.
type Selector struct {
	// Filter selects the rows. If Numbers is not nil, only rows with these numbers are
	// selected. Numbers that do not exist are ignored.
	Filter  Filter
	Numbers []int64
	// Token identifies a view that selects the rows instead of Filter. If the view has
	// expired, the operation fails with a RefusedError.
	Token string
	// From and To limit the selection to positions [From, To) of the view. If To is 0, the
	// selection extends to the end of the view.
	From, To int64
	// Total, if not nil, is the number of rows of the view that the reviewer saw. If the view
	// has changed since, its positions have shifted and the operation fails with a RefusedError.
	Total *int64
	// Fields are the indexes of the selected fields in the schema. Nil selects all editable
	// fields.
	Fields []int
}

// Typed is a raw value entered into a cell. "" clears the cell.
type Typed struct {
	Row         int64
	Field, Part int
	Text        string
	// Version is the version of the row that the reviewer saw. Seen is the raw value of
	// the cell in that version.
	Version int64
	Seen    string
}

// Set enters values into cells. If a row has a newer version in which the raw value of the cell
// differs from Seen, no cell changes and the error is a [*ConflictError].
type Set struct{ Cells []Typed }

// Replace replaces Find with With in raw values. If a cell displays a name, both the
// name and the raw value are searched. The cell then changes only if the result is a
// displayed name or a raw value of the field, or is exactly With.
type Replace struct {
	Where Selector
	Find  string
	With  string
	// Whole matches only cells that contain nothing but Find. MatchCase makes the search
	// case-sensitive. If Expression is set, Find is an RE2 regular expression, and With can
	// refer to groups as $1 or ${name}.
	Whole, MatchCase, Expression bool
	// Names maps, by field, raw values to the names that the reviewer sees, if they
	// differ from the names in the draft.
	Names map[int]map[string]string
}

// Fill sets all selected cells to Text. If Texts is not nil, Fill instead sets only the cells of
// the fields whose indexes are keys of Texts, each to the value in Texts for its field.
type Fill struct {
	Where Selector
	Text  string
	Texts map[int]string
}

// Clear clears cells.
type Clear struct{ Where Selector }

// Trim removes whitespace from both ends of cells. If Inner is set, it also collapses each run
// of whitespace within the cell to one space.
type Trim struct {
	Where Selector
	Inner bool
}

// Case changes the letter case of cells.
type Case struct {
	Where Selector
	To    textedit.Casing
}

// MapValue sets each cell of the field to Text if its raw value is Raw. If Texts is
// not nil, MapValue instead replaces each raw value that is a key of Texts with the
// value of that key. Where.Fields is ignored.
type MapValue struct {
	Where Selector
	Field int
	Raw   string
	Text  string
	Texts map[string]string
}

// Delete deletes rows.
type Delete struct{ Where Selector }

// Add appends rows with the given cells. Row, Version and Seen of the cells are ignored.
type Add struct{ Rows [][]Typed }

// Accept removes the problem that reports too few or too many cells in a record.
type Accept struct{ Where Selector }

// acceptable is the code of the problems that Accept removes.
const acceptable = "cell_count"

// RefusedError means that an operation cannot be performed. If Stale is set, the
// operation may succeed after the client reloads the rows.
type RefusedError struct {
	Text  intray.Message
	Stale bool
}

// Error returns the message as a string.
func (r *RefusedError) Error() string { return r.Text.String() }

// Describe returns the message of the error.
func (r *RefusedError) Describe() intray.Message { return r.Text }

// CellConflict is a cell that someone else changed first.
type CellConflict struct {
	Row         int64
	Field, Part int
	// Version is the current version of the row, or 0 if it was deleted. Gone is set if it was
	// deleted. Seen is the raw value that the reviewer saw, and Now is the current one.
	Version   int64
	Gone      bool
	Seen, Now string
}

// ConflictError means that cells have changed since the reviewer saw them. The
// operation had no effect.
type ConflictError struct{ Cells []CellConflict }

// Error returns the message from Describe as a string.
func (c *ConflictError) Error() string { return c.Describe().String() }

// Describe returns a message with the number of conflicts.
func (c *ConflictError) Describe() intray.Message {
	return intray.NewMessage("review.cells_changed", intray.Params{"n": len(c.Cells)})
}

func noRow(row int64) intray.Message {
	return intray.NewMessage("review.unknown_row", intray.Params{"row": row})
}

// changePlan describes the effects of an operation.
type changePlan struct {
	where Selector
	// change determines the new raw value of a cell of a field. It is called concurrently. It is
	// nil if new values do not depend on old ones.
	change func(dst []byte, field int, text []byte) ([]byte, bool)
	fields []int
	// needle is text that a cell must contain to change, unless its raw value is in nameMatches.
	// It is nil if there is no such text.
	needle      *needle
	nameMatches textMatches
	// cells are the cells of a Set, by row.
	cells map[uint32][]Typed
	// accept means that the change is an Accept, remove means that it deletes the rows, and
	// added holds the new rows.
	accept bool
	remove bool
	added  [][]Typed
}

// maxAdded is the maximum number of rows in an Add. maxTyped is the maximum number
// of cells in a Set.
const (
	maxAdded = 10_000
	maxTyped = 1_000_000
)

func (o Set) plan(d *Draft) (*changePlan, error) {
	if len(o.Cells) > maxTyped {
		return nil, &RefusedError{Text: intray.NewMessage("review.too_many_cells", intray.Params{"n": maxTyped})}
	}
	j := &changePlan{cells: map[uint32][]Typed{}, where: Selector{Numbers: []int64{}}}
	for _, t := range o.Cells {
		if err := d.editable(t.Field, t.Part); err != nil {
			return nil, err
		}
		if t.Row < 0 || t.Row >= 1<<32 {
			return nil, &RefusedError{Text: noRow(t.Row)}
		}
		j.cells[uint32(t.Row)] = append(j.cells[uint32(t.Row)], t)
		j.where.Numbers = append(j.where.Numbers, t.Row)
	}
	return j, nil
}

func (o Replace) plan(d *Draft) (*changePlan, error) {
	change, err := o.newReplacer()
	j, err := d.planTextChange(o.Where, o.needle(), change, err)
	if err != nil {
		return nil, err
	}
	names := func(field int) map[string]string {
		if own := o.Names[field]; own != nil {
			return own
		}
		if d.cfg.Fields[field].Type.Name == intray.TypeMultiSelect {
			return nil // a cell can display several names
		}
		return d.displayNames(field)
	}
	named := map[int]textChange{}
	for _, f := range j.fields {
		if of := names(f); of != nil {
			named[f] = o.replaceShown(of, change)
		}
	}
	if j.needle != nil {
		j.nameMatches = j.needle.matchNames(j.fields, names)
	}
	if len(named) > 0 {
		j.change = func(dst []byte, field int, text []byte) ([]byte, bool) {
			if of := named[field]; of != nil {
				return of(dst, text)
			}
			return change(dst, text)
		}
	}
	return j, nil
}

func (o Fill) plan(d *Draft) (*changePlan, error) {
	if o.Texts != nil {
		o.Where.Fields = slices.Sorted(maps.Keys(o.Texts))
	}
	fill := func(dst, text []byte, to string) ([]byte, bool) { return append(dst, to...), string(text) != to }
	j, err := d.planTextChange(o.Where, nil, func(dst, text []byte) ([]byte, bool) { return fill(dst, text, o.Text) }, nil)
	if err == nil && o.Texts != nil {
		j.change = func(dst []byte, field int, text []byte) ([]byte, bool) { return fill(dst, text, o.Texts[field]) }
	}
	return j, err
}

func (o Clear) plan(d *Draft) (*changePlan, error) { return Fill{Where: o.Where}.plan(d) }

func (o Trim) plan(d *Draft) (*changePlan, error) {
	return d.planTextChange(o.Where, nil, o.trimText, nil)
}

func (o Case) plan(d *Draft) (*changePlan, error) {
	change, err := o.newCaser()
	return d.planTextChange(o.Where, nil, change, err)
}

func (o MapValue) plan(d *Draft) (*changePlan, error) {
	o.Where.Fields = []int{o.Field}
	if o.Texts != nil {
		return d.planTextChange(o.Where, nil, func(dst, text []byte) ([]byte, bool) {
			to, mapped := o.Texts[string(text)]
			return append(dst, to...), mapped && to != string(text)
		}, nil)
	}
	return d.planTextChange(o.Where, Replace{Find: o.Raw}.needle(), func(dst, text []byte) ([]byte, bool) {
		return append(dst, o.Text...), string(text) == o.Raw && o.Raw != o.Text
	}, nil)
}

func (o Delete) plan(*Draft) (*changePlan, error) {
	return &changePlan{where: o.Where, remove: true}, nil
}

func (o Accept) plan(*Draft) (*changePlan, error) {
	return &changePlan{where: o.Where, accept: true}, nil
}

func (o Add) plan(d *Draft) (*changePlan, error) {
	if len(o.Rows) > maxAdded {
		return nil, &RefusedError{Text: intray.NewMessage("review.too_many_new_rows", intray.Params{"n": maxAdded})}
	}
	for _, cells := range o.Rows {
		for _, t := range cells {
			if err := d.editable(t.Field, t.Part); err != nil {
				return nil, err
			}
		}
	}
	return &changePlan{added: o.Rows, where: Selector{Numbers: []int64{}}}, nil
}

// planTextChange returns a plan that changes raw values. If err is not nil, it returns err.
func (d *Draft) planTextChange(where Selector, must *needle, change textChange, err error) (*changePlan, error) {
	if err != nil {
		return nil, err
	}
	fields := where.Fields
	if fields == nil {
		for i := range d.cfg.Fields {
			if d.editable(i, 0) == nil {
				fields = append(fields, i)
			}
		}
	}
	for _, f := range fields {
		if err := d.editable(f, 0); err != nil {
			return nil, err
		}
		if d.cfg.Fields[f].ManyToOne {
			must = nil // the raw value encodes several elements
		}
	}
	one := func(dst []byte, _ int, text []byte) ([]byte, bool) { return change(dst, text) }
	return &changePlan{where: where, fields: fields, change: one, needle: must}, nil
}

// editable returns a RefusedError if reviewers cannot change the cell.
func (d *Draft) editable(field, part int) error {
	if field < 0 || field >= len(d.cfg.Fields) {
		return &RefusedError{Text: noField(field)}
	}
	f := d.cfg.Fields[field]
	switch {
	case f.ReadOnly:
		return &RefusedError{Text: intray.NewMessage("review.field_read_only", intray.Params{"field": f.Label})}
	case f.Hidden:
		return &RefusedError{Text: intray.NewMessage("review.field_hidden", intray.Params{"field": f.Key})}
	case f.ManyToOne && d.partCount(field) == 0:
		return &RefusedError{Text: intray.NewMessage("review.field_without_column", intray.Params{"field": f.Label})}
	case part < 0 || part >= d.partCount(field):
		return &RefusedError{Text: intray.NewMessage("review.unknown_column_of_field", intray.Params{"field": f.Label, "column": part})}
	}
	return nil
}

// partCount returns the number of cells that a field has in each row.
func (d *Draft) partCount(field int) int {
	if !d.cfg.Fields[field].ManyToOne {
		return 1
	}
	if field >= len(d.cfg.Parts) {
		return 0
	}
	return d.cfg.Parts[field]
}

// selectRows returns the live rows that a selector selects.
func (d *Draft) selectRows(s *snapshot, w Selector, byFilter func() (*roaring.Bitmap, error)) (*roaring.Bitmap, error) {
	var rows *roaring.Bitmap
	if w.Token != "" {
		list, asListed := d.views.rows(w.Token, s, w.Total)
		if list.set == nil {
			return nil, &RefusedError{Stale: true, Text: intray.NewMessage("review.view_expired", nil)}
		}
		if !asListed {
			return nil, &RefusedError{Stale: true, Text: intray.NewMessage("review.view_changed", nil)}
		}
		if rows = list.set; w.From != 0 || w.To != 0 {
			rows = list.between(w.From, w.To)
		}
	} else {
		if w.Numbers != nil && w.Filter.matchesAll() {
			rows = s.live
		} else {
			var err error
			if rows, err = byFilter(); err != nil {
				return nil, err
			}
		}
	}
	if w.Numbers == nil {
		return rows, nil
	}
	picked := roaring.New()
	for _, n := range w.Numbers {
		if n >= 0 && n < 1<<32 && rows.Contains(uint32(n)) {
			picked.Add(uint32(n))
		}
	}
	return picked, nil
}

// viewRange returns the rows at positions [first, end) of a view. If end is 0, the
// range extends to the end of the view.
func viewRange(rows *roaring.Bitmap, first, end int64) *roaring.Bitmap {
	total := int64(rows.GetCardinality())
	if end <= 0 || end > total {
		end = total
	}
	out := roaring.New()
	if first < 0 || first >= end {
		return out
	}
	low, err := rows.Select(uint32(first))
	if err != nil {
		return out
	}
	high, err := rows.Select(uint32(end - 1))
	if err != nil {
		return out
	}
	out.AddRange(uint64(low), uint64(high)+1)
	out.And(rows)
	return out
}

// canAccept reports whether Accept removes problem p.
func canAccept(p *intray.Problem) bool { return p.Field == intray.NoField && p.Code == acceptable }
