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

// matchesAll says whether all rows fit.
func (f Filter) matchesAll() bool {
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
	return filterKey{f.Show, fieldOrAny(f.Field), f.Code, searchKey{f.Search, fieldOrAny(f.In), f.extraKey()}}
}

// extraKey is the same for the same texts.
func (f Filter) extraKey() string {
	if len(f.Also) == 0 {
		return ""
	}
	text, _ := json.Marshal(f.Also) // fields and texts alone
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

// checkFilter makes sure that the filter is about fields that are there.
func (d *Draft) checkFilter(f Filter) error {
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

// matchingRows gives the live rows that fit a filter. The bitmap must not be changed.
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
	rows := roaring.FastOr(s.matching(d.ruleKinds, f.matchesKind)...)
	if f.Show == Valid {
		return roaring.AndNot(rows, s.errors())
	}
	return rows
}

// matchesKind says whether a filter is about problems of a kind.
func (f Filter) matchesKind(k Kind) bool {
	if f.Field != nil && *f.Field != k.Field || f.Code != "" && f.Code != k.Code {
		return false
	}
	return f.Show < Errors || f.Show > Infos || k.Level == intray.Level(f.Show-Errors)
}

// maxSearch is the longest text that is searched for, in bytes.
const maxSearch = 4096

// searchKey is what is searched for and in which field, or in anyField; also has the
// texts that count as found.
type searchKey struct {
	text  string
	field int
	also  string
}

// cachedSearch is the rows that hold a text, as they were in a snapshot.
type cachedSearch struct {
	key searchKey
	// using is held by who scans; what follows is theirs.
	using chan struct{}
	id    uint64
	rows  *roaring.Bitmap
}

// maxSearches is how many are remembered.
const maxSearches = 6

// searches are the last ones, the latest last.
type searches struct {
	mu  sync.Mutex
	all []*cachedSearch
}

// get gives the search for a key, a new one where none is remembered.
func (s *searches) get(key searchKey) *cachedSearch {
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

// search gives the rows of a snapshot that hold what a filter searches for, among them
// some that are not live. All rows are scanned once, and then only those that changed.
func (d *Draft) search(ctx context.Context, s *snapshot, f Filter, progress func(done, total int64)) (*roaring.Bitmap, error) {
	key := f.key().search
	one := d.searches.get(key)
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

// cacheSearchHits puts what was found on a shelf where it lies far apart.
func (d *Draft) cacheSearchHits(found *roaring.Bitmap) {
	staged := found.Clone()
	staged.RemoveRange(uint64(d.staged), 1<<32)
	if staged.GetCardinality() <= maxCacheRows && d.isScattered(staged) {
		d.cacheRows(&d.caches.search, staged)
	}
}

// searchedFields are the places of the fields that a search looks at.
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

// scan looks through some fields of rows.
func (d *Draft) scan(ctx context.Context, s *snapshot, rows *roaring.Bitmap, sought finder, fields []int, progress func(done, total int64)) (*roaring.Bitmap, error) {
	found := roaring.New()
	var mu sync.Mutex
	err := d.eachSpan(ctx, s, rows, progress, func() spanWork {
		l, f := d.newFieldReader(s, fields), sought
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

// needle is a text that is searched for, whatever the case.
type needle struct {
	text []byte
	// spread says that letters beyond ASCII may be one with letters of the text:
	// where it holds any itself, or i, k or s, which are ı, the Kelvin sign and ſ
	// too.
	spread bool
}

func newNeedle(text string) *needle {
	n := &needle{text: foldCase([]byte(text), nil)}
	n.spread = bytes.ContainsAny(n.text, "iks") || !isASCII(n.text)
	return n
}

// foldCase gives a text in which letters that differ by case are one.
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

// finder looks for a needle, for one goroutine.
type finder struct {
	needle *needle
	// nameMatches are the texts of fields that are shown as something which holds it.
	nameMatches textMatches
	draft       *Draft
	has         []bool
	scratch     []byte
	fold        []byte
}

// rows says for each row of a batch whether any of the fields holds the needle in
// its value, in its raw text or in what is shown in its place.
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

// matchTexts marks the rows whose text holds the needle; text i is that of row rows[i],
// or of row i.
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

// isList says whether the values of a field are lists of texts, in JSON.
func (d *Draft) isList(field int) bool {
	f := &d.cfg.Fields[field]
	return f.ManyToOne || f.Type.Name == intray.TypeMultiSelect
}

// matchLists marks the rows in whose lists a text holds the needle. The raw texts are lists
// too where the field has many columns.
func (f *finder) matchLists(c *intray.Cells, rows int, many bool) {
	eachOf(c, rows, func(row int, v, raw []byte) {
		f.has[row] = f.has[row] || f.listContains(v) || (many && f.listContains(raw)) || (!many && f.contains(raw))
	})
}

// eachOf gives the value and the raw text of each cell of a column.
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

// listContains says whether one of the texts of a list holds the needle.
func (f *finder) listContains(list []byte) bool {
	if !bytes.ContainsRune(list, '\\') && !f.contains(list) {
		return false // where nothing is escaped the texts stand there as they are
	}
	found, is := anyText(list, f.contains)
	return found || !is && f.contains(list)
}

// anyText says whether a text of a list, or of one in it, is one that is looked for; is
// is false for what is no list.
func anyText(list []byte, sought func(text []byte) bool) (found, is bool) {
	dec := json.NewDecoder(bytes.NewReader(list))
	dec.UseNumber()
	for {
		one, err := dec.Token()
		if err != nil {
			return false, err == io.EOF
		}
		if _, sign := one.(json.Delim); !sign && one != nil && sought(fmt.Append(nil, one)) {
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
