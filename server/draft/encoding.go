package draft

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/staging"
)

// A body is a four-byte mark, the CRC-32C of the remaining bytes, and the compressed
// revision. If the revision is large, the body refers to a blob that holds it
// instead. The last byte of the mark is the version.
const (
	markInline = "Idl\x01"
	markBlob   = "Idb\x01"
	markSize   = 8
)

const (
	// maxPlain is the maximum size of a decompressed body, in bytes.
	maxPlain = 1 << 30

	revisionFile = "layer.bin"
	rowsFolder   = "rows"
)

func frame(mark string, text []byte) []byte {
	out := binary.LittleEndian.AppendUint32([]byte(mark), checksum(text))
	return append(out, text...)
}

func unframe(body []byte) (mark string, text []byte, err error) {
	if len(body) < markSize {
		return "", nil, errors.New("it is truncated")
	}
	text = body[markSize:]
	if binary.LittleEndian.Uint32(body[len(markInline):]) != checksum(text) {
		return "", nil, errWrongChecksum
	}
	return string(body[:len(markInline)]), text, nil
}

var errWrongChecksum = errors.New("wrong checksum")

// checksumSize is the size of an encoded checksum in bytes.
const checksumSize = 4

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// encode returns the stored form of a revision. It writes a long body to a blob.
func (d *Draft) encode(ctx context.Context, l *revision) (StoredRevision, error) {
	plain, err := l.write(nil, d.ruleKinds)
	if err != nil {
		return StoredRevision{}, err
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return StoredRevision{}, err
	}
	body := frame(markInline, z.EncodeAll(plain, nil))
	if err := z.Close(); err != nil {
		return StoredRevision{}, err
	}
	if len(body) <= d.cfg.limits.body && l.prefix == "" {
		return StoredRevision{l.seq, body}, nil
	}
	if l.prefix == "" {
		l.prefix = d.newRevisionPrefix(l.seq)
	}
	if err := d.putBlob(ctx, l.prefix+"/"+revisionFile, body); err != nil {
		return StoredRevision{}, err
	}
	ref := binary.AppendVarint(nil, l.seq)
	ref = binary.LittleEndian.AppendUint32(ref, checksum(body))
	return StoredRevision{l.seq, frame(markBlob, append(ref, l.prefix...))}, nil
}

// newRevisionPrefix returns a unique blob prefix for a revision. The prefix ends
// with a random number, because two processes may open the same draft and each make
// a change with the same number.
func (d *Draft) newRevisionPrefix(seq int64) string {
	return fmt.Sprintf("%s%016x", d.revisionPrefix(seq), rand.Uint64()) //nolint:gosec // prefixes are not secret
}

// revisionPrefix returns the common start of all blob prefixes of a change.
func (d *Draft) revisionPrefix(seq int64) string {
	return fmt.Sprintf("%s/change-%d-", d.cfg.Prefix, seq)
}

func (d *Draft) putBlob(ctx context.Context, key string, body []byte) error {
	w, err := d.cfg.Blobs.Create(ctx, key)
	if err != nil {
		return fmt.Errorf("create %s: %w", key, err)
	}
	defer w.Abort()
	if _, err := w.Write(body); err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	if err := w.Commit(); err != nil {
		return fmt.Errorf("commit %s: %w", key, err)
	}
	return nil
}

// decode decodes a stored revision.
func (d *Draft) decode(ctx context.Context, k StoredRevision) (*revision, error) {
	l, err := d.decodeBody(ctx, k.Body)
	if err == nil && l.seq != k.Seq {
		_ = l.close()
		err = fmt.Errorf("%w: it belongs to change %d", staging.ErrDamaged, l.seq)
	}
	if err != nil {
		return nil, fmt.Errorf("read change %d: %w", k.Seq, err)
	}
	return l, nil
}

func (d *Draft) decodeBody(ctx context.Context, body []byte) (*revision, error) {
	mark, text, err := unframe(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", staging.ErrDamaged, err)
	}
	prefix := ""
	if mark == markBlob {
		if body, prefix, err = d.followBody(ctx, text); err != nil {
			return nil, err
		}
		if mark, text, err = unframe(body); err != nil {
			return nil, fmt.Errorf("%w: %w", staging.ErrDamaged, err)
		}
	}
	if mark != markInline {
		return nil, fmt.Errorf("unknown format %q", mark)
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPlain))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	plain, err := z.DecodeAll(text, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", staging.ErrDamaged, err)
	}
	l, staged, err := d.readRevision(plain)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", staging.ErrDamaged, err)
	}
	l.prefix = prefix
	if !staged {
		return l, nil
	}
	return l, l.open(ctx, d.cfg.Blobs)
}

// followBody reads the blob that a body refers to.
func (d *Draft) followBody(ctx context.Context, ref []byte) (body []byte, prefix string, err error) {
	seq, n := binary.Varint(ref)
	if n <= 0 || len(ref) < n+4 {
		return nil, "", fmt.Errorf("%w: it is truncated", staging.ErrDamaged)
	}
	crc := binary.LittleEndian.Uint32(ref[n:])
	prefix = string(ref[n+4:])
	if !strings.HasPrefix(prefix, d.revisionPrefix(seq)) {
		return nil, "", fmt.Errorf("%w: its blobs are at %q, outside this draft", staging.ErrDamaged, prefix)
	}
	r, err := d.cfg.Blobs.Open(ctx, prefix+"/"+revisionFile)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, "", fmt.Errorf("%w: %w", staging.ErrDamaged, err)
	}
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	if body, err = io.ReadAll(io.NewSectionReader(r, 0, r.Size())); err != nil {
		return nil, "", err
	}
	if checksum(body) != crc {
		return nil, "", fmt.Errorf("%w: %s has another checksum", staging.ErrDamaged, revisionFile)
	}
	return body, prefix, nil
}

// open opens the stage that holds the rows of a large revision.
func (l *revision) open(ctx context.Context, blobs blob.Store) error {
	s, err := staging.Open(ctx, blobs, l.prefix+"/"+rowsFolder)
	if errors.Is(err, staging.ErrUnfinished) {
		err = fmt.Errorf("%w: %w", staging.ErrDamaged, err)
	}
	if err != nil {
		return err
	}
	if l.stage = s; s.Manifest().Rows != int64(l.rows.GetCardinality()) {
		return errors.Join(fmt.Errorf("%w: it has %d rows, not %d", staging.ErrDamaged, s.Manifest().Rows, l.rows.GetCardinality()), s.Close())
	}
	return nil
}

// write appends the encoded revision to a slice. Numbers are varints. Each string and each
// bitmap is preceded by its length. Equal revisions are encoded as equal bytes.
func (l *revision) write(to []byte, rules []Kind) ([]byte, error) {
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
	if l.isStaged() {
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
	rows = rows.Clone() // RunOptimize modifies it
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

// textList is an [intray.Texts] or [intray.TextColumn].
type textList interface {
	Len() int
	At(i int) []byte
}

func writeTexts(to []byte, t textList) []byte {
	to = binary.AppendUvarint(to, uint64(t.Len()))
	for i := range t.Len() {
		to = binary.AppendUvarint(to, uint64(len(t.At(i))))
	}
	for i := range t.Len() {
		to = append(to, t.At(i)...)
	}
	return to
}

// writeAscending appends ascending numbers, each encoded as the difference from the previous one.
func writeAscending(to []byte, places []uint32) []byte {
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
		to = writeAscending(writeTexts(to, &c.Values), c.Nulls)
		to = writeTexts(writeAscending(to, c.RawRows), &c.Raws)
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

var errInvalidEncoding = errors.New("invalid encoding")

// decoder decodes the output of revision.write. It keeps its first error.
type decoder struct {
	rest []byte
	err  error
}

func (r *decoder) setInvalid() {
	if r.err == nil {
		r.err = errInvalidEncoding
	}
	r.rest = nil
}

func (r *decoder) uint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.setInvalid()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *decoder) int() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.setInvalid()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// count reads the number of items in a list. It fails if the number exceeds the remaining
// bytes, because each item takes at least one byte.
func (r *decoder) count() int {
	n := r.uint()
	if n > uint64(len(r.rest)) {
		r.setInvalid()
		return 0
	}
	return int(n)
}

func (r *decoder) bytes(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.setInvalid()
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *decoder) text() []byte { return r.bytes(r.count()) }

func (r *decoder) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *decoder) bitmap() *roaring.Bitmap {
	rows := roaring.New()
	if text := r.text(); r.err == nil {
		if err := rows.UnmarshalBinary(text); err != nil {
			r.setInvalid()
		}
	}
	return rows
}

func (r *decoder) delta() *delta { return &delta{r.bitmap(), r.bitmap()} }

func (r *decoder) kind(fields int) Kind {
	k := Kind{Field: int(r.int()), Level: intray.Level(r.byte())}
	k.Code = string(r.text())
	if k.Field < intray.NoField || k.Field >= fields || k.Level > intray.LevelInfo {
		r.setInvalid()
	}
	return k
}

func (r *decoder) texts(t *intray.Texts) {
	n := r.count()
	sum := uint64(0)
	for range n {
		if sum += r.uint(); sum > uint64(len(r.rest)) {
			r.setInvalid()
			return
		}
		t.Ends = append(t.Ends, uint32(sum))
	}
	t.Arena = slices.Clone(r.bytes(int(sum)))
}

// ascending reads a list of strictly ascending numbers that are all less than limit.
func (r *decoder) ascending(limit int) (out []uint32) {
	before := uint64(0)
	for i := range r.count() {
		step := r.uint()
		if before += step; before >= uint64(limit) || i > 0 && step == 0 {
			r.setInvalid()
			return nil
		}
		out = append(out, uint32(before))
	}
	return out
}

// readRevision decodes a revision. It reports whether the rows of the revision are staged.
func (d *Draft) readRevision(plain []byte) (l *revision, staged bool, err error) {
	r := &decoder{rest: plain}
	l = newRevision(r.int(), r.int())
	l.rows, l.live = r.bitmap(), r.delta()
	for range r.count() {
		k := r.kind(len(d.cfg.Fields))
		l.kinds[k] = r.delta()
	}
	for range r.count() {
		i := int(r.uint())
		if k := r.kind(len(d.cfg.Fields)); i < 0 || i >= len(d.rules) || k != d.ruleKinds[i] {
			r.setInvalid()
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
		r.setInvalid()
	}
	return l, staged, r.err
}

// rows decodes n rows.
func (r *decoder) rows(d *Draft, n int) *intray.Batch {
	b := d.newBatch()
	if n > len(r.rest) {
		r.setInvalid()
		return b
	}
	for range n {
		b.Lines = append(b.Lines, r.int())
	}
	for i := range b.Fields {
		c := &b.Fields[i]
		r.texts(&c.Values.Texts)
		c.Nulls, c.RawRows = r.ascending(n), r.ascending(n)
		r.texts(&c.Raws.Texts)
		if c.Values.Len() != n || c.Raws.Len() != len(c.RawRows) {
			r.setInvalid()
		}
	}
	for i := range b.Unmapped {
		if r.texts(&b.Unmapped[i].Cells); b.Unmapped[i].Cells.Len() != n {
			r.setInvalid()
		}
	}
	for range r.count() {
		p := intray.Problem{Row: int(r.uint()), Part: int(r.uint())}
		k := r.kind(len(b.Fields))
		p.Field, p.Code, p.Level, p.Text = k.Field, k.Code, k.Level, intray.DecodeMessage(string(r.text()))
		if p.Row < 0 || p.Row >= n || len(b.Problems) > 0 && p.Row < b.Problems[len(b.Problems)-1].Row {
			r.setInvalid()
		}
		b.Problems = append(b.Problems, p)
	}
	return b
}
