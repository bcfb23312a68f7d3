package httpapi

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/server/model"
)

// openQuestions is what a person is asked about an import, and has answered.
type openQuestions struct {
	Status    string            `json:"status"`
	Questions []question        `json:"questions"`
	Answers   map[string]string `json:"answers"`
}

type question struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	mainMessage
	FieldKey    string   `json:"fieldKey,omitempty"`
	Header      string   `json:"header,omitempty"`
	Choices     []choice `json:"choices"`
	AnyColumn   bool     `json:"anyColumn"`
	ManyColumns bool     `json:"manyColumns"`
	Answer      *string  `json:"answer"`
}

type choice struct {
	Value string `json:"value"`
	labelMessage
	reasonMessage
	Examples []string  `json:"examples"`
	Readings []reading `json:"readings,omitempty"`
}

type reading struct {
	Raw   string `json:"raw"`
	Value string `json:"value"`
}

func wireQuestions(imp model.Import) openQuestions {
	out := openQuestions{Status: string(imp.Status), Questions: []question{}, Answers: map[string]string{}}
	for id, value := range imp.Answers {
		out.Answers[id] = value
	}
	for _, q := range imp.OpenQuestions() {
		wire := question{
			ID: q.ID, Type: string(q.Notice), mainMessage: mainOf(q.Text), FieldKey: q.Field, Header: q.Header,
			Choices: wireChoices(q.Choices), AnyColumn: q.AnyColumn, ManyColumns: q.Many,
		}
		if value, answered := imp.Answers[q.ID]; answered {
			wire.Answer = &value
		}
		out.Questions = append(out.Questions, wire)
	}
	return out
}

func wireChoices(choices []intray.Choice) []choice {
	out := make([]choice, len(choices))
	for i, c := range choices {
		out[i] = choice{c.Value, labelOf(c.Label), reasonOf(c.Reason), append([]string{}, c.Examples...), nil}
		for _, r := range c.Readings {
			out[i].Readings = append(out[i].Readings, reading{r.Raw, r.Value})
		}
		if c.Label.IsZero() {
			out[i].Label = c.Value
		}
	}
	return out
}

func (a *API) getQuestions(c *call) (*response, error) {
	imp, err := loadByID(c, a.cfg.Service.Import)
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusOK, wireQuestions(imp))
}

func (a *API) answerQuestions(c *call) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	doc := c.bodyObject()
	discard, _ := doc["discard"].(bool)
	imp, err := a.cfg.Service.AnswerQuestions(c.context(), c.org, id, answersOf(doc), discard)
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusOK, wireQuestions(imp))
}

// answersOf reads the answers of a body; nil takes one back.
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
	return objectType("What a person decided.",
		required("answers", mapType(value, "By the id of the question: the value of one of its choices, where anyColumn is true also the index of any column, where manyColumns is true also several indexes joined by commas, or null to take an earlier answer back. "+
			"Two answers that give one column to two fields are refused. "+
			"By value:<field key>:<text>, without a question: the value that cells of that text are read as, by any of its names, \"\" for none.")),
		optional("discard", boolType("Go on also where the import runs again and changes of its rows are lost. Without it that is refused: 409 discards_changes, with the number of changes.")))
}

func questionsResponse() *jsonschema.Schema {
	read := objectType("", required("raw", stringType("The text of the cell.")), required("value", stringType("The value in the canonical form of its type; empty if the cell has none.")))
	one := objectType("", with(slices.Concat(labelProps(), reasonProps("What speaks for it; it may be \"\".")), required("value", stringType("What an answer holds.")),
		required("examples", arrayType(stringType(""), "Cells or headers.")),
		optional("readings", arrayType(read, "Some cells of the column and the values they would be read as. Only questions about the format of dates or numbers have them.")))...)
	open := objectType("A question that only a person can answer.", with(mainProps(""),
		required("id", stringType("Such as sheet, header_row, encoding, column:<field key>, field:<column index>.")),
		required("type", stringType("The type of the notice that tells of it.")),
		optional("fieldKey", stringType("")), optional("header", stringType("")),
		required("choices", arrayType(one, "The likeliest first.")), required("anyColumn", boolType("The index of any other column, from 0, is taken as well.")),
		required("manyColumns", boolType("Several columns are taken: their indexes, joined by commas.")),
		required("answer", nullable(stringType("The answer that is kept while others are missing."))))...)
	return objectType("What is open about an import.", required("status", enumType("", "AWAITING_UPLOAD", "PENDING", "RUNNING", "SUCCESSFUL", "FAILED", "NEEDS_REVIEW")),
		required("questions", arrayType(open, "At most 100 at a time. Empty unless the import is NEEDS_REVIEW.")),
		required("answers", mapType(stringType(""), "All answers that were given, by the id of the question.")))
}

// learnedMapping is one thing that a person decided.
type learnedMapping struct {
	Kind           string  `json:"kind"`
	Field          string  `json:"field"`
	Text           string  `json:"text"`
	Value          *string `json:"value"`
	RememberedDate string  `json:"remembered_date"`
}

func wireLearnedMapping(r model.LearnedMapping) learnedMapping {
	out := learnedMapping{Kind: string(r.Kind), Field: r.Field, Text: r.Text, RememberedDate: formatTime(r.On)}
	if r.Kind == model.ValueMemory {
		out.Value = &r.Value
	}
	return out
}

func (a *API) listMemory(c *call) (*response, error) {
	query := c.r.URL.Query()
	identifier, err := identifierParam(query)
	if err != nil {
		return nil, err
	}
	offset, limit, err := pageWindow(query)
	if err != nil {
		return nil, err
	}
	list, total, err := a.cfg.Service.Memory(c.context(), c.org, identifier, offset, limit)
	if err != nil {
		return nil, err
	}
	results := make([]learnedMapping, len(list))
	for i, r := range list {
		results[i] = wireLearnedMapping(r)
	}
	return jsonResponse(http.StatusOK, a.paginate(c, results, total, offset, limit, identifierName, identifier))
}

func (a *API) forgetMemory(c *call) (*response, error) {
	identifier, err := identifierParam(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	if err := a.cfg.Service.ForgetMemory(c.context(), c.org, identifier); err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusNoContent, nil)
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
	return []parameter{{identifierName, "The importIdentifier of the settings of imports.", stringType("")}}
}

func learnedMappingResponse() *jsonschema.Schema {
	return objectType("One thing that a person decided.",
		required("kind", enumType("", "column", "value")), required("field", stringType("The key of the field.")),
		required("text", stringType("The header of the column, or the text of cells.")),
		required("value", nullable(stringType("What the text is read as, \"\" for an empty cell; null with a column."))),
		required("remembered_date", timestampType("")))
}
