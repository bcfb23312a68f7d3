package sqlstore

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

type importRows struct{ *txn }

// A list reads only the columns in importsListed. The other columns may be large.
var (
	importsListed = newTable("imports", "import", 6, addListedImport)
	imports       = newTable("imports", "import", 6, func(to *columns, i *model.Import) {
		addListedImport(to, i)
		to.add("outcome", asJSON{&i.Outcome}, "answers", asJSON{&i.Answers}, "memory", asJSON{&i.Memory})
		addDocument(to, &i.Schema)
	})
)

func addListedImport(to *columns, i *model.Import) {
	to.add("id", &i.ID, "org", &i.Org, "schema_id", &i.SchemaID, "upload_id", &i.UploadID, "inline", &i.Inline, "created", micros{&i.Created},
		"status", &i.Status, "run", &i.Run, "lost", &i.Lost, "node", &i.Node, "filename", &i.Filename, "has_user", &i.HasUser, "person", asJSON{&i.User},
		"raw_key", &i.Raw.Key, "raw_size", &i.Raw.Size, "raw_sha256", &i.Raw.SHA256, "stage", &i.Stage,
		"result_key", &i.Result.Key, "result_size", &i.Result.Size, "result_sha256", &i.Result.SHA256,
		"modified", micros{&i.Modified}, "queued", micros{&i.Queued})
}

func (r importRows) Insert(ctx context.Context, imp model.Import) error {
	return imports.insert(ctx, r.txn, imp)
}

func (r importRows) Get(ctx context.Context, org, id string) (model.Import, error) {
	cells := func(i *model.Import) []any {
		list := imports.cells(i)
		list[len(importsListed.names)] = outcomeCell{&i.Outcome, r.outcomes}
		return list
	}
	return queryOne(ctx, r.txn, imports.entity, cells, imports.query(byID+r.forUpdate), org, id)
}

func (r importRows) List(ctx context.Context, org string, offset, limit int64) ([]model.Import, int64, error) {
	return importsListed.page(ctx, r.txn, ` WHERE org = $1`, newestFirst, offset, limit, org)
}

func (r importRows) UpdateIf(ctx context.Context, imp model.Import, from model.Status, run int) error {
	end := slices.Index(imports.names, "fields") // the import's schema never changes
	query := `UPDATE imports SET ` + assignments(imports.names[imports.fixed:end], 5) + byID + ` AND status = $3 AND run = $4`
	n, err := r.exec(ctx, "update import", query, append([]any{imp.Org, imp.ID, string(from), run}, imports.cells(&imp)[imports.fixed:end]...)...)
	if err == nil && n == 0 {
		return &model.Error{Kind: model.Conflict, Code: "import_changed", Message: intray.NewMessage("import.changed_meanwhile", nil)}
	}
	return err
}

func (r importRows) Delete(ctx context.Context, org, id string) error {
	return imports.delete(ctx, r.txn, byID, org, id)
}

func (r importRows) InStatus(ctx context.Context, status model.Status, node string, limit int) ([]model.ImportRef, error) {
	cells := func(i *model.ImportRef) []any { return []any{&i.Org, &i.ID, &i.Run} }
	return queryAll(ctx, r.txn, imports.entity, cells,
		`SELECT org, id, run FROM imports WHERE status = $1 AND ($2 = '' OR node = $2) ORDER BY created, id LIMIT $3`,
		string(status), node, max(limit, 0))
}

// claimNext steps through the index from one waiting organization to the next. The
// cost of a claim therefore depends on the number of organizations, not on the
// number of imports. For equivalent joins, the query planners chose one scan of all
// imports per organization.
var claimNext = `
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
	RETURNING ` + imports.list

func (r importRows) Claim(ctx context.Context, node string, perOrg int, now time.Time) (model.Import, error) {
	// Without the lock, concurrent claims would count the same running imports.
	if err := r.acquireLock(ctx, lockClaim); err != nil {
		return model.Import{}, err
	}
	imp, err := queryOne(ctx, r.txn, imports.entity, imports.cells, claimNext, node, toMicros(now), perOrg)
	if err != nil {
		return model.Import{}, err
	}
	// The stored time is later than that of every other organization, even if two
	// claims occur at the same time or the clocks of two processes differ.
	return imp, r.execOne(ctx, orgs.entity, `
		UPDATE orgs SET served = (SELECT CASE WHEN max(served) >= $1 THEN max(served) + 1 ELSE $1 END FROM orgs)
		WHERE id = $2`, toMicros(now), imp.Org)
}

const (
	// minOutcome is the minimum length of an outcome's JSON, in bytes, for the decoded outcome
	// to be cached. The outcome of a review is read with every call and takes milliseconds to
	// decode.
	minOutcome = 4 << 10
	// maxOutcomes is the maximum number of cached outcomes. maxOutcome is the
	// maximum length of their JSON, in bytes.
	maxOutcomes, maxOutcome = 32, 2 << 20
)

// outcomeCache maps the JSON of outcomes to the decoded outcomes. Callers must not
// modify the contents of an outcome.
type outcomeCache struct {
	mu     sync.Mutex
	byText map[string]*model.Outcome
	// order lists the JSON of the cached outcomes, oldest first.
	order []string
}

func newOutcomeCache() *outcomeCache { return &outcomeCache{byText: map[string]*model.Outcome{}} }

// outcomeCell stores an outcome as JSON and caches decoded outcomes.
type outcomeCell struct {
	to     **model.Outcome
	cached *outcomeCache
}

// Value encodes the outcome.
func (c outcomeCell) Value() (driver.Value, error) { return asJSON{c.to}.Value() }

// Scan decodes the outcome, unless it is cached.
func (c outcomeCell) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("read an outcome from a %T", from)
	}
	if len(text) < minOutcome || len(text) > maxOutcome {
		return json.Unmarshal([]byte(text), c.to)
	}
	if known := c.cached.copyOf(text); known != nil {
		*c.to = known
		return nil
	}
	if err := json.Unmarshal([]byte(text), c.to); err != nil || *c.to == nil {
		return err
	}
	c.cached.store(text, **c.to)
	return nil
}

// copyOf returns a copy of the cached outcome for text, or nil if there is none.
func (o *outcomeCache) copyOf(text string) *model.Outcome {
	o.mu.Lock()
	defer o.mu.Unlock()
	known := o.byText[text]
	if known == nil {
		return nil
	}
	own := *known
	return &own
}

func (o *outcomeCache) store(text string, one model.Outcome) {
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

// The report on an upload is stored twice: the column account contains all of it, and the
// column listed contains only the part that lists need. Each table reads one of the two
// columns.
var (
	uploads       = newTable("uploads", "upload", 5, uploadColumns("account"))
	uploadsListed = newTable("uploads", "upload", 5, uploadColumns("listed"))
)

func uploadColumns(report string) func(to *columns, u *model.Upload) {
	return func(to *columns, u *model.Upload) {
		to.add("id", &u.ID, "org", &u.Org, "import_id", &u.ImportID, "import_identifier", &u.ImportIdentifier, "created", micros{&u.Created},
			"filename", &u.Filename, "person", asJSON{&u.User}, "raw_key", &u.Raw.Key, "raw_size", &u.Raw.Size, "raw_sha256", &u.Raw.SHA256,
			"result_key", &u.Result.Key, "result_size", &u.Result.Size, "result_sha256", &u.Result.SHA256,
			"status", &u.Status, "total_rows", &u.TotalRows, "field_order", asJSON{&u.FieldOrder}, report, asJSON{&u.Problems})
	}
}

func (r uploadRows) Insert(ctx context.Context, u model.Upload) error {
	listed := u.Problems.Listed()
	return uploads.insert(ctx, r.txn, u, "listed", asJSON{&listed})
}

func (r uploadRows) Get(ctx context.Context, org, id string) (model.Upload, error) {
	return uploads.one(ctx, r.txn, byID, org, id)
}

func (r uploadRows) Save(ctx context.Context, u model.Upload) error {
	listed := u.Problems.Listed()
	return uploads.save(ctx, r.txn, u, byID, []any{u.Org, u.ID}, "listed", asJSON{&listed})
}

func (r uploadRows) Delete(ctx context.Context, org, id string) error {
	return uploads.delete(ctx, r.txn, byID, org, id)
}

// byFilter is a condition that selects the uploads of an organization that match a
// filter.
const byFilter = ` WHERE org = $1 AND status = 'PROCESSED' AND created >= $2 AND created <= $3`

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
	return r.count(ctx, uploads.entity, `SELECT count(*) FROM uploads`+byFilter, org, from, to)
}

func (r uploadRows) Processed(ctx context.Context, org string, f model.UploadFilter, start, end int64) iter.Seq2[model.Upload, error] {
	from, to := timeBounds(f)
	start = max(start, 0)
	return uploadsListed.stream(ctx, r.txn, byFilter+` ORDER BY `+newestFirst+` LIMIT $4 OFFSET $5`, org, from, to, max(end-start, 0), start)
}
