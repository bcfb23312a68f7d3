package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/review"
	"github.com/intraydata/intray/source/formats"
)

type mapCommand struct {
	File    string `arg:"" help:"File to inspect, or - for standard input."`
	Schema  string `help:"Schema document: JSON with fields, settings and hooks." required:"" placeholder:"FILE"`
	Answers string `help:"JSON file with answers to questions about the file, by question id." placeholder:"FILE"`
	Lexicon string `help:"JSON file with learned mappings, as the server exports them." placeholder:"FILE"`
	reportFlags
}

// Help returns the text that --help prints after the flags.
func (mapCommand) Help() string {
	return `Imports nothing. Exit status: 0 the columns were mapped, 4 the file is unreadable,
2 invalid arguments.`
}

// mapped is the result of the command: the mapping of a file and the open questions.
type mapped struct {
	Fields    map[string]mappedField `json:"fields"`
	Questions []mappedQuestion       `json:"questions"`
}

type mappedField struct {
	Column *string `json:"column"`
	Index  *int    `json:"index"`
	// Columns and Indexes list the columns of a field that can have several.
	Columns []string `json:"columns,omitempty"`
	Indexes []int    `json:"indexes,omitempty"`
	Score   float64  `json:"score"`
	Reasons []string `json:"reasons"`
}

type mappedQuestion struct {
	ID      string         `json:"id"`
	Text    string         `json:"text"`
	Field   string         `json:"field,omitempty"`
	Choices []mappedChoice `json:"choices"`
	// ManyColumns is true if the answer can consist of several columns.
	ManyColumns bool `json:"manyColumns,omitempty"`
}

type mappedChoice struct {
	Value string `json:"value"`
	Label string `json:"label"`
	// Reason is why the choice is recommended.
	Reason string `json:"reason,omitempty"`
}

// Run maps the columns.
func (c *mapCommand) Run(ctx context.Context, s streams) error {
	if err := checkOneStdin(c.File, c.Schema); err != nil {
		return err
	}
	schema, err := s.readSchema(ctx, c.Schema, schema.ReadNames)
	if err != nil {
		return usageError{err}
	}
	answers, err := readAnswers(c.Answers)
	if err != nil {
		return usageError{err}
	}
	learned, err := readLexicon(c.Lexicon)
	if err != nil {
		return usageError{err}
	}
	in, closeFile, err := s.openInput(ctx, c.File)
	if err != nil {
		return err
	}
	out, err := engine.New(engine.Config{Formats: formats.Formats("")}).MapColumns(ctx, engine.Import{Input: in, Schema: schema, Answers: answers, Memory: learned})
	if err = errors.Join(err, closeFile()); err != nil {
		return err
	}
	if out.Verdict == engine.Broken {
		fmt.Fprintf(s.err, "intray: %s: %s\n", inputName(c.File), visibleLong(out.Notices[0].Text.String()))
		return exit(exitFailed)
	}
	if err := validateAnswers(schema.Fields, len(out.Headers)-out.Derived, answers); err != nil {
		return usageError{err}
	}
	schema = out.Schema(schema) // with the fields that people create
	return c.write(s.out, wireMapping(schema, out), func(w io.Writer) error { return writeMapping(w, schema, out) })
}

// validateAnswers checks answers in the same way as the run command. It does not check answers
// about cells, because the map command does not read cells.
func validateAnswers(fields []intray.Field, columns int, answers intray.Answers) error {
	if columns == 0 {
		columns = -1 // the header was not read, because an earlier question is open
	}
	about := maps.Clone(answers)
	maps.DeleteFunc(about, func(id, _ string) bool {
		return strings.HasPrefix(id, intray.AnswerFormat) || strings.HasPrefix(id, intray.AnswerValue)
	})
	if _, err := review.CheckAnswers(fields, columns, about); err != nil {
		return fmt.Errorf("invalid answers: %w", err)
	}
	return nil
}

func wireMapping(schema *intray.Schema, out *engine.Outcome) mapped {
	m := mapped{Fields: map[string]mappedField{}, Questions: []mappedQuestion{}}
	for i, f := range schema.Fields {
		field := mappedField{Reasons: []string{}}
		if i < len(out.Mapping.Fields) {
			match := out.Mapping.Fields[i]
			field.Score, field.Reasons = match.Score, append(field.Reasons, intray.RenderAll(match.Reasons)...)
			if match.Column != intray.NoColumn {
				field.Column, field.Index = &match.Header, &match.Column
			}
			for _, column := range match.Columns {
				field.Columns, field.Indexes = append(field.Columns, out.Headers[column]), append(field.Indexes, column)
			}
		}
		m.Fields[f.Key] = field
	}
	for _, q := range out.Questions {
		asked := mappedQuestion{ID: q.ID, Text: q.Text.String(), Field: q.Field, Choices: []mappedChoice{}, ManyColumns: q.Many}
		for _, choice := range q.Choices {
			asked.Choices = append(asked.Choices, mappedChoice{choice.Value, choice.Label.String(), choice.Reason.String()})
		}
		m.Questions = append(m.Questions, asked)
	}
	return m
}

// writeMapping prints the mapping for people.
func writeMapping(w io.Writer, schema *intray.Schema, out *engine.Outcome) error {
	t := table{header: true}
	t.append("FIELD", "COLUMN", "SCORE", "REASONS")
	for i, f := range schema.Fields {
		column, score, reasons := "–", "", ""
		if i < len(out.Mapping.Fields) {
			match := out.Mapping.Fields[i]
			reasons = visibleLong(strings.Join(intray.RenderAll(match.Reasons), "; "))
			if match.Column != intray.NoColumn {
				column, score = columnNames(tracedColumns(match, out.Headers)), fmt.Sprintf("%.2f", match.Score)
			}
		}
		t.append(visible(f.Key), column, score, reasons)
	}
	if err := t.write(w, terminalWidth(w), colorsOf(w)); err != nil {
		return err
	}
	for _, q := range out.Questions {
		fmt.Fprintf(w, "\n%s\n", visibleLong(q.Text.String()))
		for _, choice := range q.Choices {
			fmt.Fprintf(w, "  %s\n", describeChoice(choice))
		}
	}
	return nil
}

// columnNames returns the table cell that lists the given columns.
func columnNames(columns []intray.TracedColumn) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = fmt.Sprintf("%d %s", c.Index+1, visible(c.Header))
	}
	return strings.Join(names, " · ")
}
