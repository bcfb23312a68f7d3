package staging

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
)

// ErrUnfinished says that there is no manifest under the prefix: no stage was
// sealed there, or it was removed.
var ErrUnfinished = errors.New("there is no finished stage")

// Stage is a sealed stage. Its methods may be called from several goroutines;
// Close only when none of them is under way.
type Stage struct {
	store        blob.Store
	prefix       string
	manifest     *Manifest
	decompressor *decompressor
	// cursors are used again from window to window.
	cursors sync.Pool

	mu      sync.Mutex
	open    map[string]blob.Reader
	bitmaps map[Piece]*roaring.Bitmap
}

// Open reads the manifest under the prefix. It fails with ErrUnfinished where
// there is none, and with ErrDamaged where it is not as it was written.
func Open(ctx context.Context, store blob.Store, prefix string) (*Stage, error) {
	r, err := store.Open(ctx, prefix+"/"+manifestName)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, fmt.Errorf("open the stage %s: %w: %w", prefix, ErrUnfinished, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open the stage %s: %w", prefix, err)
	}
	defer r.Close()
	m, err := readManifest(r)
	if err != nil {
		return nil, fmt.Errorf("read the manifest of the stage %s: %w", prefix, err)
	}
	u, err := newDecompressor(m.Codec)
	if err != nil {
		return nil, fmt.Errorf("open the stage %s: %w", prefix, err)
	}
	s := &Stage{
		store: store, prefix: prefix, manifest: m, decompressor: u,
		open: map[string]blob.Reader{}, bitmaps: map[Piece]*roaring.Bitmap{},
	}
	s.cursors.New = func() any { return newCursor(s) }
	return s, nil
}

// Manifest says what the stage holds. It must not be changed.
func (s *Stage) Manifest() Manifest { return *s.manifest }

// Close lets go of the files.
func (s *Stage) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, r := range s.open {
		errs = append(errs, r.Close())
	}
	clear(s.open)
	clear(s.bitmaps)
	s.decompressor.close()
	return errors.Join(errs...)
}

// Window gives the rows from first on, at most n of them, as a batch of their
// own with their problems. Rows beyond the last are left out. It costs one
// ranged read for each batch that it touches, and one or two for problems.
func (s *Stage) Window(ctx context.Context, first int64, n int) (*intray.Batch, error) {
	if first < 0 || n < 0 {
		return nil, fmt.Errorf("read %d staged rows from %d on: no such rows", n, first)
	}
	out := s.emptyBatch(first)
	end := min(s.manifest.Rows, first+min(int64(n), s.manifest.Rows))
	if err := s.readWindow(ctx, out, first, end); err != nil {
		return nil, fmt.Errorf("read %d staged rows from %d on: %w", n, first, err)
	}
	return out, nil
}

// emptyBatch is a batch of no rows.
func (s *Stage) emptyBatch(first int64) *intray.Batch {
	b := &intray.Batch{First: first, Fields: make([]intray.Cells, len(s.manifest.Fields))}
	for _, u := range s.manifest.Unmapped {
		b.Unmapped = append(b.Unmapped, intray.UnmappedCells{Column: u.Index})
	}
	return b
}

func (s *Stage) readWindow(ctx context.Context, out *intray.Batch, first, end int64) error {
	c := s.cursors.Get().(*cursor)
	defer s.cursors.Put(c)
	for from := first; from < end; {
		segment, g := s.groupFor(from)
		if err := c.readRows(ctx, segment, g); err != nil {
			return err
		}
		appendRows(out, &c.current, int(from-g.First), int(min(end-g.First, g.Rows)))
		from = g.First + g.Rows
	}
	return c.readProblems(ctx, out)
}

// groupFor gives the row group that holds a row of the stage.
func (s *Stage) groupFor(row int64) (*Segment, RowGroup) {
	segments := s.manifest.Segments
	i := sort.Search(len(segments), func(i int) bool { return segments[i].First+segments[i].Rows > row })
	groups := segments[i].Groups
	at := sort.Search(len(groups), func(i int) bool { return groups[i].First+groups[i].Rows > row })
	return &segments[i], groups[at]
}

// ErrorRows gives up to n rows that have a problem of level error, in order,
// after the first skip of them.
func (s *Stage) ErrorRows(ctx context.Context, skip int64, n int) ([]int64, error) {
	return s.pageRows(ctx, s.manifest.Errors, skip, n)
}

// ProblemRows gives up to n rows that have a problem of the kind, which must be one
// of the manifest's, in order, after the first skip of them.
func (s *Stage) ProblemRows(ctx context.Context, kind ProblemKind, skip int64, n int) ([]int64, error) {
	if !slices.Contains(s.manifest.Kinds, kind) {
		return nil, fmt.Errorf("the stage has no problems %q of level %s in field %d", kind.Code, kind.Level, kind.Field)
	}
	return s.pageRows(ctx, kind.Bitmap, skip, n)
}

func (s *Stage) pageRows(ctx context.Context, at Piece, skip int64, n int) ([]int64, error) {
	if skip < 0 || n < 0 {
		return nil, fmt.Errorf("read %d marked rows after %d: no such rows", n, skip)
	}
	rows, err := s.loadBitmap(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("read the rows with problems: %w", err)
	}
	return bitmapWindow(rows, skip, n), nil
}

// loadBitmap loads a bitmap once.
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

// readPiece reads a piece of a file in one ranged read and verifies its checksum.
func (s *Stage) readPiece(ctx context.Context, name string, at Piece, buf []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := s.openFile(ctx, name)
	if err != nil {
		return nil, err
	}
	if at.Offset < 0 || at.Length < 0 || at.Offset > r.Size()-at.Length {
		return nil, fmt.Errorf("%w: %s is cut off", ErrDamaged, name)
	}
	buf = slices.Grow(buf[:0], int(at.Length))[:at.Length]
	if n, err := r.ReadAt(buf, at.Offset); n < len(buf) {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%w: %s is cut off", ErrDamaged, name)
		}
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if checksum(buf) != at.CRC {
		return nil, fmt.Errorf("%w: wrong checksum in %s at byte %d", ErrDamaged, name, at.Offset)
	}
	return buf, nil
}

// openFile opens a file of the stage once.
func (s *Stage) openFile(ctx context.Context, name string) (blob.Reader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.open[name]; r != nil {
		return r, nil
	}
	r, err := s.store.Open(ctx, s.prefix+"/"+name)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, fmt.Errorf("%w: %s is missing: %w", ErrDamaged, name, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	s.open[name] = r
	return r, nil
}
