package commandline

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// IsBool reports whether a flag needs no value.
func (v *Value) IsBool() bool {
	_, is := v.target.(*bool)
	return is
}

// isList reports whether the value is a slice.
func (v *Value) isList() bool {
	switch v.target.(type) {
	case *[]string, *[]int64:
		return true
	}
	return false
}

// setDefault sets the default. A slice has none.
func (v *Value) setDefault() error {
	switch v.target.(type) {
	case *string, *bool, *int, *int64, *time.Duration, *[]string, *[]int64:
	default:
		return fmt.Errorf("values of type %T are not supported", v.target)
	}
	switch {
	case v.Default == "":
		return nil
	case v.isList():
		return errors.New("a slice cannot have a default")
	}
	return v.set(v.Default)
}

// set sets the value to that of a text. It adds the text to a slice.
func (v *Value) set(text string) (err error) {
	switch p := v.target.(type) {
	case *string:
		*p = text
	case *[]string:
		*p = append(*p, text)
	case *bool:
		*p, err = parseBool(text)
	case *time.Duration:
		*p, err = parseDuration(text)
	case *int:
		var n int64
		n, err = parseInt(text, strconv.IntSize)
		*p = int(n)
	case *int64:
		*p, err = parseInt(text, 64)
	case *[]int64:
		var n int64
		n, err = parseInt(text, 64)
		*p = append(*p, n)
	}
	return err
}

// setFlag sets the value of a flag to that of a text. The elements of a slice are separated by
// commas.
func (v *Value) setFlag(text string) error {
	if !v.isList() {
		return v.set(text)
	}
	for element := range strings.SplitSeq(text, ",") {
		if err := v.set(element); err != nil {
			return err
		}
	}
	return nil
}

// parseInt parses an integer as in Go: 1_000 and 0x3e8 are allowed.
func parseInt(text string, bits int) (int64, error) {
	n, err := strconv.ParseInt(text, 0, bits)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s is out of range", text)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not an integer", text)
	}
	return n, nil
}

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration such as 30s, 10m or 24h", text)
	}
	return d, nil
}

func parseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "1", "yes":
		return true, nil
	case "false", "0", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", text)
}

// check returns an error if the value is not one of the allowed ones.
func (v *Value) check() error {
	text, isText := v.target.(*string)
	if !isText || v.Enum == nil || slices.Contains(v.Enum, *text) {
		return nil
	}
	allowed := slices.DeleteFunc(slices.Clone(v.Enum), func(one string) bool { return one == "" })
	return fmt.Errorf("must be one of %s, but is %q", strings.Join(allowed, ", "), *text)
}
