package api

import (
	"encoding/json"
	"net/http"

	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/schemajson"
)

// schema is a saved schema.
type schema struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Fields   json.RawMessage `json:"fields"`
	Settings json.RawMessage `json:"settings"`
	Hooks    json.RawMessage `json:"hooks"`
	Warnings []string        `json:"warnings,omitempty"`
}

func wireSchema(s service.Schema, warnings []string) schema {
	return schema{s.ID, s.Name, s.Document.Fields, s.Document.Settings, s.Document.Hooks, warnings}
}

// schemaDraft reads a body whose shape is checked already. An id in it is read
// only and has no effect.
func schemaDraft(c *call) service.SchemaDraft {
	doc := c.object()
	return service.SchemaDraft{ID: c.fixedID, Doc: schemajson.Doc{
		Name: text(doc, "name"), Fields: doc["fields"], Settings: doc["settings"], Hooks: doc["hooks"],
	}}
}

func (a *API) createSchema(c *call) (*answer, error) {
	s, warnings, err := a.cfg.Service.CreateSchema(c.ctx(), c.org, schemaDraft(c))
	if err != nil {
		return nil, err
	}
	return reply(http.StatusCreated, wireSchema(s, warnings))
}

func (a *API) listSchemas(c *call) (*answer, error) {
	list, err := a.cfg.Service.Schemas(c.ctx(), c.org)
	if err != nil {
		return nil, err
	}
	out := make([]schema, len(list))
	for i, s := range list {
		out[i] = wireSchema(s, nil)
	}
	return reply(http.StatusOK, out)
}

func (a *API) getSchema(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	s, err := a.cfg.Service.Schema(c.ctx(), c.org, id)
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, wireSchema(s, nil))
}

func (a *API) replaceSchema(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	s, warnings, err := a.cfg.Service.ReplaceSchema(c.ctx(), c.org, id, schemaDraft(c))
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, wireSchema(s, warnings))
}

func (a *API) deleteSchema(c *call) (*answer, error) {
	id, err := c.id("id")
	if err != nil {
		return nil, err
	}
	if err := a.cfg.Service.DeleteSchema(c.ctx(), c.org, id); err != nil {
		return nil, err
	}
	return reply(http.StatusNoContent, nil)
}
