package staging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/server/blob"
)

// Config configures a Writer. The zero value uses the defaults.
type Config struct {
	// SegmentRows is the number of rows after which a segment is sealed and the next
	// one begins. A batch is never split. The default is 1,000,000.
	SegmentRows int64
	// SegmentBytes is the size in bytes after which a segment is sealed. The default is 256 MiB.
	SegmentBytes int64
	// Codec is the compression of the pages. The default is Zstd.
	Codec Codec
	// Compressor compresses the pages if Codec is Zstd. The default is a new one.
	Compressor *Compressor
	// SingleFile is the maximum size of a stage that is stored as a single file, in bytes. Such a stage
	// is kept in memory until it is closed. The default is 0: no stage is a single file.
	SingleFile int64
}

// maxRows is the maximum number of rows in a stage. Bitmaps use 32-bit row numbers.
const maxRows = 1 << 32

var (
	errClosed  = errors.New("the stage is closed")
	errAborted = errors.New("the stage was aborted")
)

// Writer writes a stage. Its memory does not grow with the number of rows, except for the
// bitmaps. These need at most 1.25 MB per 10 million rows for each [ProblemKind].
type Writer struct {
	store   blob.Store
	prefix  string
	cfg     Config
	columns [][]parquetio.Element
	// create creates a file of the stage. It uses the context passed to NewWriter.
	create func(name string) (blob.Writer, error)
	held   *heldFiles
	// location is the location of the sealed stage.
	location string
	remove   func() error
	// compressor is nil if Config.Codec is not supported.
	compressor *parquetio.Compressor
	// encoders and batches are reused for later batches.
	encoders sync.Pool
	batches  sync.Pool

	// The fields below belong to the goroutine that commits.
	segment      *parquetFile
	sealing      *pendingSegment
	manifest     Manifest
	problems     *problemFile
	problemIndex problemIndex
	crossRow     []crossRowProblem
	// err makes all later calls fail, so that a stage with missing rows is never sealed.
	err error
}

// encodedBatch is an encoded batch that is not yet committed.
type encodedBatch struct {
	group    encodedGroup
	first    int64
	problems packedProblems
}

// NewWriter starts a stage. The prefix must be a valid blob key, and no blob may
// exist under it. If ctx is canceled before Close, all writing fails.
func NewWriter(ctx context.Context, store blob.Store, prefix string, layout Layout, cfg Config) *Writer {
	cfg.SegmentRows = cmp.Or(max(cfg.SegmentRows, 0), 1_000_000)
	cfg.SegmentBytes = cmp.Or(max(cfg.SegmentBytes, 0), 256<<20)
	w := &Writer{store: store, prefix: prefix, cfg: cfg}
	w.manifest = Manifest{Version: Version}
	w.manifest.Fields, w.manifest.Unmapped = layout.assignNames()
	w.columns = segmentColumns(w.manifest.Fields, w.manifest.Unmapped)
	w.held = &heldFiles{limit: max(cfg.SingleFile, 0), create: func(name string) (blob.Writer, error) { return createBlob(ctx, store, prefix+"/"+name) }}
	w.create = w.held.newFile
	w.remove = func() error { return store.DeleteAll(context.WithoutCancel(ctx), prefix) }
	var codec format.CompressionCodec
	if w.manifest.Codec, codec, w.err = w.cfg.Codec.resolve(); w.err == nil {
		if w.compressor = cfg.Compressor; w.compressor == nil || codec != format.Zstd {
			w.compressor, w.err = parquetio.NewCompressor(codec, runtime.GOMAXPROCS(0))
		}
	}
	w.problemIndex = newProblemIndex()
	w.encoders.New = func() any { return newEncoder(w.compressor, codec) }
	w.batches.New = func() any { return new(encodedBatch) }
	w.problems = &problemFile{create: w.create, encoder: newEncoder(w.compressor, codec)}
	if !blob.ValidKey(prefix) {
		w.err = fmt.Errorf("the prefix %q of a stage is not a valid blob key", prefix)
	}
	return w
}

// Compressor compresses the pages of stages with Zstd. It is safe for concurrent use.
type Compressor = parquetio.Compressor

// NewCompressor returns a compressor that several writers can share. Its buffers take a few
// megabytes, which cost more to allocate than a small stage costs to write.
func NewCompressor() *Compressor {
	c, err := parquetio.NewCompressor(format.Zstd, runtime.GOMAXPROCS(0))
	if err != nil {
		panic(err) // only an unknown codec causes an error
	}
	return c
}

func createBlob(ctx context.Context, store blob.Store, key string) (blob.Writer, error) {
	w, err := store.Create(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("create %s of the stage: %w", key, err)
	}
	return w, nil
}

// StageBatch encodes a batch, which must have the fields and unmapped columns of the layout. It
// may be called concurrently. The caller may reuse the batch after StageBatch returns.
//
// commit appends the batch. All commits must be called from one goroutine, in the
// order of the rows and without gaps. A commit out of order returns an error. After
// an error, every commit fails.
func (w *Writer) StageBatch(b *intray.Batch) (commit func() error, err error) {
	if w.compressor == nil {
		return nil, fmt.Errorf("stage a batch: the codec %q is not supported", string(w.cfg.Codec))
	}
	p := w.batches.Get().(*encodedBatch)
	e := w.encoders.Get().(*encoder)
	defer w.encoders.Put(e)
	if err := w.encode(e, p, b); err != nil {
		return nil, fmt.Errorf("stage the batch from row %d on: %w", b.First, err)
	}
	return func() error { return w.commit(p) }, nil
}

func (w *Writer) encode(e *encoder, p *encodedBatch, b *intray.Batch) error {
	p.group.reset(b.Rows())
	p.first = b.First
	if err := w.validateBatch(b); err != nil {
		return err
	}
	p.problems.packProblems(b.Problems, len(b.Fields))
	if b.Rows() == 0 {
		return nil
	}
	for i := range b.Fields {
		if err := e.writeField(&p.group, &b.Fields[i]); err != nil {
			return fmt.Errorf("field %q: %w", w.manifest.Fields[i].Key, err)
		}
	}
	for i := range b.Unmapped {
		if err := e.writeRequired(&p.group, &b.Unmapped[i].Cells); err != nil {
			return fmt.Errorf("column %d: %w", b.Unmapped[i].Column, err)
		}
	}
	if err := e.writeLocations(&p.group, b); err != nil {
		return err
	}
	p.group.setChecksum()
	return nil
}

func (e *encoder) writeField(g *encodedGroup, c *intray.Cells) error {
	if err := e.writeValues(g, &c.Values, c.Nulls); err != nil {
		return err
	}
	return e.writeSparse(g, &c.Raws, c.RawRows)
}

// writeLocations adds the columns of row indexes and line numbers.
func (e *encoder) writeLocations(g *encodedGroup, b *intray.Batch) error {
	rows := make([]int64, b.Rows())
	for i := range rows {
		rows[i] = b.First + int64(i)
	}
	if err := e.writeInts(g, rows); err != nil {
		return err
	}
	return e.writeInts(g, b.Lines)
}

// validateBatch returns an error if the batch does not match the layout.
func (w *Writer) validateBatch(b *intray.Batch) error {
	if len(b.Fields) != len(w.manifest.Fields) || len(b.Unmapped) != len(w.manifest.Unmapped) {
		return fmt.Errorf("it has %d fields and %d unmapped columns, not %d and %d",
			len(b.Fields), len(b.Unmapped), len(w.manifest.Fields), len(w.manifest.Unmapped))
	}
	for i, u := range b.Unmapped {
		if u.Column != w.manifest.Unmapped[i].Index {
			return fmt.Errorf("its unmapped column %d is that of index %d, not %d", i, u.Column, w.manifest.Unmapped[i].Index)
		}
	}
	if b.First < 0 || b.First+int64(b.Rows()) > maxRows {
		return fmt.Errorf("its rows are beyond the %d that a stage can hold", int64(maxRows))
	}
	last := 0
	for _, p := range b.Problems {
		if p.Row < last || p.Row >= b.Rows() {
			return fmt.Errorf("a problem of row %d is out of order", p.Row)
		}
		if p.Field < intray.NoField || p.Field >= len(w.manifest.Fields) || p.Level > intray.LevelInfo {
			return fmt.Errorf("a problem of row %d has field %d and level %d", p.Row, p.Field, uint8(p.Level))
		}
		last = p.Row
	}
	return nil
}

// commit appends a batch. After its first error, all later calls fail.
func (w *Writer) commit(p *encodedBatch) error {
	if w.err != nil {
		return w.err
	}
	if w.err = w.appendBatch(p); w.err != nil {
		w.err = fmt.Errorf("append the rows from %d on to the stage: %w", p.first, w.err)
		return w.err
	}
	w.batches.Put(p)
	return nil
}

func (w *Writer) appendBatch(p *encodedBatch) error {
	if p.group.rows == 0 {
		return nil
	}
	if p.first != w.manifest.Rows {
		return fmt.Errorf("the next row is %d", w.manifest.Rows)
	}
	if err := w.appendToSegment(&p.group); err != nil {
		return err
	}
	if err := w.problemIndex.addBatch(p.first, &p.problems); err != nil {
		return err
	}
	return w.problems.addBatch(p.first, &p.problems)
}

// appendToSegment appends rows to the current segment, or to a new one if the
// current segment is full.
func (w *Writer) appendToSegment(g *encodedGroup) error {
	if w.segment != nil && w.segmentDone() {
		if err := w.sealSegment(); err != nil {
			return err
		}
	}
	if w.segment == nil {
		if err := w.beginSegment(); err != nil {
			return err
		}
	}
	at, err := w.segment.appendGroup(g)
	if err != nil {
		return err
	}
	s := &w.manifest.Segments[len(w.manifest.Segments)-1]
	s.Groups = append(s.Groups, RowGroup{w.manifest.Rows, int64(g.rows), at})
	s.Rows += int64(g.rows)
	w.manifest.Rows += int64(g.rows)
	return nil
}

func (w *Writer) segmentDone() bool {
	return w.segment.footer.Rows >= w.cfg.SegmentRows || w.segment.size >= w.cfg.SegmentBytes || w.segment.isFull()
}

func (w *Writer) beginSegment() error {
	name := fmt.Sprintf("seg-%04d.parquet", len(w.manifest.Segments))
	out, err := w.create(name)
	if err != nil {
		return err
	}
	w.manifest.Segments = append(w.manifest.Segments, Segment{Name: name, First: w.manifest.Rows})
	w.segment, err = newFile(out, w.columns)
	return err
}

// pendingSegment is a segment that is being sealed while rows are being written to the next one.
type pendingSegment struct {
	segment *parquetFile
	index   int
	done    chan error
}

// sealSegment waits until the previous segment is sealed, and then seals the current
// one in the background.
func (w *Writer) sealSegment() error {
	if err := w.waitSealed(); err != nil || w.segment == nil {
		return err
	}
	s := &pendingSegment{w.segment, len(w.manifest.Segments) - 1, make(chan error, 1)}
	w.sealing, w.segment = s, nil
	go func() { s.done <- s.segment.close() }()
	return nil
}

// waitSealed waits until the segment that is being sealed is complete.
func (w *Writer) waitSealed() error {
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

// Close seals the stage. It writes the manifest last. Every commit must have
// returned. The writer cannot be used afterwards, even if Close fails.
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
	if err := w.sealSegment(); err != nil {
		return err
	}
	if err := w.problems.writeCrossRow(w.crossRow); err != nil {
		return err
	}
	if err := w.problems.close(&w.manifest); err != nil {
		return err
	}
	bitmaps, err := w.problemIndex.encode(&w.manifest)
	if err != nil {
		return err
	}
	if w.manifest.Problems > 0 {
		if err := w.writeFile(bitmapsName, bitmaps); err != nil {
			return err
		}
	}
	if err := w.waitSealed(); err != nil {
		return err
	}
	text, err := w.manifest.encode()
	if err != nil {
		return err
	}
	w.location = w.prefix
	if w.held.isSmall() {
		w.location += singleSuffix
		return w.writeBlob(ctx, w.location, w.held.singleFile(text))
	}
	if err := w.held.commit(); err != nil {
		return err
	}
	return w.writeBlob(ctx, w.prefix+"/"+manifestName, text)
}

// Location returns the location of the stage for [Open]. It is "" until Close has sealed the stage.
func (w *Writer) Location() string { return w.location }

// CountByCode returns the number of problems in the committed batches, by code.
func (w *Writer) CountByCode() map[string]int64 {
	counts := map[string]int64{}
	for kind, n := range w.problemIndex.counts {
		counts[kind.code] += n.problems
	}
	return counts
}

// writeFile writes and commits a file of the stage.
func (w *Writer) writeFile(name string, body []byte) error {
	out, err := w.create(name)
	if err != nil {
		return err
	}
	defer out.Abort()
	return commitAll(out, name, body)
}

// writeAll writes b. It returns an error if fewer than len(b) bytes are written.
func writeAll(w io.Writer, b []byte) (n int, err error) {
	if n, err = w.Write(b); err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return n, err
}

// writeBlob writes and commits a blob.
func (w *Writer) writeBlob(ctx context.Context, key string, body []byte) error {
	out, err := createBlob(ctx, w.store, key)
	if err != nil {
		return err
	}
	defer out.Abort()
	return commitAll(out, key, body)
}

func commitAll(out blob.Writer, name string, body []byte) error {
	if _, err := writeAll(out, body); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := out.Commit(); err != nil {
		return fmt.Errorf("commit %s: %w", name, err)
	}
	return nil
}

// Abort deletes everything that was written. No call to StageBatch or commit may be running.
// After Close has sealed the stage, Abort does nothing and can therefore be deferred. If Abort
// cannot delete some files, they still do not form a stage, because the manifest is missing.
func (w *Writer) Abort() {
	if errors.Is(w.err, errClosed) || errors.Is(w.err, errAborted) {
		return
	}
	_ = w.waitSealed()
	if w.segment != nil {
		w.segment.blob.Abort()
	}
	if w.problems.file != nil {
		w.problems.file.blob.Abort()
	}
	w.held.abort()
	w.err = errAborted
	_ = w.remove()
}
