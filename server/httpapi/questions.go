package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"time"

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
	answer := a.cfg.Service.AnswerQuestions
	if c.op.auth == authReviewCookie {
		answer = a.cfg.Service.AnswerQuestionsOnPage
	}
	imp, err := answer(c.context(), c.org, id, answersOf(doc), discard)
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

// maxAnswer is the maximum length of an answer, in characters. The longest are lists of added columns.
const maxAnswer = 1 << 17

func answersBody() *jsonschema.Schema {
	value := &jsonschema.Schema{Kind: jsonschema.String, NoControl: false, MaxLength: maxAnswer, Nullable: true}
	return bodyType("AnswersRequest", "Answers to questions.", map[string]any{"answers": map[string]any{"header_row": "0", "column:email": "2"}},
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
	list := func(ctx context.Context, org string, page model.PageRequest) (model.Page[model.LearnedMapping], error) {
		return a.cfg.Service.Memory(ctx, org, identifier, page)
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

func (a *API) getLexicon(c *call) (*response, error) {
	identifier, err := identifierParam(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	list, err := a.cfg.Service.Lexicon(c.context(), c.org, identifier)
	out := wire.Lexicon{Columns: []wire.LexiconColumn{}, Values: []wire.LexiconValue{}}
	for _, r := range list {
		if r.Kind == model.ColumnMemory {
			out.Columns = append(out.Columns, wire.LexiconColumn{Field: r.Field, Header: r.Text, RememberedDate: formatTime(r.On)})
			continue
		}
		out.Values = append(out.Values, wire.LexiconValue{Field: r.Field, Text: r.Text, Value: r.Value, RememberedDate: formatTime(r.On)})
	}
	return jsonResponse(http.StatusOK, out, err)
}

func (a *API) replaceLexicon(c *call) (*response, error) {
	identifier, err := identifierParam(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	doc := c.bodyObject()
	list, err := learnedIn(doc, "columns", model.ColumnMemory, "header")
	if err != nil {
		return nil, err
	}
	values, err := learnedIn(doc, "values", model.ValueMemory, "text")
	if err != nil {
		return nil, err
	}
	if err := a.cfg.Service.ReplaceLexicon(c.context(), c.org, identifier, append(list, values...)); err != nil {
		return nil, err
	}
	return a.getLexicon(c)
}

// learnedIn returns the mappings in a list of a lexicon. text is the property with their text.
func learnedIn(doc map[string]any, name string, kind model.MemoryKind, text string) (list []model.LearnedMapping, err error) {
	all, _ := doc[name].([]any)
	for _, one := range all {
		of, _ := one.(map[string]any)
		r := model.LearnedMapping{Kind: kind, Field: stringField(of, "field"), Text: stringField(of, text), Value: stringField(of, "value")}
		if date := stringField(of, "remembered_date"); date != "" {
			if r.On, err = time.Parse(time.RFC3339Nano, date); err != nil {
				return nil, invalidField(name, intray.NewMessage("lexicon.invalid_date", intray.Params{"date": model.Truncate(date)}))
			}
		}
		list = append(list, r)
	}
	return list, nil
}

func lexiconBody() *jsonschema.Schema {
	text := func(doc string) *jsonschema.Schema {
		return &jsonschema.Schema{Kind: jsonschema.String, MinLength: 1, Description: doc}
	}
	date := optional("remembered_date", timeType("When a person last confirmed the mapping. Default: now."))
	example := map[string]any{
		"columns": []any{map[string]any{"field": "email", "header": "E-Mail"}},
		"values":  []any{map[string]any{"field": "country", "text": "Deutschl.", "value": "DE"}},
	}
	return bodyType("LexiconDraft", "The learned mappings of an import identifier.", example,
		optional("columns", arrayType(namedType("LexiconColumnDraft", "Which header maps to a field.", required("field", text("The key of the field.")), required("header", text("The header of the column.")), date), "Which header maps to which field.")),
		optional("values", arrayType(namedType("LexiconValueDraft", "Which raw value maps to a value.", required("field", text("The key of the field.")), required("text", text("The raw value of cells.")),
			required("value", stringType("The value that the raw value is read as, empty for an empty cell.")), date), "Which raw value maps to which value.")))
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
