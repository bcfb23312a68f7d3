// Package imports creates imports, receives their files, runs them, and returns their results.
//
// Only one process at a time can claim a run. That process writes its files under the number
// of the run. Other processes reclaim runs of dead processes. The package also learns mappings
// from people's decisions, and stores the sessions of embedded imports.
package imports

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

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

// Service creates and runs imports. All methods except RecoverRuns are safe for concurrent use.
type Service struct {
	env                                  *model.Env
	cfg                                  Config
	uploadKey, downloadKey, hydrationKey secrets.Key
	// activeRuns are the runs that this process is executing.
	activeRuns *model.InProgress
	// idleRuns are the runs that, in the last round of maintenance, belonged to this
	// process according to the store but were not active.
	idleRuns []model.ImportRef
	// repairing contains a value while this process rebuilds damaged files.
	repairing chan struct{}
	// receiving contains functions that interrupt requests of resumable uploads, by the key of the
	// file.
	receiving sync.Map
	memories  memoryCache
	// compressor is shared by the runs.
	compressor *staging.Compressor
	// joined is when this process joined, until it has looked for a copied data folder.
	joined time.Time
	// clockSkew is how far the clock of the database was ahead at the last heartbeat, in
	// nanoseconds.
	clockSkew atomic.Int64
	// These are the fields of Counts.
	stalledRuns, stuckRuns, repeatedRuns, lostRuns, failedHeartbeats atomic.Int64
	// lastHeartbeat is the time of the last heartbeat.
	lastHeartbeat atomic.Value
}

// Config configures a Service. All fields except Direct are required.
type Config struct {
	Schemas *schemas.Service
	Engine  *engine.Engine
	// MaxFileSize is the maximum size of a file, in bytes.
	MaxFileSize int64
	// Runs is the maximum number of imports that run at the same time in this process, and
	// RunsPerOrg the maximum for one organization in all processes. If there are several
	// organizations, one of them never occupies all runs of a process.
	Runs, RunsPerOrg int
	// StallTimeout is the time after which a run that makes no progress is canceled.
	StallTimeout time.Duration
	// ReviewLinkLife is the lifetime of review links.
	ReviewLinkLife time.Duration
	// OnTransition is called with an import and its upload after the status of the import changes,
	// in the same transaction. It is called again if the transaction is repeated.
	OnTransition func(ctx context.Context, tx model.Tx, imp model.Import, u model.Upload) error
	// Direct is the blob store to which clients can send files themselves, or nil if they cannot.
	Direct blob.Presigner
	// StageReviewed stages the rows of a submitted review again, under a new prefix.
	StageReviewed func(ctx context.Context, imp model.Import, prefix string) error
}

// New returns a Service.
func New(env *model.Env, cfg Config) *Service {
	return &Service{
		env: env, cfg: cfg, activeRuns: model.NewInProgress(), repairing: make(chan struct{}, 1), compressor: staging.NewCompressor(), uploadKey: env.Keys.TokenKey("upload addresses"),
		downloadKey: env.Keys.TokenKey("download addresses"), hydrationKey: env.Keys.TokenKey("hydration tokens"),
	}
}

// MaxFilename is the maximum length of a file name, in bytes.
const MaxFilename = 1024

// Draft describes an import to create.
type Draft struct {
	// ID is the id of the import. "" generates a new id. If an import with this ID
	// exists, it is returned instead of a new one.
	ID string
	// SchemaID is the id of a saved schema, or "" if Doc contains the fields.
	SchemaID string
	// Doc contains the fields of an inline schema. If SchemaID is set, the settings and hooks in
	// Doc override those of the saved schema, key by key.
	Doc      schema.Doc
	Filename string
	// User may be nil.
	User *model.User
	// Licence is the id of the API key that creates the import, or "" if a connector does.
	Licence string
	// LinkID is the id of the import link through which the import is created, or "". The person
	// who opened the link must submit the import.
	LinkID string
	// Sync is the mode of an import that an importer in a page of the organization creates, or "". The
	// person who uses the page must submit the import.
	Sync model.SyncMode
	// SessionID is the id of the session that keeps an embedded import until it is submitted, or "". The
	// session must not keep another one that a person can continue.
	SessionID string
	// NewSession describes a session to create for an embedded import. It may be nil.
	NewSession *NewSession
	// PageHooks are the hooks of the page that embeds the importer.
	PageHooks model.PageHooks
	// Answers are decisions about how to read the file. They may be nil.
	Answers intray.Answers
	// Rows is a JSON array of rows that becomes the file of the import. It may be nil.
	Rows io.Reader
}

// CreateImport creates an import that waits for its file. If the draft has rows, CreateImport
// stores them, queues the import, and returns the import as it was before it was queued.
func (s *Service) CreateImport(ctx context.Context, org string, draft Draft) (model.Import, error) {
	if err := checkImport(draft); err != nil {
		return model.Import{}, err
	}
	imp, err := s.DraftImport(org, draft)
	if err != nil {
		return model.Import{}, err
	}
	if draft.ID != "" {
		existing, err := s.Import(ctx, org, draft.ID)
		if !model.IsKind(err, model.NotFound) {
			return asCreated(existing), err
		}
	}
	if err := s.env.CheckRoom(); err != nil {
		return model.Import{}, err
	}
	name, doc, err := s.MergedDocument(ctx, org, draft)
	if err != nil {
		return model.Import{}, err
	}
	parse := schemas.Parse
	if draft.SchemaID != "" {
		parse = schemas.ParseSaved
	}
	parsed, err := parse(doc)
	if err != nil {
		return model.Import{}, err
	}
	if draft.Doc.Hooks != nil { // the hooks of a saved schema were checked when it was saved
		if _, err := s.cfg.Schemas.CheckHooks(ctx, parsed.Hooks); err != nil {
			return model.Import{}, err
		}
	}
	if imp.Schema, err = schemas.Encode(doc); err != nil {
		return model.Import{}, err
	}
	var created *model.Session
	if draft.NewSession != nil {
		session, err := s.draftSession(org, *draft.NewSession)
		if err != nil {
			return model.Import{}, err
		}
		created, imp.SessionID = &session, session.ID
	}
	if draft.Rows != nil {
		if err := s.env.CheckQuotasEarly(ctx, org, model.ImportAdditions(1)...); err != nil {
			return model.Import{}, err
		}
		if imp.Raw, err = s.storeRows(ctx, imp, draft.Rows); err != nil {
			return model.Import{}, err
		}
		var cancel context.CancelFunc
		ctx, cancel = model.DetachedContext(ctx)
		defer cancel()
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if err := model.CheckRequest(ctx, tx); err != nil {
			return err
		}
		return s.insertImport(ctx, tx, imp, name, parsed, draft.SchemaID == "", created)
	})
	s.env.CrashPoint("import.created")
	return s.endCreation(ctx, draft, imp, err)
}

// endCreation returns the created import. err is the error of the transaction that inserts it. If the
// import was not inserted, endCreation discards its file.
func (s *Service) endCreation(ctx context.Context, draft Draft, imp model.Import, err error) (model.Import, error) {
	if draft.Rows != nil && model.IsRolledBack(err) {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), imp.Raw.Key)
	}
	if draft.ID != "" && model.IsKind(err, model.Conflict) {
		existing, failed := s.Import(ctx, imp.Org, draft.ID)
		switch {
		case failed == nil: // another process was faster
			return asCreated(existing), nil
		case !model.IsKind(failed, model.NotFound):
			return model.Import{}, failed
		}
	}
	return asCreated(imp), err
}

// asCreated returns the import in its state at creation.
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

// DraftImport returns a new import with ids and times but without a schema. It does
// not store the import.
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
		Filename: draft.Filename, Inline: draft.Rows != nil, LinkID: draft.LinkID, Confirm: draft.LinkID != "" || draft.Sync != "", Sync: draft.Sync, Seen: now, PageHooks: draft.PageHooks, SessionID: draft.SessionID, Answers: draft.Answers, Created: now, Modified: now, Queued: now,
		Review: model.ReviewLink{Version: 1, Expires: now.Add(s.cfg.ReviewLinkLife), Licence: draft.Licence},
	}
	if draft.User != nil {
		imp.HasUser, imp.User = true, *draft.User
	}
	if imp.Sync != "" {
		imp.Review.Expires = now.Add(min(s.cfg.ReviewLinkLife, model.EmbeddedLife))
	}
	if imp.SchemaID == "" {
		imp.SchemaID, err = s.env.NewID()
	}
	return imp, err
}

// MergedDocument returns the name of the saved schema of a draft and the merged
// schema document. It validates the draft before it reads the saved schema.
func (s *Service) MergedDocument(ctx context.Context, org string, draft Draft) (string, schema.Doc, error) {
	if draft.SchemaID == "" {
		return "", draft.Doc, nil
	}
	if issues := schema.CheckOverlay(draft.Doc); len(issues) > 0 {
		return "", schema.Doc{}, model.ValidationError(issues)
	}
	saved, err := s.cfg.Schemas.Schema(ctx, org, draft.SchemaID)
	if model.IsKind(err, model.NotFound) || err == nil && saved.Inline {
		// Like an invalid value, an error in a hook is reported before an unknown schema.
		overlay := schema.ParseUnchecked(schema.Doc{Hooks: draft.Doc.Hooks}) // CheckOverlay has already validated it
		if _, err := s.cfg.Schemas.CheckHooks(ctx, overlay.Hooks); err != nil {
			return "", schema.Doc{}, err
		}
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

// storeRows stores the rows of a draft as the file of the import. The file is marked
// as trash until the import has been committed.
func (s *Service) storeRows(ctx context.Context, imp model.Import, rows io.Reader) (model.File, error) {
	attempt, err := s.env.NewID() // a process that repeats the request must not share the file
	if err != nil {
		return model.File{}, err
	}
	key := imp.RawKey(attempt)
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

func (s *Service) insertImport(ctx context.Context, tx model.Tx, imp model.Import, name string, parsed *intray.Schema, inline bool, created *model.Session) error {
	if err := s.env.CheckQuotas(ctx, tx, imp.Org, model.ImportAdditions(imp.Raw.Size)...); err != nil {
		return err
	}
	if created != nil {
		if err := s.insertSession(ctx, tx, *created); err != nil {
			return err
		}
	}
	if imp.SessionID != "" {
		if err := s.keepInSession(ctx, tx, imp); err != nil {
			return err
		}
	}
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

// NewUpload returns a new upload for an import.
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

// Import returns the import with the given id.
func (s *Service) Import(ctx context.Context, org, id string) (imp model.Import, err error) {
	imp, err = model.Get(ctx, s.env.Store, func(tx model.Tx) (model.Import, error) { return tx.Imports.Get(ctx, org, id) })
	if err == nil && imp.IsReleased() {
		return model.Import{}, model.NotFoundError(model.ImportMissing)
	}
	return imp, model.DescribeNotFound(err, model.ImportMissing)
}

// Imports returns a page of the imports, newest first. The imports contain neither a schema nor an
// outcome.
func (s *Service) Imports(ctx context.Context, org string, page model.PageRequest) (model.Page[model.Import], error) {
	return model.View(ctx, s.env.Store, func(tx model.Tx) (model.Page[model.Import], error) { return tx.Imports.List(ctx, org, page) })
}

// ImportResult returns the upload with the result of an import. It returns a
// Conflict if the import is not SUCCESSFUL.
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

// TouchImport records that the page of an embedded import was seen, at most once in
// model.SeenPrecision. It updates imp.Seen.
func (s *Service) TouchImport(ctx context.Context, imp *model.Import) error {
	now := s.env.Now()
	if !imp.IsEphemeral() || now.Sub(imp.Seen) < model.SeenPrecision {
		return nil
	}
	err := s.env.Store.Update(ctx, func(tx model.Tx) error { return tx.Embedded.Touch(ctx, imp.Org, imp.ID, now) })
	if err == nil {
		imp.Seen = now
	}
	return err
}

// Transition changes the status of an import and saves all other changes to imp, too. It also
// updates the upload. The run number of imp must equal the stored one. All status changes
// except claims use Transition.
func (s *Service) Transition(ctx context.Context, tx model.Tx, imp *model.Import, next model.Status) error {
	return s.transition(ctx, tx, imp, nil, next)
}

// transition is like Transition. If the caller has locked the import and read its upload, it passes
// the upload.
func (s *Service) transition(ctx context.Context, tx model.Tx, imp *model.Import, known *model.Upload, next model.Status) error {
	from := imp.Status
	if !from.MayBecome(next) {
		return fmt.Errorf("change the status of an import: %s to %s is not allowed", from, next)
	}
	imp.Status, imp.Modified = next, s.env.Now()
	if next == model.Successful || next == model.Failed {
		imp.Memory = nil // there is no further run
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
	u, err := s.syncUpload(ctx, tx, *imp, known)
	if err != nil {
		return err
	}
	switch next {
	case model.Failed:
		if err := model.ReturnLinkUse(ctx, tx, *imp); err != nil {
			return err
		}
	case model.Successful:
		if err := s.clearSession(ctx, tx, *imp); err != nil {
			return err
		}
	}
	return s.cfg.OnTransition(ctx, tx, *imp, u)
}

// syncUpload copies the state of an import to its upload, and returns the upload. It reads the upload
// if known is nil.
func (s *Service) syncUpload(ctx context.Context, tx model.Tx, imp model.Import, known *model.Upload) (u model.Upload, err error) {
	if known != nil {
		u = *known
	} else if u, err = tx.Uploads.Get(ctx, imp.Org, imp.UploadID); err != nil {
		return u, err
	}
	stored := u
	u.Status, u.Filename, u.User, u.Raw, u.Result = imp.Status.UploadStatus(), imp.Filename, imp.User, imp.Raw, imp.Result
	if imp.IsEphemeral() {
		u.Status = model.UploadProcessing // it is not listed, and deleted soon
	}
	if o := imp.Outcome; o != nil && imp.Status != model.Pending {
		u.TotalRows = o.DataRows
		u.Problems = model.ProblemSummary{InvalidRows: o.RowsWithError, Errors: validations(o.Listed)}
	}
	if reflect.DeepEqual(u, stored) {
		return u, nil
	}
	return u, tx.Uploads.Save(ctx, u)
}

// validations returns the notices of type Validation.
func validations(listed []intray.Notice) (list []intray.Notice) {
	for _, n := range listed {
		if n.Type == intray.Validation {
			list = append(list, n)
		}
	}
	return list
}

// TraceRow calls the function use with the trace of each cell in a row, in schema order. Rows are
// counted from 0. If key is not "", it passes only the cell of the field with that key. A trace
// is valid until use returns. If the import has no staged rows, TraceRow returns a Conflict, or
// NotFound if they were deleted.
func (s *Service) TraceRow(ctx context.Context, imp model.Import, row int64, key string, use func(f intray.Field, cell intray.Trace) error) error {
	if imp.Stage == "" || imp.Outcome == nil {
		why := intray.NewMessage("import.no_rows_yet", intray.Params{"status": string(imp.Status), "wanted": string(model.Successful)})
		switch imp.Status {
		case model.Successful:
			return model.NotFoundError(intray.NewMessage("import.rows_deleted", nil))
		case model.NeedsReview:
			why = intray.NewMessage("import.no_rows_until_answered", intray.Params{"status": string(imp.Status)})
		case model.Failed:
			why = intray.NewMessage("import.no_rows_kept", intray.Params{"status": string(imp.Status)})
		}
		return model.NewError(model.Conflict, "no_rows", why)
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

// traceCell returns the trace of one cell in a batch of one row.
func traceCell(imp model.Import, schema *intray.Schema, b *intray.Batch, field int) (intray.Trace, error) {
	cell := imp.Outcome.Explain(schema, b, 0, field)
	step := intray.TraceStep{Step: "output", Reasons: []intray.Message{intray.NewMessage("trace.no_result_yet", intray.Params{"status": string(imp.Status)})}}
	if imp.Status == model.Successful {
		var err error
		if step, err = output.Explain(schema, b, 0, field); err != nil {
			return cell, fmt.Errorf("trace a cell: %w", err)
		}
	}
	cell.Steps = append(cell.Steps, step)
	return cell, nil
}

// stagedRow returns a batch that contains one staged row.
func (s *Service) stagedRow(ctx context.Context, imp model.Import, row int64) (*intray.Batch, error) {
	b, err := readStagedRow(ctx, row, func() (*staging.Stage, error) { return staging.Open(ctx, s.env.Blobs, imp.Stage) })
	if isStageDamage(err) {
		s.SuspectStage(imp, err)
		b, err = readStagedRow(ctx, row, func() (*staging.Stage, error) { return s.OpenStage(ctx, &imp) })
	}
	return b, err
}

// readStagedRow reads a row from a stage that it opens with the function open.
func readStagedRow(ctx context.Context, row int64, open func() (*staging.Stage, error)) (*intray.Batch, error) {
	staged, err := open()
	if err != nil {
		return nil, fmt.Errorf("open the staged rows: %w", err)
	}
	defer func() { _ = staged.Close() }()
	b, err := staged.Window(ctx, row, 1)
	if err == nil && b.Rows() == 0 {
		e := model.NotFoundError(intray.NewMessage("import.no_such_row", intray.Params{"row": row, "n": staged.Manifest().Rows}))
		e.Fields = model.FieldMessage("row", intray.NewMessage("import.row_beyond_last", nil))
		return nil, e
	}
	return b, err
}
