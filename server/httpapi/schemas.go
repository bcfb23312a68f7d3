package httpapi

import (
	"iter"
	"math"
	"net/http"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

func wireSchema(s model.Schema, warnings []intray.Message) wire.Schema {
	return wire.Schema{
		ID: s.ID, Name: s.Name, Fields: s.Document.Fields, Settings: s.Document.Settings, Hooks: s.Document.Hooks,
		Warnings: wire.NewWarnings(warnings),
	}
}

func schemaBody() *jsonschema.Schema {
	example := map[string]any{
		"name":     "Contacts",
		"fields":   []any{map[string]any{"key": "name", "label": "Name"}, map[string]any{"key": "email", "label": "Email", "type": "email"}},
		"settings": map[string]any{"invalidDataBehavior": "BLOCK_SUBMIT"},
	}
	return bodyType("SchemaDraft", "A schema to save.", example,
		optional("id", uuidType("Read-only: the server assigns it.")),
		required("name", &jsonschema.Schema{Kind: jsonschema.String, NoControl: true, MinLength: 1, MaxLength: 255, Description: "Unique in the organization."}),
		required("fields", schema.FieldsShape()),
		required("settings", schema.SettingsShape()),
		optional("hooks", schema.HooksShape()),
	)
}

// schemaDraft returns the schema in a body, which must already have been validated. It ignores
// an id in the body.
func schemaDraft(c *call) schemas.Draft {
	doc := c.bodyObject()
	return schemas.Draft{ID: c.fixedID, Doc: schema.Doc{
		Name: stringField(doc, "name"), Fields: doc["fields"], Settings: doc["settings"], Hooks: doc["hooks"],
	}}
}

func (a *API) createSchema(c *call) (*response, error) {
	s, warnings, err := a.cfg.Service.CreateSchema(c.context(), c.org, schemaDraft(c))
	return jsonResponse(http.StatusCreated, wireSchema(s, warnings), err)
}

// schemaPageParams are the parameters of the list of schemas, which has no pages unless a request
// asks for one.
func schemaPageParams() []parameter {
	return []parameter{
		{"offset", "Number of schemas to skip. Default: 0.", countType("")},
		{"limit", "Maximum number of schemas. Default: all.", &jsonschema.Schema{Kind: jsonschema.Integer, Min: jsonschema.Bound(1)}},
		cursorParam("The Link header contains the URL of the next page."),
	}
}

func (a *API) listSchemas(c *call) (*response, error) {
	query := c.r.URL.Query()
	offset, err := intParam(query, "offset", 0, math.MaxInt64, 0)
	if err != nil {
		return nil, err
	}
	limit, err := intParam(query, "limit", 1, math.MaxInt64, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	page := model.PageRequest{Offset: offset, Limit: limit, After: model.Cursor(query.Get("cursor"))}
	last := lastRow{page: page}
	answer, err := a.listResponse([]wire.Schema{}, func(out *listWriter) error {
		return a.cfg.Service.Schemas(c.context(), c.org, page, func(list iter.Seq2[model.Schema, error]) error {
			for s, err := range list {
				if err != nil {
					return err
				}
				last.passed(s.Cursor())
				if err := out.append(wireSchema(s, nil)); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err == nil && last.isFull() {
		answer.header = a.nextLink(c, "offset", page.Offset+page.Limit, "cursor", last.cursor)
	}
	return answer, err
}

func (a *API) getSchema(c *call) (*response, error) {
	s, err := loadByID(c, a.cfg.Service.Schema)
	return jsonResponse(http.StatusOK, wireSchema(s, nil), err)
}

func (a *API) replaceSchema(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	s, warnings, err := a.cfg.Service.ReplaceSchema(c.context(), c.org, id, schemaDraft(c))
	return jsonResponse(http.StatusOK, wireSchema(s, warnings), err)
}

func (a *API) getExtensions(c *call) (*response, error) {
	s, err := loadByID(c, a.cfg.Service.Schema)
	return jsonResponse(http.StatusOK, s.Document.Extensions, err)
}

func (a *API) replaceExtensions(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	s, err := a.cfg.Service.ReplaceExtensions(c.context(), c.org, id, any(c.bodyObject()))
	return jsonResponse(http.StatusOK, s.Document.Extensions, err)
}

func (a *API) deleteSchema(c *call) (*response, error) {
	return jsonResponse(http.StatusNoContent, nil, c.deleteByID("id", a.cfg.Service.DeleteSchema))
}
