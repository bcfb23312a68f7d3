package api

import (
	"net/http"
	"net/url"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/internal/shape"
)

// remembered is one thing that a person decided.
type remembered struct {
	Kind           string  `json:"kind"`
	Field          string  `json:"field"`
	Text           string  `json:"text"`
	Value          *string `json:"value"`
	RememberedDate string  `json:"remembered_date"`
}

func wireRemembered(r service.Remembered) remembered {
	out := remembered{Kind: string(r.Kind), Field: r.Field, Text: r.Text, RememberedDate: stamp(r.On)}
	if r.Kind == service.ValueMemory {
		out.Value = &r.Value
	}
	return out
}

func (a *API) listMemory(c *call) (*answer, error) {
	query := c.r.URL.Query()
	identifier, err := identifierParam(query)
	if err != nil {
		return nil, err
	}
	offset, limit, err := window(query)
	if err != nil {
		return nil, err
	}
	list, total, err := a.cfg.Service.Memory(c.ctx(), c.org, identifier, offset, limit)
	if err != nil {
		return nil, err
	}
	results := make([]remembered, len(list))
	for i, r := range list {
		results[i] = wireRemembered(r)
	}
	return reply(http.StatusOK, a.page(c, results, total, offset, limit, identifierName, identifier))
}

func (a *API) forgetMemory(c *call) (*answer, error) {
	identifier, err := identifierParam(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	if err := a.cfg.Service.ForgetMemory(c.ctx(), c.org, identifier); err != nil {
		return nil, err
	}
	return reply(http.StatusNoContent, nil)
}

// identifierName is the parameter that says which imports are meant.
const identifierName = "import_identifier"

func identifierParam(query url.Values) (string, error) {
	identifier := query.Get(identifierName)
	if identifier == "" {
		return "", invalidField(identifierName, intray.NewMessage("request.import_identifier_missing", nil))
	}
	return identifier, nil
}

func identifierParams() []parameter {
	return []parameter{{identifierName, "The importIdentifier of the settings of imports.", word("")}}
}

func memoryAnswer() *shape.Shape {
	return object("One thing that a person decided.",
		must("kind", enum("", "column", "value")), must("field", word("The key of the field.")),
		must("text", word("The header of the column, or the text of cells.")),
		must("value", orNull(word("What the text is read as, \"\" for an empty cell; null with a column."))),
		must("remembered_date", moment("")))
}
