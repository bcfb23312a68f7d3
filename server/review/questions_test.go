package review

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

func layoutFields() []intray.Field {
	var fields []intray.Field
	for _, key := range []string{"a", "b", "c", "d", "tags"} {
		fields = append(fields, intray.Field{Key: key, Label: key, Type: intray.FieldType{Name: intray.TypeString}, ManyToOne: key == "tags"})
	}
	country := intray.Field{Key: "country", Label: "Country", Type: intray.FieldType{Name: intray.TypeCountry}}
	return append(fields, country)
}

// given returns answers in the form in which a request contains them. The answer "withdrawn"
// becomes nil.
func given(answers intray.Answers) map[string]*string {
	out := map[string]*string{}
	for id, value := range answers {
		out[id] = &value
		if value == withdrawn {
			out[id] = nil
		}
	}
	return out
}

const withdrawn = "withdrawn"

// TestUpdatedAnswers checks updates to the answers about a file with columns 0 to 5. The file
// has two sheets.
func TestUpdatedAnswers(t *testing.T) {
	outcome := &model.Outcome{Outcome: engine.Outcome{
		Headers:   []string{"A", "B", "C", "D", "E", "F"},
		Evidence:  []intray.Evidence{{Choice: "delimiter", Value: ";", Alternatives: []intray.Choice{{Value: ","}, {Value: "|"}}}, {Choice: "encoding", Value: "UTF-8"}},
		Questions: []intray.Question{{ID: "other", Choices: []intray.Choice{{Value: "No"}}}, {ID: "sheet", Choices: []intray.Choice{{Value: "One"}, {Value: "Two"}}}},
	}}
	earlierValues, laterValues, both := intray.Answers{}, intray.Answers{}, intray.Answers{}
	for n := range 8 {
		earlier, later := fmt.Sprint("value:country:earlier", n), fmt.Sprint("value:country:later", n)
		earlierValues[earlier], laterValues[later] = "DE", "FR"
		both[earlier], both[later] = withdrawn, "FR"
	}
	for name, c := range map[string]struct {
		outcome         *model.Outcome
		before, answers intray.Answers
		want            intray.Answers
		// problem is part of the expected message. "" means no error.
		problem string
	}{
		"none":               {outcome, intray.Answers{"column:a": "1"}, nil, nil, "must contain at least one"},
		"the first":          {outcome, nil, intray.Answers{"column:a": "1"}, intray.Answers{"column:a": "1"}, ""},
		"another":            {outcome, intray.Answers{"column:a": "1"}, intray.Answers{"column:b": "2"}, intray.Answers{"column:a": "1", "column:b": "2"}, ""},
		"the same again":     {outcome, intray.Answers{"column:a": "1"}, intray.Answers{"column:a": "2"}, intray.Answers{"column:a": "2"}, ""},
		"withdrawn":          {outcome, intray.Answers{"column:a": "1", "field:2": "b"}, intray.Answers{"column:a": withdrawn}, intray.Answers{"field:2": "b"}, ""},
		"withdrawn unknown":  {outcome, intray.Answers{"column:a": "1"}, intray.Answers{"column:b": withdrawn}, intray.Answers{"column:a": "1"}, ""},
		"withdrawn and new":  {outcome, earlierValues, both, laterValues, ""},
		"labels":             {outcome, nil, intray.Answers{"value:country:x": "France"}, intray.Answers{"value:country:x": "FR"}, ""},
		"the last column":    {outcome, nil, intray.Answers{"column:a": "5"}, intray.Answers{"column:a": "5"}, ""},
		"a column too many":  {outcome, nil, intray.Answers{"column:a": "6"}, nil, `"6" is not one of the choices for "column:a"`},
		"an unknown file":    {nil, nil, intray.Answers{"column:a": "6", "sheet": "any"}, intray.Answers{"column:a": "6", "sheet": "any"}, ""},
		"a file of no row":   {&model.Outcome{}, nil, intray.Answers{"column:a": "6"}, intray.Answers{"column:a": "6"}, ""},
		"two at once":        {outcome, nil, intray.Answers{"column:a": "1", "column:b": "1"}, nil, "contradict"},
		"an unknown field":   {outcome, nil, intray.Answers{"column:zzz": "1"}, nil, "does not name a field"},
		"a column of others": {outcome, intray.Answers{"column:a": "1", "column:b": "2", "column:c": "3"}, intray.Answers{"column:d": "2"}, intray.Answers{"column:a": "1", "column:c": "3", "column:d": "2"}, ""},
		"columns of others": {
			outcome, intray.Answers{"column:a": "1", "column:b": "2", "field:3": "c", "field:4": "none", "field:0": "d", "value:country:1": "DE"},
			intray.Answers{"column:tags": "1,2,3,4"}, intray.Answers{"column:tags": "1,2,3,4", "field:0": "d", "value:country:1": "DE"}, "",
		},
		"one of several columns":  {outcome, intray.Answers{"column:tags": "4,1,2"}, intray.Answers{"column:a": "1"}, intray.Answers{"column:a": "1", "column:tags": "4,2"}, ""},
		"all of several columns":  {outcome, intray.Answers{"column:tags": "1,2"}, intray.Answers{"column:a": "1", "column:b": "2"}, intray.Answers{"column:a": "1", "column:b": "2"}, ""},
		"fields of other columns": {outcome, intray.Answers{"column:a": "1", "column:b": "2", "column:c": "3"}, intray.Answers{"field:1": "d", "field:2": "none"}, intray.Answers{"column:c": "3", "field:1": "d", "field:2": "none"}, ""},
		"no column twice":         {outcome, intray.Answers{"column:a": "none", "column:b": "none"}, intray.Answers{"column:c": "1"}, intray.Answers{"column:a": "none", "column:b": "none", "column:c": "1"}, ""},
		"a known sheet":           {outcome, nil, intray.Answers{"sheet": "Two"}, intray.Answers{"sheet": "Two"}, ""},
		"an unknown sheet":        {outcome, nil, intray.Answers{"sheet": "Three"}, nil, `"Three" is not one of the choices for "sheet"`},
		"a sheet of no question":  {outcome, nil, intray.Answers{"sheet": "No"}, nil, `"No" is not`},
		"the current delimiter":   {outcome, nil, intray.Answers{"delimiter": ";"}, intray.Answers{"delimiter": ";"}, ""},
		"another delimiter":       {outcome, nil, intray.Answers{"delimiter": "|"}, intray.Answers{"delimiter": "|"}, ""},
		"an unknown delimiter":    {outcome, nil, intray.Answers{"delimiter": "x"}, nil, `"x" is not`},
		"the value of another":    {outcome, nil, intray.Answers{"delimiter": "UTF-8"}, nil, `"UTF-8" is not`},
		"column starts":           {outcome, nil, intray.Answers{"column_starts": "1,9,12"}, intray.Answers{"column_starts": "1,9,12"}, ""},
		"no column starts":        {outcome, intray.Answers{"column:a": "1"}, intray.Answers{"column_starts": "none"}, intray.Answers{"column_starts": "none"}, ""},
		"invalid column starts":   {outcome, nil, intray.Answers{"column_starts": "9,1"}, nil, `"9,1" is not`},
		"a header row":            {outcome, nil, intray.Answers{"header_row": "7"}, intray.Answers{"header_row": "7"}, ""},
		"misplaced quotes":        {outcome, intray.Answers{"column:a": "1"}, intray.Answers{"misplaced_quotes": "text"}, intray.Answers{"misplaced_quotes": "text"}, ""},
		"other misplaced quotes":  {outcome, nil, intray.Answers{"misplaced_quotes": "x"}, nil, `"x" is not`},
		"another reading": {
			outcome, intray.Answers{"column:a": "1", "field:2": "b", "format:a": "x", "encoding": "UTF-8", "value:country:1": "DE"}, intray.Answers{"header_row": "2"},
			intray.Answers{"header_row": "2", "encoding": "UTF-8", "value:country:1": "DE"}, "",
		},
		"a withdrawn reading": {
			outcome, intray.Answers{"column:a": "1", "header_row": "2"}, intray.Answers{"header_row": withdrawn, "column:b": "9"}, intray.Answers{"column:b": "9"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			// The answers are in maps. Their random order must not matter.
			for range 20 {
				got, err := updatedAnswers(layoutFields(), model.Import{Answers: c.before, Outcome: c.outcome}, given(c.answers))
				if c.problem == "" && err != nil || c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
					t.Fatalf("error %v, want %q", err, c.problem)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Fatal(diff)
				}
			}
		})
	}
}

// TestAnswerLimits checks the maximum number and the maximum total size of answers. The answers
// in the request and the earlier answers count together.
func TestAnswerLimits(t *testing.T) {
	const prefix, long = "value:country:", "value:country:%01000d"
	size := len(fmt.Sprintf(long, 0)) + len("DE")
	last := prefix + strings.Repeat("x", maxAnswersSize%size-len(prefix)-len("FR"))
	updates := map[string]func(imp model.Import, answers map[string]*string) (intray.Answers, error){
		"layout": func(imp model.Import, answers map[string]*string) (intray.Answers, error) {
			return updatedAnswers(layoutFields(), imp, answers)
		},
		"questions": func(imp model.Import, answers map[string]*string) (intray.Answers, error) {
			_, err := addAnswers(&imp, newValueAnswers(layoutFields()), answers)
			return imp.Answers, err
		},
	}
	for name, c := range map[string]struct {
		id    string
		count int
		last  string
		valid bool
	}{
		"the largest number":          {prefix + "%d", imports.MaxMemory - 1, prefix + "x", true},
		"one too many":                {prefix + "%d", imports.MaxMemory, prefix + "x", false},
		"replacing one of the number": {prefix + "%d", imports.MaxMemory, prefix + "0", true},
		"the largest size":            {long, maxAnswersSize / size, last, true},
		"one byte too many":           {long, maxAnswersSize / size, last + "x", false},
	} {
		for update, call := range updates {
			imp := model.Import{Answers: intray.Answers{}}
			for n := range c.count {
				imp.Answers[fmt.Sprintf(c.id, n)] = "DE"
			}
			got, err := call(imp, given(intray.Answers{c.last: "FR"}))
			var invalid *model.Error
			if c.valid && (err != nil || got[c.last] != "FR") || !c.valid && (!errors.As(err, &invalid) || !strings.Contains(err.Error(), "must contain at most")) {
				t.Errorf("%s, %s: %d answers, %v", update, name, len(got), err)
			}
		}
	}
}
