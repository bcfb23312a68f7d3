package sqlstore

import (
	"context"
	"iter"

	"github.com/intraydata/intray/server/model"
)

type schemaRows struct{ ownedRows[model.Schema] }

var schemas = newTable("schemas", "schema", 4, func(to *columns, s *model.Schema) {
	to.add("id", &s.ID, "org", &s.Org, "inline", &s.Inline, "created", micros{&s.Created}, "name", &s.Name, "modified", micros{&s.Modified})
	addDocument(to, &s.Document)
})

func addDocument(to *columns, d *model.Document) {
	to.add("fields", rawJSON{&d.Fields}, "settings", rawJSON{&d.Settings}, "hooks", rawJSON{&d.Hooks})
}

// Get does not lock the row, because Replace writes all columns that can change.
func (r schemaRows) Get(ctx context.Context, org, id string) (model.Schema, error) {
	return schemas.one(ctx, r.txn, byID, org, id)
}

func (r schemaRows) List(ctx context.Context, org string) iter.Seq2[model.Schema, error] {
	return schemas.stream(ctx, r.txn, ` WHERE org = $1 AND NOT inline ORDER BY created, id`, org)
}

func (r schemaRows) Replace(ctx context.Context, s model.Schema) error {
	// On PostgreSQL, a violated constraint would end the transaction, so check
	// first.
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
	return r.Save(ctx, s)
}
