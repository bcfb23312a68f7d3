package parquet

import (
	"errors"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

type (
	// damage is what is wrong with the file, without the place.
	damage string
	// limitReached is a limit that was met, without the place.
	limitReached string
)

func (e damage) Error() string       { return string(e) }
func (e limitReached) Error() string { return string(e) }

const errShort = damage("it ends too early")

// guarded turns a panic into damage: what panics on a file has met something in
// it that nobody thought of.
func guarded(try func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = damage(fmt.Sprintf("the file is damaged (%v)", p))
		}
	}()
	return try()
}

// told gives trouble with the file the place where it is, and the type that the
// contract asks for. Other errors stay as they are.
func told(err error, row int64, column string) error {
	var broken damage
	var limit limitReached
	place := ""
	if column != "" {
		place = fmt.Sprintf("column %q: ", column)
	}
	switch {
	case errors.As(err, &broken):
		return &source.UnreadableError{Line: row, Reason: intray.Literal(place + string(broken))}
	case errors.As(err, &limit):
		return &source.LimitError{Line: row, Reason: intray.Literal(place + string(limit))}
	}
	return err
}
