package main

import (
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/importer"
	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/review"
)

// reportFlags select the form of a report. --text takes precedence, because INTRAY_JSON may be
// set for all commands.
type reportFlags struct {
	JSON bool `name:"json" help:"Output JSON (default when stdout is not a terminal)."`
	Text bool `name:"text" help:"Output text (default on a terminal). Takes precedence over --json."`
}

// write writes a report as JSON or as text.
func (f reportFlags) write(w io.Writer, report any, writeText func(io.Writer) error) error {
	if !f.Text && (f.JSON || !isTerminal(w)) {
		return writeJSON(w, report)
	}
	return writeText(w)
}

// listFlags are reportFlags for commands whose output is text by default, even if stdout is not
// a terminal.
type listFlags struct {
	JSON bool `name:"json" help:"Output JSON."`
	Text bool `name:"text" help:"Output text (default). Takes precedence over --json."`
}

func (f listFlags) write(w io.Writer, report any, writeText func(io.Writer) error) error {
	return reportFlags{JSON: f.JSON, Text: !f.JSON || f.Text}.write(w, report, writeText)
}

// wiredRun is the JSON form of the summary of an import. Lines, rows and columns count from 1,
// except for the indexes of columns, which count from 0 as in the API.
type wiredRun struct {
	File       string `json:"file"`
	Verdict    string `json:"verdict"`
	ExitStatus int    `json:"exitStatus"`
	// Out is the file with the result, or null if none was written.
	Out           *string             `json:"out"`
	DataRows      int64               `json:"dataRows"`
	RowsWithError int64               `json:"rowsWithError"`
	OutputRows    int64               `json:"outputRows"`
	Evidence      []inspectedChoice   `json:"evidence"`
	Mapping       mapped              `json:"mapping"`
	Notices       []wiredNotice       `json:"notices"`
	Problems      int64               `json:"problems"`
	Groups        []wiredProblemGroup `json:"problemGroups"`
	// Timings are only there with --timings.
	Timings []wiredTiming `json:"timings,omitempty"`
}

type wiredTiming struct {
	Stage   string  `json:"stage"`
	Seconds float64 `json:"seconds"`
	// Serial reports that the stage uses one processor at a time.
	Serial bool `json:"serial"`
}

type wiredNotice struct {
	Type    string `json:"type"`
	Level   string `json:"level"`
	Message string `json:"message"`
}

type wiredProblemGroup struct {
	Field    string         `json:"fieldKey,omitempty"`
	Code     string         `json:"code"`
	Level    string         `json:"level"`
	Problems int64          `json:"problems"`
	Rows     int64          `json:"rows"`
	Examples []wiredProblem `json:"examples"`
}

type wiredProblem struct {
	Line    int64  `json:"line"`
	Row     int64  `json:"row"`
	Value   string `json:"value"`
	Message string `json:"message"`
	// Suggestions are values that the raw value may mean.
	Suggestions []string `json:"suggestions,omitempty"`
}

func wireRun(file, out string, schema *intray.Schema, report server.RunReport, status int) wiredRun {
	o := report.Outcome
	wired := wiredRun{
		File: file, Verdict: verdictNames[o.Verdict], ExitStatus: status,
		DataRows: o.DataRows, RowsWithError: o.ErrorRows, OutputRows: report.OutputRows,
		Evidence: wireChoices(o.Evidence), Mapping: wireMapping(schema, o), Notices: []wiredNotice{},
		Problems: o.Problems, Groups: []wiredProblemGroup{},
	}
	if status == exitDone || status == exitInvalid {
		wired.Out = &out
	}
	for _, n := range o.Notices {
		wired.Notices = append(wired.Notices, wiredNotice{string(n.Type), n.Level.String(), n.Text.String()})
	}
	for _, g := range report.Groups {
		wired.Groups = append(wired.Groups, wiredProblemGroup{
			Field: g.Field, Code: g.Code, Level: g.Level.String(), Problems: g.Problems, Rows: g.Rows, Examples: wireProblems(g.Examples, suggesterOf(schema, o, g.Field)),
		})
	}
	return wired
}

func wireProblems(problems []importer.Problem, suggest func(text string) []string) []wiredProblem {
	list := make([]wiredProblem, 0, len(problems))
	for _, p := range problems {
		list = append(list, wiredProblem{p.Line, p.Row + 1, p.Value, p.Message.String(), suggest(p.Value)})
	}
	return list
}

// maxSuggestions is the maximum number of suggestions for a value.
const maxSuggestions = 3

// suggesterOf returns a function that suggests values to replace invalid text in a field.
func suggesterOf(schema *intray.Schema, o *engine.Outcome, key string) func(text string) []string {
	none := func(string) []string { return nil }
	at := schema.FieldIndex(key)
	if at < 0 {
		return none
	}
	suggester, err := review.NewSuggester(model.Import{Outcome: &model.Outcome{Outcome: *o}}, schema.Fields[at])
	if err != nil {
		return none // suggestions are optional
	}
	return func(text string) (list []string) {
		for _, s := range suggester.Suggest(text, maxSuggestions) {
			list = append(list, s.Text)
		}
		return list
	}
}
