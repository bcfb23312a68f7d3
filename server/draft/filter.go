package draft

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// Show selects rows by their problems.
type Show uint8

// The rows that a Filter can show.
const (
	// All selects all rows.
	All Show = iota
	// Problems selects rows with a problem of any level. Errors, Warnings and Infos
	// select rows with a problem of that level.
	Problems
	Errors
	Warnings
	Infos
	// Valid selects rows without errors.
	Valid
)

// Filter selects the rows that match all criteria. The zero value selects all rows. Show, Field
// and Code must match the same problem. If Show is All, Problems or Valid, Field and Code match
// problems of any level.
type Filter struct {
	Show Show
	// Field is the index in the schema of the field with the problem, or intray.NoField for
	// problems of whole rows. Nil matches both.
	Field *int
	// Code is the code of the problem. "" matches any code.
	Code string
	// Search is the text to find in the raw value, the displayed name or the value of a
	// cell, ignoring case. "" matches any cell.
	Search string
	// Whole is set to find only cells whose raw value or value is the text, ignoring case.
	Whole bool
	// In is the index in the schema of the field to search. Nil searches all visible fields.
	In *int
	// Also lists, by field, raw values that match in addition to those that contain
	// Search. The review page uses it for displayed names that the draft does not know.
	Also map[int][]string
}

// matchesAll reports whether the filter matches every row.
func (f Filter) matchesAll() bool {
	return f.Show == All && f.Field == nil && f.Code == "" && f.Search == ""
}

// filterKey is a comparable copy of a Filter.
type filterKey struct {
	show   Show
	field  int
	code   string
	search searchKey
}

// anyField means that a filter is not restricted to a field. It is not a valid field position.
const anyField = intray.NoField - 1

func (f Filter) key() filterKey {
	return filterKey{f.Show, fieldOrAny(f.Field), f.Code, searchKey{f.Search, f.Whole, fieldOrAny(f.In), f.extraKey()}}
}

// extraKey returns a string that is the same for equal Also maps.
func (f Filter) extraKey() string {
	if len(f.Also) == 0 {
		return ""
	}
	text, _ := json.Marshal(f.Also) // a map of integers and strings can always be encoded
	return string(text)
}

func fieldOrAny(field *int) int {
	if field == nil {
		return anyField
	}
	return *field
}

func noField(field int) intray.Message {
	return intray.NewMessage("review.unknown_field", intray.Params{"field": field})
}

// checkFilter returns a RefusedError if the filter is invalid.
func (d *Draft) checkFilter(f Filter) error {
	if f.Field != nil && (*f.Field < intray.NoField || *f.Field >= len(d.cfg.Fields)) {
		return &RefusedError{Text: noField(*f.Field)}
	}
	if f.In != nil && (*f.In < 0 || *f.In >= len(d.cfg.Fields)) {
		return &RefusedError{Text: noField(*f.In)}
	}
	if f.Show > Valid {
		return &RefusedError{Text: intray.NewMessage("review.unknown_filter", nil)}
	}
	for field := range f.Also {
		if field < 0 || field >= len(d.cfg.Fields) {
			return &RefusedError{Text: noField(field)}
		}
	}
	if len(f.Search) > maxSearch {
		return &RefusedError{Text: intray.NewMessage("review.search_too_long", intray.Params{"n": maxSearch})}
	}
	return nil
}

// matchingRows returns the live rows that match a filter. The caller must not modify the bitmap.
func (d *Draft) matchingRows(ctx context.Context, s *snapshot, f Filter, progress func(done, total int64)) (*roaring.Bitmap, error) {
	if err := d.checkFilter(f); err != nil {
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

// byProblem returns the live rows that match the problem criteria of a filter. It
// ignores the search.
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
	rows := roaring.FastOr(s.matching(d.ruleKinds, f.matchesKind)...)
	if f.Show == Valid {
		return roaring.AndNot(rows, s.errors())
	}
	return rows
}

// matchesKind reports whether a filter matches problems of kind k.
func (f Filter) matchesKind(k Kind) bool {
	if f.Field != nil && *f.Field != k.Field || f.Code != "" && f.Code != k.Code {
		return false
	}
	return f.Show < Errors || f.Show > Infos || k.Level == intray.Level(f.Show-Errors)
}

// maxSearch is the maximum length of Filter.Search, in bytes.
const maxSearch = 4096

// searchKey identifies a search. It consists of the text, Filter.Whole, the field (or anyField),
// and Filter.Also.
type searchKey struct {
	text  string
	whole bool
	field int
	also  string
}

// cachedSearch holds the rows of a snapshot that match a search.
type cachedSearch struct {
	key searchKey
	// using guards the fields below. A goroutine holds it during a scan.
	using chan struct{}
	id    uint64
	rows  *roaring.Bitmap
}

// maxSearches is the maximum number of cached searches.
const maxSearches = 6

// searches caches the latest searches, most recent last.
type searches struct {
	mu  sync.Mutex
	all []*cachedSearch
}

// lookup returns the cached search for a key. If there is none, it creates one.
func (s *searches) lookup(key searchKey) *cachedSearch {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, one := range s.all {
		if one.key == key {
			s.all = append(append(s.all[:i:i], s.all[i+1:]...), one)
			return one
		}
	}
	one := &cachedSearch{key: key, using: make(chan struct{}, 1)}
	s.all = append(s.all[max(0, len(s.all)+1-maxSearches):], one)
	return one
}

// search returns the rows of a snapshot that match the search of a filter. Some of them may be
// deleted. The first search scans all rows. If its result is still cached and recent enough,
// later searches scan only the rows that have changed since.
func (d *Draft) search(ctx context.Context, s *snapshot, f Filter, progress func(done, total int64)) (*roaring.Bitmap, error) {
	key := f.key().search
	one := d.searches.lookup(key)
	select {
	case one.using <- struct{}{}:
		defer func() { <-one.using }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if one.rows != nil && one.id == s.id {
		return one.rows, nil
	}
	old, rows := roaring.New(), s.live
	if one.rows != nil {
		if changed, known := s.changedSince(one.id); known {
			rows = roaring.And(changed, s.live)
			old = roaring.AndNot(one.rows, changed)
		}
	}
	n, fields := newNeedle(f.Search), d.searchedFields(key.field)
	n.whole = f.Whole
	alike := textMatches{}
	if !n.whole {
		alike = n.matchNames(fields, d.displayNames)
	}
	for field, texts := range f.Also {
		for _, text := range texts {
			alike.add(field, text)
		}
	}
	found, err := d.scan(ctx, s, rows, finder{needle: n, nameMatches: alike, draft: d}, fields, progress)
	if err != nil {
		return nil, err
	}
	found.Or(old)
	if one.rows == nil || one.id < s.id {
		if one.rows == nil {
			if rows := d.unchangedRows(s, found); d.isScattered(rows) {
				d.cacheRows(&d.caches.search, rows)
			}
		}
		one.id, one.rows = s.id, found
	}
	return found, nil
}

// searchedFields returns the indexes in the schema of the fields that a search scans.
func (d *Draft) searchedFields(field int) []int {
	if field != anyField {
		return []int{field}
	}
	var all []int
	for i, f := range d.cfg.Fields {
		if !f.Hidden {
			all = append(all, i)
		}
	}
	return all
}

// scan returns the rows in which one of the fields contains the needle of the finder.
func (d *Draft) scan(ctx context.Context, s *snapshot, rows *roaring.Bitmap, f finder, fields []int, progress func(done, total int64)) (*roaring.Bitmap, error) {
	found := roaring.New()
	var mu sync.Mutex
	err := d.eachSpan(ctx, rows, progress, func() spanWork {
		f := f
		l := d.newFieldReader(s, fields, &f)
		return func(ctx context.Context, at span) error {
			pieces, err := l.readSpan(ctx, at, rows)
			if err != nil {
				return err
			}
			var hits []uint32
			for _, p := range pieces {
				has := f.rows(p.batch, fields)
				if has == nil {
					continue
				}
				for i, row := range p.rows {
					if has[p.at[i]] {
						hits = append(hits, row)
					}
				}
			}
			mu.Lock()
			defer mu.Unlock()
			found.AddMany(hits)
			return nil
		}
	})
	return found, err
}

// finder searches batches for a needle. It must not be used concurrently.
type finder struct {
	needle *needle
	// nameMatches are the raw values, by field, whose displayed name contains the needle.
	nameMatches textMatches
	draft       *Draft
	// has reports for each row whether it matches, and any whether one does.
	has []bool
	any bool
	// codes are the codes of a column whose strings contain the needle.
	codes   []bool
	scratch []byte
	fold    []byte
}

// KeepValues implements [staging.Keep]. The values of some types cannot contain most characters.
func (f *finder) KeepValues(field int) bool {
	if f.needle == nil || f.nameMatches[field] != nil {
		return true
	}
	of := celltype.CanonicalBytes(f.draft.cfg.Fields[field].Type.Name)
	return of == "" || f.draft.isList(field) || len(bytes.TrimLeft(f.needle.text, strings.ToLower(of))) == 0
}

// KeepTexts implements [staging.Keep]. It reports whether a column can contain the needle, or a raw value whose
// displayed name does.
func (f *finder) KeepTexts(field int, texts []byte) bool {
	if f.needle == nil || f.draft.isList(field) || f.nameMatches[field] != nil {
		return true
	}
	o := occurrences{needle: f.needle, text: texts}
	return o.next(0, &f.scratch) >= 0 || f.needle.mayFold(texts)
}

// rows reports, for each row of a batch, whether one of the fields contains the
// needle in its value, raw value or displayed name. It returns nil if no row does. Columns that keep
// rejects may be empty.
func (f *finder) rows(b *intray.Batch, fields []int) []bool {
	f.has, f.any = append(f.has[:0], make([]bool, b.Rows())...), false
	for _, field := range fields {
		c := &b.Fields[field]
		if f.draft.isList(field) {
			f.matchLists(c, b.Rows(), f.draft.cfg.Fields[field].ManyToOne)
		} else {
			f.matchColumn(&c.Values, nil)
			f.matchColumn(&c.Raws, c.RawRows)
		}
		if texts := f.nameMatches[field]; texts != nil {
			f.matchNames(c, b.Rows(), texts, f.draft.isList(field))
		}
	}
	if !f.any {
		return nil
	}
	return f.has
}

// mark marks a row.
func (f *finder) mark(row int) { f.has[row], f.any = true, true }

// matchColumn marks the rows whose string contains the needle. String i belongs to row rows[i], or to row i
// if rows is nil.
func (f *finder) matchColumn(c *intray.TextColumn, rows []uint32) {
	mark := func(i int) {
		if rows != nil {
			i = int(rows[i])
		}
		f.mark(i)
	}
	if len(c.Codes) == 0 {
		f.matchTexts(&c.Texts, mark)
		return
	}
	f.codes = append(f.codes[:0], make([]bool, c.Texts.Len())...)
	found := false
	f.matchTexts(&c.Texts, func(code int) { f.codes[code], found = true, true })
	if !found {
		return
	}
	for i, code := range c.Codes {
		if f.codes[code] {
			mark(i)
		}
	}
}

// matchTexts calls mark for each string that contains the needle.
func (f *finder) matchTexts(t *intray.Texts, mark func(i int)) {
	o := occurrences{needle: f.needle, text: t.Arena}
	for at := 0; ; {
		found := o.next(at, &f.scratch)
		if found < 0 {
			break
		}
		i := sort.Search(len(t.Ends), func(i int) bool { return int(t.Ends[i]) > found })
		if found+len(f.needle.text) <= int(t.Ends[i]) {
			if !f.needle.whole || len(f.needle.text) == len(t.At(i)) {
				mark(i)
			}
		}
		// The next occurrence within a string begins in a later one that is long enough.
		for at = int(t.Ends[i]); i+1 < t.Len() && len(t.At(i+1)) < len(f.needle.text); i++ {
			at = int(t.Ends[i+1])
		}
	}
	if !f.needle.mayFold(t.Arena) {
		return
	}
	for i := range t.Len() {
		if text := t.At(i); f.needle.mayFold(text) && f.contains(text) {
			mark(i)
		}
	}
}

// isList reports whether the values of a field are JSON lists of strings.
func (d *Draft) isList(field int) bool {
	f := &d.cfg.Fields[field]
	return f.ManyToOne || f.Type.Name == intray.TypeMultiSelect
}

// matchLists marks the rows with a list element that contains the needle. If many is
// set, the raw values are lists, too.
func (f *finder) matchLists(c *intray.Cells, rows int, many bool) {
	eachOf(c, rows, func(row int, v, raw []byte) {
		if f.listContains(v) || many && f.listContains(raw) || !many && f.contains(raw) {
			f.mark(row)
		}
	})
}

// eachOf calls the function do with the value and the raw value of each cell in a column.
func eachOf(c *intray.Cells, rows int, do func(row int, v, raw []byte)) {
	raws := 0
	for row := range rows {
		v := c.Values.At(row)
		raw := v
		if raws < len(c.RawRows) && int(c.RawRows[raws]) == row {
			raw = c.Raws.At(raws)
			raws++
		}
		do(row, v, raw)
	}
}

// listContains reports whether an element of a list contains the needle.
func (f *finder) listContains(list []byte) bool {
	if !f.needle.whole && !bytes.ContainsRune(list, '\\') && !f.contains(list) {
		return false // without escapes, the JSON contains each element literally
	}
	found, is := anyText(list, f.contains)
	return found || !is && f.contains(list)
}

// anyText reports whether match returns true for an element of a JSON list, or of a
// list nested in it. It also reports whether list is valid JSON.
func anyText(list []byte, match func(text []byte) bool) (found, is bool) {
	dec := json.NewDecoder(bytes.NewReader(list))
	dec.UseNumber()
	for {
		one, err := dec.Token()
		if err != nil {
			return false, err == io.EOF
		}
		if _, sign := one.(json.Delim); !sign && one != nil && match(fmt.Append(nil, one)) {
			return true, true
		}
	}
}

func (f *finder) contains(text []byte) bool {
	f.fold = foldCase(text, f.fold)
	if f.needle.whole {
		return bytes.Equal(f.fold, f.needle.text)
	}
	return bytes.Contains(f.fold, f.needle.text)
}
