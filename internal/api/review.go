package api

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/internal/shape"
)

// layout is how the file of an import under review was understood.
type layout struct {
	Status   string         `json:"status"`
	Filename string         `json:"filename"`
	Evidence []layoutChoice `json:"evidence"`
	Columns  []layoutColumn `json:"columns"`
	Fields   []layoutField  `json:"fields"`
	// Answers are all that persons gave, and Changes how many changes of rows would
	// be dropped where the file is read again.
	Answers map[string]string `json:"answers"`
	Changes int               `json:"changes"`
}

type layoutChoice struct {
	Choice string `json:"choice"`
	Value  string `json:"value"`
	reasonMessage
	// Answer is the id of the answer that chooses another one, or "".
	Answer string   `json:"answer"`
	Rivals []choice `json:"rivals"`
}

type layoutColumn struct {
	Index    int      `json:"index"`
	Header   string   `json:"header"`
	Examples []string `json:"examples"`
	Field    *string  `json:"field"`
}

type layoutField struct {
	Key            string  `json:"key"`
	Label          string  `json:"label"`
	Type           string  `json:"type"`
	Required       bool    `json:"required"`
	RequireMapping bool    `json:"requireMapping"`
	ManyToOne      bool    `json:"manyToOne"`
	Columns        []int   `json:"columns"`
	Score          float64 `json:"score"`
	reasonList
	Decided string `json:"decided"`
}

// choiceAnswers are the ids of answers, by the names under which evidence has what
// they choose.
var choiceAnswers = map[string]string{
	"sheet": intray.AnswerSheet, "encoding": intray.AnswerEncoding, "delimiter": intray.AnswerDelimiter, "header row": intray.AnswerHeaderRow,
}

func (a *API) getLayout(c *call) (*answer, error) {
	return a.replyLayout(c, c.reviewed)
}

func (a *API) postLayout(c *call) (*answer, error) {
	imp, err := a.cfg.Service.Relay(c.ctx(), c.reviewed.Org, c.reviewed.ID, answersOf(c.object()))
	if err != nil {
		return nil, err
	}
	return a.replyLayout(c, imp)
}

func (a *API) replyLayout(c *call, imp service.Import) (*answer, error) {
	schema, err := a.cfg.Service.FrozenSchema(imp)
	if err != nil {
		return nil, err
	}
	out := layout{
		Status: string(imp.Status), Filename: imp.Filename, Evidence: []layoutChoice{}, Columns: []layoutColumn{}, Fields: []layoutField{}, Answers: map[string]string{},
	}
	for id, value := range imp.Answers {
		out.Answers[id] = value
	}
	if out.Changes, err = a.cfg.Service.Changes(c.ctx(), imp); err != nil {
		return nil, err
	}
	fed := map[int]string{}
	for i, f := range schema.Fields {
		one := wireLayoutField(f, imp, i)
		for _, column := range one.Columns {
			fed[column] = f.Key
		}
		if !f.Hidden {
			out.Fields = append(out.Fields, one)
		}
	}
	if o := imp.Outcome; o != nil {
		out.Evidence, out.Columns = wireEvidence(o.Evidence), wireColumns(o.Headers, o.Examples, fed)
	}
	return unkept(out, nil)
}

func wireEvidence(evidence []intray.Evidence) []layoutChoice {
	list := []layoutChoice{}
	for _, e := range evidence {
		list = append(list, layoutChoice{e.Choice, e.Value, reasonOf(e.Reason), choiceAnswers[e.Choice], wireChoices(e.Rivals)})
	}
	return list
}

func wireColumns(headers []string, examples [][]string, fed map[int]string) []layoutColumn {
	list := []layoutColumn{}
	for i, header := range headers {
		one := layoutColumn{Index: i, Header: cut(header, maxStepText), Examples: []string{}}
		if i < len(examples) { // imports that were read by an earlier version have none
			one.Examples = append(one.Examples, examples[i]...)
		}
		if key, feeds := fed[i]; feeds {
			one.Field = &key
		}
		list = append(list, one)
	}
	return list
}

func wireLayoutField(f intray.Field, imp service.Import, at int) layoutField {
	one := layoutField{
		Key: f.Key, Label: f.Label, Type: string(f.Type.Name), RequireMapping: f.RequireMapping, ManyToOne: f.ManyToOne,
		Required: requires(f), Columns: []int{}, reasonList: reasonsOf(nil), Decided: "file",
	}
	if imp.Outcome != nil && at < len(imp.Outcome.Mapping.Fields) {
		m := imp.Outcome.Mapping.Fields[at]
		one.Columns, one.Score, one.reasonList = append(one.Columns, m.All()...), m.Score, reasonsOf(m.Reasons)
	}
	_, said := imp.Answers[intray.AnswerColumn+f.Key]
	for id, key := range imp.Answers {
		said = said || key == f.Key && strings.HasPrefix(id, intray.AnswerField)
	}
	if said {
		one.Decided = "person"
	}
	return one
}

func requires(f intray.Field) bool {
	return slices.ContainsFunc(f.Validators, func(v intray.Validator) bool { return v.Rule == "required" })
}

func layoutAnswer() *shape.Shape {
	rival := object("", with(slices.Concat(labelProps(), reasonProps("")), must("value", word("")), must("examples", list(word(""), "")))...)
	evidence := object("", with(reasonProps(""), must("choice", word("What was chosen: format, encoding, delimiter, sheet, header row and others.")), must("value", word("")),
		must("answer", word("The id of the answer that chooses another one; empty where none does.")), must("rivals", list(rival, "What else it could be, the likeliest first.")))...)
	column := object("", must("index", count("")), must("header", word("")), must("examples", list(word(""), "Some of its cells.")), must("field", orNull(word("The key of the field that it feeds."))))
	field := object("", with(reasonsProps(), must("key", word("")), must("label", word("")), must("type", word("")), must("required", flag("Its cells must hold something.")), must("requireMapping", flag("It must have a column.")),
		must("manyToOne", flag("It takes several columns.")), must("columns", list(count(""), "")), must("score", &shape.Shape{Kind: shape.Number, Doc: "From 0 to 1."}),
		must("decided", enum("Who chose its columns.", "person", "file")))...)
	return object("How the file was understood.", must("status", enum("", "AWAITING_UPLOAD", "PENDING", "RUNNING", "SUCCESSFUL", "FAILED", "NEEDS_REVIEW")), must("filename", word("")),
		must("evidence", list(evidence, "")), must("columns", list(column, "")), must("fields", list(field, "Without hidden ones.")),
		must("answers", mapOf(word(""), "All answers that were given, by their ids.")), must("changes", count("How many changes of rows are dropped where the file is read again.")))
}
