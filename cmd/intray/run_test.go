package main

import (
	"bufio"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

// columnQuestion returns a question about the column of a field. Its first choice
// is not the first column.
func columnQuestion(many bool) intray.Question {
	return intray.Question{
		ID: "column:phone", Text: intray.Literal("Which \x1b[31mcolumn?"), AnyColumn: true, Many: many,
		Choices: []intray.Choice{
			{Value: "2", Label: intray.Literal("Phone (column 3)"), Reason: intray.Literal("it fits"), Examples: []string{"1", "2\a"}}, {Value: "0", Label: intray.Literal("Tel (column 1)")}, {Value: intray.NoAnswer, Label: intray.Literal("no column")},
		},
	}
}

func TestDialogue(t *testing.T) {
	delimiter := intray.Question{ID: "delimiter", Text: intray.Literal("Which?"), Choices: []intray.Choice{{Value: ";"}, {Value: ","}}}
	for _, c := range []struct {
		name     string
		question intray.Question
		typed    string
		want     string
		// asked is the expected number of prompts.
		asked int
	}{
		{"a choice", columnQuestion(false), "1\n", "2", 1},
		{"no such choice", columnQuestion(false), "0\n4\nx\n 2 \n", "0", 4},
		{"several where one is asked for", columnQuestion(false), "1,2\n3\n", "none", 2},
		{"one of several", columnQuestion(true), "2\n", "0", 1},
		{"several", columnQuestion(true), "1,2\n", "2,0", 1},
		{"several with spaces", columnQuestion(true), "2, 1\n", "0,2", 1},
		{"one twice", columnQuestion(true), "1,1\n1\n", "2", 2},
		{"none among several", columnQuestion(true), "1,3\n3\n", "none", 2},
		{"a gap", columnQuestion(true), "1,\n,1\n1,2,9\n1\n", "2", 4},
		{"none", columnQuestion(true), "none\n3\n", "none", 2},
		{"a value", delimiter, ",\n", ",", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr strings.Builder
			answers := intray.Answers{}
			err := askAll(streams{err: &stderr}, bufio.NewReader(strings.NewReader(c.typed)), []intray.Question{c.question}, 3, answers, nil)
			if diff := cmp.Diff(intray.Answers{c.question.ID: c.want}, answers); diff != "" || err != nil {
				t.Errorf("error %v, %s\n%s", err, diff, stderr.String())
			}
			if asked := strings.Count(stderr.String(), "or nothing to leave it: "); asked != c.asked {
				t.Errorf("asked %d times, want %d:\n%s", asked, c.asked, stderr.String())
			}
			if hint := strings.Contains(stderr.String(), ", several as 1,2,"); hint != c.question.Many {
				t.Errorf("a hint about several columns: %v, want %v:\n%s", hint, c.question.Many, stderr.String())
			}
			if strings.ContainsAny(stderr.String(), "\x1b\a") {
				t.Errorf("control characters were written: %q", stderr.String())
			}
		})
	}
}

// TestDialogueAsksAgain first answers that two fields have the same column. The question must
// be asked again, and the test then gives a different answer.
func TestDialogueAsksAgain(t *testing.T) {
	fax := columnQuestion(false)
	fax.ID = "column:fax"
	var stderr strings.Builder
	answers := intray.Answers{}
	fields := []intray.Field{{Key: "phone"}, {Key: "fax"}}
	err := askAll(streams{err: &stderr}, bufio.NewReader(strings.NewReader("1\n1\n2\n")), []intray.Question{columnQuestion(false), fax}, 3, answers, fields)
	if diff := cmp.Diff(intray.Answers{"column:phone": "2", "column:fax": "0"}, answers); diff != "" || err != nil {
		t.Errorf("error %v, %s", err, diff)
	}
	if !strings.Contains(stderr.String(), `"column:phone" and "column:fax" contradict each other`) {
		t.Errorf("stderr is %s", stderr.String())
	}
}

func TestDialogueLeftOpen(t *testing.T) {
	for _, typed := range []string{"", "\n", "9\n\n", "1"} {
		var stderr strings.Builder
		answers := intray.Answers{}
		err := askAll(streams{err: &stderr}, bufio.NewReader(strings.NewReader(typed)), []intray.Question{columnQuestion(true)}, 3, answers, nil)
		if !errors.Is(err, errNoAnswer) || len(answers) > 0 {
			t.Errorf("%q: answers %v, error %v", typed, answers, err)
		}
	}
}
