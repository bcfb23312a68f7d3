package stage

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/blob"
)

// Config steers a Writer. The zero value works.
type Config struct {
	// SegmentRows is the number of rows after which a segment is sealed and
	// the next begun. A batch is never divided. Default 1,000,000.
	SegmentRows int64
	// SegmentBytes is the size after which that is done. Default 256 MiB.
	SegmentBytes int64
	// Codec is how pages are compressed. Default Zstd.
	Codec Codec
}

func (c Config) withDefaults() Config {
	if c.SegmentRows <= 0 {
		c.SegmentRows = 1_000_000
	}
	if c.SegmentBytes <= 0 {
		c.SegmentBytes = 256 << 20
	}
	return c
}

// maxRows is the most rows of a stage: a bitmap numbers rows with 32 bits.
const maxRows = 1 << 32

var (
	errClosed  = errors.New("the stage is closed")
	errAborted = errors.New("the stage was aborted")
)

// Writer writes a stage. Its memory does not grow with the rows, but for the
// bitmaps: at most 1.25 MB per 10 million rows and [Kind].
type Writer struct {
	// create begins a blob of the stage, under the context of NewWriter.
	create  func(name string) (blob.Writer, error)
	remove  func() error
	store   blob.Store
	prefix  string
	cfg     Config
	columns []column
	// encoders and parcels are used again from batch to batch.
	packer   *packer
	encoders sync.Pool
	parcels  sync.Pool

	// What follows belongs to the goroutine that commits.
	segment  *file
	sealing  *sealing
	manifest Manifest
	problems *problemFile
	kinds    kinds
	late     []late
	// err ends the writer: a stage with a hole must not be sealed.
	err error
}

// parcel is an encoded batch on its way to its commit.
type parcel struct {
	group    group
	first    int64
	problems packed
}

// NewWriter begins a stage under prefix, which must be a valid blob key and
// hold nothing else. The context bounds all writing until Close.
func NewWriter(ctx context.Context, store blob.Store, prefix string, layout Layout, cfg Config) *Writer {
	w := &Writer{store: store, prefix: prefix, cfg: cfg.withDefaults()}
	w.manifest = Manifest{Version: Version}
	w.manifest.Fields, w.manifest.Unmapped = layout.name()
	w.columns = columns(w.manifest.Fields, w.manifest.Unmapped)
	w.create = func(name string) (blob.Writer, error) { return create(ctx, store, prefix, name) }
	w.remove = func() error { return store.DeleteAll(context.WithoutCancel(ctx), prefix) }
	if w.packer, w.err = newPacker(w.cfg.Codec); w.err == nil {
		w.manifest.Codec = w.packer.codec
	}
	w.kinds = newKinds()
	w.encoders.New = func() any { return newEncoder(w.packer) }
	w.parcels.New = func() any { return new(parcel) }
	w.problems = &problemFile{create: w.create, packer: w.packer, encoder: newEncoder(w.packer)}
	if !blob.ValidKey(prefix) {
		w.err = fmt.Errorf("the prefix %q of a stage is no valid blob key", prefix)
	}
	return w
}

func create(ctx context.Context, store blob.Store, prefix, name string) (blob.Writer, error) {
	w, err := store.Create(ctx, prefix+"/"+name)
	if err != nil {
		return nil, fmt.Errorf("create %s of the stage: %w", name, err)
	}
	return w, nil
}

// Stage encodes a batch. It may be called from several goroutines at once, and
// the batch may be used again when it has returned. The batch must hold the
// fields and passed columns of the layout.
//
// The commit appends the batch. Commits are called from one goroutine, in the
// order of the rows and without gaps; one that comes out of order is an error.
// After an error the writer takes nothing more.
func (w *Writer) Stage(b *intray.Batch) (commit func() error, err error) {
	if w.packer == nil {
		return nil, fmt.Errorf("stage a batch: the codec %q cannot be had", string(w.cfg.Codec))
	}
	p := w.parcels.Get().(*parcel)
	e := w.encoders.Get().(*encoder)
	defer w.encoders.Put(e)
	if err := w.encode(e, p, b); err != nil {
		return nil, fmt.Errorf("stage the batch from row %d on: %w", b.First, err)
	}
	return func() error { return w.commit(p) }, nil
}

// encode brings the batch into the parcel.
func (w *Writer) encode(e *encoder, p *parcel, b *intray.Batch) error {
	p.group.reset(b.Rows())
	p.first = b.First
	if err := w.check(b); err != nil {
		return err
	}
	p.problems.pack(b.Problems, len(b.Fields))
	if b.Rows() == 0 {
		return nil
	}
	for i := range b.Fields {
		if err := e.field(&p.group, &b.Fields[i]); err != nil {
			return fmt.Errorf("field %q: %w", w.manifest.Fields[i].Key, err)
		}
	}
	for i := range b.Unmapped {
		if err := e.required(&p.group, &b.Unmapped[i].Cells); err != nil {
			return fmt.Errorf("column %d: %w", b.Unmapped[i].Column, err)
		}
	}
	if err := e.places(&p.group, b); err != nil {
		return err
	}
	p.group.seal()
	return nil
}

func (e *encoder) field(g *group, c *intray.Cells) error {
	if err := e.values(g, &c.Values, c.Nulls); err != nil {
		return err
	}
	return e.sparse(g, &c.Raws, c.RawRows)
}

// places adds the columns that say where the rows come from.
func (e *encoder) places(g *group, b *intray.Batch) error {
	rows := make([]int64, b.Rows())
	for i := range rows {
		rows[i] = b.First + int64(i)
	}
	if err := e.ints(g, rows); err != nil {
		return err
	}
	return e.ints(g, b.Lines)
}

// check makes sure that the batch has the shape of the layout.
func (w *Writer) check(b *intray.Batch) error {
	if len(b.Fields) != len(w.manifest.Fields) || len(b.Unmapped) != len(w.manifest.Unmapped) {
		return fmt.Errorf("it has %d fields and %d passed columns, not %d and %d",
			len(b.Fields), len(b.Unmapped), len(w.manifest.Fields), len(w.manifest.Unmapped))
	}
	for i, u := range b.Unmapped {
		if u.Column != w.manifest.Unmapped[i].Index {
			return fmt.Errorf("its passed column %d is that of index %d, not %d", i, u.Column, w.manifest.Unmapped[i].Index)
		}
	}
	if b.First < 0 || b.First+int64(b.Rows()) > maxRows {
		return fmt.Errorf("its rows are beyond the %d that a stage can hold", int64(maxRows))
	}
	return checkProblems(b, len(w.manifest.Fields))
}

func checkProblems(b *intray.Batch, fields int) error {
	last := 0
	for _, p := range b.Problems {
		if p.Row < last || p.Row >= b.Rows() {
			return fmt.Errorf("a problem of row %d is out of order", p.Row)
		}
		if p.Field < intray.NoField || p.Field >= fields || p.Level > intray.LevelInfo {
			return fmt.Errorf("a problem of row %d has field %d and level %d", p.Row, p.Field, uint8(p.Level))
		}
		last = p.Row
	}
	return nil
}

// commit appends a parcel. Its first error is the writer's last word.
func (w *Writer) commit(p *parcel) error {
	if w.err != nil {
		return w.err
	}
	if w.err = w.add(p); w.err != nil {
		w.err = fmt.Errorf("append the rows from %d on to the stage: %w", p.first, w.err)
		return w.err
	}
	w.parcels.Put(p)
	return nil
}

func (w *Writer) add(p *parcel) error {
	if p.group.rows == 0 {
		return nil
	}
	if p.first != w.manifest.Rows {
		return fmt.Errorf("the next row is %d", w.manifest.Rows)
	}
	if err := w.place(&p.group); err != nil {
		return err
	}
	if err := w.kinds.add(p.first, &p.problems); err != nil {
		return err
	}
	return w.problems.add(p.first, &p.problems)
}

// place appends the rows to the segment under way, or to a new one.
func (w *Writer) place(g *group) error {
	if w.segment != nil && w.segmentDone() {
		if err := w.seal(); err != nil {
			return err
		}
	}
	if w.segment == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	at, err := w.segment.append(g)
	if err != nil {
		return err
	}
	s := &w.manifest.Segments[len(w.manifest.Segments)-1]
	s.Groups = append(s.Groups, Group{w.manifest.Rows, int64(g.rows), Piece{at.offset, at.length, g.crc}})
	s.Rows += int64(g.rows)
	w.manifest.Rows += int64(g.rows)
	return nil
}

func (w *Writer) segmentDone() bool {
	return w.segment.rows >= w.cfg.SegmentRows || w.segment.size >= w.cfg.SegmentBytes || w.segment.full()
}

func (w *Writer) begin() error {
	name := fmt.Sprintf("seg-%04d.parquet", len(w.manifest.Segments))
	out, err := w.create(name)
	if err != nil {
		return err
	}
	w.manifest.Segments = append(w.manifest.Segments, Segment{Name: name, First: w.manifest.Rows})
	w.segment, err = newFile(out, w.columns, w.packer.codec)
	return err
}

// sealing is a segment that becomes durable while rows go to the next one.
type sealing struct {
	segment *file
	index   int
	done    chan error
}

// seal begins to seal the segment under way, when the one before it is sealed.
func (w *Writer) seal() error {
	if err := w.sealed(); err != nil || w.segment == nil {
		return err
	}
	s := &sealing{w.segment, len(w.manifest.Segments) - 1, make(chan error, 1)}
	w.sealing, w.segment = s, nil
	go func() { s.done <- s.segment.close() }()
	return nil
}

// sealed waits for the segment that is being sealed.
func (w *Writer) sealed() error {
	s := w.sealing
	if s == nil {
		return nil
	}
	w.sealing = nil
	if err := <-s.done; err != nil {
		s.segment.blob.Abort()
		return fmt.Errorf("seal segment %d: %w", s.index, err)
	}
	w.manifest.Segments[s.index].Size = s.segment.size
	return nil
}

// Close seals the stage, the manifest last, when every commit has returned.
// The writer takes nothing more, whatever Close returns.
func (w *Writer) Close(ctx context.Context) (Manifest, error) {
	if w.err != nil {
		return Manifest{}, w.err
	}
	w.err = errClosed
	if err := w.finish(ctx); err != nil {
		w.err = fmt.Errorf("close the stage: %w", err)
		return Manifest{}, w.err
	}
	return w.manifest, nil
}

func (w *Writer) finish(ctx context.Context) error {
	if err := w.seal(); err != nil {
		return err
	}
	if err := w.problems.addLate(w.late); err != nil {
		return err
	}
	if err := w.problems.close(&w.manifest); err != nil {
		return err
	}
	bitmaps, err := w.kinds.encode(&w.manifest)
	if err != nil {
		return err
	}
	if w.manifest.Problems > 0 {
		if err := w.put(ctx, bitmapsName, bitmaps); err != nil {
			return err
		}
	}
	if err := w.sealed(); err != nil {
		return err
	}
	text, err := w.manifest.encode()
	if err != nil {
		return err
	}
	return w.put(ctx, manifestName, text)
}

// put writes a whole blob.
func (w *Writer) put(ctx context.Context, name string, body []byte) error {
	out, err := create(ctx, w.store, w.prefix, name)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := out.Write(body); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := out.Commit(); err != nil {
		return fmt.Errorf("commit %s: %w", name, err)
	}
	return nil
}

// Abort drops all that was written, when no call to Stage or a commit is under
// way. After Close has sealed the stage it does nothing, so that it can be
// deferred. Files that it cannot remove are never mistaken for a stage: they
// have no manifest.
func (w *Writer) Abort() {
	if errors.Is(w.err, errClosed) || errors.Is(w.err, errAborted) {
		return
	}
	_ = w.sealed()
	if w.segment != nil {
		w.segment.blob.Abort()
	}
	w.problems.abort()
	w.err = errAborted
	_ = w.remove()
}
