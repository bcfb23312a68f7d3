package service_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/draft"
	"github.com/intraydata/intray/internal/service"
)

// orders have fields whose values are chosen from a list, and one whose are not.
const orders = `[{"key":"size","label":"Size","type":"select","selectOptions":[{"label":"Small","value":"S"},{"label":"Large","value":"L"}]},
	{"key":"home:land","label":"Country","type":"country"},{"key":"home","label":"Home"},
	{"key":"tags","label":"Tags","type":["multi-select",{}],"selectOptions":[{"label":"New","value":"new"},{"label":"Old","value":"old"}]},
	{"key":"state","label":"State","type":"us-state-territory"},{"key":"secret","label":"Secret","type":"country","hidden":true}]`

const (
	block     = `{"importIdentifier":"crm","invalidDataBehavior":"BLOCK_SUBMIT"}`
	orderFile = "Size,Country,Home,Tags,State\nmittel,Absurdistan,x,\"new,gone\",Golden State\nS,DE,x,new,CA\n"
)

// TestTextsAreMapped says what texts stand for, and is not asked again.
func TestTextsAreMapped(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.imported(f.org, orders, block, orderFile)
	if f.status(imp, service.NeedsReview); imp.Outcome.ErrorRows != 1 || len(imp.Open()) > 0 {
		t.Fatalf("outcome %+v", imp.Outcome)
	}
	f.answer(imp, intray.Answers{"value:size:mittel": "Large", "value:home:land:Absurdistan": "", "value:tags:new,gone": "new, old"})
	f.runAll()
	imp = f.status(imp, service.NeedsReview) // the state is still wrong
	f.answer(imp, intray.Answers{"value:state:Golden State": "California"})
	f.runAll()
	const result = `[{"size":"L","home:land":null,"home":"x","tags":["new","old"],"state":"CA"},{"size":"S","home:land":"DE","home":"x","tags":["new"],"state":"CA"}]`
	want := strings.ReplaceAll(result, `"state":"CA"}`, `"state":"CA","secret":null}`)
	f.wantResult(imp, want)
	f.wantMemory("crm", "value home:land Absurdistan", "value size mittel L", "value state Golden State CA", "value tags new,gone new, old")
	f.wantResult(f.imported(f.org, orders, block, orderFile), want)
}

// TestMappedTextIsTakenBack runs again without it.
func TestMappedTextIsTakenBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.answered(orders, block, orderFile, intray.Answers{"value:home:land:Absurdistan": ""})
	f.status(imp, service.NeedsReview)
	_, err := f.AnswerQuestions(f.ctx, f.org, imp.ID, map[string]*string{"value:home:land:Absurdistan": nil}, false)
	must(t, err)
	f.runAll()
	if imp = f.status(imp, service.NeedsReview); len(imp.Answers) > 0 {
		t.Errorf("answers %v", imp.Answers)
	}
}

// TestMappedTextWaits keeps what is said of a text till the questions are
// answered.
func TestMappedTextWaits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.imported(f.org, orders, crm, "Size,size,Country\nmittel,S,DE\n")
	f.answer(imp, intray.Answers{"value:size:mittel": "S"})
	f.status(imp, service.NeedsReview)
	f.answer(imp, intray.Answers{"column:size": "0"})
	f.runAll()
	f.wantResult(imp, `[{"size":"S","home:land":"DE","home":null,"tags":null,"state":null,"secret":null}]`)
	f.wantMemory("crm", "column size Size", "value size mittel S")
}

func TestMappedTextIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	fields := strings.Replace(orders, `{"key":"state"`, `{"key":"size:x","label":"X","type":"country"},{"key":"state"`, 1)
	imp := f.imported(f.org, fields, block, orderFile)
	for name, c := range map[string]struct{ id, value, says string }{
		"of an unknown field":      {"value:nothing:x", "S", "names no field"},
		"of no field":              {"value:x", "S", "names no field"},
		"of a field of any text":   {"value:home:x", "S", "not chosen from a list"},
		"of a hidden field":        {"value:secret:x", "DE", "names no field"},
		"of two fields":            {"value:size:x:y", "S", "may mean several"},
		"without a text":           {"value:size:", "S", "must end in a text"},
		"with white space":         {"value:size: mittel", "S", "without white space"},
		"of a long text":           {"value:size:" + strings.Repeat("x", 1025), "S", "more than 1,024 bytes"},
		"that is no option":        {"value:size:mittel", "M", `"M" is no value`},
		"that is like an option":   {"value:size:mittel", "Smal", `"Smal" is no value`},
		"that is blank":            {"value:size:mittel", " ", "is no value"},
		"that is no country":       {"value:home:land:x", "Absurdistan", "is no value"},
		"with an option too many":  {"value:tags:x", "new,gone", "is no value"},
		"with an option repeated":  {"value:tags:x", "new,new", "is no value"},
		"that is no state":         {"value:state:x", "Bavaria", "is no value"},
		"taken back without cause": {"value:size:mittel", "\x00", "could be taken back"},
	} {
		given := answer(c.id, c.value)
		if c.value == "\x00" {
			given[c.id] = nil
		}
		_, err := f.AnswerQuestions(f.ctx, f.org, imp.ID, given, false)
		if f.refused(err, service.Invalid, "invalid"); err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("an answer %s: %v, want %q", name, err, c.says)
		}
	}
	if imp = f.status(imp, service.NeedsReview); len(imp.Answers) > 0 {
		t.Errorf("answers %v", imp.Answers)
	}
}

// TestAnswersAreBounded gives more than is taken.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.imported(f.org, orders, block, orderFile)
	for text, count := range map[string]int{"value:size:%01000d": 1100, "value:size:%d": service.MaxMemory + 1} {
		given := map[string]*string{}
		for n := range count {
			given[fmt.Sprintf(text, n)] = new(string)
		}
		_, err := f.AnswerQuestions(f.ctx, f.org, imp.ID, given, false)
		if f.refused(err, service.Invalid, "invalid"); !strings.Contains(err.Error(), "too many") {
			t.Errorf("error %v", err)
		}
	}
	if diff := cmp.Diff(imp, f.now(imp)); diff != "" {
		t.Error(diff)
	}
}

// TestSearchesChosenNames finds rows by the name of one of several values in a cell.
func TestSearchesChosenNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const fields = `[{"key":"tags","label":"Tags","type":["multi-select",{}],"selectOptions":[{"label":"Fresh","value":"n"},{"label":"Old","value":"o"}]},{"key":"mail","label":"Mail","type":"email"}]`
	imp := f.imported(f.org, fields, block, "Tags,Mail\n\"o,n\",nobody\no,nobody\n")
	must(t, f.Rows(f.ctx, imp, func(d *draft.Draft) error {
		for search, rows := range map[string]int64{"fresh": 1, "old": 2, "[": 0} {
			if v, err := d.View(f.ctx, draft.Filter{Search: search}, nil); err != nil || v.Rows != rows {
				t.Errorf("%q is in %d rows, %v", search, v.Rows, err)
			}
		}
		return nil
	}))
}
