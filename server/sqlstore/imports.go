package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

type importRows struct{ *txn }

// A list reads only the columns in importsListed. The other columns may be large.
var (
	importsListed = newTable("imports", "import", 14, addListedImport)
	imports       = newTable("imports", "import", 14, func(to *columns, i *model.Import) {
		addListedImport(to, i)
		to.add("outcome", asJSON{&i.Outcome}, "answers", asJSON{&i.Answers}, "memory", asJSON{&i.Memory})
		addDocument(to, &i.Schema)
	})
)

func addListedImport(to *columns, i *model.Import) {
	to.add("id", &i.ID, "org", &i.Org, "schema_id", &i.SchemaID, "upload_id", &i.UploadID, "inline", &i.Inline, "link_id", &i.LinkID, "sync_mode", &i.Sync, "seen", micros{&i.Seen}, "page_hooks", asJSON{&i.PageHooks}, "session_id", &i.SessionID, "created", micros{&i.Created},
		"review_version", &i.Review.Version, "review_expires", micros{&i.Review.Expires}, "review_licence", &i.Review.Licence,
		"status", &i.Status, "confirm", &i.Confirm, "run", &i.Run, "lost", &i.Lost, "alone", &i.Alone, "node", &i.Node, "filename", &i.Filename, "has_user", &i.HasUser, "person", asJSON{&i.User},
		"raw_key", &i.Raw.Key, "raw_size", &i.Raw.Size, "raw_sha256", &i.Raw.SHA256, "stage", &i.Stage,
		"result_key", &i.Result.Key, "result_size", &i.Result.Size, "result_sha256", &i.Result.SHA256,
		"modified", micros{&i.Modified}, "queued", micros{&i.Queued})
}

func (r importRows) Insert(ctx context.Context, imp model.Import) error {
	if err := imports.insert(ctx, r.txn, imp); err != nil || r.dialect.countsInserts {
		return err
	}
	return r.countInserted(ctx, imp)
}

func (r importRows) Get(ctx context.Context, org, id string) (model.Import, error) {
	cells := func(i *model.Import) []any {
		list := imports.cells(i)
		list[len(importsListed.names)] = outcomeCell{&i.Outcome, r.outcomes}
		return list
	}
	return queryOne(ctx, r.txn, imports.entity, cells, imports.query(byID+r.forUpdate), org, id)
}

var importList = listing[model.Import]{
	table: importsListed,
	query: listQuery{
		where: ` WHERE org = $1 AND sync_mode = ''`, order: []string{"created", "id"},
		count: `SELECT listed_imports FROM org_usage WHERE org = $1`,
	},
	position: func(i model.Import) []any { return []any{toMicros(i.Created), i.ID} },
}

func (r importRows) List(ctx context.Context, org string, page model.PageRequest) (model.Page[model.Import], error) {
	return importList.page(ctx, r.txn, page, org)
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

func (r importRows) SetReviewLink(ctx context.Context, org, id string, link model.ReviewLink) error {
	return r.execOne(ctx, imports.entity, `UPDATE imports SET review_version = $3, review_expires = $4, review_licence = $5`+byID,
		org, id, link.Version, toMicros(link.Expires), link.Licence)
}

func (r importRows) Delete(ctx context.Context, org, id string) error {
	return imports.delete(ctx, r.txn, byID, org, id)
}

func (r importRows) InStatus(ctx context.Context, status model.Status, node string, limit int) ([]model.ImportRef, error) {
	cells := func(i *model.ImportRef) []any { return []any{&i.Org, &i.ID, &i.Run} }
	// The status is part of the query, so that the database can use an index for this status only.
	return queryAll(ctx, r.txn, imports.entity, cells,
		`SELECT org, id, run FROM imports WHERE status = '`+string(status)+`' AND ($1 = '' OR node = $1) ORDER BY created, id LIMIT $2`,
		node, max(limit, 0))
}

func (r importRows) After(ctx context.Context, id string, limit int) ([]model.ImportRef, error) {
	cells := func(i *model.ImportRef) []any { return []any{&i.Org, &i.ID, &i.Run} }
	return queryAll(ctx, r.txn, imports.entity, cells, `SELECT org, id, run FROM imports WHERE id > $1 ORDER BY id LIMIT $2`, id, max(limit, 0))
}

func (r importRows) Select(ctx context.Context, f model.ImportFilter, limit int) ([]model.ImportRef, error) {
	cells := func(i *model.ImportRef) []any { return []any{&i.Org, &i.ID, &i.Run} }
	query, args := `SELECT org, id, run FROM imports WHERE id <> ''`, []any{}
	where := func(isSet bool, condition string, value any) {
		if isSet {
			args = append(args, value)
			query += ` AND ` + condition + ` $` + strconv.Itoa(len(args))
		}
	}
	where(f.ID != "", `id =`, f.ID)
	where(f.Org != "", `org =`, f.Org)
	where(f.Status != "", `status =`, string(f.Status))
	where(!f.Before.IsZero(), `created <`, toMicros(f.Before))
	args = append(args, max(limit, 0))
	return queryAll(ctx, r.txn, imports.entity, cells, query+` ORDER BY created DESC, id DESC LIMIT $`+strconv.Itoa(len(args)), args...)
}

type embeddedRows struct{ *txn }

func (r embeddedRows) Touch(ctx context.Context, org, id string, seen time.Time) error {
	return r.execOne(ctx, imports.entity, `UPDATE imports SET seen = $3`+byID+` AND seen <> 0`, org, id, toMicros(seen))
}

func (r embeddedRows) Release(ctx context.Context, org, id string) error {
	_, err := r.exec(ctx, "release import", `UPDATE imports SET sync_mode = 'DISABLED', seen = 0`+byID, org, id)
	return err
}

func (r embeddedRows) Abandoned(ctx context.Context, t time.Time, limit int) ([]model.ImportRef, error) {
	return r.refs(ctx, `status = 'AWAITING_UPLOAD' AND (link_id <> '' OR sync_mode = 'FULL_DATA') AND created < $1 ORDER BY created`, t, limit)
}

func (r embeddedRows) Unseen(ctx context.Context, t time.Time, limit int) ([]model.ImportRef, error) {
	return r.refs(ctx, `sync_mode IN ('DISABLED', 'MAPPINGS_ONLY') AND seen < $1 ORDER BY seen`, t, limit)
}

// refs returns at most limit imports that match a condition with the time t as its parameter.
func (r embeddedRows) refs(ctx context.Context, condition string, t time.Time, limit int) ([]model.ImportRef, error) {
	cells := func(i *model.ImportRef) []any { return []any{&i.Org, &i.ID, &i.Run} }
	return queryAll(ctx, r.txn, imports.entity, cells, `SELECT org, id, run FROM imports WHERE `+condition+`, id LIMIT $2`, toMicros(t), max(limit, 0))
}

// claimNext steps through the index from one waiting organization to the next. The cost of a
// claim therefore depends on the number of organizations, not on the number of imports. For
// equivalent joins, the query planners chose one scan of all imports per organization.
//
// An organization whose imports could occupy a whole process would keep it from all others for as
// long as they run. A single organization has nobody to leave room for.
//
// If the next import runs alone and the process is busy, nothing is claimed. Otherwise, imports
// that run alone would wait until no others arrive.
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
			WHERE o.state = '' AND (SELECT count(*) FROM imports b WHERE b.status = 'RUNNING' AND b.org = o.id) < $3
			AND ((SELECT count(*) FROM imports b WHERE b.status = 'RUNNING' AND b.org = o.id AND b.node = $1) < $4
				OR NOT EXISTS (SELECT 1 FROM orgs other WHERE other.id <> o.id))
			ORDER BY o.served, o.created, o.id LIMIT 1)
		ORDER BY next.queued, next.id LIMIT 1)
	AND NOT EXISTS (
		SELECT 1 FROM imports here WHERE here.status = 'RUNNING' AND here.node = $1 AND (here.alone OR imports.alone))
	RETURNING ` + imports.list

func (r importRows) IsDue(ctx context.Context, now time.Time) (bool, error) {
	n, err := r.count(ctx, imports.entity, `SELECT count(*) FROM (SELECT 1 FROM imports WHERE status = 'PENDING' AND queued <= $1 LIMIT 1) AS due`, toMicros(now))
	return n > 0, err
}

func (r importRows) Claim(ctx context.Context, node string, limits model.RunLimits, now time.Time) (model.Import, error) {
	// Without the lock, concurrent claims would count the same running imports.
	if err := r.acquireLock(ctx, lock{number: lockClaim}); err != nil {
		return model.Import{}, err
	}
	imp, err := queryOne(ctx, r.txn, imports.entity, imports.cells, claimNext, node, toMicros(now), limits.PerOrg, limits.PerOrgAndNode)
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
	// maxOutcomes is the maximum number of cached outcomes. maxOutcome is the maximum length of
	// the JSON of each, in bytes.
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

// copyOf returns a copy of the cached outcome for the given JSON, or nil if there is none.
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

// The report on an upload is stored twice: the column account contains all of it, and the column
// listed contains only the part that lists need. uploads reads account, and uploadsListed reads
// listed.
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

var uploadList = listing[model.Upload]{
	table:    uploadsListed,
	query:    listQuery{where: ` WHERE org = $1 AND status = 'PROCESSED' AND created >= $2 AND created <= $3`, order: []string{"created", "id"}},
	position: func(u model.Upload) []any { return []any{toMicros(u.Created), u.ID} },
}

const day = int64(24 * time.Hour / time.Microsecond)

// countUploads returns the number of processed uploads of an organization ($1) from one time ($2) to
// another ($3). It adds the numbers of uploads of whole days, which begin at $4 or later and before
// $5, and counts those before and after these days.
const countUploads = `
	SELECT CAST(COALESCE((SELECT sum(n) FROM upload_days WHERE org = $1 AND day >= $4 AND day < $5), 0) AS BIGINT)
		+ (SELECT count(*) FROM uploads WHERE org = $1 AND status = 'PROCESSED' AND created >= $2 AND created < $4)
		+ (SELECT count(*) FROM uploads WHERE org = $1 AND status = 'PROCESSED' AND created >= $5 AND created <= $3)`

// timeBounds returns the bounds of the times that a filter selects, in microseconds since 1970.
func timeBounds(f model.UploadFilter) (from, to int64) {
	to = math.MaxInt64 / 4 // much later than the year 9999
	if !f.From.IsZero() {
		from = max(from, f.From.UnixMicro())
	}
	if !f.To.IsZero() {
		to = f.To.UnixMicro()
	}
	return from, to
}

// wholeDays returns the start of the first day, and the end of the last day, of the days in UTC
// that lie between two times. Without such a day, start and end are both to + 1.
func wholeDays(from, to int64) (start, end int64) {
	start, end = (from+day-1)/day*day, (to+1)/day*day
	if start >= end {
		return to + 1, to + 1
	}
	return start, end
}

func (r uploadRows) Count(ctx context.Context, org string, f model.UploadFilter) (int64, error) {
	from, to := timeBounds(f)
	start, end := wholeDays(from, to)
	return r.count(ctx, uploads.entity, countUploads, org, from, to, start, end)
}

func (r uploadRows) Processed(ctx context.Context, org string, f model.UploadFilter, page model.PageRequest) iter.Seq2[model.Upload, error] {
	from, to := timeBounds(f)
	return uploadList.rows(ctx, r.txn, page, org, from, to)
}

func (r uploadRows) Unfinished(ctx context.Context, org string, since time.Time) (int64, error) {
	return r.count(ctx, uploads.entity, `
		SELECT CAST(COALESCE(sum(raw_size), 0) AS BIGINT) FROM uploads
		WHERE org = $1 AND status = 'PENDING_UPLOAD' AND created > $2 AND raw_key <> ''`, org, toMicros(since))
}

type schemaRows struct{ ownedRows[model.Schema] }

var schemas = newTable("schemas", "schema", 4, func(to *columns, s *model.Schema) {
	to.add("id", &s.ID, "org", &s.Org, "inline", &s.Inline, "created", micros{&s.Created}, "name", &s.Name, "modified", micros{&s.Modified})
	addDocument(to, &s.Document)
})

func addDocument(to *columns, d *model.Document) {
	to.add("fields", rawJSON{&d.Fields}, "settings", rawJSON{&d.Settings}, "hooks", rawJSON{&d.Hooks}, "extensions", rawJSON{&d.Extensions})
}

// Get does not lock the row, because Replace writes all columns that can change.
func (r schemaRows) Get(ctx context.Context, org, id string) (model.Schema, error) {
	return schemas.one(ctx, r.txn, byID, org, id)
}

var schemaList = listing[model.Schema]{
	table:    schemas,
	query:    listQuery{where: ` WHERE org = $1 AND NOT inline`, order: []string{"created", "id"}, oldestFirst: true},
	position: func(s model.Schema) []any { return []any{toMicros(s.Created), s.ID} },
}

func (r schemaRows) List(ctx context.Context, org string, page model.PageRequest) iter.Seq2[model.Schema, error] {
	return schemaList.rows(ctx, r.txn, page, org)
}

func (r schemaRows) IDByName(ctx context.Context, org, name string) (string, error) {
	return queryOne(ctx, r.txn, schemas.entity, idCell, `SELECT id FROM schemas WHERE org = $1 AND name = $2 AND NOT inline`, org, name)
}

func (r schemaRows) SavedIDs(ctx context.Context, org string, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := []any{}
	for _, id := range ids {
		args = append(args, id)
	}
	cells := func(id *string) []any { return []any{id} }
	return queryAll(ctx, r.txn, schemas.entity, cells, `SELECT id FROM schemas WHERE NOT inline AND id IN (`+placeholders(len(args))+`) AND org = $`+strconv.Itoa(len(args)+1), append(args, org)...)
}

func (r schemaRows) Replace(ctx context.Context, s model.Schema) error {
	// On PostgreSQL, a violated constraint would end the transaction, so check first.
	same, err := r.count(ctx, schemas.entity,
		`SELECT count(*) FROM schemas WHERE org = $1 AND name = $2 AND id <> $3 AND NOT inline`, s.Org, s.Name, s.ID)
	if err != nil {
		return err
	}
	if same > 0 {
		if _, err := r.Get(ctx, s.Org, s.ID); err != nil {
			return err
		}
		return alreadyExists()
	}
	end := slices.Index(schemas.names, "extensions")
	return r.execOne(ctx, schemas.entity, `UPDATE schemas SET `+assignments(schemas.names[schemas.fixed:end], 3)+byID,
		append([]any{s.Org, s.ID}, schemas.cells(&s)[schemas.fixed:end]...)...)
}

func (r schemaRows) SetExtensions(ctx context.Context, org, id string, extensions json.RawMessage, modified time.Time) error {
	return r.execOne(ctx, schemas.entity, `UPDATE schemas SET extensions = $3, modified = $4`+byID, org, id, rawJSON{&extensions}, toMicros(modified))
}

type editRows struct{ *txn }

var edits = newTable("edits", "edit", 11, func(to *columns, e *model.Edit) {
	to.add("import_id", &e.ImportID, "org", &e.Org, "run", &e.Run, "seq", &e.Seq, "op", &e.Op, "kind", &e.Kind, "change", &e.Change,
		"request", rawJSON{&e.Request}, "told", rawJSON{&e.Result}, "layer", nullableBytes{&e.Revision}, "made", micros{&e.Made})
})

func (r editRows) Append(ctx context.Context, edit model.Edit) error {
	return edits.insert(ctx, r.txn, edit)
}

func (r editRows) FindByOp(ctx context.Context, org, importID, op string) (model.Edit, error) {
	return edits.one(ctx, r.txn, ` WHERE org = $1 AND import_id = $2 AND op = $3`, org, importID, op)
}

func (r editRows) ListAfter(ctx context.Context, org, importID string, run int, seq int64) iter.Seq2[model.Edit, error] {
	return edits.stream(ctx, r.txn, ` WHERE org = $1 AND import_id = $2 AND run = $3 AND seq > $4 ORDER BY seq`, org, importID, run, seq)
}

func (r editRows) LastSeq(ctx context.Context, org, importID string, run int) (int64, error) {
	return r.count(ctx, edits.entity, `SELECT COALESCE(max(seq), 0) FROM edits WHERE org = $1 AND import_id = $2 AND run = $3`, org, importID, run)
}

type memoryRows struct{ *txn }

// The table has two more columns: place, which contains the learnedKey, and size.
var memories = newTable("memories", "learned mapping", 8, func(to *columns, m *model.LearnedMapping) {
	to.add("org", &m.Org, "import_identifier", &m.ImportIdentifier, "kind", &m.Kind, "field", &m.Field,
		"import_id", &m.ImportID, "remembered", micros{&m.On}, "text", asJSON{&m.Text}, "value", asJSON{&m.Value})
})

// memoryList lists the mappings in the order in which Trim keeps them.
var memoryList = listing[model.LearnedMapping]{
	table: memories,
	query: listQuery{
		where: byIdentifier, order: []string{"remembered", "kind", "field", "place"}, opposite: true,
		count: `SELECT COALESCE(max(mappings), 0) FROM memory_versions` + byIdentifier,
	},
	position: func(m model.LearnedMapping) []any {
		return []any{toMicros(m.On), string(m.Kind), m.Field, learnedKey(m)}
	},
}

const byIdentifier = ` WHERE org = $1 AND import_identifier = $2`

// learnedKey returns a string that identifies a mapping among all mappings of an import
// identifier. The parts of the hashed string are unambiguous, because neither kinds nor field
// keys contain U+0000.
func learnedKey(m model.LearnedMapping) string {
	sum := sha256.Sum256([]byte(string(m.Kind) + "\x00" + m.Field + "\x00" + m.Text))
	return hex.EncodeToString(sum[:])
}

func (r memoryRows) Upsert(ctx context.Context, m model.LearnedMapping) error {
	cells := append(memories.cells(&m), learnedKey(m), len(m.Field)+len(m.Text)+len(m.Value))
	_, err := r.exec(ctx, "save learned mapping", `
		INSERT INTO memories (`+memories.list+`, place, size) VALUES (`+placeholders(len(cells))+`)
		ON CONFLICT (org, import_identifier, place)
		DO UPDATE SET value = excluded.value, size = excluded.size, import_id = excluded.import_id, remembered = excluded.remembered`, cells...)
	return err
}

func (r memoryRows) List(ctx context.Context, org, identifier string, page model.PageRequest) (model.Page[model.LearnedMapping], error) {
	return memoryList.page(ctx, r.txn, page, org, identifier)
}

func (r memoryRows) Columns(ctx context.Context, org, identifier string) ([]model.LearnedMapping, error) {
	return memories.all(ctx, r.txn, byIdentifier+` AND kind = '`+string(model.ColumnMemory)+`'`, org, identifier)
}

func (r memoryRows) Version(ctx context.Context, org, identifier string) (int64, error) {
	return r.count(ctx, memories.entity, `SELECT COALESCE(max(version), 0) FROM memory_versions`+byIdentifier, org, identifier)
}

func (r memoryRows) Remove(ctx context.Context, m model.LearnedMapping) error {
	_, err := r.exec(ctx, "delete learned mapping", `DELETE FROM memories`+byIdentifier+` AND place = $3`, m.Org, m.ImportIdentifier, learnedKey(m))
	return err
}

func (r memoryRows) Trim(ctx context.Context, org, identifier string, most int, size int64) error {
	over, err := r.count(ctx, memories.entity, `
		SELECT CASE WHEN count(*) > $3 OR sum(size) > $4 THEN 1 ELSE 0 END FROM memories`+byIdentifier, org, identifier, most, size)
	if err != nil || over == 0 {
		return err // most calls end here, because deciding what to delete sorts all mappings
	}
	_, err = r.exec(ctx, "delete old learned mappings", `
		DELETE FROM memories`+byIdentifier+` AND place IN (
			SELECT place FROM (
				SELECT place, row_number() OVER newest AS n, CAST(sum(size) OVER newest AS BIGINT) AS total
				FROM memories`+byIdentifier+` WINDOW newest AS (ORDER BY remembered DESC, kind, field, place)) AS ranked
			WHERE n > $3 OR total > $4)`, org, identifier, most, size)
	return err
}

func (r memoryRows) ForgetImport(ctx context.Context, org, importID string) error {
	_, err := r.exec(ctx, "delete learned mappings", `DELETE FROM memories WHERE org = $1 AND import_id = $2 AND import_id <> ''`, org, importID)
	return err
}

func (r memoryRows) Expire(ctx context.Context, org string, before time.Time, limit int) (int64, error) {
	return r.exec(ctx, "delete expired learned mappings", `
		DELETE FROM memories WHERE org = $1 AND (import_identifier, place) IN (
			SELECT import_identifier, place FROM memories WHERE org = $1 AND remembered < $2 ORDER BY remembered LIMIT $3)`, org, toMicros(before), max(limit, 0))
}

func (r memoryRows) Forget(ctx context.Context, org, identifier string) error {
	_, err := r.exec(ctx, "delete learned mappings", `DELETE FROM memories`+byIdentifier, org, identifier)
	return err
}
