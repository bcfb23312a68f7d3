// Package draft holds the staged rows of an import together with the edits made during review.
//
// A [Draft] is a sealed stage with revisions on top. A revision is the effect of one
// change: the complete current content of the rows it touched, the rows it deleted
// or added, and the rows that gained or lost each kind of problem. Added rows are
// numbered after those of the stage, and their numbers are never reused. The latest
// revision takes precedence. Undo removes the last revision, and redo restores it.
//
// An [Operation] describes a change, and a [Filter] selects rows. A [View] is the result of a
// filter at a point in time. Its rows stay in the view even if they no longer match. A
// [ChangeResult] summarizes the effect of a change.
//
// Operations work on the raw values of cells. Replace and count use raw values, search uses both
// values and raw values, and the [Revalidator] parses a new raw value exactly as the run parsed
// the file. If a cell displays a name instead of its value, such as Germany for DE, search and
// replace also consider the name. A many-to-one field has one cell per column. In lists, search
// looks at the elements, not at the JSON encoding.
//
// Changes run one at a time. A reader sees the rows as they were when it started. Except in
// [Draft.History] and [Draft.RowsAtVersions], it never waits for a change.
//
// # Storage
//
// A [StoredRevision] holds a small revision inline. A larger revision is written to blobs that
// the StoredRevision references. Opening a draft with the same stage and stored revisions
// restores it. All stored data has checksums, so a damaged revision causes an error, never a
// wrong row.
//
// This package does not parse or validate cells. It does not depend on a database, a
// clock or users.
package draft

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/validate"
)

// Edit is one edited cell.
type Edit = rowplan.Edit

// Revalidator parses and validates rows in the same way as the run. Its methods may
// be called concurrently.
type Revalidator interface {
	// BlankRows returns empty rows.
	BlankRows(first int64, rows int) *intray.Batch
	// Change applies edits to the rows of a batch in order and revalidates each
	// row. It does not evaluate cross-row validators. It replaces the columns that it changes,
	// because the draft compares the new columns with the old ones.
	Change(ctx context.Context, b *intray.Batch, edits []Edit) error
	// Deleted receives the rows that a change is about to delete. It need not read them.
	Deleted(ctx context.Context, rows iter.Seq2[*intray.Batch, error]) error
}

// Config configures a Draft. Stage, Blobs, Prefix, Fields and Revalidator are required.
type Config struct {
	// Stage holds the rows as the run staged them. The Draft does not close it.
	Stage *staging.Stage
	// Blobs stores large revisions under keys that begin with Prefix and "/". No
	// other draft may use these keys.
	Blobs  blob.Store
	Prefix string
	// Fields are the fields of the run, in the same order as in its batches. Parts holds the
	// number of columns of each many-to-one field, and 0 for each other field.
	Fields      []intray.Field
	Parts       []int
	Revalidator Revalidator
	// Whole makes the draft pass all rows of a change to the Revalidator in one call. All of
	// them are then in memory at the same time.
	Whole bool
	// Names maps, for each field, raw values to the names displayed instead. For a multi-select
	// field, it maps the elements. The map of a field is nil if its cells display their values.
	Names []map[string]string
	// Temp is the folder for temporary files. The default is the result of os.TempDir.
	Temp string
	// CacheSpace is the disk space for copies of rows in temporary files. The default is space that no
	// other draft uses.
	CacheSpace *CacheSpace
	// Revisions are the stored revisions, oldest first. Undone is the number of
	// revisions at the end of the list that are undone.
	Revisions []StoredRevision
	Undone    int

	// limits is set only by tests.
	limits limits
}

// StoredRevision is one change as it is stored.
type StoredRevision struct {
	// Seq is the number of the change. Numbers increase and are never reused.
	Seq int64
	// Body is the encoded revision. The rows of a large change are in blobs.
	Body []byte
}

// Draft is the current state of the rows of an import. All methods except Close are
// safe for concurrent use. Close must be the last call.
type Draft struct {
	cfg Config
	// staged is the number of rows in the stage.
	staged uint32
	// spans are the row groups of the stage.
	spans []span
	// keys and rules are compiled from the cross-row validators.
	keys  []validate.Key
	rules []rule
	// ruleKinds holds, for each rule, the kind of its problem.
	ruleKinds []Kind

	now atomic.Pointer[snapshot]
	// reading is read-locked while a snapshot is in use, to prevent its revisions from
	// being deleted.
	reading sync.RWMutex

	// writing guards keyIndexes, undone, gone, seq and next. A change holds it.
	writing    chan struct{}
	keyIndexes []*keyIndex
	undone     []*revision
	// gone lists the revisions that new readers cannot reach.
	gone []*revision
	seq  int64
	next int64

	// nonce makes the tokens of this draft's views unique.
	nonce    uint64
	texts    exampleTexts
	views    views
	searches searches
	caches   rowCaches

	// background counts background goroutines. They stop early if closing is closed.
	calls      callTracker
	background sync.WaitGroup
	closing    chan struct{}
}

// rule is a cross-row validator. It consists of the problem that a violation causes in a row,
// and the index in Draft.keys of the key that the validator checks.
type rule struct {
	problem intray.Problem
	key     int
}

// Open opens the draft that consists of a stage and stored revisions. It returns an
// error that wraps staging.ErrDamaged if a revision is damaged.
func Open(ctx context.Context, cfg Config) (*Draft, error) {
	d, err := newDraft(cfg)
	if err != nil {
		return nil, err
	}
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the draft %s: %w", cfg.Prefix, err), d.Close())
	}
	return d, nil
}

// maxRows is the maximum number of rows. It ensures that the end of every span fits in 32 bits.
const maxRows = 1<<32 - 1

func newDraft(cfg Config) (*Draft, error) {
	m := cfg.Stage.Manifest()
	if len(m.Fields) != len(cfg.Fields) {
		return nil, fmt.Errorf("open a draft: the stage has %d fields, and the schema %d", len(m.Fields), len(cfg.Fields))
	}
	if m.Rows > maxRows {
		return nil, fmt.Errorf("open a draft: the stage has %d rows, more than %d", m.Rows, int64(maxRows))
	}
	if !blob.ValidKey(cfg.Prefix) {
		return nil, fmt.Errorf("open a draft: the prefix %q is not a valid blob key", cfg.Prefix)
	}
	rules, err := validate.Compile(cfg.Fields)
	if err != nil {
		return nil, fmt.Errorf("open a draft: %w", err)
	}
	cfg.limits = limits{
		rows:    cmp.Or(cfg.limits.rows, 2000),
		bytes:   cmp.Or(cfg.limits.bytes, 1<<20),
		body:    cmp.Or(cfg.limits.body, 256<<10),
		held:    cmp.Or(cfg.limits.held, 64<<20),
		moves:   cmp.Or(cfg.limits.moves, 5000),
		moved:   cmp.Or(cfg.limits.moved, 100_000),
		counted: cmp.Or(cfg.limits.counted, 100_000),
		touched: cmp.Or(cfg.limits.touched, 20_000),
		cached:  cmp.Or(cfg.limits.cached, 512<<20),
		free:    cmp.Or(cfg.limits.free, 6<<30),
	}
	if cfg.CacheSpace == nil {
		cfg.CacheSpace = NewCacheSpace(2 * cfg.limits.cached)
	}
	d := &Draft{cfg: cfg, staged: uint32(m.Rows), writing: make(chan struct{}, 1), closing: make(chan struct{}), nonce: rand.Uint64(), next: m.Rows, keys: rules.UniqueKeys()} //nolint:gosec // tokens are not secret
	for at, k := range d.keys {
		d.keyIndexes = append(d.keyIndexes, &keyIndex{draft: d, number: at, key: k})
		for _, p := range k.Problems() {
			d.rules = append(d.rules, rule{p, at})
			d.ruleKinds = append(d.ruleKinds, kindOf(&p))
		}
	}
	for _, g := range cfg.Stage.RowGroups() {
		d.spans = append(d.spans, span{uint32(g.First), uint32(g.First + g.Rows)})
	}
	return d, nil
}

func (d *Draft) open(ctx context.Context) error {
	first, err := d.stagedSnapshot(ctx)
	if err != nil {
		return err
	}
	d.now.Store(first)
	for i, k := range d.cfg.Revisions {
		l, err := d.decode(ctx, k)
		if err != nil {
			return err
		}
		if l.seq <= d.seq {
			_ = l.close()
			return fmt.Errorf("%w: change %d follows change %d", staging.ErrDamaged, l.seq, d.seq)
		}
		d.seq, d.next = l.seq, max(d.next, l.next)
		if i < len(d.cfg.Revisions)-d.cfg.Undone {
			d.now.Store(d.now.Load().withRevision(l, d.snapshotConfig()))
		} else {
			d.undone = append([]*revision{l}, d.undone...)
		}
	}
	return d.fillCaches(ctx)
}

// stagedSnapshot returns the snapshot of the stage without revisions.
func (d *Draft) stagedSnapshot(ctx context.Context) (*snapshot, error) {
	s := &snapshot{id: 1, rowIndex: &rowIndex{}, touched: roaring.New(), live: roaring.New(), kinds: map[Kind]*roaring.Bitmap{}}
	s.live.AddRange(0, uint64(d.staged))
	s.rules = make([]*roaring.Bitmap, len(d.rules))
	for i := range s.rules {
		s.rules[i] = roaring.New()
	}
	for _, k := range d.cfg.Stage.Manifest().Kinds {
		rows, err := d.cfg.Stage.RowsWithProblem(ctx, k)
		if err != nil {
			return nil, err
		}
		level, known := intray.ParseLevel(k.Level)
		if !known || rows.IsEmpty() || rows.Maximum() >= d.staged {
			return nil, fmt.Errorf("%w: it has problems of level %q beyond its rows", staging.ErrDamaged, k.Level)
		}
		if rows, err = ownBitmap(rows); err != nil {
			return nil, err
		}
		kind := Kind{k.Field, k.Code, level}
		if at := d.rulesOf(kind); len(at) == 0 {
			s.kinds[kind] = rows
		} else {
			s.rules[at[0]] = rows
		}
	}
	if err := d.divideRules(ctx, s); err != nil {
		return nil, err
	}
	s.updateLevels(s, newRevision(0, 0), d.snapshotConfig())
	return s, nil
}

// snapshotConfig returns the values that all snapshots of the draft share.
func (d *Draft) snapshotConfig() snapshotConfig {
	return snapshotConfig{d.ruleKinds, uint64(d.cfg.limits.touched)}
}

// rulesOf returns the indexes in Draft.rules of the rules whose problems are of kind k.
func (d *Draft) rulesOf(k Kind) (at []int) {
	for i, kind := range d.ruleKinds {
		if kind == k {
			at = append(at, i)
		}
	}
	return at
}

// divideRules determines the rows that violate each rule, for rules that share a kind. It
// compares all rows, because the stage does not record which rule a row violates.
func (d *Draft) divideRules(ctx context.Context, s *snapshot) error {
	for i, k := range d.ruleKinds {
		if same := d.rulesOf(k); len(same) == 1 {
			continue
		}
		index, rows, err := d.keyIndexes[d.rules[i].key].rebuild(ctx, s, nil)
		if err != nil {
			return err
		}
		// The index becomes obsolete with the first revision.
		if err := index.Close(); err != nil {
			return err
		}
		s.rules[i] = rows
	}
	return nil
}

// ownBitmap copies a bitmap whose memory is shared.
func ownBitmap(rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	text, err := rows.ToBytes()
	if err != nil {
		return nil, fmt.Errorf("copy a bitmap: %w", err)
	}
	out := roaring.New()
	if err := out.UnmarshalBinary(text); err != nil {
		return nil, fmt.Errorf("copy a bitmap: %w", err)
	}
	return out, nil
}

// Close releases temporary files and open blobs. It does not delete the blobs of revisions that
// are in effect or can be redone.
func (d *Draft) Close() error {
	close(d.closing)
	d.background.Wait()
	errs := []error{d.caches.close()}
	for _, t := range d.keyIndexes {
		errs = append(errs, t.close())
	}
	d.dropUnused()
	all := slices.Concat(d.undone, d.gone)
	if s := d.now.Load(); s != nil {
		all = append(all, s.revisions...)
	}
	for _, l := range all {
		errs = append(errs, l.close())
	}
	return errors.Join(errs...)
}

// lock waits for the current change to finish and starts the next one.
func (d *Draft) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d.writing <- struct{}{}:
		d.calls.begin()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Draft) unlock() {
	d.calls.end()
	<-d.writing
}

// Prepare builds the indexes required by the first change to a field with a cross-row validator.
// This takes 1 to 2 s for ten million rows. Calling it is optional.
func (d *Draft) Prepare(ctx context.Context) error {
	if err := d.lock(ctx); err != nil {
		return fmt.Errorf("prepare for changes: %w", err)
	}
	defer d.unlock()
	for _, t := range d.keyIndexes {
		if err := t.ensureIndex(ctx, d.now.Load()); err != nil {
			return fmt.Errorf("prepare for changes: %w", err)
		}
	}
	return nil
}

// beginRead returns the current snapshot. The caller must call done when it no
// longer reads the snapshot.
func (d *Draft) beginRead() (s *snapshot, done func()) {
	d.reading.RLock()
	d.calls.begin()
	return d.now.Load(), func() {
		d.calls.end()
		d.reading.RUnlock()
	}
}

// dropUnused deletes unreachable revisions if no reader can be using them.
func (d *Draft) dropUnused() {
	if len(d.gone) == 0 || !d.reading.TryLock() {
		return
	}
	d.reading.Unlock() // new readers get a snapshot without these revisions
	for _, l := range d.gone {
		d.deleteRevision(l)
	}
	d.gone = nil
}

// deleteRevision closes a revision that no snapshot contains and deletes its blobs.
func (d *Draft) deleteRevision(l *revision) {
	_ = l.close()
	if l.prefix != "" {
		// If this fails, the blobs are deleted when the import is deleted.
		_ = d.cfg.Blobs.DeleteAll(context.Background(), l.prefix)
	}
}

// limits are the sizes at which the draft switches to a different algorithm. They do
// not affect results.
type limits struct {
	// rows and bytes are the maximum numbers of rows and bytes in the content of a small
	// revision. body is the maximum size of a body that is stored inline, in bytes.
	rows, bytes, body int
	// held is the maximum total size of small revisions, in bytes. Once it is exceeded,
	// only very small revisions are kept in memory.
	held int
	// moves is the maximum number of rows with a changed key that a change looks up one
	// by one. If there are more, it compares all rows. moved is the maximum total
	// number of such rows for which an index is reused.
	moves, moved int
	// counted is the maximum number of distinct values that are counted in memory.
	counted int
	// touched is the maximum number of changed rows for which the level bitmaps are
	// updated incrementally.
	touched int
	// cached is the maximum size of the file of a row cache, and free is the disk space that it
	// leaves free, in bytes.
	cached, free int64
}

// inMemory returns the maximum number of rows and bytes of a small revision, given
// the total size in bytes of the existing ones.
func (l limits) inMemory(held int) (rows, bytes int) {
	if held < l.held {
		return l.rows, l.bytes
	}
	return l.rows / 40, l.bytes / 16
}
