// Package staging stores the validated rows of one run in Parquet files that any Parquet reader
// can open. It stores the value and the raw value of each cell, and all problems.
//
// A [Writer] stages batches and seals a stage. A [Stage] reads all rows, a window of
// rows, the rows with problems, or any list of rows. Each stage has a blob prefix
// that nothing else uses, and never changes after it is sealed. The package knows
// only the [Layout] of a schema. It does not validate cells, and it stores no edits.
//
// # Files
//
//   - manifest.json lists the contents of the stage and their locations. It is written
//     last: a stage without it is unfinished. The file has the form
//     {"crc": C, "manifest": M}, where C is the checksum of the bytes of M, and M is a
//     [Manifest].
//   - seg-0000.parquet, seg-0001.parquet and so on are the segments. A batch is one row
//     group with one data page (version 2) per column, so that reading a window of rows
//     needs one ranged read. Strings are compressed with the [Codec] of the manifest.
//     Integers are not compressed.
//   - problems.parquet lists the problems in row order. Its columns are row, field (its
//     index in the layout, or -1 for the whole row), part (the column of a many-to-one
//     field, counted from 0), code, level (error, warning or info) and text. The file
//     exists only if there are problems.
//   - problems.roar contains concatenated bitmaps of rows in the portable Roaring format:
//     first the bitmap of the rows with an error, then one for each [ProblemKind]. The
//     manifest contains their offsets. The file exists only if there are problems.
//
// A small stage can be a single file: its only segment, with problems.parquet, problems.roar,
// manifest.json and a trailer that locates them in front of the Parquet footer. Its location
// ends with ".parquet".
//
// All checksums are CRC-32C. A reader verifies the checksum of each piece before it
// decodes the piece, so that a damaged file causes an error, never a wrong row. The Parquet
// footers have no checksum: [Stage.Verify] encodes them again and compares them, so their encoding
// must never change.
//
// # Columns of a segment
//
// Each field has two columns. The column of values has the key of the field as its name and
// contains canonical values. The column named key__raw contains raw values, and is null where
// the raw value equals the value. Unmapped columns come next, named $unmapped_INDEX. The last
// columns are _row and _line, both INT64. _row is the index of the row in the stage, counted
// from 0. _line is the number of the line where the row's record begins, counted from 1.
//
// Column names are unique even if case is ignored, because SQL engines require it. If
// one of the names of a field is already used, Intray appends _2, _3 and so on to the
// key. The manifest lists the columns of each field.
package staging

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"reflect"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/server/blob"
)

// ErrUnfinished means that there is no manifest under the prefix: no stage was
// sealed there, or the stage was deleted.
var ErrUnfinished = errors.New("no finished stage")

// Stage is a sealed stage. All methods except Close are safe for concurrent use.
type Stage struct {
	store    blob.Store
	prefix   string
	manifest *Manifest
	codec    format.CompressionCodec
	zstd     *zstd.Decoder
	// cursors are reused by later windows.
	cursors sync.Pool
	// batches are batches that were released.
	batches sync.Pool
	// reading is the result of ReadTime, in nanoseconds.
	reading atomic.Int64

	// single is the file of a stage that consists of one file, or nil.
	single *single

	mu      sync.Mutex
	open    map[string]blob.Reader
	bitmaps map[Piece]*roaring.Bitmap
}

// Open opens the stage at a location from [Writer.Location]. It returns ErrUnfinished if there is no
// manifest, and an error that wraps ErrDamaged if the manifest is damaged.
func Open(ctx context.Context, store blob.Store, location string) (*Stage, error) {
	s := &Stage{store: store, prefix: location, open: map[string]blob.Reader{}, bitmaps: map[Piece]*roaring.Bitmap{}}
	err := s.openManifest(ctx)
	if errors.Is(err, blob.ErrNotFound) {
		err = fmt.Errorf("%w: %w", ErrUnfinished, err)
	}
	if err == nil {
		_, s.codec, err = s.manifest.Codec.resolve()
	}
	if err == nil {
		s.zstd, err = parquetio.NewZstdDecoder(0, math.MaxInt32)
	}
	if err != nil {
		if s.single != nil {
			err = errors.Join(err, s.single.Close())
		}
		return nil, fmt.Errorf("open the stage %s: %w", location, err)
	}
	s.cursors.New = func() any { return newCursor(s) }
	return s, nil
}

func (s *Stage) openManifest(ctx context.Context) (err error) {
	if isSingle(s.prefix) {
		s.single, s.manifest, err = openSingle(ctx, s.store, s.prefix)
		return err
	}
	r, err := s.store.Open(ctx, s.prefix+"/"+manifestName)
	if err != nil {
		return err
	}
	defer r.Close()
	if s.manifest, err = readManifest(r); err != nil {
		return fmt.Errorf("read the manifest: %w", err)
	}
	return nil
}

// Manifest returns the manifest. The caller must not modify it.
func (s *Stage) Manifest() Manifest { return *s.manifest }

// HasSameContent reports whether the manifests of two stages are equal. They contain the checksums
// of all rows and problems.
func (s *Stage) HasSameContent(other *Stage) bool {
	return reflect.DeepEqual(s.manifest, other.manifest)
}

// Close closes the open files of the stage.
func (s *Stage) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := make([]error, 0, len(s.open))
	for _, r := range s.open {
		errs = append(errs, r.Close())
	}
	if s.single != nil {
		errs = append(errs, s.single.Close())
	}
	clear(s.open)
	clear(s.bitmaps)
	s.zstd.Close()
	return errors.Join(errs...)
}

// Window returns up to n rows with their problems, starting at row first. It returns
// fewer rows only at the end of the stage. It needs one ranged read for each batch
// that contains any of the rows, and one or two more for problems.
func (s *Stage) Window(ctx context.Context, first int64, n int) (*intray.Batch, error) {
	if first < 0 || n < 0 {
		return nil, fmt.Errorf("read %d staged rows from %d on: no such rows", n, first)
	}
	end := min(s.manifest.Rows, first+min(int64(n), s.manifest.Rows))
	out, err := s.readRanges(ctx, first, oneRange(first, max(first, end)))
	if err != nil {
		return nil, fmt.Errorf("read %d staged rows from %d on: %w", n, first, err)
	}
	return out, nil
}

// Rows returns the rows with the given indexes, which must be in ascending order, and their
// problems. Row i of the batch is row rows[i] of the stage. Rows needs one ranged read for each
// batch that contains any of the rows, and one or two more for the problems in each.
func (s *Stage) Rows(ctx context.Context, rows []int64) (*intray.Batch, error) {
	for i, row := range rows {
		if row < 0 || row >= s.manifest.Rows || i > 0 && row <= rows[i-1] {
			return nil, fmt.Errorf("read staged rows: row %d does not exist or is out of order", row)
		}
	}
	first := int64(0)
	if len(rows) > 0 {
		first = rows[0]
	}
	out, err := s.readRanges(ctx, first, rangesOf(rows))
	if err != nil {
		return nil, fmt.Errorf("read %d staged rows from %d on: %w", len(rows), first, err)
	}
	return out, nil
}

func (s *Stage) readRanges(ctx context.Context, first int64, ranges iter.Seq2[int64, int64]) (*intray.Batch, error) {
	out, _ := s.batches.Get().(*intray.Batch)
	if out == nil {
		out = &intray.Batch{}
		for _, u := range s.manifest.Unmapped {
			out.Unmapped = append(out.Unmapped, intray.UnmappedCells{Column: u.Index})
		}
	}
	out.Reset(len(s.manifest.Fields))
	out.First = first
	c := s.cursors.Get().(*cursor)
	defer s.cursors.Put(c)
	return out, c.appendRanges(ctx, out, ranges)
}

// Release makes the memory of a batch that has the columns of the stage available to later calls of Rows.
// The caller must not use the batch afterwards. Calling Release is optional.
func (s *Stage) Release(b *intray.Batch) { s.batches.Put(b) }

// groupFor returns the row group that contains a row of the stage.
func (s *Stage) groupFor(row int64) (*Segment, RowGroup) {
	segments := s.manifest.Segments
	i := sort.Search(len(segments), func(i int) bool { return segments[i].First+segments[i].Rows > row })
	groups := segments[i].Groups
	at := sort.Search(len(groups), func(i int) bool { return groups[i].First+groups[i].Rows > row })
	return &segments[i], groups[at]
}

// ErrorRows returns up to n rows that have a problem of level error, in ascending order. skip
// is the number of such rows before the first one returned.
func (s *Stage) ErrorRows(ctx context.Context, skip int64, n int) ([]int64, error) {
	if skip < 0 || n < 0 {
		return nil, fmt.Errorf("read %d rows with problems after %d: no such rows", n, skip)
	}
	rows, err := s.loadBitmap(ctx, s.manifest.Errors)
	if err != nil {
		return nil, fmt.Errorf("read the rows with problems: %w", err)
	}
	return bitmapWindow(rows, skip, n), nil
}

// loadBitmap loads a bitmap. It caches the bitmap for later calls.
func (s *Stage) loadBitmap(ctx context.Context, at Piece) (*roaring.Bitmap, error) {
	if at.Length == 0 {
		return roaring.New(), nil
	}
	s.mu.Lock()
	rows := s.bitmaps[at]
	s.mu.Unlock()
	if rows != nil {
		return rows, nil
	}
	text, err := s.readPiece(ctx, bitmapsName, at, nil)
	if err != nil {
		return nil, err
	}
	rows = roaring.New()
	if _, err := rows.FromBuffer(text); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bitmaps[at] = rows
	return rows, nil
}

// readPiece reads a piece of a file with one ranged read and verifies its checksum.
func (s *Stage) readPiece(ctx context.Context, name string, at Piece, buf []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, start, err := s.openFile(ctx, name)
	if err != nil {
		return nil, err
	}
	at.Offset += start
	if at.Length < 0 {
		return nil, fmt.Errorf("%w: %s is truncated", ErrDamaged, name)
	}
	if buf, err = readRange(r, name, at.Offset, at.Offset+at.Length, buf); err != nil {
		return nil, err
	}
	if checksum(buf) != at.CRC {
		return nil, fmt.Errorf("%w: wrong checksum in %s at byte %d", ErrDamaged, name, at.Offset)
	}
	return buf, nil
}

// readRange reads the bytes of a file from start to end with one ranged read. It uses the memory of buf.
func readRange(r blob.Reader, name string, start, end int64, buf []byte) ([]byte, error) {
	if start < 0 || end < start || end > r.Size() {
		return nil, fmt.Errorf("%w: %s is truncated", ErrDamaged, name)
	}
	buf = slices.Grow(buf[:0], int(end-start))[:end-start]
	n, err := r.ReadAt(buf, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if n < len(buf) {
		return nil, fmt.Errorf("%w: %s is truncated", ErrDamaged, name)
	}
	return buf, nil
}

// openFile opens a file of the stage, and returns where it begins. It keeps the file open for later
// calls.
func (s *Stage) openFile(ctx context.Context, name string) (r blob.Reader, start int64, err error) {
	if s.single != nil {
		return s.single, s.single.starts[name], nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.open[name]; r != nil {
		return r, 0, nil
	}
	r, err = s.store.Open(ctx, s.prefix+"/"+name)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, 0, fmt.Errorf("%w: %s is missing: %w", ErrDamaged, name, err)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("open %s: %w", name, err)
	}
	s.open[name] = r
	return r, 0, nil
}
