package storetest

import (
	"encoding/json"
	"math"

	"github.com/intraydata/intray/server/model"
)

func aSchema(n int, org, name string) model.Schema {
	return model.Schema{
		ID: id("schema", n), Org: org, Name: name, Created: startPlus(n), Modified: startPlus(n + 1),
		Document: model.Document{
			Fields:   json.RawMessage(`[{"key": "é\u0000", "label":"<&>"}]`),
			Settings: json.RawMessage(`{ }`), Extensions: json.RawMessage(`{"fields":{}}`),
		},
	}
}

func (f *fixture) insertSchemas(all ...model.Schema) {
	f.Helper()
	f.mustUpdate(func(tx model.Tx) error {
		for _, s := range all {
			if err := tx.Schemas.Insert(f.ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) schema(org, id string) func(model.Tx) (model.Schema, error) {
	return func(tx model.Tx) (model.Schema, error) { return tx.Schemas.Get(f.ctx, org, id) }
}

func (f *fixture) schemas(org string) []model.Schema {
	f.Helper()
	return read(f, func(tx model.Tx) (list []model.Schema, err error) {
		for s, err := range tx.Schemas.List(f.ctx, org, model.PageRequest{Limit: math.MaxInt64}) {
			if err != nil {
				return nil, err
			}
			list = append(list, s)
		}
		return list, nil
	})
}

func testSchemas(f *fixture) {
	late, soon, inline := aSchema(2, "org-a", "late"), aSchema(1, "org-a", "soon"), aSchema(3, "org-a", "late")
	inline.Inline = true
	f.insertSchemas(late, soon, inline, aSchema(4, "org-b", "late"))
	f.wantEqual(f.schemas("org-a"), []model.Schema{soon, late})
	f.wantEqual(read(f, f.schema("org-a", inline.ID)), inline)
	for offset, want := range []string{soon.ID, late.ID, ""} {
		f.wantEqual(read(f, func(tx model.Tx) (id string, err error) {
			for s, err := range tx.Schemas.List(f.ctx, "org-a", model.PageRequest{Offset: int64(offset), Limit: 1}) {
				id += s.ID
				if err != nil {
					return id, err
				}
			}
			return id, nil
		}), want)
	}
	f.wantEqual(read(f, func(tx model.Tx) (string, error) { return tx.Schemas.IDByName(f.ctx, "org-a", "late") }), late.ID)
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.Schemas.IDByName(f.ctx, "org-b", "soon"); return err })

	f.wantEqual(read(f, func(tx model.Tx) ([]string, error) {
		return tx.Schemas.SavedIDs(f.ctx, "org-a", []string{id("schema", 9), late.ID, inline.ID, id("schema", 4)})
	}), []string{late.ID})
	f.wantEqual(len(read(f, func(tx model.Tx) ([]string, error) { return tx.Schemas.SavedIDs(f.ctx, "org-a", nil) })), 0)

	changed := soon
	changed.Name, changed.Modified = "sooner", startPlus(90)
	changed.Document.Hooks = json.RawMessage(`{"rowHooks":[]}`)
	asked := changed
	asked.Created, asked.Inline, asked.Document.Extensions = startPlus(99), true, json.RawMessage(`{}`)
	f.mustUpdate(func(tx model.Tx) error { return tx.Schemas.Replace(f.ctx, asked) })
	f.wantEqual(read(f, f.schema("org-a", soon.ID)), changed)

	changed.Document.Extensions, changed.Modified = json.RawMessage(`{"fields":{"é\u0000":{}}}`), startPlus(91)
	f.mustUpdate(func(tx model.Tx) error {
		return tx.Schemas.SetExtensions(f.ctx, "org-a", soon.ID, changed.Document.Extensions, changed.Modified)
	})
	f.wantEqual(read(f, f.schema("org-a", soon.ID)), changed)
	f.wantRefused(model.NotFound, func(tx model.Tx) error {
		return tx.Schemas.SetExtensions(f.ctx, "org-b", soon.ID, changed.Document.Extensions, changed.Modified)
	})

	f.mustUpdate(func(tx model.Tx) error { return tx.Schemas.Delete(f.ctx, "org-a", soon.ID) })
	f.wantEqual(f.schemas("org-a"), []model.Schema{late})
	f.wantNotFound(func(tx model.Tx) error { _, err := f.schema("org-a", soon.ID)(tx); return err })
}

func testSchemaNames(f *fixture) {
	one, two := aSchema(1, "org-a", "one"), aSchema(2, "org-a", "two")
	f.insertSchemas(one, two, aSchema(3, "org-b", "one"))

	f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.Schemas.Insert(f.ctx, aSchema(4, "org-a", "one")) })
	f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.Schemas.Insert(f.ctx, aSchema(1, "org-b", "new id")) })
	renamed := two
	renamed.Name = "one"
	f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.Schemas.Replace(f.ctx, renamed) })
	f.wantEqual(f.schemas("org-a"), []model.Schema{one, two})

	// A schema can be replaced without changing its name, and the name of a deleted schema can
	// be used again.
	f.mustUpdate(func(tx model.Tx) error {
		if err := tx.Schemas.Replace(f.ctx, one); err != nil {
			return err
		}
		if err := tx.Schemas.Delete(f.ctx, "org-a", one.ID); err != nil {
			return err
		}
		return tx.Schemas.Replace(f.ctx, renamed)
	})
	f.wantEqual(f.schemas("org-a"), []model.Schema{renamed})
	unknown := aSchema(9, "org-a", "one")
	f.wantRefused(model.NotFound, func(tx model.Tx) error { return tx.Schemas.Replace(f.ctx, unknown) })
}
