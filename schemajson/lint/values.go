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

// neverHolds says, in whole sentences, why a field can never have a value; ""
// where it may have it.
func (l *linter) neverHolds(field int, value any) string {
	f, text := l.schema.Fields[field], wireText(value)
	if text == "" {
		return ""
	}
	if f.ManyToOne {
		var list []any
		return unless(json.Unmarshal([]byte(text), &list) == nil, "several columns feed it, and its value is a list with one element for each, like [\"a\",\"b\"].")
	}
	switch f.Type.Name {
	case intray.TypeCheckbox:
		return unless(text == "true" || text == "false", "a checkbox is true or false.")
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
		return unless(strings.Contains(text, "@"), "an e-mail address has an @.")
	case intray.TypeURL:
		return unless(strings.Contains(text, ":"), "a URL begins with a protocol, such as https:.")
	case intray.TypeDomain:
		return unless(strings.Contains(text, ".") && strings.ToLower(text) == text, "a domain is written like example.org, in lower case.")
	}
	return noCode(f, text)
}

func unless(is bool, why string) string {
	if is {
		return ""
	}
	return why
}

// noOption says why no option of a select has a value.
func (l *linter) noOption(field int, text string) string {
	f := l.schema.Fields[field]
	if flag(f, "allowCustom") || l.offers {
		return ""
	}
	names := l.optionNames(field)
	if names.values[text] {
		return ""
	}
	if value, known := names.labels[text]; known {
		return fmt.Sprintf("it is the label of an option, and what is compared is the value, here %s.", quote(value))
	}
	if value, known := names.folded[optionName(text)]; known {
		return fmt.Sprintf("no option has this value; did you mean %s?", quote(value))
	}
	return "no option has this value."
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
func (l *linter) noOptions(field int, text string) string {
	var list []string
	if json.Unmarshal([]byte(text), &list) != nil || list == nil {
		return "the value of a multi-select is a list, like [\"a\",\"b\"]."
	}
	for _, one := range list {
		if why := l.noOption(field, one); why != "" {
			return "of " + quote(one) + ", " + why
		}
	}
	return ""
}

func noNumber(f intray.Field, text string) string {
	n, err := strconv.ParseFloat(text, 64)
	low, high := numberBounds(f)
	switch {
	case err != nil && !math.IsInf(n, 0) || strings.TrimLeft(text, "+-0123456789.eE") != "":
		return "it is no number."
	case n < low:
		return fmt.Sprintf("the smallest number that it takes is %v.", low)
	case n > high:
		return fmt.Sprintf("the largest number that it takes is %v.", high)
	}
	return ""
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
func noMoment(text, layout string) string {
	if _, err := time.Parse(layout, text); err == nil {
		return ""
	}
	example := time.Date(2024, 12, 31, 15, 20, 0, 0, time.UTC).Format(layout)
	return fmt.Sprintf("what is compared is written like %q, whatever the outputFormat.", example)
}

// noCode says why a text has not the form of a type's codes.
func noCode(f intray.Field, text string) string {
	has := formOf(f)
	first, _ := utf8.DecodeRuneInString(text)
	n := codePoints(text)
	switch {
	case n < has.least || has.most >= 0 && n > has.most:
		return fmt.Sprintf("a value of the type %s has %s.", f.Type.Name, lengths(has))
	case has.first != nil && !overlap(has.first, []rune{first, first}):
		return fmt.Sprintf("a value of the type %s does not begin with %s.", f.Type.Name, quote(string(first)))
	}
	return ""
}
