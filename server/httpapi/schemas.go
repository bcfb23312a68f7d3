package httpapi

import (
	"encoding/json"
	"iter"
	"net/http"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

// savedSchema is a saved schema.
type savedSchema struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Fields   json.RawMessage `json:"fields"`
	Settings json.RawMessage `json:"settings"`
	Hooks    json.RawMessage `json:"hooks"`
	warningList
}

func wireSchema(s model.Schema, warnings []intray.Message) savedSchema {
	return savedSchema{s.ID, s.Name, s.Document.Fields, s.Document.Settings, s.Document.Hooks, warningsOf(warnings)}
}

// schemaDraft reads a body whose shape is checked already. An id in it is read
// only and has no effect.
func schemaDraft(c *call) schemas.Draft {
	doc := c.bodyObject()
	return schemas.Draft{ID: c.fixedID, Doc: schema.Doc{
		Name: stringField(doc, "name"), Fields: doc["fields"], Settings: doc["settings"], Hooks: doc["hooks"],
	}}
}

func (a *API) createSchema(c *call) (*response, error) {
	s, warnings, err := a.cfg.Service.CreateSchema(c.context(), c.org, schemaDraft(c))
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusCreated, wireSchema(s, warnings))
}

func (a *API) listSchemas(c *call) (*response, error) {
	return a.listResponse([]savedSchema{}, func(out *listWriter) error {
		return a.cfg.Service.Schemas(c.context(), c.org, func(list iter.Seq2[model.Schema, error]) error {
			for s, err := range list {
				if err != nil {
					return err
				}
				if err := out.append(wireSchema(s, nil)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (a *API) getSchema(c *call) (*response, error) {
	s, err := loadByID(c, a.cfg.Service.Schema)
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusOK, wireSchema(s, nil))
}

func (a *API) replaceSchema(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	s, warnings, err := a.cfg.Service.ReplaceSchema(c.context(), c.org, id, schemaDraft(c))
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusOK, wireSchema(s, warnings))
}

func (a *API) deleteSchema(c *call) (*response, error) {
	if err := c.deleteByID("id", a.cfg.Service.DeleteSchema); err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusNoContent, nil)
}
