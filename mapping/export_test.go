package mapping

import (
	"context"

	"github.com/intraydata/intray"
)

// Normalize is what tests judge spellings by.
var Normalize = normalize

// Accept is the score from which on a column is taken without asking.
const Accept = accept

// Gather maps as it will be where a match can name several columns, and gives
// the columns of each field that has several.
func Gather(ctx context.Context, fields []intray.Field, columns []intray.Column) (intray.Mapping, map[int][]int, []Question, error) {
	s, err := Config{}.decide(ctx, fields, columns, true)
	if err != nil {
		return intray.Mapping{}, nil, nil, err
	}
	return intray.Mapping{Fields: s.matches, Unmapped: s.unmapped()}, s.gathered, s.questions, nil
}
