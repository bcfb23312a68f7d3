package draft

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"sync"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// Show selects rows by their problems.
type Show uint8

// The values of Show.
const (
	// All selects all rows.
	All Show = iota
	// Problems selects rows with a problem of any level; Errors, Warnings and Infos
	// select rows with a problem of that level.
	Problems
	Errors
	Warnings
	Infos
	// Valid selects rows without errors.
	Valid
)

// Filter selects rows. The zero value selects all rows. A row must match every
// criterion, and one problem must match Show, Field and Code together. If Show is
// All, Field and Code match problems of any level.
type Filter struct {
	Show Show
	// Field is the position of the field with the problem, or intray.NoField for
	// problems of whole rows; nil matches any.
	Field *int
	// Code is the code of the problem; "" matches any.
	Code string
	// Search is contained in the raw text, the displayed name or the value of a
	// cell, ignoring case; "" matches any.
	Search string
	// In is the position of the field to search; nil searches all visible fields.
	In *int
	// Also lists, by field, additional raw texts that match Search, because the
	// reviewer sees names that the draft does not have.
	Also map[int][]string
}

// matchesAll reports whether the filter matches every row.
func (f Filter) matchesAll() bool {
	return f.Show == All && f.Field == nil && f.Code == "" && f.Search == ""
}

// filterKey is a comparable form of a Filter.
type filterKey struct {
	show   Show
	field  int
	code   string
	search searchKey
}

// anyField is not a valid field position.
const anyField = intray.NoField - 1

func (f Filter) key() filterKey {
	return filterKey{f.Show, fieldOrAny(f.Field), f.Code, searchKey{f.Search, fieldOrAny(f.In), f.extraKey()}}
}

// extraKey returns a string that is equal for equal Also maps.
func (f Filter) extraKey() string {
	if len(f.Also) == 0 {
		return ""
	}
	text, _ := json.Marshal(f.Also) // a map of ints and strings always encodes
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

// matchingRows returns the live rows that match a filter. The caller must not
// modify the bitmap.
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

// byProblem returns the live rows that match a filter, ignoring its search.
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

// matchesKind reports whether problems of a kind match the filter.
func (f Filter) matchesKind(k Kind) bool {
	if f.Field != nil && *f.Field != k.Field || f.Code != "" && f.Code != k.Code {
		return false
	}
	return f.Show < Errors || f.Show > Infos || k.Level == intray.Level(f.Show-Errors)
}

// maxSearch is the maximum length of a search text in bytes.
const maxSearch = 4096

// searchKey identifies a search: its text, its field or anyField, and the
// additional texts that match.
type searchKey struct {
	text  string
	field int
	also  string
}

// cachedSearch holds the rows that matched a search in a snapshot.
type cachedSearch struct {
	key searchKey
	// using guards the fields below. A goroutine holds it while it scans.
	using chan struct{}
	id    uint64
	rows  *roaring.Bitmap
}

// maxSearches is the number of cached searches.
const maxSearches = 6

// searches caches the last searches, most recent last.
type searches struct {
	mu  sync.Mutex
	all []*cachedSearch
}

// lookup returns the cached search for a key, and creates it if necessary.
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

// search returns the rows of a snapshot that match the search of a filter; some of
// them may be deleted. The first search scans all rows, later ones only the rows
// that changed since.
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
	alike := n.matchNames(fields, d.displayNames)
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
			d.cacheSearchHits(found)
		}
		one.id, one.rows = s.id, found
	}
	return found, nil
}

// cacheSearchHits caches the rows found if they are scattered.
func (d *Draft) cacheSearchHits(found *roaring.Bitmap) {
	staged := found.Clone()
	staged.RemoveRange(uint64(d.staged), 1<<32)
	if staged.GetCardinality() <= maxCacheRows && d.isScattered(staged) {
		d.cacheRows(&d.caches.search, staged)
	}
}

// searchedFields returns the positions of the fields that a search scans.
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

// scan returns the rows whose fields contain what the finder searches.
func (d *Draft) scan(ctx context.Context, s *snapshot, rows *roaring.Bitmap, f finder, fields []int, progress func(done, total int64)) (*roaring.Bitmap, error) {
	found := roaring.New()
	var mu sync.Mutex
	err := d.eachSpan(ctx, rows, progress, func() spanWork {
		l, f := d.newFieldReader(s, fields), f
		return func(ctx context.Context, at span) error {
			pieces, err := l.readSpan(ctx, at, rows)
			if err != nil {
				return err
			}
			var hits []uint32
			for _, p := range pieces {
				has := f.rows(p.batch, fields)
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

// needle is a search text, which matches regardless of case.
type needle struct {
	text []byte
	// spread is set if a letter outside ASCII may fold to a letter of the text: if
	// the text has such letters itself, or contains i, k or s, to which ı, the
	// Kelvin sign and ſ fold.
	spread bool
}

func newNeedle(text string) *needle {
	n := &needle{text: foldCase([]byte(text), nil)}
	n.spread = bytes.ContainsAny(n.text, "iks") || !isASCII(n.text)
	return n
}

// foldCase returns a text with case differences removed.
func foldCase(text, scratch []byte) []byte {
	if !isASCII(text) {
		return bytes.ToLower(bytes.ToUpper(text))
	}
	return appendLower(scratch[:0], text)
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// appendLower appends a text with the letters A to Z in lower case.
func appendLower(to, text []byte) []byte {
	at := len(to)
	to = append(to, text...)
	for i, c := range to[at:] {
		if c-'A' < 26 {
			to[at+i] = c | 0x20
		}
	}
	return to
}

// finder searches batches for a needle. Each goroutine needs its own.
type finder struct {
	needle *needle
	// nameMatches are the texts of fields whose displayed name contains the needle.
	nameMatches textMatches
	draft       *Draft
	has         []bool
	scratch     []byte
	fold        []byte
}

// rows reports for each row of a batch whether one of the fields contains the
// needle in its value, raw text or displayed name.
func (f *finder) rows(b *intray.Batch, fields []int) []bool {
	f.has = append(f.has[:0], make([]bool, b.Rows())...)
	for _, field := range fields {
		c := &b.Fields[field]
		if f.draft.isList(field) {
			f.matchLists(c, b.Rows(), f.draft.cfg.Fields[field].ManyToOne)
		} else {
			f.matchTexts(&c.Values, nil)
			f.matchTexts(&c.Raws, c.RawRows)
		}
		if texts := f.nameMatches[field]; texts != nil {
			f.matchNames(c, b.Rows(), texts, f.draft.isList(field))
		}
	}
	return f.has
}

// matchTexts marks the rows whose text contains the needle. Text i belongs to row
// rows[i], or to row i if rows is nil.
func (f *finder) matchTexts(t *intray.Texts, rows []uint32) {
	f.scratch = appendLower(f.scratch[:0], t.Arena)
	for at := 0; ; {
		found := bytes.Index(f.scratch[at:], f.needle.text)
		if found < 0 {
			break
		}
		found += at
		i := sort.Search(len(t.Ends), func(i int) bool { return int(t.Ends[i]) > found })
		if found+len(f.needle.text) <= int(t.Ends[i]) {
			f.markRow(i, rows)
			at = int(t.Ends[i])
		} else {
			at = found + 1
		}
	}
	if !f.needle.spread || isASCII(t.Arena) {
		return
	}
	for i := range t.Len() {
		if text := t.At(i); !isASCII(text) {
			if f.contains(text) {
				f.markRow(i, rows)
			}
		}
	}
}

// isList reports whether the values of a field are JSON lists of texts.
func (d *Draft) isList(field int) bool {
	f := &d.cfg.Fields[field]
	return f.ManyToOne || f.Type.Name == intray.TypeMultiSelect
}

// matchLists marks the rows with a list element that contains the needle. If many
// is set, the raw texts are lists, too.
func (f *finder) matchLists(c *intray.Cells, rows int, many bool) {
	eachOf(c, rows, func(row int, v, raw []byte) {
		f.has[row] = f.has[row] || f.listContains(v) || (many && f.listContains(raw)) || (!many && f.contains(raw))
	})
}

// eachOf calls do with the value and the raw text of each cell of a column.
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
	if !bytes.ContainsRune(list, '\\') && !f.contains(list) {
		return false // without escapes, the encoding contains every element literally
	}
	found, is := anyText(list, f.contains)
	return found || !is && f.contains(list)
}

// anyText reports whether an element of a JSON list, or of a list nested in it,
// satisfies match. is reports whether list is valid JSON.
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
	return bytes.Contains(f.fold, f.needle.text)
}

func (f *finder) markRow(i int, rows []uint32) {
	if rows != nil {
		i = int(rows[i])
	}
	f.has[i] = true
}
