package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
)

// ambiguousHeader is a CSV format whose reader reports that either of two rows could be the
// header, unless an answer specifies the header row.
type ambiguousHeader struct{ csv.Format }

func (f ambiguousHeader) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	book, err := f.Format.Open(ctx, in, opt)
	return ambiguousHeaderBook{book, opt.HeaderRow != 0}, err
}

type ambiguousHeaderBook struct {
	source.Book
	decided bool
}

func (b ambiguousHeaderBook) Open(ctx context.Context, sheet int) (source.Reader, error) {
	r, err := b.Book.Open(ctx, sheet)
	return ambiguousHeaderReader{r, b.decided}, err
}

type ambiguousHeaderReader struct {
	source.Reader
	decided bool
}

func (r ambiguousHeaderReader) Evidence() []intray.Evidence {
	own := slices.DeleteFunc(slices.Clone(r.Reader.Evidence()), func(e intray.Evidence) bool { return e.Choice == "header row" })
	return append(own, intray.Evidence{Choice: "header row", Value: "1", Reason: intray.Literal("it is text"), Tie: !r.decided,
		Alternatives: []intray.Choice{{Value: "2", Reason: intray.Literal("it is text too"), Examples: []string{"id", "name"}}, {Value: intray.NoAnswer, Reason: intray.Literal("all rows are alike")}}})
}

// formatQuestion returns the ID and the values of the choices of a question, followed by * if
// any column is a valid answer.
func formatQuestion(q intray.Question) string {
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
		"a required mapping":                  {"id,x\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", true)}, "", "column:name 1 *"},
		"a required mapping, answered":        {"id,x\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", true)}, "column:name=1", "id=0 name=1"},
		"an answer with an unknown column":    {"id,x\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", true)}, "column:name=2", "column:name 1 *"},
		"a required field may have no column": {"id,x\n1,a\n", csv.Format{}, []intray.Field{field("id", true), required}, "", "column:name 1 none *"},
		"a required field has no column":      {"id,x\n1,a\n", csv.Format{}, []intray.Field{field("id", true), required}, "column:name=none", "id=0 name=-1"},
		"no column matches":                   {"x,y\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", false)}, "", "column:id 0 1 *;column:name 0 1 none *"},
		"one answered, the other optional":    {"x,y\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", false)}, "column:id=1", "id=1 name=-1"},
		"a column that matches two fields":    {"Id,z\n1,a\n", csv.Format{}, []intray.Field{field("ID", false), field("iD", false)}, "", "field:0 ID iD none"},
		"one of them is the answer":           {"Id,z\n1,a\n", csv.Format{}, []intray.Field{field("ID", false), field("iD", false)}, "field:0=iD", "ID=-1 iD=0"},
		"none of them is the answer":          {"Id,z\n1,a\n", csv.Format{}, []intray.Field{field("ID", false), field("iD", false), field("z", false)}, "field:0=none", "ID=-1 iD=-1 z=1"},
		"answers of several kinds":            {"Id,z\n1,a\n", csv.Format{}, []intray.Field{field("ID", false), field("iD", false)}, "delimiter=, field:0=iD field:9=ID", "ID=-1 iD=0"},
		"an answer without a question":        {"id,name\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", false)}, "column:id=1 column:name=0", "id=1 name=0"},
		"two rows could be the header":        {"x,y\nid,name\n1,a\n", ambiguousHeader{}, []intray.Field{field("zip", true)}, "", "header_row 1 2 none"},
		"the second row has the field names":  {"x,y\nid,name\n1,a\n", csv.Format{}, []intray.Field{field("id", true), field("name", true)}, "", "id=0 name=1"},
		"the first row has the field names":   {"zip,street\nid,name\n1,a\n", csv.Format{}, []intray.Field{field("zip", true), field("street", true)}, "", "zip=0 street=1"},
		"both rows have a field name":         {"zip,y\nid,name\n1,a\n", ambiguousHeader{}, []intray.Field{field("zip", false), field("id", false)}, "", "header_row 1 2 none"},
		"a record or a part of the header":    {"id,a,b\nx,closed,open\n1,2,3\n2,3,4\n3,4,5\n", csv.Format{}, []intray.Field{field("z", false)}, "", "header_row 1 1–2"},
		"both rows are the header":            {"id,a,b\nx,closed,open\n1,2,3\n2,3,4\n3,4,5\n", csv.Format{}, []intray.Field{field("a closed", false)}, "header_row=1-2", "a closed=1"},
		"another table below":                 {"id,name,qty\n1,a,3\n2,b,4\n\ncity,people\nBonn,5\nUlm,6\n", csv.Format{}, []intray.Field{field("name", true)}, "", "header_row 1 5"},
		"the table above is the answer":       {"id,name,qty\n1,a,3\n2,b,4\n\ncity,people\nBonn,5\nUlm,6\n", csv.Format{}, []intray.Field{field("name", true)}, "header_row=1", "name=1"},
		"the table below is the answer":       {"id,name,qty\n1,a,3\n2,b,4\n\ncity,people\nBonn,5\nUlm,6\n", csv.Format{}, []intray.Field{field("city", true)}, "header_row=5", "city=0"},
		"quotes that may be misplaced":        {misplacedQuotes, csv.Format{}, []intray.Field{field("zip", true)}, "", "misplaced_quotes quotes text"},
		"they are quotes":                     {misplacedQuotes, csv.Format{}, []intray.Field{field("zip", true)}, "misplaced_quotes=quotes", "zip=2"},
		"they are text":                       {misplacedQuotes, csv.Format{}, []intray.Field{field("zip", true)}, "misplaced_quotes=text", "zip=2"},
		"the first row is the answer":         {"id,name\n1,a\n", ambiguousHeader{}, []intray.Field{field("id", true)}, "header_row=1", "id=0"},
	} {
		t.Run(name, func(t *testing.T) {
			answers := intray.Answers{}
			for _, pair := range strings.Fields(c.answers) {
				id, value, _ := strings.Cut(pair, "=")
				answers[id] = value
			}
			schema := &intray.Schema{Fields: c.fields, Settings: intray.DefaultSettings()}
			in := inputOf("x.csv", c.text)
			out, err := engine.New(engine.Config{Formats: []source.Format{c.format}}).Run(t.Context(), engine.Import{Input: in, Schema: schema, Answers: answers}, openSink(&batchSizes{}))
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

// misplacedQuotes is a table in which it is uncertain whether the quotes enclose two lines.
const misplacedQuotes = "name,city,zip\nAda,\"Ulm,1\nBob,Bonn\",2\nCyrus,Kiel,3\n"

// TestMisplacedQuotesBelowSample checks that quotes that may be misplaced are a question if they are below the
// sample, that it shows both readings, and that the answer decides how many rows there are.
func TestMisplacedQuotesBelowSample(t *testing.T) {
	const rows = 6000
	var text strings.Builder
	text.WriteString("id,note,zip\n")
	for i := range rows {
		switch {
		case i == rows/2:
			fmt.Fprintf(&text, "%d,\"call him,%d\n%d,please\",%d\n", i, 10000+i, i, 10000+i)
		case i%3 == 0:
			fmt.Fprintf(&text, "%d,\"call him\nlater %d, please\",%d\n", i, i%17, 10000+i)
		default:
			fmt.Fprintf(&text, "%d,no answer %d,%d\n", i, i%13, 10000+i)
		}
	}
	schema := &intray.Schema{Settings: intray.DefaultSettings()}
	for _, key := range []string{"id", "note", "zip"} {
		schema.Fields = append(schema.Fields, intray.Field{Key: key, Label: key, Type: intray.FieldType{Name: intray.TypeString}})
	}
	for answer, want := range map[string]int64{"": 0, "quotes": rows, "text": rows + 1} {
		answers := intray.Answers{}
		if answer != "" {
			answers[intray.AnswerMisplacedQuotes] = answer
		}
		out, err := engine.New(engine.Config{Formats: []source.Format{csv.Format{}}}).Run(t.Context(),
			engine.Import{Input: inputOf("x.csv", text.String()), Schema: schema, Answers: answers}, openSink(&batchSizes{}))
		if err != nil {
			t.Fatal(err)
		}
		if answer != "" {
			if out.Verdict != engine.Done || out.DataRows != want {
				t.Errorf("%s: verdict %d, %d rows, want %d", answer, out.Verdict, out.DataRows, want)
			}
			continue
		}
		if out.Verdict != engine.Open || len(out.Questions) != 1 || out.Questions[0].Notice != intray.RepairedRow {
			t.Fatalf("verdict %d, questions %+v", out.Verdict, out.Questions)
		}
		q := out.Questions[0]
		for _, want := range []string{"opened on line 4,002 is closed only on line 4,003", "lines 4,002 to 4,003 are one record", "lines 4,002 to 4,003 are 2 records"} {
			shown := q.Text.String() + q.Choices[0].Label.String() + q.Choices[1].Label.String()
			if !strings.Contains(shown, want) {
				t.Errorf("the question lacks %q: %s", want, shown)
			}
		}
		if len(q.Choices[0].Examples) == 0 || len(q.Choices[1].Examples) != 2 {
			t.Errorf("the examples are %q and %q", q.Choices[0].Examples, q.Choices[1].Examples)
		}
	}
}

func questionsOrMapping(out *engine.Outcome, fields []intray.Field) string {
	var list []string
	for _, q := range out.Questions {
		list = append(list, formatQuestion(q))
	}
	if len(list) > 0 {
		return strings.Join(list, ";")
	}
	for i, f := range fields {
		list = append(list, fmt.Sprintf("%s=%d", f.Key, out.Mapping.Fields[i].Column))
	}
	return strings.Join(list, " ")
}

// csvSheets is a format with several sheets. Each sheet is CSV. Lines of "---" separate the
// sheets.
type csvSheets struct{ csv.Format }

func (csvSheets) Open(_ context.Context, in source.Input, opt source.Options) (source.Book, error) {
	text := make([]byte, in.Size)
	if _, err := in.ReadAt(text, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return &csvSheetsBook{strings.Split(string(text), "---\n"), opt}, nil
}

type csvSheetsBook struct {
	texts []string
	opt   source.Options
}

func (*csvSheetsBook) Evidence() []intray.Evidence { return nil }
func (*csvSheetsBook) Close() error                { return nil }

func (b *csvSheetsBook) Sheets() (list []source.Sheet) {
	for i := range b.texts {
		list = append(list, source.Sheet{Name: string(rune('A' + i)), Hidden: strings.HasPrefix(b.texts[i], "hidden")})
	}
	return list
}

func (b *csvSheetsBook) Open(ctx context.Context, i int) (source.Reader, error) {
	in := source.Input{ReaderAt: strings.NewReader(b.texts[i]), Size: int64(len(b.texts[i]))}
	book, err := csv.Format{}.Open(ctx, in, b.opt)
	if err != nil {
		return nil, err
	}
	return book.Open(ctx, 0)
}

// TestSheets checks files with several sheets: a single table is chosen and recorded as
// evidence, and several tables lead to a question.
func TestSheets(t *testing.T) {
	schema := &intray.Schema{Fields: []intray.Field{{Key: "a", Label: "A", Type: intray.FieldType{Name: intray.TypeString}}}, Settings: intray.DefaultSettings()}
	for _, c := range []struct{ text, answer, want string }{
		{"a\n1\n", "", "done, sheet A: the file has only one sheet"},
		{"\"\"\n---\na\n1\n---\n\"\"\n", "", "done, sheet B: it is the only one of 3 sheets that contains a table"},
		{"a\n1\n---\nb\n2\n---\n\"\"\n", "", "open: The file contains 2 tables: \"A\", \"B\". Choose the one to import. A (a) B (b)"},
		{"a\n1\n---\na\n2\n---\n\"\"\n", "B", "done, sheet B: it was requested"},
		{"hidden\nx\n---\na\n1\n---\nhidden\ny\n", "", "done, sheet B: of 3 sheets, it is the only visible one that contains a table; hidden sheets contain tables, too"},
		{"hidden\nx\n---\na\n1\n---\nb\n2\n", "", "open: The file contains 3 tables: \"A\", \"B\", \"C\". Choose the one to import. A (hidden) B (a) C (b)"},
		{"a\n1\n", "B", "broken: We can't read this file because the requested sheet \"B\" does not exist."},
		{strings.Repeat("a\n1\n---\n", 6) + "a\n1\n", "", "open: The file contains 7 tables: \"A\", \"B\", \"C\", \"D\", \"E\" and 2 more. " +
			"Choose the one to import. A (a) B (a) C (a) D (a) E (a) F (a) G (a) #1,#2,#3,#4,#5,#6,#7 () #1,#2,#3,#4,#5,#6,#7,names ()"},
		{"a,b\n1,2\n---\nc\n2\n---\n A,B\n3,4\n", "", "open: The file contains 3 tables: \"A\", \"B\", \"C\". Choose the one to import. A (a b) B (c) C (A B) #1,#3 () #1,#3,names ()"},
		{"a\n1\n---\na\n2\n---\na\n3\n", "#1,#3", "done, sheet A: 2 sheets are read as one table, as requested, sheet C: 2 sheets are read as one table, as requested"},
		{"a\n1\n---\na\n2\n", "#1,#3", "broken: We can't read this file because the requested sheet \"#1,#3\" does not exist."},
		{"a\n1\n---\nb\n2\n", "#1,#2", "broken: We can't read this file because the sheet \"B\" does not have the same columns as \"A\", so they cannot be read as one table., sheet A: 2 sheets are read as one table, as requested, sheet B: 2 sheets are read as one table, as requested"},
		{"a\n1\n---\nAnn\n", "", "done, sheet A: it is the only one of 2 sheets that contains a table"},
		{"a\n1\n---\nBob\n---\n\"\"\n---\nb\n2\n", "", "open: The file contains 2 tables: \"A\", \"D\". Choose the one to import. A (a) D (b)"},
		{"a\n1\n---\nBob\nAnn\n", "", "open: The file contains 2 tables: \"A\", \"B\". Choose the one to import. A (a) B (Bob)"},
		{"Ann\n---\n\"\"\n", "", "open: It's unclear which row is the header row. The most likely is row 1: it names the columns. Choose one., sheet A: it is the only one of 2 sheets that contains a table 1 () none (Ann)"},
		{"a\n1\n---\na\n", "B", "open: The file has a header row but no data rows. Add at least one row., sheet B: it was requested"},
	} {
		e := engine.New(engine.Config{Formats: []source.Format{csvSheets{}}})
		in := inputOf("x.csv", c.text)
		answers := intray.Answers{}
		if c.answer != "" {
			answers[intray.AnswerSheet] = c.answer
		}
		out, err := e.Run(t.Context(), engine.Import{Input: in, Schema: schema, Answers: answers}, openSink(&batchSizes{}))
		if err != nil {
			t.Fatal(err)
		}
		if got := sheetResult(out); got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.text, c.answer, got, c.want)
		}
	}
}

// TestSingleCellReported checks that the text of a sheet with a single cell is reported.
func TestSingleCellReported(t *testing.T) {
	schema := &intray.Schema{Fields: []intray.Field{{Key: "a", Label: "A", Type: intray.FieldType{Name: intray.TypeString}}}, Settings: intray.DefaultSettings()}
	e := engine.New(engine.Config{Formats: []source.Format{csvSheets{}}})
	out, err := e.Run(t.Context(), engine.Import{Input: inputOf("x.csv", "Ann\n---\na\n1\n"), Schema: schema}, openSink(&batchSizes{}))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(out.Evidence, func(e intray.Evidence) bool { return e.Choice == "sheets without a table" })
	if i < 0 || out.Evidence[i].Value != "A: Ann" {
		t.Errorf("evidence %v", out.Evidence)
	}
	n := slices.IndexFunc(out.Notices, func(n intray.Notice) bool { return n.Type == intray.OtherTables })
	if n < 0 || *out.Notices[n].Value != "Ann" {
		t.Errorf("notices %v", out.Notices)
	}
}

// busySheets is a format in which finding the tables of a file is too much work after the first
// sheet.
type busySheets struct{ csvSheets }

func (f busySheets) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	book, err := f.csvSheets.Open(ctx, in, opt)
	return busyBook{book, opt.Work}, err
}

type busyBook struct {
	source.Book
	work *source.Work
}

func (b busyBook) Open(ctx context.Context, i int) (source.Reader, error) {
	b.work.Add(11 << 30)
	return b.Book.Open(ctx, i)
}

// TestUnexaminedSheets checks that sheets which were not examined are offered as tables, even if
// there is only one, and can be imported.
func TestUnexaminedSheets(t *testing.T) {
	schema := &intray.Schema{Fields: []intray.Field{{Key: "a", Label: "A", Type: intray.FieldType{Name: intray.TypeString}}}, Settings: intray.DefaultSettings()}
	notice := "The file has 3 sheets, and finding their tables takes too long. 2 of them were not examined."
	for _, c := range []struct{ text, answer, want string }{
		{"a\n1\n---\nb\n2\n---\nc\n3\n", "", "open: " + notice + " A (a) B () C ()"},
		{"\"\"\n---\nhidden\n2\n---\na\n3\n", "", "open: " + notice + " B () C ()"},
		{"a\n1\n---\nb\n2\n---\na\n3\n", "C", "done, sheet C: it was requested"},
	} {
		e := engine.New(engine.Config{Formats: []source.Format{busySheets{}}})
		answers := intray.Answers{}
		if c.answer != "" {
			answers[intray.AnswerSheet] = c.answer
		}
		out, err := e.Run(t.Context(), engine.Import{Input: inputOf("x.csv", c.text), Schema: schema, Answers: answers}, openSink(&batchSizes{}))
		if err != nil {
			t.Fatal(err)
		}
		if got := sheetResult(out); got != c.want || out.Notices[0].Text.String() != notice {
			t.Errorf("%q, %q: %s, notice %q, want %s", c.text, c.answer, got, out.Notices[0].Text, c.want)
		}
	}
}

func sheetResult(out *engine.Outcome) string {
	got := "done"
	switch out.Verdict {
	case engine.Open:
		got = "open: " + out.Notices[0].Text.String()
	case engine.Broken:
		got = "broken: " + out.Notices[0].Text.String()
	}
	for _, e := range out.Evidence {
		if e.Choice == "sheet" {
			got += ", sheet " + e.Value + ": " + e.Reason.String()
		}
	}
	for _, q := range out.Questions {
		for _, c := range q.Choices {
			got += " " + c.Value + " (" + strings.Join(c.Examples, " ") + ")"
		}
	}
	return got
}

// TestJoinedSheets checks that sheets with the same columns are imported as one table, and that their
// names can be imported as a column.
func TestJoinedSheets(t *testing.T) {
	field := func(key string) intray.Field {
		return intray.Field{Key: key, Label: key, Type: intray.FieldType{Name: intray.TypeString}}
	}
	schema := &intray.Schema{Fields: []intray.Field{field("sheet"), field("id")}, Settings: intray.DefaultSettings()}
	for answer, want := range map[string]string{"#1,#3": "sheet=-1 id=0", "#3,#1,names": "sheet=0 id=1"} {
		out, err := engine.New(engine.Config{Formats: []source.Format{csvSheets{}}}).Run(t.Context(), engine.Import{
			Input: inputOf("x.csv", "id\n1\n2\n---\nother\n---\nid\n3\n"), Schema: schema, Answers: intray.Answers{intray.AnswerSheet: answer},
		}, openSink(&batchSizes{}))
		if err != nil {
			t.Fatal(err)
		}
		if got := questionsOrMapping(out, schema.Fields); got != want || out.DataRows != 3 {
			t.Errorf("%s: %d rows, %s; want 3 rows, %s", answer, out.DataRows, got, want)
		}
	}
}
