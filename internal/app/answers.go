package app

import (
	"fmt"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/service"
)

// judgeAnswers refuses answers that no file could take, and keeps the others as
// the service does. Hooks at steps may bring fields of their own: with them it is
// told only behind the run what names no field.
func (c *RunConfig) judgeAnswers() error {
	kept, err := service.JudgeAnswers(c.Schema.Fields, -1, c.Answers)
	c.Answers = kept
	if len(c.Schema.Hooks.Step) > 0 {
		return nil
	}
	return wrongAnswer(err)
}

// judgeAgain refuses answers that do not fit the file that was read: they name a
// column that it does not have, or are none of the choices of a question that is
// still open.
func (c *RunConfig) judgeAgain(o *engine.Outcome) error {
	columns := -1
	if o.Headers != nil {
		columns = len(o.Headers)
	}
	if _, err := service.JudgeAnswers(c.everNamed(o), columns, c.Answers); err != nil {
		return wrongAnswer(err)
	}
	for _, q := range o.Questions {
		if value, given := c.Answers[q.ID]; given && !q.Takes(value, len(o.Headers)) {
			return wrongAnswer(service.NoChoice(q.ID, value))
		}
	}
	return nil
}

// everNamed are the fields behind the hooks, and those that they took away.
func (c *RunConfig) everNamed(o *engine.Outcome) []intray.Field {
	fields := slices.Clip(o.Schema(c.Schema).Fields)
	for _, f := range c.Schema.Fields {
		if !slices.ContainsFunc(fields, func(other intray.Field) bool { return other.Key == f.Key }) {
			fields = append(fields, f)
		}
	}
	return fields
}

func wrongAnswer(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{fmt.Errorf("the answers cannot be used: %w", err)}
}
