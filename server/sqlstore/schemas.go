package sqlstore

import (
	"context"
	"iter"

	"github.com/intraydata/intray/server/model"
)

type schemaRows struct{ *txn }

const (
	schemaFixed   = "id, org, inline, created"
	schemaColumns = schemaFixed + ", " + schemaSaved
	schemaSaved   = "name, modified, " + documentColumns

	documentColumns = "fields, settings, hooks"
)

func schemaCells(s *model.Schema) []any {
	return append([]any{&s.ID, &s.Org, &s.Inline, micros{&s.Created}}, schemaSavedCells(s)...)
}

func schemaSavedCells(s *model.Schema) []any {
	return append([]any{&s.Name, micros{&s.Modified}}, documentCells(&s.Document)...)
}

func documentCells(d *model.Document) []any {
	return []any{rawJSON{&d.Fields}, rawJSON{&d.Settings}, rawJSON{&d.Hooks}}
}

func (r schemaRows) Insert(ctx context.Context, s model.Schema) error {
	return r.insert(ctx, "schema", "schemas", schemaColumns, schemaCells(&s)...)
}

func (r schemaRows) Get(ctx context.Context, org, id string) (model.Schema, error) {
	return queryOne(ctx, r.txn, "schema", schemaCells,
		`SELECT `+schemaColumns+` FROM schemas WHERE org = $1 AND id = $2`, org, id)
}

func (r schemaRows) List(ctx context.Context, org string) iter.Seq2[model.Schema, error] {
	return queryStream(ctx, r.txn, "schema", schemaCells,
		`SELECT `+schemaColumns+` FROM schemas WHERE org = $1 AND NOT inline ORDER BY created, id`, org)
}

func (r schemaRows) Replace(ctx context.Context, s model.Schema) error {
	// On PostgreSQL a broken rule would end the transaction: look first.
	same, err := r.count(ctx, "schema",
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
	return r.execOne(ctx, "schema",
		`UPDATE schemas SET `+assignments(schemaSaved, 3)+` WHERE org = $1 AND id = $2`,
		append([]any{s.Org, s.ID}, schemaSavedCells(&s)...)...)
}

func (r schemaRows) Delete(ctx context.Context, org, id string) error {
	return r.execOne(ctx, "schema", `DELETE FROM schemas WHERE org = $1 AND id = $2`, org, id)
}
