package store

import (
	"context"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
)

type imports struct{ *txn }

const (
	importFixed = "id, org, schema_id, upload_id, inline, created"
	importMoved = "status, run, lost, node, filename, has_user, person, raw_key, raw_size, raw_sha256, stage, " +
		"result_key, result_size, result_sha256, modified, queued"
	importListed = importFixed + ", " + importMoved
	// importFound is what may be large, and is not listed.
	importFound   = "outcome, answers, memory"
	importColumns = importListed + ", " + importFound + ", " + documentColumns
)

func importFixedCells(i *service.Import) []any {
	return []any{&i.ID, &i.Org, &i.SchemaID, &i.UploadID, &i.Inline, micros{&i.Created}}
}

func importMovedCells(i *service.Import) []any {
	return []any{&i.Status, &i.Run, &i.Lost, &i.Node, &i.Filename, &i.HasUser, asJSON{&i.User},
		&i.Raw.Key, &i.Raw.Size, &i.Raw.SHA256, &i.Stage,
		&i.Result.Key, &i.Result.Size, &i.Result.SHA256, micros{&i.Modified}, micros{&i.Queued}}
}

func importListedCells(i *service.Import) []any {
	return append(importFixedCells(i), importMovedCells(i)...)
}

func importCells(i *service.Import) []any {
	return append(append(importListedCells(i), importFoundCells(i)...), documentCells(&i.Schema)...)
}

func importFoundCells(i *service.Import) []any {
	return []any{asJSON{&i.Outcome}, asJSON{&i.Answers}, asJSON{&i.Memory}}
}

func (r imports) Insert(ctx context.Context, imp service.Import) error {
	return r.insert(ctx, "import", "imports", importColumns, importCells(&imp)...)
}

func (r imports) Get(ctx context.Context, org, id string) (service.Import, error) {
	cells := func(i *service.Import) []any {
		list := importCells(i)
		list[len(importListedCells(i))] = outcomeCell{&i.Outcome, r.outcomes}
		return list
	}
	return one(ctx, r.txn, "import", cells,
		`SELECT `+importColumns+` FROM imports WHERE org = $1 AND id = $2`+r.hold, org, id)
}

func (r imports) List(ctx context.Context, org string, offset, limit int64) ([]service.Import, int64, error) {
	total, err := r.count(ctx, "import", `SELECT count(*) FROM imports WHERE org = $1`, org)
	if err != nil {
		return nil, 0, err
	}
	list, err := many(ctx, r.txn, "import", importListedCells,
		`SELECT `+importListed+` FROM imports WHERE org = $1 ORDER BY created DESC, id DESC LIMIT $2 OFFSET $3`,
		org, max(limit, 0), max(offset, 0))
	return list, total, err
}

func (r imports) Move(ctx context.Context, imp service.Import, from service.Status, run int) error {
	args := append([]any{imp.Org, imp.ID, string(from), run}, importMovedCells(&imp)...)
	n, err := r.exec(ctx, "moving an import",
		`UPDATE imports SET `+assign(importMoved+", "+importFound, 5)+`
		WHERE org = $1 AND id = $2 AND status = $3 AND run = $4`, append(args, importFoundCells(&imp)...)...)
	if err == nil && n == 0 {
		return &service.Error{Kind: service.Conflict, Code: "import_changed", Message: intray.NewMessage("import.changed_meanwhile", nil)}
	}
	return err
}

func (r imports) Delete(ctx context.Context, org, id string) error {
	return r.touch(ctx, "import", `DELETE FROM imports WHERE org = $1 AND id = $2`, org, id)
}

func (r imports) InStatus(ctx context.Context, status service.Status, node string, limit int) ([]service.ImportRef, error) {
	cells := func(i *service.ImportRef) []any { return []any{&i.Org, &i.ID, &i.Run} }
	return many(ctx, r.txn, "import", cells,
		`SELECT org, id, run FROM imports WHERE status = $1 AND ($2 = '' OR node = $2) ORDER BY created, id LIMIT $3`,
		string(status), node, max(limit, 0))
}
