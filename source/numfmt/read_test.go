package numfmt

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/intraydata/intray"
)

var clockForm = regexp.MustCompile(`^-?\d{2,}:[0-5]\d:[0-5]\d(\.\d{0,2}[1-9])?$`)

// readValue parses a value. It returns the number of a number.
func readValue(value string, kind intray.CellKind) (number float64, err error) {
	switch kind {
	case intray.CellNumber:
		return strconv.ParseFloat(value, 64)
	case intray.CellDate:
		_, err = time.Parse("2006-01-02", value)
	case intray.CellDateTime:
		_, err = time.Parse("2006-01-02T15:04:05.999", value)
	case intray.CellTime:
		if !clockForm.MatchString(value) {
			err = fmt.Errorf("%q is not a time", value)
		}
	case intray.CellError:
		if value != "#NUM!" {
			err = fmt.Errorf("%q is not a number error", value)
		}
	default:
		err = fmt.Errorf("kind %d", kind)
	}
	return 0, err
}
