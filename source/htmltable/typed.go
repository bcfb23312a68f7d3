package htmltable

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/numfmt"
)

// typed is what a cell says of its value, beside its text.
type typed struct {
	num, boolean, failed bool
	value                string
	format               *numfmt.Format
}

// typedOf takes what Excel writes beside the text of a cell: x:num, x:bool and
// x:err with the value, empty where the text is the value.
func (w *walk) typedOf(t *tokens) (v typed) {
	for _, a := range t.all() {
		switch string(a.key) {
		case "x:num":
			v.num, v.value = true, string(a.value)
		case "x:bool":
			v.boolean, v.value = true, string(a.value)
		case "x:err":
			v.failed, v.value = true, string(a.value)
		}
	}
	if v.num {
		v.format = w.formats.of(t.attr("class"), t.attr("style"))
	}
	return v
}

// append appends the value of a cell by its kind. What is not of the kind that
// it claims to be is text.
func (v typed) append(dst, text []byte, epoch1904 bool) ([]byte, intray.CellKind) {
	value := v.value
	if value == "" && (v.num || v.boolean || v.failed) {
		value = string(bytes.TrimSpace(text))
	}
	switch {
	case v.num && (v.format == nil || v.format.Kind() != intray.CellText):
		n, ok := parseNumber(value)
		if !ok {
			break
		}
		if v.format == nil {
			return general.AppendValue(dst, n, epoch1904)
		}
		return v.format.AppendValue(dst, n, epoch1904)
	case v.boolean && (strings.EqualFold(value, "true") || value == "1"):
		return append(dst, "true"...), intray.CellBool
	case v.boolean && (strings.EqualFold(value, "false") || value == "0"):
		return append(dst, "false"...), intray.CellBool
	case v.failed && strings.HasPrefix(value, "#"):
		return append(dst, value...), intray.CellError
	}
	return append(dst, text...), intray.CellText
}

// general is the format of numbers that have none.
var general = compile("General")

// parseNumber reads a number as programs write it; no other base, no Inf.
func parseNumber(text string) (float64, bool) {
	if strings.Trim(text, "0123456789.+-eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}
