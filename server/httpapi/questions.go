package httpapi

import (
	"context"
	"net/http"
	"net/url"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/model"
)

func wireQuestions(imp model.Import) wire.Questions {
	out := wire.Questions{Status: string(imp.Status), Questions: []wire.Question{}, Answers: map[string]string{}}
	for id, value := range imp.Answers {
		out.Answers[id] = value
	}
	for _, q := range imp.OpenQuestions() {
		question := wire.Question{
			ID: q.ID, Type: string(q.Notice), Message: wire.NewMessage(q.Text), FieldKey: q.Field, Header: q.Header,
			Choices: mapEach(q.Choices, wireChoice), AnyColumn: q.AnyColumn, ManyColumns: q.Many,
		}
		if value, answered := imp.Answers[q.ID]; answered {
			question.Answer = &value
		}
		out.Questions = append(out.Questions, question)
	}
	return out
}

func wireChoice(c intray.Choice) wire.Choice {
	out := wire.Choice{Alternative: wireAlternative(c)}
	for _, r := range c.Readings {
		out.Readings = append(out.Readings, wire.Reading(r))
	}
	return out
}

func wireAlternative(c intray.Choice) wire.Alternative {
	out := wire.Alternative{Value: c.Value, Label: wire.NewLabel(c.Label), Reason: wire.NewReason(c.Reason), Examples: append([]string{}, c.Examples...)}
	if c.Label.IsZero() {
		out.Label.Text = c.Value
	}
	return out
}

func (a *API) getQuestions(c *call) (*response, error) {
	imp, err := loadByID(c, a.cfg.Service.Import)
	return jsonResponse(http.StatusOK, wireQuestions(imp), err)
}

func (a *API) answerQuestions(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	doc := c.bodyObject()
	discard, _ := doc["discard"].(bool)
	imp, err := a.cfg.Service.AnswerQuestions(c.context(), c.org, id, answersOf(doc), discard)
	return jsonResponse(http.StatusOK, wireQuestions(imp), err)
}

// answersOf returns the answers in a body by question id. Nil withdraws an answer.
func answersOf(doc map[string]any) map[string]*string {
	answers := map[string]*string{}
	sent, _ := doc["answers"].(map[string]any)
	for id, value := range sent {
		answers[id] = nil
		if text, given := value.(string); given {
			answers[id] = &text
		}
	}
	return answers
}

func answersBody() *jsonschema.Schema {
	value := &jsonschema.Schema{Kind: jsonschema.String, NoControl: false, MaxLength: 1024, Nullable: true}
	return objectType("Answers to questions.",
		required("answers", mapType(value, "By question id: the value of one of its choices, the index of any column if anyColumn is true, several indexes joined by commas if manyColumns is true, or null to withdraw an earlier answer. "+
			"Two answers that assign one column to two fields are refused. "+
			"value:<field key>:<raw value> needs no question: the answer is the value that cells with this raw value are read as, by any of its names, or \"\" for none.")),
		optional("discard", boolType("Confirm that changes to rows are lost when the import runs again. Otherwise the answers are refused with 409, the code discards_changes and the number of changes.")))
}

func wireLearnedMapping(r model.LearnedMapping) wire.LearnedMapping {
	out := wire.LearnedMapping{Kind: string(r.Kind), Field: r.Field, Text: r.Text, RememberedDate: formatTime(r.On)}
	if r.Kind == model.ValueMemory {
		out.Value = &r.Value
	}
	return out
}

func (a *API) listMemory(c *call) (*response, error) {
	identifier, err := identifierParam(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	list := func(ctx context.Context, org string, offset, limit int64) ([]model.LearnedMapping, int64, error) {
		return a.cfg.Service.Memory(ctx, org, identifier, offset, limit)
	}
	return listPage(a, c, list, wireLearnedMapping, identifierName, identifier)
}

func (a *API) forgetMemory(c *call) (*response, error) {
	identifier, err := identifierParam(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusNoContent, nil, a.cfg.Service.ForgetMemory(c.context(), c.org, identifier))
}

// identifierName is the name of the query parameter that contains the import identifier.
const identifierName = "import_identifier"

func identifierParam(query url.Values) (string, error) {
	identifier := query.Get(identifierName)
	if identifier == "" {
		return "", invalidField(identifierName, intray.NewMessage("request.import_identifier_missing", nil))
	}
	return identifier, nil
}

func identifierParams() []parameter {
	return []parameter{{identifierName, "The importIdentifier in the settings of the imports.", stringType("")}}
}
