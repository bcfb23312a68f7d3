package service_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/review"
)

func answerFields() []intray.Field {
	typed := func(key string, name intray.TypeName) intray.Field {
		return intray.Field{Key: key, Label: key, Type: intray.FieldType{Name: name}}
	}
	must, tags, secret := typed("must", intray.TypeString), typed("tags", intray.TypeString), typed("secret", intray.TypeString)
	must.RequireMapping, tags.ManyToOne, secret.Hidden = true, true, true
	size := typed("size", intray.TypeSelect)
	size.SelectOptions = []intray.SelectOption{{Label: "Large", Value: "L"}, {Label: "S", Value: "Small"}, {Label: "Small", Value: "S"}}
	return []intray.Field{
		typed("n", intray.TypeString), must, tags, secret, size,
		typed("c", intray.TypeCountry), typed("d", intray.TypeDate), typed("a:b", intray.TypeNumber), typed("none", intray.TypeString),
	}
}

// TestCheckAnswers checks which answers about a file with three columns are valid.
func TestCheckAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers intray.Answers
		// problem is part of the expected error message. "" means no error.
		problem string
	}{
		"of the reading":            {intray.Answers{"sheet": "A", "encoding": "UTF-8", "delimiter": ";", "column_starts": "1,9", "header_row": "2"}, ""},
		"of misplaced quotes":       {intray.Answers{"misplaced_quotes": "text"}, ""},
		"of other quotes":           {intray.Answers{"misplaced_quotes": "none"}, `"none" is not one of the choices for "misplaced_quotes"`},
		"without a header":          {intray.Answers{"header_row": "none"}, ""},
		"of no header":              {intray.Answers{"header_row": "abc"}, `"abc" is not one of the choices for "header_row"`},
		"of the row before all":     {intray.Answers{"header_row": "0"}, `"0" is not`},
		"of invalid column starts":  {intray.Answers{"column_starts": "1"}, `"1" is not one of the choices for "column_starts"`},
		"of no delimiter":           {intray.Answers{"delimiter": ""}, `"" is not one of the choices for "delimiter"`},
		"of columns":                {intray.Answers{"column:n": "2", "column:must": "0", "column:c": "none"}, ""},
		"of a column too many":      {intray.Answers{"column:n": "3"}, `"3" is not one of the choices for "column:n"`},
		"of a column below all":     {intray.Answers{"column:n": "-1"}, `"-1"`},
		"of a header":               {intray.Answers{"column:n": "Name"}, `"Name"`},
		"of a field not there":      {intray.Answers{"column:nn": "0"}, `"column:nn" (with the answer "0") does not name a field`},
		"of a hidden field":         {intray.Answers{"column:secret": "0"}, "does not name a field"},
		"of no column for a must":   {intray.Answers{"column:must": "none"}, `"none" is not`},
		"of several columns":        {intray.Answers{"column:tags": "2,0"}, ""},
		"of one column twice":       {intray.Answers{"column:tags": "2,2"}, `"2,2"`},
		"of several for one":        {intray.Answers{"column:n": "1,2"}, `"1,2"`},
		"of a field":                {intray.Answers{"field:0": "n", "field:1": "none", "field:2": "none"}, ""},
		"of no field":               {intray.Answers{"field:0": "zzz"}, `"zzz" is not one of the choices for "field:0"`},
		"of a field of no column":   {intray.Answers{"field:3": "n"}, `"field:3" (with the answer "n") does not name a column`},
		"of a field of no index":    {intray.Answers{"field:x": "n"}, "does not name a column"},
		"of a format":               {intray.Answers{"format:d:slash": "DMY", "format:d": "MDY", "format:a:b": "x", "format:a:b:y": "x"}, ""},
		"of the format of a text":   {intray.Answers{"format:n": "DMY"}, `"format:n" does not name a field`},
		"of the format of none":     {intray.Answers{"format:dd": "DMY"}, `"format:dd" does not name a field`},
		"of a value":                {intray.Answers{"value:c:x": "DE", "value:size:y": ""}, ""},
		"of no value":               {intray.Answers{"value:c:x": "Narnia"}, `"Narnia" is not a valid value for the field in "value:c:x"`},
		"of the value of none":      {intray.Answers{"value:cc:x": "DE"}, "does not name a field"},
		"of one column for two":     {intray.Answers{"column:n": "1", "column:must": "1"}, `"column:n" and "column:must" contradict`},
		"of many, one of them gone": {intray.Answers{"column:n": "1", "column:tags": "0,1"}, `"column:n" and "column:tags" contradict`},
		"of both, and the same":     {intray.Answers{"column:n": "1", "field:1": "n"}, ""},
		"of both, and another":      {intray.Answers{"column:n": "1", "field:1": "d"}, `"column:n" and "field:1" contradict`},
		"of both, and unused":       {intray.Answers{"column:n": "1", "field:1": "none"}, "contradict"},
		"of a field that has one":   {intray.Answers{"column:n": "1", "field:2": "n"}, "contradict"},
		"of a field that has none":  {intray.Answers{"column:n": "none", "field:2": "n"}, "contradict"},
		"of two columns for one":    {intray.Answers{"field:0": "n", "field:2": "n"}, `"field:0" and "field:2" contradict`},
		"of two columns for many":   {intray.Answers{"field:0": "tags", "field:2": "tags"}, ""},
		"next to the list of many":  {intray.Answers{"column:tags": "0,1", "field:2": "tags"}, "contradict"},
	} {
		_, err := review.CheckAnswers(answerFields(), 3, c.answers)
		if c.problem == "" && err != nil || c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("answers %s: error %v, want %q", name, err, c.problem)
		}
		if err != nil && strings.Contains(err.Error(), "request") {
			t.Errorf("answers %s: the error is about a request: %v", name, err)
		}
	}
	if _, err := review.CheckAnswers(answerFields(), -1, intray.Answers{"column:n": "9", "field:7": "c"}); err != nil {
		t.Errorf("columns of an unknown file: %v", err)
	}
}

// An answer that is the label of a value is replaced by the value, unless the value
// would be parsed as a different one.
func TestAnswersAreNormalized(t *testing.T) {
	t.Parallel()
	given := intray.Answers{"value:c:x": "Germany", "value:size:x": "Large", "value:size:y": "L", "value:c:y": "Narnia", "column:n": "0", "value:c:z": ""}
	got, err := review.CheckAnswers(answerFields(), -1, given)
	want := intray.Answers{"value:c:x": "DE", "value:size:x": "L", "value:size:y": "L", "value:c:y": "Narnia", "column:n": "0", "value:c:z": ""}
	if diff := cmp.Diff(want, got); diff != "" || err == nil || given["value:c:x"] != "Germany" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// Two fields cannot use the same column, whether the answers come in one request or in two.
func TestAnswersContradict(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(ambiguousFields, "")
	one, other := "1", "2"
	_, err := f.AnswerQuestions(f.ctx, f.org, imp.ID, map[string]*string{"column:email": &one, "column:name": &one}, false)
	if f.wantError(err, model.Invalid, "invalid"); !strings.Contains(err.Error(), `"column:email" and "column:name" contradict`) {
		t.Errorf("at once: %v", err)
	}
	_, err = f.AnswerQuestions(f.ctx, f.org, imp.ID, oneAnswer("column:email", "1"), false)
	must(t, err)
	_, err = f.AnswerQuestions(f.ctx, f.org, imp.ID, oneAnswer("column:name", "1"), false)
	f.wantError(err, model.Invalid, "invalid")
	if answers := f.wantStatus(imp, model.NeedsReview).Answers; len(answers) != 1 {
		t.Errorf("answers %v", answers)
	}
	_, err = f.AnswerQuestions(f.ctx, f.org, imp.ID, oneAnswer("column:name", other), false)
	must(t, err)
	f.runAll()
	f.wantStatus(imp, model.Successful)
}

// orders is a schema with one field of each type that has a list of values, and a text field.
const orders = `[{"key":"size","label":"Size","type":"select","selectOptions":[{"label":"Small","value":"S"},{"label":"Large","value":"L"}]},
	{"key":"home:land","label":"Country","type":"country"},{"key":"home","label":"Home"},
	{"key":"tags","label":"Tags","type":["multi-select",{}],"selectOptions":[{"label":"New","value":"new"},{"label":"Old","value":"old"}]},
	{"key":"state","label":"State","type":"us-state-territory"},{"key":"secret","label":"Secret","type":"country","hidden":true}]`

const (
	block     = `{"importIdentifier":"crm","invalidDataBehavior":"BLOCK_SUBMIT"}`
	orderFile = "Size,Country,Home,Tags,State\nmittel,Absurdistan,x,\"new,gone\",Golden State\nS,DE,x,new,CA\n"
)

// Answers map raw values to values of the list, in later imports too.
func TestValueAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importFile(f.org, orders, block, orderFile)
	if f.wantStatus(imp, model.NeedsReview); imp.Outcome.ErrorRows != 1 || len(imp.OpenQuestions()) > 0 {
		t.Fatalf("outcome %+v", imp.Outcome)
	}
	f.answerAll(imp, intray.Answers{"value:size:mittel": "Large", "value:home:land:Absurdistan": "", "value:tags:new,gone": "new, old"})
	f.runAll()
	imp = f.wantStatus(imp, model.NeedsReview) // the value of the state is still invalid
	f.answerAll(imp, intray.Answers{"value:state:Golden State": "California"})
	f.runAll()
	const result = `[{"size":"L","home:land":null,"home":"x","tags":["new","old"],"state":"CA"},{"size":"S","home:land":"DE","home":"x","tags":["new"],"state":"CA"}]`
	want := strings.ReplaceAll(result, `"state":"CA"}`, `"state":"CA","secret":null}`)
	f.wantResult(imp, want)
	f.wantMemory("crm", "value home:land Absurdistan", "value size mittel L", "value state Golden State CA", "value tags new,gone new, old")
	f.wantResult(f.importFile(f.org, orders, block, orderFile), want)
}

// After an answer is withdrawn, the import runs again without it.
func TestWithdrawnValueAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importAndAnswer(orders, block, orderFile, intray.Answers{"value:home:land:Absurdistan": ""})
	f.wantStatus(imp, model.NeedsReview)
	_, err := f.AnswerQuestions(f.ctx, f.org, imp.ID, map[string]*string{"value:home:land:Absurdistan": nil}, false)
	must(t, err)
	f.runAll()
	if imp = f.wantStatus(imp, model.NeedsReview); len(imp.Answers) > 0 {
		t.Errorf("answers %v", imp.Answers)
	}
}

// An answer about a value is saved even if the questions have not been answered.
func TestValueAnswerBeforeQuestions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importFile(f.org, orders, crm, "Size,size,Country\nmittel,S,DE\n")
	f.answerAll(imp, intray.Answers{"value:size:mittel": "S"})
	f.wantStatus(imp, model.NeedsReview)
	f.answerAll(imp, intray.Answers{"column:size": "0"})
	f.runAll()
	f.wantResult(imp, `[{"size":"S","home:land":"DE","home":null,"tags":null,"state":null,"secret":null}]`)
	f.wantMemory("crm", "column size Size", "value size mittel S")
}

func TestInvalidValueAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	fields := strings.Replace(orders, `{"key":"state"`, `{"key":"size:x","label":"X","type":"country"},{"key":"state"`, 1)
	imp := f.importFile(f.org, fields, block, orderFile)
	for name, c := range map[string]struct{ id, value, problem string }{
		"of an unknown field":      {"value:nothing:x", "S", "does not name a field"},
		"of no field":              {"value:x", "S", "does not name a field"},
		"of a field of any text":   {"value:home:x", "S", "cannot be chosen"},
		"of a hidden field":        {"value:secret:x", "DE", "does not name a field"},
		"of two fields":            {"value:size:x:y", "S", "could mean more than one"},
		"without a text":           {"value:size:", "S", "must end with a value"},
		"with white space":         {"value:size: mittel", "S", "no leading or trailing spaces"},
		"of a long text":           {"value:size:" + strings.Repeat("x", 1025), "S", "at most 1,024 bytes"},
		"that is no option":        {"value:size:mittel", "M", `"M" is not a valid value`},
		"that is like an option":   {"value:size:mittel", "Smal", `"Smal" is not a valid value`},
		"that is blank":            {"value:size:mittel", " ", "is not a valid value"},
		"that is no country":       {"value:home:land:x", "Absurdistan", "is not a valid value"},
		"with an option too many":  {"value:tags:x", "new,gone", "is not a valid value"},
		"with an option repeated":  {"value:tags:x", "new,new", "is not a valid value"},
		"that is no state":         {"value:state:x", "Bavaria", "is not a valid value"},
		"withdrawn without answer": {"value:size:mittel", "\x00", "to withdraw"},
	} {
		given := oneAnswer(c.id, c.value)
		if c.value == "\x00" {
			given[c.id] = nil
		}
		_, err := f.AnswerQuestions(f.ctx, f.org, imp.ID, given, false)
		if f.wantError(err, model.Invalid, "invalid"); err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("an answer %s: %v, want %q", name, err, c.problem)
		}
	}
	if imp = f.wantStatus(imp, model.NeedsReview); len(imp.Answers) > 0 {
		t.Errorf("answers %v", imp.Answers)
	}
}

// A request is refused if it contains too many answers or if they are too large.
func TestAnswerLimits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importFile(f.org, orders, block, orderFile)
	for text, count := range map[string]int{"value:size:%01000d": 1100, "value:size:%d": imports.MaxMemory + 1} {
		given := map[string]*string{}
		for n := range count {
			given[fmt.Sprintf(text, n)] = new(string)
		}
		_, err := f.AnswerQuestions(f.ctx, f.org, imp.ID, given, false)
		if f.wantError(err, model.Invalid, "invalid"); !strings.Contains(err.Error(), "must contain at most") {
			t.Errorf("error %v", err)
		}
	}
	if diff := cmp.Diff(imp, f.reload(imp)); diff != "" {
		t.Error(diff)
	}
}

// A search finds values by their labels in a cell with several values.
func TestSearchByLabel(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const fields = `[{"key":"tags","label":"Tags","type":["multi-select",{}],"selectOptions":[{"label":"Fresh","value":"n"},{"label":"Old","value":"o"}]},{"key":"mail","label":"Mail","type":"email"}]`
	imp := f.importFile(f.org, fields, block, "Tags,Mail\n\"o,n\",nobody\no,nobody\n")
	must(t, f.WithRows(f.ctx, imp, func(d *draft.Draft) error {
		for search, rows := range map[string]int64{"fresh": 1, "old": 2, "[": 0} {
			if v, err := d.OpenView(f.ctx, draft.Filter{Search: search}, nil); err != nil || v.Rows != rows {
				t.Errorf("%q is in %d rows, %v", search, v.Rows, err)
			}
		}
		return nil
	}))
}
