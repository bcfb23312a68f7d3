package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
)

// torn is CSV whose header could be two rows, whatever it holds.
type torn struct{ csv.Format }

func (f torn) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	book, err := f.Format.Open(ctx, in, opt)
	return tornBook{book, opt.HeaderRow != 0}, err
}

type tornBook struct {
	source.Book
	sure bool
}

func (b tornBook) Open(ctx context.Context, sheet int) (source.Reader, error) {
	r, err := b.Book.Open(ctx, sheet)
	return tornReader{r, b.sure}, err
}

type tornReader struct {
	source.Reader
	sure bool
}

func (r tornReader) Evidence() []intray.Evidence {
	own := slices.DeleteFunc(slices.Clone(r.Reader.Evidence()), func(e intray.Evidence) bool { return e.Choice == "header row" })
	return append(own, intray.Evidence{Choice: "header row", Value: "1", Reason: intray.Literal("it is text"), Tie: !r.sure,
		Alternatives: []intray.Choice{{Value: "2", Reason: intray.Literal("it is text too"), Examples: []string{"id", "name"}}, {Value: intray.NoAnswer, Reason: intray.Literal("all rows are alike")}}})
}

// asked tells a question in one line.
func asked(q intray.Question) string {
	text := q.ID
	for _, c := range q.Choices {
		text += " " + c.Value
	}
	if q.AnyColumn {
		text += " *"
	}
	return text
}

func TestQuestions(t *testing.T) {
	field := func(key string, must bool) intray.Field {
		return intray.Field{Key: key, Label: key, Type: intray.FieldType{Name: intray.TypeString}, RequireMapping: must}
	}
	required := field("name", false)
	required.Validators = []intray.Validator{{Rule: "required"}}
	for name, c := range map[string]struct {
		text    string
		format  source.Format
		fields  []intray.Field
		answers string
		want    string
	}{
		"a field that must have a column":          {"id,x\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", true)}, "", "column:name 1 *"},
		"it is answered":                           {"id,x\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", true)}, "column:name=1", "id=0 name=1"},
		"answered with a column that is not there": {"id,x\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", true)}, "column:name=2", "column:name 1 *"},
		"a required field may stay without":        {"id,x\n1,a\n", csv.Format{}, []intray.Field{field("id", true), required}, "", "column:name 1 none *"},
		"it stays without":                         {"id,x\n1,a\n", csv.Format{}, []intray.Field{field("id", true), required}, "column:name=none", "id=0 name=-1"},
		"no column has a name":                     {"x,y\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", false)}, "", "column:id 0 1 *;column:name 0 1 none *"},
		"one is named, the other is not needed":    {"x,y\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", false)}, "column:id=1", "id=1 name=-1"},
		"a column that two fields want":            {"Id,z\n1,a\n", csv.Format{}, []intray.Field{field("ID", false), field("iD", false)}, "", "field:0 ID iD none"},
		"one of them has it":                       {"Id,z\n1,a\n", csv.Format{}, []intray.Field{field("ID", false), field("iD", false)}, "field:0=iD", "ID=-1 iD=0"},
		"none of them has it":                      {"Id,z\n1,a\n", csv.Format{}, []intray.Field{field("ID", false), field("iD", false), field("z", false)}, "field:0=none", "ID=-1 iD=-1 z=1"},
		"a decision that nobody asked for":         {"id,name\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", false)}, "column:id=1 column:name=0", "id=1 name=0"},
		"two rows could be the header":             {"x,y\nid,name\n1,a\n", torn{}, []intray.Field{field("zip", true)}, "", "header_row 1 2 none"},
		"the schema knows the second":              {"x,y\nid,name\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", true)}, "", "id=0 name=1"},
		"the schema knows the first":               {"zip,street\nid,name\n1,a\n", csv.Format{}, []intray.Field{field("zip", true), field("street", true)}, "", "zip=0 street=1"},
		"the schema knows both":                    {"zip,y\nid,name\n1,a\n", torn{}, []intray.Field{field("zip", false), field("id", false)}, "", "header_row 1 2 none"},
		"it is the first":                          {"id,name\n1,a\n", torn{}, []intray.Field{field("id", true)}, "header_row=1", "id=0"},
	} {
		t.Run(name, func(t *testing.T) {
			answers := intray.Answers{}
			for _, pair := range strings.Fields(c.answers) {
				id, value, _ := strings.Cut(pair, "=")
				answers[id] = value
			}
			schema := &intray.Schema{Fields: c.fields, Settings: intray.DefaultSettings()}
			in := source.Input{Name: "x.csv", ReaderAt: strings.NewReader(c.text), Size: int64(len(c.text))}
			out, err := engine.New(engine.Config{Formats: []source.Format{c.format}}).Run(t.Context(), engine.Import{Input: in, Schema: schema, Answers: answers},
				func([]string, []int) (engine.Sink, error) { return &largest{}, nil })
			if err != nil {
				t.Fatal(err)
			}
			if got := questionsOrMapping(out, c.fields); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if (len(out.Questions) > 0) != (out.Verdict == engine.Open) {
				t.Errorf("%d questions, verdict %d", len(out.Questions), out.Verdict)
			}
		})
	}
}

func questionsOrMapping(out *engine.Outcome, fields []intray.Field) string {
	var list []string
	for _, q := range out.Questions {
		list = append(list, asked(q))
	}
	if len(list) > 0 {
		return strings.Join(list, ";")
	}
	for i, f := range fields {
		list = append(list, fmt.Sprintf("%s=%d", f.Key, out.Mapping.Fields[i].Column))
	}
	return strings.Join(list, " ")
}

func TestTakes(t *testing.T) {
	q := intray.Question{Choices: []intray.Choice{{Value: "none"}, {Value: "2"}}, AnyColumn: true}
	for value, want := range map[string]bool{"none": true, "2": true, "0": true, "3": true, "4": false, "-1": false, "03": false, "+1": false, "": false} {
		if got := q.Accepts(value, 4); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	q.AnyColumn = false
	if q.Accepts("0", 4) || !q.Accepts("2", 4) {
		t.Error("another column is taken, or the choice is not")
	}
}

func TestSheetChoice(t *testing.T) {
	names := []string{"a", "b", "b", "", "#1"}
	for i, want := range []string{"a", "#2", "#3", "#4", "#5"} {
		if got := intray.SheetChoice(names, i); got != want {
			t.Errorf("sheet %d of %q: %q, want %q", i, names, got, want)
		}
	}
}
