package numfmt

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/intraydata/intray"
)

var clockForm = regexp.MustCompile(`^-?\d{2,}:[0-5]\d:[0-5]\d(\.\d{0,2}[1-9])?$`)

// readValue reads a value back; numbers give their number.
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
			err = fmt.Errorf("%q is no time", value)
		}
	case intray.CellError:
		if value != "#NUM!" {
			err = fmt.Errorf("%q is no error of numbers", value)
		}
	default:
		err = fmt.Errorf("kind %d", kind)
	}
	return 0, err
}
