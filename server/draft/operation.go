package draft

import (
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// Operation is a change that a person asks for: one of [Set], [Replace], [Fill],
// [Clear], [Trim], [Case], [MapValue], [Delete], [Add] and [Accept].
type Operation interface {
	// plan makes sure that the operation can be done and says what is to be done.
	plan(d *Draft) (*changePlan, error)
}

// Selector says which cells are meant.
type Selector struct {
	// Filter says in which rows. Where Numbers is not nil, only rows with these
	// numbers are meant, those that are there.
	Filter  Filter
	Numbers []int64
	// Token names a view whose rows are meant instead of those that fit the filter
	// by now. One that is forgotten is refused.
	Token string
	// From and To are places of the view with the token: only its rows from From up
	// to To, To not included, are meant. To 0 is the end of the view.
	From, To int64
	// Total, where it is not nil, is how many rows the view had when it was looked at:
	// where it has others by now the places are others, and the change is a Refusal.
	Total *int64
	// Fields are the places of the fields; nil is all that can be changed.
	Fields []int
}

// Typed is what a person typed into a cell; "" empties it.
type Typed struct {
	Row         int64
	Field, Part int
	Text        string
	// Version is that of the row which the person saw, and Seen the raw text of
	// the cell then.
	Version int64
	Seen    string
}

// Set types into cells. Where a row has another version by now and the cell
// another text than the person saw, nothing is changed and the error is a
// [Conflict].
type Set struct{ Cells []Typed }

// Replace puts With in the place of Find in the text of cells. Of a cell that is seen
// under a name both the name and the text are looked at: it changes where that makes
// another name or its text, or where With takes the place of all of it.
type Replace struct {
	Where Selector
	Find  string
	With  string
	// Whole replaces only cells that hold nothing else, MatchCase tells upper case
	// from lower case, and Expression says that Find is a regular expression (RE2)
	// whose groups With may name as $1 or ${name}.
	Whole, MatchCase, Expression bool
	// Names are, by field, what the person sees in place of texts, where those are
	// others than the draft knows.
	Names map[int]map[string]string
}

// Fill puts the same text into cells; where Texts is not nil, into the cells of each
// field that it names the text there.
type Fill struct {
	Where Selector
	Text  string
	Texts map[int]string
}

// Clear empties cells.
type Clear struct{ Where Selector }

// Trim takes blanks off both ends of the text of cells; with Inner, runs of blanks
// inside become one space.
type Trim struct {
	Where Selector
	Inner bool
}

// Casing is how letters are written.
type Casing string

// The casings.
const (
	Upper Casing = "upper"
	Lower Casing = "lower"
	// Title writes the first letter of each word large and the others small.
	Title Casing = "title"
)

// Case writes the letters of cells large or small.
type Case struct {
	Where Selector
	To    Casing
}

// MapValue puts Text into all cells of the field whose text is Raw; where Texts is not
// nil, into those whose text it has the text that it has for it. The fields of Where do
// not count.
type MapValue struct {
	Where Selector
	Field int
	Raw   string
	Text  string
	Texts map[string]string
}

// Delete deletes rows.
type Delete struct{ Where Selector }

// Add adds rows behind all others, each with what is typed into its cells; their
// Row, Version and Seen do not count.
type Add struct{ Rows [][]Typed }

// Accept takes off rows the problem that their record had too few or too many
// cells.
type Accept struct{ Where Selector }

// acceptable is the code of the problem that a person can accept.
const acceptable = "cell_count"

// Refusal says that an operation cannot be done, in a sentence for a person. A stale
// one can be once the rows were looked at again.
type Refusal struct {
	Text  intray.Message
	Stale bool
}

// Error gives the sentence.
func (r *Refusal) Error() string { return r.Text.String() }

// Describe returns the sentence.
func (r *Refusal) Describe() intray.Message { return r.Text }

// CellConflict is a cell that another change reached first.
type CellConflict struct {
	Row         int64
	Field, Part int
	// Version is that of the row by now, 0 also where Gone says that it was
	// deleted. Seen is what the person saw, Now what the cell holds.
	Version   int64
	Gone      bool
	Seen, Now string
}

// Conflict says that cells hold another text than the person saw. Nothing was
// changed.
type Conflict struct{ Cells []CellConflict }

// Error says how many there are.
func (c *Conflict) Error() string { return c.Describe().String() }

// Describe says how many there are.
func (c *Conflict) Describe() intray.Message {
	return intray.NewMessage("review.cells_changed", intray.Params{"n": len(c.Cells)})
}

func noRow(row int64) intray.Message {
	return intray.NewMessage("review.unknown_row", intray.Params{"row": row})
}

// changePlan is what an operation comes down to.
type changePlan struct {
	where Selector
	// change gives the new text of a cell, and false where it stays. It is called
	// from several goroutines; nil where texts are not what is changed.
	change func(field int, text []byte) (string, bool)
	fields []int
	// needle is what texts must hold to be changed, but for those that are alike; nil
	// where that is not known.
	needle      *needle
	nameMatches textMatches
	// cells are typed into, by row.
	cells map[uint32][]Typed
	// accept takes a problem off, remove the rows, and added are new ones.
	accept bool
	remove bool
	added  [][]Typed
}

// maxAdded is how many rows a person can add at once, and maxTyped how many cells
// can be typed into at once.
const (
	maxAdded = 10_000
	maxTyped = 1_000_000
)

func (o Set) plan(d *Draft) (*changePlan, error) {
	if len(o.Cells) > maxTyped {
		return nil, &Refusal{Text: intray.NewMessage("review.too_many_cells", intray.Params{"n": maxTyped})}
	}
	j := &changePlan{cells: map[uint32][]Typed{}, where: Selector{Numbers: []int64{}}}
	for _, t := range o.Cells {
		if err := d.editable(t.Field, t.Part); err != nil {
			return nil, err
		}
		if t.Row < 0 || t.Row >= 1<<32 {
			return nil, &Refusal{Text: noRow(t.Row)}
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
			return nil // a cell holds several names
		}
		return d.displayNames(field)
	}
	named := map[int]func(text []byte) (string, bool){}
	for _, f := range j.fields {
		if of := names(f); of != nil {
			named[f] = o.replaceShown(of, change)
		}
	}
	if j.needle != nil {
		j.nameMatches = j.needle.matchNames(j.fields, names)
	}
	if len(named) > 0 {
		j.change = func(field int, text []byte) (string, bool) {
			if of := named[field]; of != nil {
				return of(text)
			}
			return change(text)
		}
	}
	return j, nil
}

func (o Fill) plan(d *Draft) (*changePlan, error) {
	if o.Texts != nil {
		o.Where.Fields = slices.Sorted(maps.Keys(o.Texts))
	}
	j, err := d.planTextChange(o.Where, nil, func(text []byte) (string, bool) { return o.Text, string(text) != o.Text }, nil)
	if err == nil && o.Texts != nil {
		j.change = func(field int, text []byte) (string, bool) { return o.Texts[field], string(text) != o.Texts[field] }
	}
	return j, err
}

func (o Clear) plan(d *Draft) (*changePlan, error) { return Fill{Where: o.Where}.plan(d) }

func (o Trim) plan(d *Draft) (*changePlan, error) {
	return d.planTextChange(o.Where, nil, o.trimText, nil)
}

func (o Case) plan(d *Draft) (*changePlan, error) {
	change, err := o.To.newCaser()
	return d.planTextChange(o.Where, nil, change, err)
}

func (o MapValue) plan(d *Draft) (*changePlan, error) {
	o.Where.Fields = []int{o.Field}
	if o.Texts != nil {
		return d.planTextChange(o.Where, nil, func(text []byte) (string, bool) {
			to, mapped := o.Texts[string(text)]
			return to, mapped && to != string(text)
		}, nil)
	}
	return d.planTextChange(o.Where, Replace{Find: o.Raw}.needle(), func(text []byte) (string, bool) {
		return o.Text, string(text) == o.Raw && o.Raw != o.Text
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
		return nil, &Refusal{Text: intray.NewMessage("review.too_many_new_rows", intray.Params{"n": maxAdded})}
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

// planTextChange is the job of changing texts.
func (d *Draft) planTextChange(where Selector, must *needle, change func(text []byte) (string, bool), err error) (*changePlan, error) {
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
			must = nil // its texts are within another
		}
	}
	one := func(_ int, text []byte) (string, bool) { return change(text) }
	return &changePlan{where: where, fields: fields, change: one, needle: must}, nil
}

// editable refuses a field that no person may change.
func (d *Draft) editable(field, part int) error {
	if field < 0 || field >= len(d.cfg.Fields) {
		return &Refusal{Text: noField(field)}
	}
	f := d.cfg.Fields[field]
	switch {
	case f.ReadOnly:
		return &Refusal{Text: intray.NewMessage("review.field_read_only", intray.Params{"field": f.Label})}
	case f.Hidden:
		return &Refusal{Text: intray.NewMessage("review.field_hidden", intray.Params{"field": f.Key})}
	case f.ManyToOne && d.partCount(field) == 0:
		return &Refusal{Text: intray.NewMessage("review.field_without_column", intray.Params{"field": f.Label})}
	case part < 0 || part >= d.partCount(field):
		return &Refusal{Text: intray.NewMessage("review.unknown_column_of_field", intray.Params{"field": f.Label, "column": part})}
	}
	return nil
}

// partCount is how many cells a field has in a row.
func (d *Draft) partCount(field int) int {
	if !d.cfg.Fields[field].ManyToOne {
		return 1
	}
	if field >= len(d.cfg.Parts) {
		return 0
	}
	return d.cfg.Parts[field]
}

// selectRows gives the live rows that a selector means.
func (d *Draft) selectRows(s *snapshot, w Selector, byFilter func() (*roaring.Bitmap, error)) (*roaring.Bitmap, error) {
	var rows *roaring.Bitmap
	if w.Token != "" {
		var asListed bool
		if rows, asListed = d.views.rows(w.Token, s, w.Total); rows == nil {
			return nil, &Refusal{Stale: true, Text: intray.NewMessage("review.view_expired", nil)}
		}
		if !asListed {
			return nil, &Refusal{Stale: true, Text: intray.NewMessage("review.view_changed", nil)}
		}
		if w.From != 0 || w.To != 0 {
			rows = viewRange(rows, w.From, w.To)
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

// viewRange gives the rows of a view from one place up to another; 0 is its end.
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

// canAccept says whether a problem is of a row as a whole and can be accepted.
func canAccept(p *intray.Problem) bool { return p.Field == intray.NoField && p.Code == acceptable }
