package api

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/shape"
)

// What an answer tells of one cell at most, in bytes. The whole text is in the
// received file and in the result.
const (
	maxCellText = 64 << 10
	maxStepText = 4 << 10
)

// cell is where one cell came from, and what each step made of it.
type cell struct {
	Field    string        `json:"field"`
	Columns  []cellColumn  `json:"columns"`
	Raw      string        `json:"raw"`
	Value    *string       `json:"value"`
	Steps    []cellStep    `json:"steps"`
	Problems []cellProblem `json:"problems"`
}

type cellColumn struct {
	Index  int    `json:"index"`
	Header string `json:"header"`
}

type cellStep struct {
	Step string  `json:"step"`
	Text *string `json:"text"`
	reasonList
}

type cellProblem struct {
	Code  string `json:"code"`
	Level string `json:"level"`
	mainMessage
	ManyToOneIndex *int `json:"manyToOneIndex,omitempty"`
}

func wireCell(f intray.Field, t intray.Trace) cell {
	out := cell{
		Field: t.Field, Columns: []cellColumn{}, Raw: cut(t.Raw, maxCellText), Value: cutSome(t.Value, maxCellText),
		Steps: []cellStep{}, Problems: []cellProblem{},
	}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, cellColumn(c))
	}
	for _, s := range t.Steps {
		out.Steps = append(out.Steps, cellStep{s.Step, cutSome(s.Text, maxStepText), reasonsOf(s.Reasons)})
	}
	for _, p := range t.Problems {
		wire := cellProblem{Code: p.Code, Level: p.Level.String(), mainMessage: mainOf(p.Text)}
		if p.Field != intray.NoField && f.ManyToOne {
			wire.ManyToOneIndex = &p.Part
		}
		out.Problems = append(out.Problems, wire)
	}
	return out
}

// cut gives at most so many bytes of a text, and says so by an ellipsis.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

func cutSome(text *string, most int) *string {
	if text == nil {
		return nil
	}
	short := cut(*text, most)
	return &short
}

// getCells goes by way of a spool: each cell of a row may be long.
func (a *API) getCells(c *call) (*answer, error) {
	imp, err := found(c, a.cfg.Service.Import)
	if err != nil {
		return nil, err
	}
	query := c.r.URL.Query()
	row, err := rowParam(query)
	if err != nil {
		return nil, err
	}
	file, before := a.newSpool(0, nil), ""
	err = a.cfg.Service.Trace(c.ctx(), imp, row, query.Get("field"), func(f intray.Field, t intray.Trace) error {
		if before == "" {
			before = `{"row":` + strconv.FormatInt(t.Row, 10) + `,"line":` + strconv.FormatInt(t.Line, 10) + `,"cells":[`
		}
		encoded, err := encodeJSON(wireCell(f, t))
		if err != nil {
			return err
		}
		_, err = file.Write(append([]byte(before), encoded...))
		before = ","
		return err
	})
	if err == nil {
		_, err = io.WriteString(file, "]}")
	}
	if err != nil {
		file.close()
		return nil, err
	}
	return &answer{status: http.StatusOK, stream: file.stream}, nil
}

func rowParam(query url.Values) (int64, error) {
	if query.Get("row") == "" {
		return 0, invalidField("row", intray.NewMessage("request.row_missing", nil))
	}
	return number(query, "row", 0, 0)
}

func cellParams() []parameter {
	return []parameter{
		{"row", "The data row, counted from 0.", count("")},
		{"field", "The key of a field. Default all fields, in the order of the schema.", word("")},
	}
}

func cellsAnswer() *shape.Shape {
	column := object("", must("index", count("From 0, in the order of the file.")), must("header", word("")))
	step := object("", with(reasonsProps(), must("step", enum("", "read", "map", "parse", "check", "output")),
		must("text", orNull(word("What the cell was after it, at most 4,096 bytes of it; null where it had no value. After output as the result has it in JSON: text in quotes."))))...)
	problem := object("", with(mainProps("What is wrong and what to do."), must("code", word("The rule that was broken.")), must("level", enum("", "error", "warning", "info")),
		may("manyToOneIndex", count("Which of the columns, from 0.")))...)
	one := object("One cell, and how it came to be.",
		must("field", word("The key of the field.")), must("columns", list(column, "Those that feed the field; none where no column does.")),
		must("raw", word("The text that the file holds, at most 65,536 bytes of it; a JSON array of texts where several columns feed the field.")),
		must("value", orNull(word("The canonical text of the value, at most 65,536 bytes of it; null where the cell has none."))),
		must("steps", list(step, "In the order in which they were taken.")),
		must("problems", list(problem, "Those of the cell, then those of the row as a whole.")))
	return object("Where the cells of a row came from.", must("row", count("The data row, from 0.")),
		must("line", count("The line of the file in which it begins, from 1.")), must("cells", list(one, "")))
}
