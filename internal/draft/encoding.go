package draft

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// write appends the layer: numbers as varints, texts and bitmaps behind their
// length. The same layer gives the same bytes.
func (l *layer) write(to []byte, rules []Kind) ([]byte, error) {
	to = binary.AppendVarint(to, l.seq)
	to = binary.AppendVarint(to, l.next)
	var err error
	for _, rows := range []*roaring.Bitmap{l.rows, l.live.gained, l.live.lost} {
		if to, err = writeBitmap(to, rows); err != nil {
			return nil, err
		}
	}
	kinds := slices.SortedFunc(maps.Keys(l.kinds), func(a, b Kind) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Level, b.Level))
	})
	to = binary.AppendUvarint(to, uint64(len(kinds)))
	for _, k := range kinds {
		if to, err = writeDelta(writeKind(to, k), l.kinds[k]); err != nil {
			return nil, err
		}
	}
	at := slices.Sorted(maps.Keys(l.rules))
	to = binary.AppendUvarint(to, uint64(len(at)))
	for _, i := range at {
		to = writeKind(binary.AppendUvarint(to, uint64(i)), rules[i])
		if to, err = writeDelta(to, l.rules[i]); err != nil {
			return nil, err
		}
	}
	if l.large() {
		return append(to, 1), nil
	}
	to = append(to, 0)
	if !l.rows.IsEmpty() {
		to = writeRows(to, l.content)
	}
	return to, nil
}

func writeKind(to []byte, k Kind) []byte {
	to = binary.AppendVarint(to, int64(k.Field))
	to = append(to, byte(k.Level))
	return writeText(to, []byte(k.Code))
}

func writeDelta(to []byte, d *delta) ([]byte, error) {
	to, err := writeBitmap(to, d.gained)
	if err != nil {
		return nil, err
	}
	return writeBitmap(to, d.lost)
}

func writeBitmap(to []byte, rows *roaring.Bitmap) ([]byte, error) {
	rows = rows.Clone() // which is made smaller
	rows.RunOptimize()
	text, err := rows.ToBytes()
	if err != nil {
		return nil, fmt.Errorf("encode a bitmap: %w", err)
	}
	return writeText(to, text), nil
}

func writeText(to, text []byte) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

func writeTexts(to []byte, t *intray.Texts) []byte {
	to = binary.AppendUvarint(to, uint64(t.Len()))
	start := uint32(0)
	for _, end := range t.Ends {
		to = binary.AppendUvarint(to, uint64(end-start))
		start = end
	}
	return append(to, t.Arena[:start]...)
}

// writePlaces appends numbers that ascend.
func writePlaces(to []byte, places []uint32) []byte {
	to = binary.AppendUvarint(to, uint64(len(places)))
	before := uint32(0)
	for _, p := range places {
		to = binary.AppendUvarint(to, uint64(p-before))
		before = p
	}
	return to
}

func writeRows(to []byte, b *intray.Batch) []byte {
	for _, line := range b.Lines {
		to = binary.AppendVarint(to, line)
	}
	for i := range b.Fields {
		c := &b.Fields[i]
		to = writePlaces(writeTexts(to, &c.Values), c.Nulls)
		to = writeTexts(writePlaces(to, c.RawRows), &c.Raws)
	}
	for i := range b.Unmapped {
		to = writeTexts(to, &b.Unmapped[i].Cells)
	}
	to = binary.AppendUvarint(to, uint64(len(b.Problems)))
	for i := range b.Problems {
		p := &b.Problems[i]
		to = binary.AppendUvarint(to, uint64(p.Row))
		to = binary.AppendUvarint(to, uint64(p.Part))
		to = writeText(writeKind(to, kindOf(p)), []byte(p.Text.Encode()))
	}
	return to
}

var errForm = errors.New("it is not of the form that this program writes")

// reader takes apart what write made. Its first error stays.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail() {
	if r.err == nil {
		r.err = errForm
	}
	r.rest = nil
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// count reads a number of things, each of which takes a byte at least.
func (r *reader) count() int {
	n := r.uint()
	if n > uint64(len(r.rest)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.fail()
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) text() []byte { return r.bytes(r.count()) }

func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *reader) bitmap() *roaring.Bitmap {
	rows := roaring.New()
	if text := r.text(); r.err == nil {
		if err := rows.UnmarshalBinary(text); err != nil {
			r.fail()
		}
	}
	return rows
}

func (r *reader) delta() *delta { return &delta{r.bitmap(), r.bitmap()} }

func (r *reader) kind(fields int) Kind {
	k := Kind{Field: int(r.int()), Level: intray.Level(r.byte())}
	k.Code = string(r.text())
	if k.Field < intray.NoField || k.Field >= fields || k.Level > intray.LevelInfo {
		r.fail()
	}
	return k
}

func (r *reader) texts(t *intray.Texts) {
	n := r.count()
	sum := uint64(0)
	for range n {
		if sum += r.uint(); sum > uint64(len(r.rest)) {
			r.fail()
			return
		}
		t.Ends = append(t.Ends, uint32(sum))
	}
	t.Arena = slices.Clone(r.bytes(int(sum)))
}

// places reads numbers that ascend and are less than most.
func (r *reader) places(most int) (out []uint32) {
	before := uint64(0)
	for i := range r.count() {
		step := r.uint()
		if before += step; before >= uint64(most) || i > 0 && step == 0 {
			r.fail()
			return nil
		}
		out = append(out, uint32(before))
	}
	return out
}

// readLayer takes a layer apart, and says whether its rows are in a stage.
func (d *Draft) readLayer(plain []byte) (l *layer, staged bool, err error) {
	r := &reader{rest: plain}
	l = newLayer(r.int(), r.int())
	l.rows, l.live = r.bitmap(), r.delta()
	for range r.count() {
		k := r.kind(len(d.cfg.Fields))
		l.kinds[k] = r.delta()
	}
	for range r.count() {
		i := int(r.uint())
		if k := r.kind(len(d.cfg.Fields)); i < 0 || i >= len(d.rules) || k != d.ruleKinds[i] {
			r.fail()
			break
		}
		l.rules[i] = r.delta()
	}
	staged = r.byte() == 1
	if r.err == nil && !staged && !l.rows.IsEmpty() {
		l.content = r.rows(d, int(l.rows.GetCardinality()))
		l.size = sizeOf(l.content)
	}
	if len(r.rest) > 0 {
		r.fail()
	}
	return l, staged, r.err
}

// rows reads so many rows.
func (r *reader) rows(d *Draft, n int) *intray.Batch {
	b := d.blank()
	if n > len(r.rest) {
		r.fail()
		return b
	}
	for range n {
		b.Lines = append(b.Lines, r.int())
	}
	for i := range b.Fields {
		c := &b.Fields[i]
		r.texts(&c.Values)
		c.Nulls, c.RawRows = r.places(n), r.places(n)
		r.texts(&c.Raws)
		if c.Values.Len() != n || c.Raws.Len() != len(c.RawRows) {
			r.fail()
		}
	}
	for i := range b.Unmapped {
		if r.texts(&b.Unmapped[i].Cells); b.Unmapped[i].Cells.Len() != n {
			r.fail()
		}
	}
	for range r.count() {
		p := intray.Problem{Row: int(r.uint()), Part: int(r.uint())}
		k := r.kind(len(b.Fields))
		p.Field, p.Code, p.Level, p.Text = k.Field, k.Code, k.Level, intray.DecodeMessage(string(r.text()))
		if p.Row < 0 || p.Row >= n || len(b.Problems) > 0 && p.Row < b.Problems[len(b.Problems)-1].Row {
			r.fail()
		}
		b.Problems = append(b.Problems, p)
	}
	return b
}
