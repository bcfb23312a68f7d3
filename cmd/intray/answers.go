package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
)

// maxAnswers is the most bytes of a file of answers.
const maxAnswers = 1 << 20

// readAnswers reads a JSON object: an answer for each id of a question.
func readAnswers(name string) (intray.Answers, error) {
	if name == "" {
		return intray.Answers{}, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var sent map[string]any
	dec := json.NewDecoder(io.LimitReader(file, maxAnswers))
	dec.UseNumber()
	if err := dec.Decode(&sent); err != nil {
		return nil, fmt.Errorf("%s: this is no JSON object of answers, such as {\"sheet\": \"Contacts\"}: %w", name, err)
	}
	answers := intray.Answers{}
	for _, id := range slices.Sorted(maps.Keys(sent)) {
		if !isQuestion(id) {
			return nil, fmt.Errorf("%s: %q is no question; there are sheet, encoding, delimiter, header_row, column:KEY, field:INDEX, format:KEY and value:KEY:TEXT", name, id)
		}
		switch value := sent[id].(type) {
		case string:
			answers[id] = value
		case json.Number:
			answers[id] = value.String()
		default:
			return nil, fmt.Errorf("%s: the answer to %q must be a text or a number", name, id)
		}
	}
	return answers, nil
}

func isQuestion(id string) bool {
	if slices.Contains([]string{intray.AnswerSheet, intray.AnswerEncoding, intray.AnswerDelimiter, intray.AnswerHeaderRow}, id) {
		return true
	}
	about := []string{intray.AnswerColumn, intray.AnswerField, intray.AnswerFormat, intray.AnswerValue}
	return slices.ContainsFunc(about, func(kind string) bool { return strings.HasPrefix(id, kind) })
}

// watched says whether a person sits at both ends.
func watched(s streams) bool {
	return terminal(s.in) && terminal(s.err)
}

// errNoAnswer says that a person left a question open.
var errNoAnswer = errors.New("a question was left open")

// askAll puts the questions to a person, and each anew whose answer contradicts
// another one. An empty line leaves all open.
func askAll(s streams, lines *bufio.Reader, questions []intray.Question, columns int, answers intray.Answers, fields []intray.Field) error {
	for i := 0; i < len(questions); i++ {
		q := questions[i]
		value, err := askOne(s.err, lines, q, columns)
		if err != nil {
			return err
		}
		answers[q.ID] = value
		if wrong := service.Contradiction(fields, answers); wrong != nil {
			delete(answers, q.ID)
			fmt.Fprintln(s.err, visibleLong(wrong.Error()))
			i--
		}
	}
	return nil
}

func askOne(w io.Writer, lines *bufio.Reader, q intray.Question, columns int) (string, error) {
	fmt.Fprintf(w, "\n%s\n", visibleLong(q.Text.String()))
	for i, c := range q.Choices {
		fmt.Fprintf(w, "  %d  %s\n", i+1, described(c))
	}
	several := ""
	if q.Many {
		several = ", several as 1,2"
	}
	for {
		fmt.Fprintf(w, "1 to %d%s, or nothing to leave it: ", len(q.Choices), several)
		line, err := lines.ReadString('\n')
		line = strings.TrimSpace(line)
		if line == "" || err != nil {
			return "", errNoAnswer
		}
		if value, ok := chosen(q, line); ok && q.Takes(value, columns) {
			return value, nil
		}
		if q.Takes(line, columns) && !q.AnyColumn && !q.Many {
			return line, nil
		}
	}
}

// chosen gives the values of the choices whose numbers, counted from 1, stand in
// a line.
func chosen(q intray.Question, line string) (string, bool) {
	numbers := []string{line}
	if q.Many {
		numbers = strings.Split(line, ",")
	}
	values := make([]string, 0, len(numbers))
	for _, number := range numbers {
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 1 || n > len(q.Choices) {
			return "", false
		}
		values = append(values, q.Choices[n-1].Value)
	}
	return strings.Join(values, ","), true
}

func described(c intray.Choice) string {
	text := visible(c.Label.String())
	if c.Label.IsZero() {
		text = visible(c.Value)
	}
	if !c.Reason.IsZero() {
		text += ": " + visibleLong(c.Reason.String())
	}
	examples := make([]string, 0, len(c.Examples))
	for _, e := range c.Examples {
		examples = append(examples, visible(e))
	}
	if len(examples) > 0 {
		text += " (" + strings.Join(examples, " · ") + ")"
	}
	return text
}

// tellAnswers shows how the questions can be answered without a terminal.
func tellAnswers(w io.Writer, questions []intray.Question) {
	if len(questions) == 0 {
		return
	}
	fmt.Fprintln(w, "Answer in a JSON file, given with --answers FILE:")
	for _, q := range questions {
		values := make([]string, 0, 5)
		for _, c := range q.Choices[:min(len(q.Choices), 5)] {
			value := strconv.Quote(c.Value)
			if !c.Label.IsZero() && c.Label.String() != c.Value {
				value += " (" + visible(c.Label.String()) + ")"
			}
			values = append(values, value)
		}
		if more := len(q.Choices) - 5; more > 0 {
			values = append(values, fmt.Sprintf("%d more", more))
		}
		if q.Many {
			values = append(values, "several joined by commas")
		}
		fmt.Fprintf(w, "  %q: %s\n", q.ID, strings.Join(values, ", "))
	}
}
