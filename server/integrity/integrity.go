// Package integrity checks that all stored files are present and unchanged, and repairs those that
// can be rebuilt.
//
// [Service.Verify] checks everything at once. [Service.Scrub] checks a few imports at a time, so that a
// server finds damage in files that nobody opens. Both read every byte. A result is rebuilt from the
// staged rows, and staged rows are rebuilt from the received file. A received file cannot be rebuilt.
package integrity

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/staging"
)

// Part is a part of an import that is stored as files.
type Part string

// These are the parts of an import.
const (
	Original Part = "original"
	Rows     Part = "rows"
	Result   Part = "result"
)

// Damage is a missing or changed file, or damage in the database.
type Damage struct {
	// Org and Import identify the import. They are "" for damage in the database.
	Org, Import string
	Part        Part
	// Key is the key of the file, or the prefix of the staged rows.
	Key string
	// Cause is the error that reading the file returned. It is meant for operators.
	Cause string
	// Repaired is set if the file was rebuilt. RepairError explains why it could not be rebuilt.
	Repaired    bool
	RepairError string
}

// Summary counts what was checked.
type Summary struct {
	Imports, Files, Bytes int64
	// Damaged is the number of damaged files and of problems in the database. Repaired is the number of
	// files that were rebuilt.
	Damaged, Repaired int64
}

// Repairer opens and rebuilds the files of imports. *imports.Service implements it.
type Repairer interface {
	// OpenIntactStage opens and verifies staged rows.
	OpenIntactStage(ctx context.Context, prefix string) (*staging.Stage, error)
	// OpenStage opens the staged rows of an import, and rebuilds them if they are damaged.
	OpenStage(ctx context.Context, imp *model.Import) (*staging.Stage, error)
	// OpenResult opens the result of an upload, and rebuilds it if it is damaged.
	OpenResult(ctx context.Context, u model.Upload) (*model.FileReader, error)
}

// Checker is a [model.Store] that can find damage in its database.
type Checker interface {
	// CheckIntegrity returns one text for each problem.
	CheckIntegrity(ctx context.Context) ([]string, error)
}

// Service verifies stored files. Verify is safe for concurrent use.
type Service struct {
	env      *model.Env
	repairer Repairer
	scrub    scrub
}

// New returns a Service. scrubPeriod is the period in which Scrub checks each import once. 0 means that
// Scrub does nothing.
func New(env *model.Env, repairer Repairer, scrubPeriod time.Duration) *Service {
	return &Service{env: env, repairer: repairer, scrub: scrub{period: scrubPeriod}}
}

const (
	// workers is the maximum number of imports that Verify checks at the same time.
	workers = 4
	// pageSize is the number of imports that one query lists.
	pageSize = 500
)

// Options configure Verify.
type Options struct {
	// Repair rebuilds damaged files.
	Repair bool
	// Report is called for each damaged file. Calls are sequential. It may be nil.
	Report func(Damage)
	// Progress is called after each import. Calls are sequential. It may be nil.
	Progress func(Summary)
}

// verification is a call of Verify.
type verification struct {
	*Service
	Options
	mu  sync.Mutex
	sum Summary
}

// Verify checks the database and the files of all imports. Damage is not an error. Imports that are
// created or deleted in the meantime may or may not be checked.
func (s *Service) Verify(ctx context.Context, o Options) (Summary, error) {
	v := &verification{Service: s, Options: o}
	if database, ok := s.env.Store.(Checker); ok {
		problems, err := database.CheckIntegrity(ctx)
		if err != nil {
			return v.sum, err
		}
		for _, problem := range problems {
			v.report(Damage{Cause: problem})
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for after := ""; ctx.Err() == nil; {
		page, err := s.page(ctx, after, pageSize)
		if err != nil {
			return v.sum, errors.Join(err, group.Wait())
		}
		for _, ref := range page {
			group.Go(func() error { return v.verifyImport(ctx, ref) })
		}
		if len(page) < pageSize {
			break
		}
		after = page[len(page)-1].ID
	}
	err := group.Wait()
	return v.sum, err
}

// page returns the imports that follow an id, in the order of their ids.
func (s *Service) page(ctx context.Context, after string, limit int) ([]model.ImportRef, error) {
	ctx = model.AcrossOrgs(ctx)
	return model.Get(ctx, s.env.Store, func(tx model.Tx) ([]model.ImportRef, error) { return tx.Imports.After(ctx, after, limit) })
}

// verifyImport checks the files of an import.
func (v *verification) verifyImport(ctx context.Context, ref model.ImportRef) error {
	ctx = model.InOrg(ctx, ref.Org)
	imp, err := v.load(ctx, ref)
	if err != nil || imp.ID == "" {
		return err
	}
	files, size := int64(0), int64(0)
	for _, part := range []Part{Original, Rows, Result} {
		key := keyOf(imp, part)
		if key == "" {
			continue
		}
		n, err := v.read(ctx, imp, part)
		files, size = files+1, size+n
		if isDamage(err) {
			err = v.handleDamage(ctx, ref, part, key, err)
		}
		if err != nil {
			return fmt.Errorf("import %s: %w", ref.ID, err)
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sum.Imports, v.sum.Files, v.sum.Bytes = v.sum.Imports+1, v.sum.Files+files, v.sum.Bytes+size
	if v.Progress != nil {
		v.Progress(v.sum)
	}
	return nil
}

// keyOf returns the key or prefix of a part of an import, or "" if the part does not exist.
func keyOf(imp model.Import, part Part) string {
	switch {
	case part == Rows:
		return imp.Stage
	case part == Result:
		return imp.Result.Key
	case imp.Raw.Stored():
		return imp.Raw.Key
	}
	return ""
}

// read reads a part of an import, and returns its size. It returns an error if the part is damaged.
func (v *verification) read(ctx context.Context, imp model.Import, part Part) (int64, error) {
	switch part {
	case Rows:
		return v.readStage(ctx, imp.Stage)
	case Result:
		return v.readFile(ctx, imp.Result)
	}
	return v.readFile(ctx, imp.Raw)
}

// handleDamage reports damage and, if required, repairs it.
func (v *verification) handleDamage(ctx context.Context, ref model.ImportRef, part Part, key string, damage error) error {
	imp, err := v.load(ctx, ref)
	if err != nil || keyOf(imp, part) != key { // the part was deleted or replaced in the meantime
		return err
	}
	d := Damage{Org: ref.Org, Import: ref.ID, Part: part, Key: key, Cause: damage.Error()}
	if v.Repair {
		err := v.repair(ctx, imp, part)
		if d.Repaired = err == nil; !d.Repaired {
			d.RepairError = err.Error()
		}
	}
	v.report(d)
	return nil
}

func (v *verification) report(d Damage) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sum.Damaged++
	if d.Repaired {
		v.sum.Repaired++
	}
	if v.Report != nil {
		v.Report(d)
	}
}

// load returns an import, or one without an id if it was deleted.
func (v *verification) load(ctx context.Context, ref model.ImportRef) (model.Import, error) {
	imp, err := model.Get(ctx, v.env.Store, func(tx model.Tx) (model.Import, error) { return tx.Imports.Get(ctx, ref.Org, ref.ID) })
	return imp, model.IgnoreKind(err, model.NotFound)
}

func isDamage(err error) bool {
	return model.IsKind(err, model.Damaged) || errors.Is(err, staging.ErrDamaged) || errors.Is(err, staging.ErrUnfinished) || errors.Is(err, blob.ErrNotFound)
}

func (v *verification) readFile(ctx context.Context, f model.File) (int64, error) {
	r, err := v.env.OpenFile(ctx, f)
	if err != nil {
		return 0, err
	}
	defer func() { _ = r.Close() }()
	if f.Size <= model.VerifyFirst { // OpenFile has verified a small file
		return f.Size, nil
	}
	return f.Size, r.Verify(ctx)
}

func (v *verification) readStage(ctx context.Context, prefix string) (int64, error) {
	staged, err := v.repairer.OpenIntactStage(ctx, prefix)
	if err != nil {
		return 0, err
	}
	defer func() { _ = staged.Close() }()
	size := staged.DataSize()
	if size <= model.VerifyFirst { // OpenIntactStage has verified small rows
		return size, nil
	}
	return size, staged.Verify(ctx)
}

// errNoOriginal explains why a received file is not repaired.
var errNoOriginal = errors.New("a received file cannot be rebuilt")

// repair rebuilds a part of an import.
func (v *verification) repair(ctx context.Context, imp model.Import, part Part) error {
	switch part {
	case Rows:
		v.env.Suspect(imp.Stage)
		staged, err := v.repairer.OpenStage(ctx, &imp)
		if err != nil {
			return err
		}
		return staged.Close()
	case Result:
		v.env.Suspect(imp.Result.Key)
		u, err := model.Get(ctx, v.env.Store, func(tx model.Tx) (model.Upload, error) { return tx.Uploads.Get(ctx, imp.Org, imp.UploadID) })
		if err != nil {
			return err
		}
		r, err := v.repairer.OpenResult(ctx, u)
		if err != nil {
			return err
		}
		return r.Close()
	}
	return errNoOriginal
}
