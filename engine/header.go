package engine

import (
	"maps"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
)

// namesOf says how well a row names the fields of a schema, which helps to find
// the header. What that takes is made ready when the first row is asked about;
// where it cannot be, the mapping of the columns tells why.
func namesOf(fields []intray.Field) func(row []string) float64 {
	rows := sync.OnceValues(func() (*mapping.HeaderRow, error) { return mapping.NewHeaderRow(fields) })
	return func(row []string) float64 {
		known, err := rows()
		if err != nil {
			return 0
		}
		return known.Score(row)
	}
}

// with adds an answer.
func with(answers intray.Answers, id, value string) intray.Answers {
	more := maps.Clone(answers)
	if more == nil {
		more = intray.Answers{}
	}
	more[id] = value
	return more
}
