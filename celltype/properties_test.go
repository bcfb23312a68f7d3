package celltype_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// tableCells returns the inputs in the table of a type.
func tableCells(t *testing.T, name intray.TypeName) (cells []string) {
	t.Helper()
	for _, line := range readLines(t, "testdata/values/"+string(name)+".txt") {
		if at := strings.LastIndex(line, " | "); at >= 0 {
			cell := line[:at]
			if text, err := strconv.Unquote(cell); err == nil {
				cell = text
			}
			cells = append(cells, cell)
		}
	}
	return cells
}

// shapes are regular expressions for text that resembles values. They are used
// for types whose tables have few values.
var shapes = map[intray.TypeName]string{
	intray.TypeSelect:      `high|HIGH|High|vh|Low|lo|[Uu]rgent|A|a|B-?|b|C#?|in[ _-]progress`,
	intray.TypeMultiSelect: `(high|High|vh|Low|l|Urgent|A|B|B-|C#|in progress)([,;] ?(high|vh|Low|Urgent|A|B|B-|C)){0,3}`,
	intray.TypeNumber:      `[ (]?[-+$€]?[0-9]{1,4}([,. '][0-9]{1,4}){0,3}(e[+-]?[0-9]{1,2}|%|-| €|\))?`,
	intray.TypeDate:        `[0-9]{1,4}[-/. ][0-9]{1,2}[-/. ][0-9]{1,4}`,
	intray.TypeDatetime:    `[12][0-9]{3}-[01][0-9]-[0-3][0-9][T ][0-2]?[0-9]:[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?(Z|[+-][01][0-9]:?[0-5][0-9])?`,
	intray.TypeTime:        `[0-2]?[0-9][:.h][0-5][0-9](:[0-5][0-9])?( ?[AaPp]\.?[Mm]\.?)?`,
	intray.TypeEmail:       `[a-zA-Z0-9.+_-]{1,12}@[a-z0-9.-]{1,12}\.[a-z]{2,3}`,
	intray.TypePhone:       `(\+|00)?(49|1|33|44|39) ?\(?[0-9]{2,4}\)?[ /-]?[0-9]{3,4}[ -]?[0-9]{2,5}`,
	intray.TypeURL:         `(https?|HTTPS|ftp):/{1,3}(www\.|Www\.)?[a-zA-Zä-]{1,8}\.(org|COM|de)(:[0-9]{1,5})?([/?#][a-z%2eE./ü ]{0,12})?`,
	intray.TypeDomain:      `(WWW\.|www\.)?[a-zA-Z0-9ä-]{1,12}\.(org|CO\.uk|de)`,
	intray.TypeZIP:         `[0-9]{3,10}|[0-9]{5}-[0-9]{4}`,
	intray.TypeSSN:         `[0-9]{9}|[0-9]{3}-[0-9]{2}-[0-9]{4}`,
	intray.TypeUUID:        `[0-9a-fA-F]{8}-[0-9a-f]{4}-[1-9][0-9a-f]{3}-[89abAB][0-9A-F]{3}-[0-9a-f]{12}`,
}

// cellsOf generates cells for a type: inputs from its table, similar text and unrelated text.
func cellsOf(t *testing.T, name intray.TypeName) *rapid.Generator[string] {
	known := rapid.SampledFrom(tableCells(t, name))
	shape := known
	if pattern := shapes[name]; pattern != "" {
		shape = rapid.StringMatching(pattern)
	}
	around := rapid.Custom(func(t *rapid.T) string {
		blanks := rapid.SampledFrom([]string{"", " ", "\t", "\u00a0", "'", "\n", "."})
		return blanks.Draw(t, "before") + rapid.OneOf(known, shape).Draw(t, "cell") + blanks.Draw(t, "behind")
	})
	bytes := rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) })
	return rapid.OneOf(known, shape, around, shape, rapid.StringN(0, 20, 80), bytes)
}

// plainField returns a field of a type with default options.
func plainField(name intray.TypeName) intray.Field {
	if name == intray.TypeSelect || name == intray.TypeMultiSelect {
		f := picking(name)
		f.SelectOptions = append(f.SelectOptions,
			intray.SelectOption{Label: "A", Value: "B"}, intray.SelectOption{Label: "B-", Value: "C"}, intray.SelectOption{Label: "C#", Value: "a, b\\\"\n"})
		return f
	}
	return typed(name, nil)
}

// again returns a value as a cell. A number becomes a number cell of a
// workbook, because its decimal sign is unambiguous.
func again(name intray.TypeName, v []byte) celltype.Cell {
	if name == intray.TypeNumber {
		return celltype.Cell{Raw: v, Kind: intray.CellNumber, Typed: v}
	}
	return celltype.Cell{Raw: v}
}

// TestReadingTwiceChangesNothing checks that parsing the value of a cell as a new cell returns
// the same value, and that the value consists of the bytes from CanonicalBytes. It reads cells of every
// type with the default options. The raw text must never change.
func TestReadingTwiceChangesNothing(t *testing.T) {
	for _, name := range allTypes {
		t.Run(string(name), func(t *testing.T) {
			parser, err := celltype.Compile(plainField(name))
			if err != nil {
				t.Fatal(err)
			}
			cells := rapid.SliceOfN(cellsOf(t, name), 20, 20)
			good, parsed := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				for _, text := range cells.Draw(t, "cells") {
					raw := []byte(text)
					scratch := make([]byte, 0, rapid.IntRange(0, 40).Draw(t, "scratch"))
					r := parser.Parse(celltype.Cell{Raw: raw}, scratch)
					if string(raw) != text {
						t.Fatalf("the raw text %q became %q", text, raw)
					}
					if (r.Problem != nil) != (r.State == celltype.Invalid) || r.Problem != nil && !utf8.ValidString(r.Problem.String()) {
						t.Fatalf("%q: state %d with the problem %q", text, r.State, r.Problem)
					}
					switch r.State {
					case celltype.Parsed:
						parsed++
						if string(r.Value) == text {
							t.Fatalf("%q is parsed to itself", text)
						}
					case celltype.Unchanged:
						r.Value = raw
					default:
						continue
					}
					good++
					first := string(r.Value)
					if of := celltype.CanonicalBytes(name); of != "" && strings.Trim(first, of) != "" {
						t.Fatalf("%q is %q, which contains other bytes than %q", text, first, of)
					}
					second := parser.Parse(again(name, []byte(first)), make([]byte, 0, 64))
					if second.State != celltype.Unchanged {
						t.Fatalf("%q is %q, and that is %s %s", text, first, describe(second), second.Problem)
					}
				}
			})
			least := checks(100)
			if good < 2*least || parsed < least/2 && name != intray.TypeString {
				t.Errorf("only %d cells were read, %d of them to another text", good, parsed)
			}
		})
	}
}

// checks scales a number of iterations that is meant for 100 rapid checks. With
// -short, rapid runs only 20.
func checks(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

// TestNothingIsLost checks that values keep the content of their raw text, for
// the types that must keep all of it.
func TestNothingIsLost(t *testing.T) {
	keeps := map[intray.TypeName]struct {
		options map[string]any
		// kept returns what the raw text and its value must have in common.
		kept func(text string) string
	}{
		intray.TypeString: {nil, func(text string) string { return text }},
		intray.TypeUUID:   {nil, strings.TrimSpace},
		intray.TypeEmail:  {nil, strings.TrimSpace},
		intray.TypeSSN:    {nil, digitsOf},
		intray.TypeZIP:    {map[string]any{"format": "9-digit"}, digitsOf},
	}
	for name, keep := range keeps {
		t.Run(string(name), func(t *testing.T) {
			parser, err := celltype.Compile(typed(name, keep.options))
			if err != nil {
				t.Fatal(err)
			}
			cells := rapid.SliceOfN(cellsOf(t, name), 20, 20)
			good := 0
			rapid.Check(t, func(t *rapid.T) {
				for _, text := range cells.Draw(t, "cells") {
					r := parser.Parse(celltype.Cell{Raw: []byte(text)}, nil)
					if r.State == celltype.Unchanged {
						r.Value = []byte(text)
					} else if r.State != celltype.Parsed {
						continue
					}
					good++
					if keep.kept(text) != keep.kept(string(r.Value)) {
						t.Fatalf("%q is %q", text, r.Value)
					}
				}
			})
			if good < checks(200) {
				t.Errorf("only %d cells were read", good)
			}
		})
	}
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
}

// wayToWrite is a notation for numbers.
type wayToWrite struct{ decimal, group, before, behind string }

// TestNumbersLoseNothing checks that numbers of up to 60 digits keep their exact value. It
// writes columns in many notations, sniffs them, and compares the values as fractions.
func TestNumbersLoseNothing(t *testing.T) {
	ways := []wayToWrite{
		{".", "", "", ""}, {",", "", "", ""}, {".", ",", "", ""}, {",", ".", "", ""}, {",", " ", "", " €"},
		{".", "'", "CHF ", ""}, {".", ",", "$", ""}, {",", "\u202f", "", ""},
	}
	digits := rapid.StringMatching(`[1-9][0-9]{0,39}`)
	fraction := rapid.StringMatching(`[0-9]{1,20}`)
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		way := rapid.SampledFrom(ways).Draw(t, "way")
		cells := texts([]string{way.before + "12" + way.decimal + "5" + way.behind, way.before + "3" + way.decimal + "75" + way.behind})
		parser, err := celltype.Compile(typed(intray.TypeNumber, nil))
		if err != nil {
			t.Fatal(err)
		}
		survey := parser.(celltype.SniffingParser).NewSniffer()
		for _, c := range cells {
			survey.Observe(c)
		}
		parser = survey.Decide(nil, nil).Parser
		for range 20 {
			whole, part, minus := digits.Draw(t, "whole"), fraction.Draw(t, "part"), rapid.SampledFrom([]string{"", "-"}).Draw(t, "minus")
			want, _ := new(big.Rat).SetString(minus + whole + "." + part)
			text := minus + way.before + grouped(whole, way.group) + way.decimal + part + way.behind
			r := parser.Parse(celltype.Cell{Raw: []byte(text)}, nil)
			if r.State == celltype.Unchanged {
				r.Value = []byte(text)
			}
			got, ok := new(big.Rat).SetString(string(r.Value))
			if r.State == celltype.Invalid || !ok || got.Cmp(want) != 0 {
				t.Fatalf("%q is %q (%s)", text, r.Value, r.Problem)
			}
			read++
		}
	})
	if read < checks(1000) {
		t.Errorf("only %d numbers were read", read)
	}
}

// grouped inserts a separator between groups of three digits.
func grouped(digits, sign string) string {
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(sign)
		}
		b.WriteRune(d)
	}
	return b.String()
}
