// Package imports makes imports, receives their files, runs them and serves their
// results. A run is claimed by one process at a time and writes under its own number;
// what a dead process left behind is taken back by another. The package also remembers
// what people decided about files, for later imports of the same kind, and keeps the
// sessions of embedded imports.
package imports

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/staging"
)

// Service makes imports, receives their files and runs them.
type Service struct {
	env                                  *model.Env
	cfg                                  Config
	uploadKey, downloadKey, hydrationKey secrets.Key
	// activeRuns are the runs of imports that this process works on.
	activeRuns *model.InProgress
	// idleRuns are what the last round of maintenance found that ran here by its row
	// and in truth did not.
	idleRuns []model.ImportRef
}

// Config says how imports are made and run. All fields must be set.
type Config struct {
	Schemas *schemas.Service
	Engine  *engine.Engine
	// MaxFileSize caps the files of all imports, in bytes.
	MaxFileSize int64
	// RunsPerOrg is how many imports of one organization run at once.
	RunsPerOrg int
	// OnTransition is called in the transaction in which the status of an import
	// changes, after the change. The transaction may be repeated.
	OnTransition func(ctx context.Context, tx model.Tx, imp model.Import) error
}

// New returns the service upon env.
func New(env *model.Env, cfg Config) *Service {
	return &Service{
		env: env, cfg: cfg, activeRuns: model.NewInProgress(), uploadKey: env.Master.Derive("upload addresses"),
		downloadKey: env.Master.Derive("download addresses"), hydrationKey: env.Master.Derive("hydration tokens"),
	}
}

// MaxFilename is the most bytes that the name of a file may have.
const MaxFilename = 1024

// Draft is an import as it was asked for.
type Draft struct {
	// ID fixes the id of the import, so that a repeated request makes one
	// import only; "" lets the service choose.
	ID string
	// SchemaID names a saved schema. Without one, Doc brings the fields.
	SchemaID string
	// Doc has the fields of an inline schema, and the settings and hooks of
	// either; those overwrite the saved ones, key by key.
	Doc      schema.Doc
	Filename string
	// User is nil where none was sent.
	User *model.User
	// Rows is a JSON array of rows that is the file of the import, or nil.
	Rows io.Reader
}

// CreateImport makes an import that awaits its file. With rows in the request
// it returns the import as it was before the rows were taken in, and begins to
// process it.
func (s *Service) CreateImport(ctx context.Context, org string, draft Draft) (model.Import, error) {
	if err := checkImport(draft); err != nil {
		return model.Import{}, err
	}
	imp, err := s.DraftImport(org, draft)
	if err != nil {
		return model.Import{}, err
	}
	if made, err := s.Import(ctx, org, imp.ID); draft.ID != "" && err == nil {
		return asCreated(made), nil
	}
	name, doc, err := s.MergedDocument(ctx, org, draft)
	if err != nil {
		return model.Import{}, err
	}
	parsed, err := schemas.Parse(doc)
	if err != nil {
		return model.Import{}, err
	}
	if draft.Doc.Hooks != nil { // those of a saved schema were checked when it was saved
		if _, err := s.cfg.Schemas.CheckHooks(ctx, parsed.Hooks); err != nil {
			return model.Import{}, err
		}
	}
	if imp.Schema, err = schemas.Encode(doc); err != nil {
		return model.Import{}, err
	}
	if draft.Rows != nil {
		if imp.Raw, err = s.storeRows(ctx, imp, draft.Rows); err != nil {
			return model.Import{}, err
		}
		var cancel context.CancelFunc
		ctx, cancel = model.DetachedContext(ctx)
		defer cancel()
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error { return s.insertImport(ctx, tx, imp, name, parsed, draft.SchemaID == "") })
	s.env.CrashPoint("import.created")
	return asCreated(imp), err
}

// asCreated is the import as the answer to its creation tells it.
func asCreated(imp model.Import) model.Import {
	imp.Status, imp.Outcome, imp.Modified = model.AwaitingUpload, nil, imp.Created
	return imp
}

func checkImport(draft Draft) error {
	switch {
	case draft.SchemaID != "" && draft.Doc.Fields != nil:
		return model.InvalidField("schema_id", intray.NewMessage("import.schema_and_fields", nil))
	case draft.SchemaID == "" && draft.Doc.Fields == nil:
		return model.InvalidField("schema_id", intray.NewMessage("import.no_schema", nil))
	case draft.Filename != "" && draft.Rows != nil:
		return model.InvalidField("original_filename", intray.NewMessage("import.filename_with_initial_data", nil))
	}
	return checkFilename("original_filename", draft.Filename)
}

func checkFilename(field, name string) error {
	if len(name) > MaxFilename || !model.IsPrintable(name) {
		return model.InvalidField(field, intray.NewMessage("file.invalid_name", intray.Params{"n": MaxFilename}))
	}
	return nil
}

// DraftImport returns the import that a draft describes, with ids and times. Nothing is
// saved, and its schema is still to be set.
func (s *Service) DraftImport(org string, draft Draft) (model.Import, error) {
	id, err := s.env.IDOrNew(draft.ID)
	if err != nil {
		return model.Import{}, err
	}
	uploadID, err := s.env.NewID()
	if err != nil {
		return model.Import{}, err
	}
	now := s.env.Now()
	imp := model.Import{
		ID: id, Org: org, SchemaID: draft.SchemaID, UploadID: uploadID, Status: model.AwaitingUpload,
		Filename: draft.Filename, Inline: draft.Rows != nil, Created: now, Modified: now, Queued: now,
	}
	if draft.User != nil {
		imp.HasUser, imp.User = true, *draft.User
	}
	if imp.SchemaID == "" {
		imp.SchemaID, err = s.env.NewID()
	}
	return imp, err
}

// MergedDocument gives the merged schema of an import. What the request itself
// brings is checked before the saved schema is looked for.
func (s *Service) MergedDocument(ctx context.Context, org string, draft Draft) (string, schema.Doc, error) {
	if draft.SchemaID == "" {
		return "", draft.Doc, nil
	}
	if issues := schema.CheckOverlay(draft.Doc); len(issues) > 0 {
		return "", schema.Doc{}, model.ValidationError(issues)
	}
	saved, err := s.cfg.Schemas.Schema(ctx, org, draft.SchemaID)
	if model.IsKind(err, model.NotFound) || err == nil && saved.Inline {
		e := model.NotFoundError(intray.NewMessage("schema.saved_not_found", nil))
		e.Fields = model.FieldMessage("schema_id", schemas.NotSaved)
		return "", schema.Doc{}, e
	}
	if err != nil {
		return "", schema.Doc{}, err
	}
	doc, err := schemas.Decode(saved.Name, saved.Document)
	return saved.Name, schema.Merge(doc, draft.Doc), err
}

// storeRows keeps the rows of a request as the import's file. Until the import
// is committed the file counts as rubbish.
func (s *Service) storeRows(ctx context.Context, imp model.Import, rows io.Reader) (model.File, error) {
	key := imp.RawKey("rows")
	if err := s.env.GuardBlob(ctx, key); err != nil {
		return model.File{}, err
	}
	stored, err := s.env.StoreFile(ctx, key, rows, nil)
	if err != nil {
		return model.File{}, fmt.Errorf("store initial_data: %w", err)
	}
	s.env.CrashPoint("rows.stored")
	return model.File{Key: key, Size: stored.Size, SHA256: hex.EncodeToString(stored.SHA256)}, nil
}

func (s *Service) insertImport(ctx context.Context, tx model.Tx, imp model.Import, name string, parsed *intray.Schema, inline bool) error {
	if inline {
		schema := model.Schema{
			ID: imp.SchemaID, Org: imp.Org, Name: name, Document: imp.Schema, Inline: true,
			Created: imp.Created, Modified: imp.Created,
		}
		if err := tx.Schemas.Insert(ctx, schema); err != nil {
			return err
		}
	}
	if !imp.Inline {
		return tx.Imports.Insert(ctx, imp)
	}
	if err := tx.Trash.Remove(ctx, imp.Raw.Key); err != nil {
		return err
	}
	queued := imp
	queued.Status = model.Pending
	if err := tx.Imports.Insert(ctx, queued); err != nil {
		return err
	}
	if err := tx.Uploads.Insert(ctx, NewUpload(queued, parsed)); err != nil {
		return err
	}
	return model.EnqueueRun(ctx, tx)
}

// NewUpload makes the upload of an import.
func NewUpload(imp model.Import, parsed *intray.Schema) model.Upload {
	u := model.Upload{
		ID: imp.UploadID, Org: imp.Org, ImportID: imp.ID, ImportIdentifier: parsed.Settings.ImportIdentifier,
		Filename: imp.Filename, Raw: imp.Raw, User: imp.User, Status: imp.Status.UploadStatus(), Created: imp.Modified,
	}
	for _, f := range parsed.Fields {
		u.FieldOrder = append(u.FieldOrder, f.Key)
	}
	return u
}

// Import gives an import.
func (s *Service) Import(ctx context.Context, org, id string) (imp model.Import, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		imp, err = tx.Imports.Get(ctx, org, id)
		return err
	})
	return imp, model.DescribeNotFound(err, model.ImportMissing)
}

// Imports gives the imports from offset on, newest first and without schema
// and outcome, and how many there are in all.
func (s *Service) Imports(ctx context.Context, org string, offset, limit int64) (list []model.Import, total int64, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		list, total, err = tx.Imports.List(ctx, org, offset, limit)
		return err
	})
	return list, total, err
}

// ImportResult gives the upload whose result the import made; before there is
// one it is a Conflict.
func (s *Service) ImportResult(ctx context.Context, org, id string) (model.Upload, error) {
	imp, err := s.Import(ctx, org, id)
	if err != nil {
		return model.Upload{}, err
	}
	if imp.Status != model.Successful {
		return model.Upload{}, model.NewError(model.Conflict, "not_finished", intray.NewMessage("import.not_finished", intray.Params{"status": string(imp.Status), "wanted": string(model.Successful)}))
	}
	u, err := s.Upload(ctx, org, imp.UploadID)
	if model.IsKind(err, model.NotFound) {
		return model.Upload{}, model.NotFoundError(intray.NewMessage("import.result_deleted", nil))
	}
	return u, err
}

// Transition brings an import into its next state and its upload with it. It is the
// only way that a status changes. imp is written as it is, beside the status;
// its run number must still be the one in the store.
func (s *Service) Transition(ctx context.Context, tx model.Tx, imp *model.Import, next model.Status) error {
	from := imp.Status
	if !from.MayBecome(next) {
		return fmt.Errorf("an import cannot go from %s to %s", from, next)
	}
	imp.Status, imp.Modified = next, s.env.Now()
	if next == model.Successful || next == model.Failed {
		imp.Memory = nil // it runs no more
	}
	if next == model.Pending {
		imp.Node = ""
		if imp.Queued.Before(imp.Modified) {
			imp.Queued = imp.Modified
		}
	}
	if err := tx.Imports.UpdateIf(ctx, *imp, from, imp.Run); err != nil {
		return err
	}
	if err := s.syncUpload(ctx, tx, *imp); err != nil {
		return err
	}
	return s.cfg.OnTransition(ctx, tx, *imp)
}

// syncUpload brings the upload up to its import.
func (s *Service) syncUpload(ctx context.Context, tx model.Tx, imp model.Import) error {
	u, err := tx.Uploads.Get(ctx, imp.Org, imp.UploadID)
	if err != nil {
		return err
	}
	u.Status, u.Filename, u.User, u.Raw, u.Result = imp.Status.UploadStatus(), imp.Filename, imp.User, imp.Raw, imp.Result
	if o := imp.Outcome; o != nil && imp.Status != model.Pending {
		u.TotalRows = o.DataRows
		u.Problems = model.ProblemSummary{InvalidRows: o.RowsWithError, Errors: validations(o.Listed)}
	}
	return tx.Uploads.Save(ctx, u)
}

// validations are the notices that are about a broken rule.
func validations(listed []intray.Notice) (list []intray.Notice) {
	for _, n := range listed {
		if n.Type == intray.Validation {
			list = append(list, n)
		}
	}
	return list
}

// TraceRow tells of the cells of a data row, counted from 0, where they came from,
// what each step made of them, and why: of all fields in the order of the schema,
// or of the one with the key, where it is not "". Each cell is gone when use has
// returned. An import without staged rows is a Conflict.
func (s *Service) TraceRow(ctx context.Context, imp model.Import, row int64, key string, use func(f intray.Field, cell intray.Trace) error) error {
	if imp.Stage == "" || imp.Outcome == nil {
		return noRowsError(imp)
	}
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return err
	}
	only := schema.FieldIndex(key)
	if key != "" && only < 0 {
		e := model.NotFoundError(intray.NewMessage("import.no_such_field", intray.Params{"key": model.Truncate(key)}))
		e.Fields = model.FieldMessage("field", intray.NewMessage("import.names_no_field", nil))
		return e
	}
	b, err := s.stagedRow(ctx, imp, row)
	if err != nil {
		return err
	}
	for field, f := range schema.Fields {
		if key != "" && field != only {
			continue
		}
		cell, err := traceCell(imp, schema, b, field)
		if err != nil {
			return err
		}
		if err := use(f, cell); err != nil {
			return err
		}
	}
	return nil
}

// noRowsError says why there are no rows to look at.
func noRowsError(imp model.Import) error {
	why := intray.NewMessage("import.no_rows_yet", intray.Params{"status": string(imp.Status), "wanted": string(model.Successful)})
	switch imp.Status {
	case model.NeedsReview:
		why = intray.NewMessage("import.no_rows_until_answered", intray.Params{"status": string(imp.Status)})
	case model.Failed:
		why = intray.NewMessage("import.no_rows_kept", intray.Params{"status": string(imp.Status)})
	}
	return model.NewError(model.Conflict, "no_rows", why)
}

// traceCell tells of one cell of the only row of a batch.
func traceCell(imp model.Import, schema *intray.Schema, b *intray.Batch, field int) (intray.Trace, error) {
	cell := imp.Outcome.Explain(schema, b, 0, field)
	written, err := traceOutput(imp, schema, b, field)
	if err != nil {
		return cell, fmt.Errorf("tell of a cell: %w", err)
	}
	cell.Steps = append(cell.Steps, written)
	return cell, nil
}

// traceOutput tells what the result holds of a cell; where there is no result, it
// says so of every row alike.
func traceOutput(imp model.Import, schema *intray.Schema, b *intray.Batch, field int) (intray.TraceStep, error) {
	if imp.Status == model.Successful {
		return output.Explain(schema, b, 0, field)
	}
	return intray.TraceStep{Step: "output", Reasons: []intray.Message{intray.NewMessage("trace.no_result_yet", intray.Params{"status": string(imp.Status)})}}, nil
}

// stagedRow reads a row by itself.
func (s *Service) stagedRow(ctx context.Context, imp model.Import, row int64) (*intray.Batch, error) {
	b, rows, err := s.readRow(ctx, imp.Stage, row)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, model.NotFoundError(intray.NewMessage("import.rows_deleted", nil))
	}
	if err == nil && b.Rows() == 0 {
		e := model.NotFoundError(intray.NewMessage("import.no_such_row", intray.Params{"row": row, "n": rows}))
		e.Fields = model.FieldMessage("row", intray.NewMessage("import.row_beyond_last", nil))
		return nil, e
	}
	return b, err
}

func (s *Service) readRow(ctx context.Context, prefix string, row int64) (b *intray.Batch, rows int64, err error) {
	staged, err := staging.Open(ctx, s.env.Blobs, prefix)
	if err != nil {
		return nil, 0, fmt.Errorf("open the staged rows: %w", err)
	}
	defer func() { _ = staged.Close() }()
	b, err = staged.Window(ctx, row, 1)
	return b, staged.Manifest().Rows, err
}
