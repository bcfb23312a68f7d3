package parquet

import (
	"errors"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

type (
	// damage is what is wrong with the file, without the place.
	damage struct{ problem intray.Message }
	// limitReached is a limit that was met, without the place.
	limitReached struct{ problem intray.Message }
)

func (e damage) Error() string       { return e.problem.String() }
func (e limitReached) Error() string { return e.problem.String() }

var errShort = damage{intray.NewMessage("parquet.ends_early", nil)}

// guarded turns a panic into damage: what panics on a file has met something in
// it that nobody thought of.
func guarded(try func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = damage{intray.NewMessage("parquet.damaged", nil)}
		}
	}()
	return try()
}

// told gives trouble with the file the place where it is, and the type that the
// contract asks for. Other errors stay as they are.
func told(err error, row int64, column string) error {
	var broken damage
	var limit limitReached
	switch {
	case errors.As(err, &broken):
		return &source.UnreadableError{Line: row, Reason: inColumn(column, broken.problem)}
	case errors.As(err, &limit):
		return &source.LimitError{Line: row, Reason: inColumn(column, limit.problem)}
	}
	return err
}

// inColumn puts the name of a column in front of a problem.
func inColumn(column string, problem intray.Message) intray.Message {
	if column == "" {
		return problem
	}
	return intray.NewMessage("parquet.column", intray.Params{"column": source.Excerpt(column), "problem": problem})
}
