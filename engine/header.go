package engine

import (
	"maps"

	"github.com/intraydata/intray"
)

// with adds an answer.
func with(answers intray.Answers, id, value string) intray.Answers {
	more := maps.Clone(answers)
	if more == nil {
		more = intray.Answers{}
	}
	more[id] = value
	return more
}
