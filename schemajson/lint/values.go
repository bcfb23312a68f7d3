package lint

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// neverHolds says, in whole sentences, why a field can never have a value; the zero
// message where it may have it.
func (l *linter) neverHolds(field int, value any) intray.Message {
	f, text := l.schema.Fields[field], wireText(value)
	if text == "" {
		return intray.Message{}
	}
	if f.ManyToOne {
		var list []any
		return unless(json.Unmarshal([]byte(text), &list) == nil, intray.NewMessage("lint.value_many_columns", intray.Params{"example": `["a","b"]`}))
	}
	switch f.Type.Name {
	case intray.TypeCheckbox:
		return unless(text == "true" || text == "false", intray.NewMessage("lint.value_checkbox", nil))
	case intray.TypeSelect:
		return l.noOption(field, text)
	case intray.TypeMultiSelect:
		return l.noOptions(field, text)
	case intray.TypeNumber:
		return noNumber(f, text)
	case intray.TypeDate:
		return noMoment(text, time.DateOnly)
	case intray.TypeDatetime:
		return noMoment(text, clock(f, "2006-01-02T15:04"))
	case intray.TypeTime:
		return noMoment(text, clock(f, "15:04"))
	case intray.TypeEmail:
		return unless(strings.Contains(text, "@"), intray.NewMessage("lint.value_email", nil))
	case intray.TypeURL:
		return unless(strings.Contains(text, ":"), intray.NewMessage("lint.value_url", intray.Params{"example": "https:"}))
	case intray.TypeDomain:
		return unless(strings.Contains(text, ".") && strings.ToLower(text) == text, intray.NewMessage("lint.value_domain", intray.Params{"example": "example.org"}))
	}
	return noCode(f, text)
}

func unless(is bool, why intray.Message) intray.Message {
	if is {
		return intray.Message{}
	}
	return why
}

// noOption says why no option of a select has a value.
func (l *linter) noOption(field int, text string) intray.Message {
	f := l.schema.Fields[field]
	if flag(f, "allowCustom") || l.offers {
		return intray.Message{}
	}
	names := l.optionNames(field)
	if names.values[text] {
		return intray.Message{}
	}
	if value, known := names.labels[text]; known {
		return intray.NewMessage("lint.value_is_label", intray.Params{"value": shorten(value)})
	}
	if value, known := names.folded[optionName(text)]; known {
		return intray.NewMessage("lint.value_misspelled", intray.Params{"value": shorten(value)})
	}
	return intray.NewMessage("lint.value_no_option", nil)
}

// offer holds the names of a field's options: the values, the labels to the
// letter, and both without regard to case, with the values that they mean.
type offer struct {
	values         map[string]bool
	labels, folded map[string]string
}

func (l *linter) optionNames(field int) offer {
	if names, known := l.offered[field]; known {
		return names
	}
	names := offer{map[string]bool{}, map[string]string{}, map[string]string{}}
	for _, o := range l.schema.Fields[field].SelectOptions {
		names.values[o.Value] = true
		names.labels[o.Label] = o.Value
		names.folded[optionName(o.Label)] = o.Value
		names.folded[optionName(o.Value)] = o.Value
	}
	if l.offered == nil {
		l.offered = map[int]offer{}
	}
	l.offered[field] = names
	return names
}

// noOptions says why a multi-select has no such list.
func (l *linter) noOptions(field int, text string) intray.Message {
	var list []string
	if json.Unmarshal([]byte(text), &list) != nil || list == nil {
		return intray.NewMessage("lint.value_list_of_options", intray.Params{"example": `["a","b"]`})
	}
	for _, one := range list {
		if why := l.noOption(field, one); !why.IsZero() {
			return intray.NewMessage("lint.value_of_list", intray.Params{"value": shorten(one), "problem": why})
		}
	}
	return intray.Message{}
}

func noNumber(f intray.Field, text string) intray.Message {
	n, err := strconv.ParseFloat(text, 64)
	low, high := numberBounds(f)
	switch {
	case err != nil && !math.IsInf(n, 0) || strings.TrimLeft(text, "+-0123456789.eE") != "":
		return intray.NewMessage("lint.value_not_number", nil)
	case n < low:
		return intray.NewMessage("lint.value_too_small", intray.Params{"limit": fmt.Sprint(low)})
	case n > high:
		return intray.NewMessage("lint.value_too_large", intray.Params{"limit": fmt.Sprint(high)})
	}
	return intray.Message{}
}

// clock is a layout with the seconds that a field keeps, or without.
func clock(f intray.Field, layout string) string {
	if flag(f, "withSeconds") {
		return layout + ":05"
	}
	return layout
}

// noMoment says why a date or time is not written as it is compared, whatever
// the format in which the result has it.
func noMoment(text, layout string) intray.Message {
	if _, err := time.Parse(layout, text); err == nil {
		return intray.Message{}
	}
	example := time.Date(2024, 12, 31, 15, 20, 0, 0, time.UTC).Format(layout)
	return intray.NewMessage("lint.value_not_in_iso_format", intray.Params{"example": example})
}

// noCode says why a text has not the form of a type's codes.
func noCode(f intray.Field, text string) intray.Message {
	has := formOf(f)
	first, _ := utf8.DecodeRuneInString(text)
	n := codePoints(text)
	switch {
	case n < has.least || has.most >= 0 && n > has.most:
		return intray.NewMessage("lint.value_length", intray.Params{"type": string(f.Type.Name), "length": lengths(has)})
	case has.first != nil && !overlap(has.first, []rune{first, first}):
		return intray.NewMessage("lint.value_first_character", intray.Params{"type": string(f.Type.Name), "character": string(first)})
	}
	return intray.Message{}
}
