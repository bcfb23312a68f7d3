package parquet

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
)

var (
	errTooFewValues   = parquetio.Damaged(intray.NewMessage("parquet.too_few_values", nil))
	errLevelsDisagree = parquetio.Damaged(intray.NewMessage("parquet.uneven_members", nil))
)

func cellTooLong(limit int) error {
	return parquetio.Limited(intray.NewMessage("cell.too_long", intray.Params{"limit": limit}))
}

// columnReader reads the cells of one column. It buffers them until the cells of the same rows
// have been read in all other columns.
type columnReader struct {
	column *column
	// cursors holds a cursor for each leaf of the column.
	cursors []*parquetio.Cursor
	limit   int
	// text holds the buffered cells in sequence, and ends holds the end offset of each. start is
	// the index of the first cell that has not been consumed.
	text  []byte
	ends  []int
	kinds []intray.CellKind
	start int
}

// buffered returns the number of buffered cells.
func (r *columnReader) buffered() int { return len(r.ends) - r.start }

// cell returns the buffered cell i and its kind.
func (r *columnReader) cell(i int) ([]byte, intray.CellKind) {
	i += r.start
	from := 0
	if i > 0 {
		from = r.ends[i-1]
	}
	return r.text[from:r.ends[i]], r.kinds[i]
}

// discard removes the first n cells and moves the remaining cells to the beginning.
func (r *columnReader) discard(n int) {
	if r.start += n; r.start == 0 {
		return
	}
	from := r.ends[r.start-1]
	r.text = append(r.text[:0], r.text[from:]...)
	r.ends = append(r.ends[:0], r.ends[r.start:]...)
	r.kinds = append(r.kinds[:0], r.kinds[r.start:]...)
	for i := range r.ends {
		r.ends[i] -= from
	}
	r.start = 0
}

// readCell reads the cell of the next row and returns its length in bytes.
func (r *columnReader) readCell(ctx context.Context) (int, error) {
	from := len(r.text)
	kind, err := r.read(ctx)
	if err == nil && len(r.text)-from > r.limit {
		err = cellTooLong(r.limit)
	}
	if err != nil {
		r.text = r.text[:from]
		return 0, err
	}
	r.ends, r.kinds = append(r.ends, len(r.text)), append(r.kinds, kind)
	return len(r.text) - from, nil
}

func (r *columnReader) read(ctx context.Context) (kind intray.CellKind, err error) {
	l := r.column.node.leaf
	if l == nil || r.column.node.isRepeated() {
		return intray.CellText, r.readNested(ctx)
	}
	c := r.cursors[0]
	if err := c.Next(ctx); err != nil {
		return 0, err
	}
	switch {
	case c.Done:
		return 0, errTooFewValues
	case c.Def < l.MaxDef:
		c.Skip()
		return intray.CellText, nil
	}
	v, err := c.Value()
	if err != nil {
		return 0, err
	}
	r.text, kind, err = l.render(r.text, v)
	return kind, err
}

// readNested reads a list, a map or a repeated field.
func (r *columnReader) readNested(ctx context.Context) error {
	n := r.column.node
	a := &recordAssembler{cursors: r.cursors, offset: n.first, text: r.text, from: len(r.text), limit: r.limit}
	for _, c := range r.cursors {
		if err := c.Next(ctx); err != nil {
			return err
		}
		if c.Done {
			return errTooFewValues
		}
		if c.Rep != 0 {
			return errLevelsDisagree
		}
	}
	err := a.writeCell(ctx, n)
	r.text = a.text
	return err
}

// release frees the pages of the column. Call restore before reading further cells.
func (r *columnReader) release() {
	for _, c := range r.cursors {
		c.Release()
	}
}

// restore reads the pages of all cursors again after release.
func (r *columnReader) restore() error {
	for _, c := range r.cursors {
		if err := c.Restore(); err != nil {
			return err
		}
	}
	return nil
}

// recordAssembler writes one cell as JSON from the entries of several leaves. The levels of
// the entries determine where lists and groups start, continue or are missing.
type recordAssembler struct {
	cursors []*parquetio.Cursor
	// offset is the index of the leaf of the first cursor.
	offset int
	text   []byte
	// from is the offset of the cell in text. limit is the maximum size of the cell in bytes.
	from, limit int
}

// writeCell writes the cell of a column. It writes nothing for a missing value.
func (a *recordAssembler) writeCell(ctx context.Context, n *node) error {
	def := a.firstCursor(n).Def
	switch {
	case n.isRepeated() && def >= n.parentDef:
		return a.writeList(ctx, n, n)
	case def < n.def:
		a.skipNull(n)
		return nil
	}
	return a.writeNode(ctx, n)
}

// firstCursor returns the cursor of the first leaf under a node.
func (a *recordAssembler) firstCursor(n *node) *parquetio.Cursor { return a.cursors[n.first-a.offset] }

// cursorsBelow returns the cursors of all leaves under a node.
func (a *recordAssembler) cursorsBelow(n *node) []*parquetio.Cursor {
	return a.cursors[n.first-a.offset : n.end-a.offset]
}

// skipNull skips one entry in each leaf under a missing node.
func (a *recordAssembler) skipNull(n *node) {
	for _, c := range a.cursorsBelow(n) {
		c.Skip()
	}
}

// writeOccurrence writes a node whose parent is present. It writes null if the node is missing.
func (a *recordAssembler) writeOccurrence(ctx context.Context, n *node) error {
	def := a.firstCursor(n).Def
	switch {
	case def < n.parentDef:
		return errLevelsDisagree
	case n.isRepeated():
		return a.writeList(ctx, n, n)
	case def < n.def:
		a.skipNull(n)
		return a.writeRaw("null")
	}
	return a.writeNode(ctx, n)
}

func (a *recordAssembler) writeRaw(text string) error {
	if a.text = append(a.text, text...); len(a.text)-a.from > a.limit {
		return cellTooLong(a.limit)
	}
	return nil
}

// writeNode writes a node, which must be present.
func (a *recordAssembler) writeNode(ctx context.Context, n *node) error {
	switch n.form {
	case formList:
		return a.writeList(ctx, n.inner, n.item)
	case formMap:
		return a.writeRepeated(ctx, n.inner, "{", "}", func() error {
			if err := a.writeKey(n.inner.members[0]); err != nil {
				return err
			}
			return a.writeOccurrence(ctx, n.inner.members[1])
		})
	case formObject:
		separator := "{"
		for _, member := range n.members {
			if member.first == member.end {
				continue
			}
			if err := a.writeName(separator, member.Name); err != nil {
				return err
			}
			if err := a.writeOccurrence(ctx, member); err != nil {
				return err
			}
			separator = ","
		}
		return a.writeRaw("}")
	}
	return a.writeScalar(n)
}

func (a *recordAssembler) writeName(before string, name []byte) (err error) {
	a.text = append(a.text, before...)
	if a.text, err = jsontext.AppendQuote(a.text, name); err != nil {
		return errNotText
	}
	return a.writeRaw(":")
}

// writeList writes the items of a repeated node as a JSON array. item is the node itself or
// its only member.
func (a *recordAssembler) writeList(ctx context.Context, n, item *node) error {
	return a.writeRepeated(ctx, n, "[", "]", func() error {
		if item != n {
			return a.writeOccurrence(ctx, item)
		}
		return a.writeNode(ctx, n)
	})
}

// writeRepeated writes items between the brackets given by open and end, until the levels of the
// leaves end the list.
func (a *recordAssembler) writeRepeated(ctx context.Context, n *node, open, end string, item func() error) error {
	if a.firstCursor(n).Def < n.parentDef {
		return errLevelsDisagree
	}
	if a.firstCursor(n).Def < n.def {
		a.skipNull(n)
		return a.writeRaw(open + end)
	}
	for separator := open; ; separator = "," {
		if err := a.writeRaw(separator); err != nil {
			return err
		}
		if err := item(); err != nil {
			return err
		}
		if more, err := a.hasMore(ctx, n); !more || err != nil {
			a.text = append(a.text, end...)
			return err
		}
	}
}

// hasMore moves the cursors under a node to their next entries and reports whether these
// continue the list. It returns an error if the leaves disagree.
func (a *recordAssembler) hasMore(ctx context.Context, n *node) (bool, error) {
	more := false
	for i, c := range a.cursorsBelow(n) {
		if err := c.Next(ctx); err != nil {
			return false, err
		}
		continues := !c.Done && c.Rep == n.rep
		if i == 0 {
			more = continues
		} else if continues != more {
			return false, errLevelsDisagree
		}
	}
	return more, nil
}

// writeKey writes the key of a map as the name of an object member.
func (a *recordAssembler) writeKey(n *node) error {
	c := a.firstCursor(n)
	if c.Def < n.def {
		return parquetio.Damaged(intray.NewMessage("parquet.map_without_key", nil))
	}
	v, err := c.Value()
	if err != nil {
		return err
	}
	key, _, err := n.leaf.render(nil, v)
	if err != nil {
		return err
	}
	return a.writeName("", key)
}

// writeScalar writes a value. Numbers and booleans are written without quotes, and all other
// values with quotes.
func (a *recordAssembler) writeScalar(n *node) error {
	v, err := a.firstCursor(n).Value()
	if err != nil {
		return err
	}
	from := len(a.text)
	text, kind, err := n.leaf.render(a.text, v)
	if err != nil {
		return err
	}
	a.text = text
	if kind != intray.CellNumber && kind != intray.CellBool {
		raw := append([]byte(nil), a.text[from:]...)
		if a.text, err = jsontext.AppendQuote(a.text[:from], raw); err != nil {
			return errNotText
		}
	}
	return a.writeRaw("")
}
