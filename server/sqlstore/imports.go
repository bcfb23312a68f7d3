package sqlstore

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

type importRows struct{ *txn }

const (
	importFixed = "id, org, schema_id, upload_id, inline, created"
	importMoved = "status, run, lost, node, filename, has_user, person, raw_key, raw_size, raw_sha256, stage, " +
		"result_key, result_size, result_sha256, modified, queued"
	importListed = importFixed + ", " + importMoved
	// importFound is what may be large, and is not listed.
	importFound   = "outcome, answers, memory"
	importColumns = importListed + ", " + importFound + ", " + documentColumns
)

func importFixedCells(i *model.Import) []any {
	return []any{&i.ID, &i.Org, &i.SchemaID, &i.UploadID, &i.Inline, micros{&i.Created}}
}

func importMovedCells(i *model.Import) []any {
	return []any{&i.Status, &i.Run, &i.Lost, &i.Node, &i.Filename, &i.HasUser, asJSON{&i.User},
		&i.Raw.Key, &i.Raw.Size, &i.Raw.SHA256, &i.Stage,
		&i.Result.Key, &i.Result.Size, &i.Result.SHA256, micros{&i.Modified}, micros{&i.Queued}}
}

func importListedCells(i *model.Import) []any {
	return append(importFixedCells(i), importMovedCells(i)...)
}

func importCells(i *model.Import) []any {
	return append(append(importListedCells(i), importFoundCells(i)...), documentCells(&i.Schema)...)
}

func importFoundCells(i *model.Import) []any {
	return []any{asJSON{&i.Outcome}, asJSON{&i.Answers}, asJSON{&i.Memory}}
}

func (r importRows) Insert(ctx context.Context, imp model.Import) error {
	return r.insert(ctx, "import", "imports", importColumns, importCells(&imp)...)
}

func (r importRows) Get(ctx context.Context, org, id string) (model.Import, error) {
	cells := func(i *model.Import) []any {
		list := importCells(i)
		list[len(importListedCells(i))] = outcomeCell{&i.Outcome, r.outcomes}
		return list
	}
	return queryOne(ctx, r.txn, "import", cells,
		`SELECT `+importColumns+` FROM imports WHERE org = $1 AND id = $2`+r.forUpdate, org, id)
}

func (r importRows) List(ctx context.Context, org string, offset, limit int64) ([]model.Import, int64, error) {
	total, err := r.count(ctx, "import", `SELECT count(*) FROM imports WHERE org = $1`, org)
	if err != nil {
		return nil, 0, err
	}
	list, err := queryAll(ctx, r.txn, "import", importListedCells,
		`SELECT `+importListed+` FROM imports WHERE org = $1 ORDER BY created DESC, id DESC LIMIT $2 OFFSET $3`,
		org, max(limit, 0), max(offset, 0))
	return list, total, err
}

func (r importRows) UpdateIf(ctx context.Context, imp model.Import, from model.Status, run int) error {
	args := append([]any{imp.Org, imp.ID, string(from), run}, importMovedCells(&imp)...)
	n, err := r.exec(ctx, "moving an import",
		`UPDATE imports SET `+assignments(importMoved+", "+importFound, 5)+`
		WHERE org = $1 AND id = $2 AND status = $3 AND run = $4`, append(args, importFoundCells(&imp)...)...)
	if err == nil && n == 0 {
		return &model.Error{Kind: model.Conflict, Code: "import_changed", Message: intray.NewMessage("import.changed_meanwhile", nil)}
	}
	return err
}

func (r importRows) Delete(ctx context.Context, org, id string) error {
	return r.execOne(ctx, "import", `DELETE FROM imports WHERE org = $1 AND id = $2`, org, id)
}

func (r importRows) InStatus(ctx context.Context, status model.Status, node string, limit int) ([]model.ImportRef, error) {
	cells := func(i *model.ImportRef) []any { return []any{&i.Org, &i.ID, &i.Run} }
	return queryAll(ctx, r.txn, "import", cells,
		`SELECT org, id, run FROM imports WHERE status = $1 AND ($2 = '' OR node = $2) ORDER BY created, id LIMIT $3`,
		string(status), node, max(limit, 0))
}

// claimNext steps through the index from one waiting organization to the next,
// so that a claim costs a few steps for each of them, however many imports wait
// and however many organizations do not. Joins that say the same were planned as
// scans of all imports, once for each organization.
const claimNext = `
	WITH RECURSIVE waiting (org) AS (
		SELECT min(org) FROM imports WHERE status = 'PENDING' AND queued <= $2
		UNION ALL
		SELECT (SELECT min(i.org) FROM imports i WHERE i.status = 'PENDING' AND i.queued <= $2 AND i.org > waiting.org)
		FROM waiting WHERE waiting.org IS NOT NULL)
	UPDATE imports SET status = 'RUNNING', run = run + 1, node = $1, modified = $2
	WHERE id = (
		SELECT next.id FROM imports next WHERE next.status = 'PENDING' AND next.queued <= $2 AND next.org = (
			SELECT o.id FROM waiting JOIN orgs o ON o.id = waiting.org
			WHERE (SELECT count(*) FROM imports b WHERE b.status = 'RUNNING' AND b.org = o.id) < $3
			ORDER BY o.served, o.created, o.id LIMIT 1)
		ORDER BY next.queued, next.id LIMIT 1)
	RETURNING ` + importColumns

func (r importRows) Claim(ctx context.Context, node string, perOrg int, now time.Time) (model.Import, error) {
	// Two at once would count the same imports that run.
	if err := r.acquireLock(ctx, lockClaim); err != nil {
		return model.Import{}, err
	}
	imp, err := queryOne(ctx, r.txn, "import", importCells, claimNext, node, toMicros(now), perOrg)
	if err != nil {
		return model.Import{}, err
	}
	// Later than all others, even where two claims fall on one moment or the
	// clocks of two processes differ.
	return imp, r.execOne(ctx, "organization", `
		UPDATE orgs SET served = (SELECT CASE WHEN max(served) >= $1 THEN max(served) + 1 ELSE $1 END FROM orgs)
		WHERE id = $2`, toMicros(now), imp.Org)
}

const (
	// minOutcome is from how many bytes on the decoded outcomes of imports are kept:
	// those of a review are read with every call, and take milliseconds to decode.
	minOutcome = 4 << 10
	// maxOutcomes is how many are kept, each of at most maxOutcome bytes.
	maxOutcomes, maxOutcome = 32, 2 << 20
)

// outcomeCache keeps decoded outcomes by their texts. What it gives is never changed:
// callers that change an outcome make one of their own.
type outcomeCache struct {
	mu     sync.Mutex
	byText map[string]*model.Outcome
	// order are the texts, the oldest first.
	order []string
}

func newOutcomeCache() *outcomeCache { return &outcomeCache{byText: map[string]*model.Outcome{}} }

// cell is the outcome of an import as it is kept.
type outcomeCell struct {
	to   **model.Outcome
	kept *outcomeCache
}

// Value encodes it.
func (c outcomeCell) Value() (driver.Value, error) { return asJSON{c.to}.Value() }

// Scan decodes it, unless that was done before.
func (c outcomeCell) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("an outcome is a %T", from)
	}
	if len(text) < minOutcome || len(text) > maxOutcome {
		return json.Unmarshal([]byte(text), c.to)
	}
	if known := c.kept.get(text); known != nil {
		*c.to = known
		return nil
	}
	if err := json.Unmarshal([]byte(text), c.to); err != nil || *c.to == nil {
		return err
	}
	c.kept.add(text, **c.to)
	return nil
}

// get gives a copy of what is kept under a text, or nil.
func (o *outcomeCache) get(text string) *model.Outcome {
	o.mu.Lock()
	defer o.mu.Unlock()
	known := o.byText[text]
	if known == nil {
		return nil
	}
	own := *known
	return &own
}

func (o *outcomeCache) add(text string, one model.Outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byText[text] != nil {
		return
	}
	if len(o.order) >= maxOutcomes {
		delete(o.byText, o.order[0])
		o.order = o.order[1:]
	}
	o.byText[text], o.order = &one, append(o.order, text)
}

type uploadRows struct{ *txn }

// The account is kept twice: whole, and the part that lists tell, so that a
// list need not read the whole.
const (
	uploadFixed = "id, org, import_id, import_identifier, created"
	uploadSaved = "filename, person, raw_key, raw_size, raw_sha256, result_key, result_size, result_sha256, " +
		"status, total_rows, field_order"
)

func uploadCells(u *model.Upload) []any {
	return append([]any{&u.ID, &u.Org, &u.ImportID, &u.ImportIdentifier, micros{&u.Created}},
		uploadSavedCells(u)...)
}

func uploadSavedCells(u *model.Upload) []any {
	return []any{&u.Filename, asJSON{&u.User}, &u.Raw.Key, &u.Raw.Size, &u.Raw.SHA256,
		&u.Result.Key, &u.Result.Size, &u.Result.SHA256,
		&u.Status, &u.TotalRows, asJSON{&u.FieldOrder}}
}

// uploadWithAccountCells reads an upload with either of its accounts.
func uploadWithAccountCells(u *model.Upload) []any {
	return append(uploadCells(u), asJSON{&u.Problems})
}

// accountCells writes them.
func accountCells(u *model.Upload) []any {
	listed := u.Problems.Listed()
	return []any{asJSON{&listed}, asJSON{&u.Problems}}
}

func (r uploadRows) Insert(ctx context.Context, u model.Upload) error {
	return r.insert(ctx, "upload", "uploads", uploadFixed+", "+uploadSaved+", listed, account",
		append(uploadCells(&u), accountCells(&u)...)...)
}

func (r uploadRows) Get(ctx context.Context, org, id string) (model.Upload, error) {
	return queryOne(ctx, r.txn, "upload", uploadWithAccountCells,
		`SELECT `+uploadFixed+", "+uploadSaved+`, account FROM uploads WHERE org = $1 AND id = $2`, org, id)
}

func (r uploadRows) Save(ctx context.Context, u model.Upload) error {
	args := append([]any{u.Org, u.ID}, uploadSavedCells(&u)...)
	return r.execOne(ctx, "upload",
		`UPDATE uploads SET `+assignments(uploadSaved+", listed, account", 3)+` WHERE org = $1 AND id = $2`,
		append(args, accountCells(&u)...)...)
}

func (r uploadRows) Delete(ctx context.Context, org, id string) error {
	return r.execOne(ctx, "upload", `DELETE FROM uploads WHERE org = $1 AND id = $2`, org, id)
}

// uploadsListed are the rows that a filter leaves.
const uploadsListed = ` FROM uploads WHERE org = $1 AND status = 'PROCESSED' AND created >= $2 AND created <= $3`

func timeBounds(f model.UploadFilter) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if !f.From.IsZero() {
		from = f.From.UnixMicro()
	}
	if !f.To.IsZero() {
		to = f.To.UnixMicro()
	}
	return from, to
}

func (r uploadRows) Count(ctx context.Context, org string, f model.UploadFilter) (int64, error) {
	from, to := timeBounds(f)
	return r.count(ctx, "upload", `SELECT count(*)`+uploadsListed, org, from, to)
}

func (r uploadRows) Processed(ctx context.Context, org string, f model.UploadFilter, start, end int64) iter.Seq2[model.Upload, error] {
	from, to := timeBounds(f)
	start = max(start, 0)
	return queryStream(ctx, r.txn, "upload", uploadWithAccountCells,
		`SELECT `+uploadFixed+", "+uploadSaved+`, listed`+uploadsListed+`
		ORDER BY created DESC, id DESC LIMIT $4 OFFSET $5`, org, from, to, max(end-start, 0), start)
}
