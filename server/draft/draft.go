package draft

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/validate"
)

// Edit is what a person typed into a cell.
type Edit = rowplan.Edit

// Revalidator reads and checks rows as the run did. It may be used from several
// goroutines.
type Revalidator interface {
	// BlankRows makes rows without content.
	BlankRows(first int64, rows int) *intray.Batch
	// Change puts edits, the later over the earlier, into the rows of a batch and
	// finds anew the problems of each row by itself.
	Change(ctx context.Context, b *intray.Batch, edits []Edit) error
	// Deleted is told of rows before they are deleted; it may ask for none of
	// them.
	Deleted(ctx context.Context, rows iter.Seq2[*intray.Batch, error]) error
}

// Config says what a draft is made of. Temp alone has a default.
type Config struct {
	// Stage holds the rows as they were staged. The draft does not close it.
	Stage *staging.Stage
	// Blobs takes large layers, under keys that begin with Prefix and "/", which
	// must be the draft's alone.
	Blobs  blob.Store
	Prefix string
	// Fields are those of the run, in the order of the batches, and Parts how many
	// columns feed each that has ManyToOne; 0 for all others.
	Fields      []intray.Field
	Parts       []int
	Revalidator Revalidator
	// Whole lets the desk see all rows of a change at once. They are in memory then.
	Whole bool
	// Names are what persons see in place of texts, by field: under the whole text of a
	// cell, or under one of the texts of a multi-select, that which is shown for it. Nil
	// where all are seen as they are.
	Names []map[string]string
	// Temp is the folder of temporary files, by default os.TempDir.
	Temp string
	// Revisions are those that were kept, the oldest first, and Undone how many of
	// them, from the last, were undone.
	Revisions []StoredRevision
	Undone    int

	// limits are those of the package, unless a test has its own.
	limits limits
}

// StoredRevision is what must be kept of a change so that the draft can be opened again.
type StoredRevision struct {
	// Seq is the number of the change: greater than those before it, and never
	// used twice.
	Seq int64
	// Body is opaque. Large changes have their rows in blobs.
	Body []byte
}

// Draft is the rows of an import as they are by now. All methods may be called
// from several goroutines; Close when none of them is under way.
type Draft struct {
	cfg Config
	// staged is the number of rows of the stage.
	staged uint32
	// spans are the runs of rows that are read at a time.
	spans []span
	// keys and rules are what the rules about all rows compare and say.
	keys  []validate.Key
	rules []rule
	// ruleKinds are the kinds of the rules.
	ruleKinds []Kind

	now atomic.Pointer[snapshot]
	// reading is held by who reads a snapshot, so that nothing goes that it needs.
	reading sync.RWMutex

	// writing is held by who changes the draft; what follows is theirs.
	writing    chan struct{}
	keyIndexes []*keyIndex
	undone     []*revision
	// gone are layers that are on no snapshot from now on.
	gone []*revision
	seq  int64
	next int64

	// nonce tells the tokens of views from those of other drafts.
	nonce    uint64
	texts    exampleTexts
	views    views
	searches searches
	caches   rowCaches

	// background is what runs beside the calls, until closing is closed.
	calls      callTracker
	background sync.WaitGroup
	closing    chan struct{}
}

// rule is one that compares all rows: the problem of a row that breaks it, and the
// place of the key that it is about.
type rule struct {
	problem intray.Problem
	key     int
}

// Open makes the draft of a stage and the layers that were kept. It fails with
// stage.ErrDamaged where a layer is not as it was made.
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

func newDraft(cfg Config) (*Draft, error) {
	m := cfg.Stage.Manifest()
	if len(m.Fields) != len(cfg.Fields) {
		return nil, fmt.Errorf("open a draft: the stage has %d fields, and the schema %d", len(m.Fields), len(cfg.Fields))
	}
	if !blob.ValidKey(cfg.Prefix) {
		return nil, fmt.Errorf("open a draft: the prefix %q is no valid blob key", cfg.Prefix)
	}
	rules, err := validate.Compile(cfg.Fields)
	if err != nil {
		return nil, fmt.Errorf("open a draft: %w", err)
	}
	cfg.limits = cfg.limits.withDefaults()
	d := &Draft{cfg: cfg, staged: uint32(m.Rows), writing: make(chan struct{}, 1), closing: make(chan struct{}), nonce: rand.Uint64(), next: m.Rows, keys: rules.UniqueKeys()}
	for at, k := range d.keys {
		d.keyIndexes = append(d.keyIndexes, newKeyIndex(d, at))
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
			return fmt.Errorf("%w: change %d is kept behind change %d", staging.ErrDamaged, l.seq, d.seq)
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

// stagedSnapshot is the draft without layers.
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

// snapshotConfig is what snapshots of the draft have in common.
func (d *Draft) snapshotConfig() snapshotConfig {
	return snapshotConfig{d.ruleKinds, uint64(d.cfg.limits.touched)}
}

// rulesOf are the rules about all rows whose problems have the kind.
func (d *Draft) rulesOf(k Kind) (at []int) {
	for i, kind := range d.ruleKinds {
		if kind == k {
			at = append(at, i)
		}
	}
	return at
}

// divideRules compares all rows where the stage does not tell the problems of
// several rules apart.
func (d *Draft) divideRules(ctx context.Context, s *snapshot) error {
	for i, k := range d.ruleKinds {
		if same := d.rulesOf(k); len(same) == 1 {
			continue
		}
		index, rows, err := d.keyIndexes[d.rules[i].key].rebuild(ctx, s, nil)
		if err != nil {
			return err
		}
		// It is of no use once there are layers.
		if err := index.Close(); err != nil {
			return err
		}
		s.rules[i] = rows
	}
	return nil
}

// ownBitmap copies a bitmap that shares memory with others.
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

// Close lets go of temporary files and of the blobs that are open. What is kept
// stays.
func (d *Draft) Close() error {
	close(d.closing)
	d.background.Wait()
	errs := []error{d.caches.close()}
	for _, t := range d.keyIndexes {
		errs = append(errs, t.close())
	}
	d.dropUnused()
	all := append(d.undone, d.gone...)
	if s := d.now.Load(); s != nil {
		all = append(all, s.revisions...)
	}
	for _, l := range all {
		errs = append(errs, l.close())
	}
	return errors.Join(errs...)
}

// lock begins a change, when that under way has ended.
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

// Prepare makes ready what the first change of a field with a rule about all rows would
// wait for, a second or two with ten million rows. It is as well never called.
func (d *Draft) Prepare(ctx context.Context) error {
	if err := d.lock(ctx); err != nil {
		return fmt.Errorf("make ready for changes: %w", err)
	}
	defer d.unlock()
	for _, t := range d.keyIndexes {
		if err := t.ensure(ctx, d.now.Load()); err != nil {
			return fmt.Errorf("make ready for changes: %w", err)
		}
	}
	return nil
}

// read begins reading: it gives the rows as they are now, and what ends it.
func (d *Draft) read() (s *snapshot, done func()) {
	d.reading.RLock()
	d.calls.begin()
	return d.now.Load(), func() {
		d.calls.end()
		d.reading.RUnlock()
	}
}

// dropUnused drops the layers that are gone, unless somebody may still read them.
func (d *Draft) dropUnused() {
	if len(d.gone) == 0 || !d.reading.TryLock() {
		return
	}
	d.reading.Unlock() // who begins to read now no longer finds them
	for _, l := range d.gone {
		d.deleteRevision(l)
	}
	d.gone = nil
}

// deleteRevision closes a layer that is on no snapshot, and deletes its blobs.
func (d *Draft) deleteRevision(l *revision) {
	_ = l.close()
	if l.prefix != "" {
		// Blobs that stay are found by nobody, and go with those of the import.
		_ = d.cfg.Blobs.DeleteAll(context.Background(), l.prefix)
	}
}

// limits say from which size on something is done in another way. What comes out is
// the same.
type limits struct {
	// rows and bytes bound the rows of a small layer, and body what is kept of a
	// layer by itself.
	rows, bytes, body int
	// held is how many bytes all small layers may have before only the smallest are
	// small ones.
	held int
	// moves is how many rows of one change may get another key and are looked up;
	// for more, all rows are compared anew. moved is how many may have done so
	// before an index is made anew.
	moves, moved int
	// counted is how many texts are counted in memory; more are in a temporary
	// file.
	counted int
	// touched is how many rows are looked at one by one.
	touched int
}

func (l limits) withDefaults() limits {
	return limits{
		rows:    cmp.Or(l.rows, 2000),
		bytes:   cmp.Or(l.bytes, 1<<20),
		body:    cmp.Or(l.body, 256<<10),
		held:    cmp.Or(l.held, 64<<20),
		moves:   cmp.Or(l.moves, 5000),
		moved:   cmp.Or(l.moved, 100_000),
		counted: cmp.Or(l.counted, 100_000),
		touched: cmp.Or(l.touched, 20_000),
	}
}

// inMemory bounds the rows and the bytes of a small layer, where so many bytes are
// held already.
func (l limits) inMemory(held int) (rows, bytes int) {
	if held < l.held {
		return l.rows, l.bytes
	}
	return l.rows / 40, l.bytes / 16
}
