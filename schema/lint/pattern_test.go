package lint

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/validate/jsregexp"
)

// admits reports whether text has the form.
func (f form) admits(text string) bool {
	n := codePoints(text)
	first, _ := utf8.DecodeRuneInString(text)
	return n >= f.least && (f.most < 0 || n <= f.most) && (f.first == nil || overlap(f.first, []rune{first, first}))
}

// expression draws a typical part of a regular expression.
func expression(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 9).Draw(t, "kind")
	if depth == 0 {
		kind %= 5
	}
	switch kind {
	case 0, 1:
		return rapid.SampledFrom([]string{"a", "b", "Z", "7", "-", ".", "é", "😀", `\.`}).Draw(t, "char")
	case 2:
		return rapid.SampledFrom([]string{`\d`, `\w`, `\s`, `\S`, `\D`, `[a-c]`, `[^a]`, `[\s7]`, `[\s\S]`, `[^\d\D]`, `[-\w]`}).Draw(t, "class")
	case 3:
		return rapid.SampledFrom([]string{"^", "$", ""}).Draw(t, "edge")
	case 4:
		return rapid.SampledFrom([]string{`^\d{2}`, `a{2}`, `[a-z]{1,3}`, `(?:^$)`, `^(a|b7)$`}).Draw(t, "piece")
	case 5, 6:
		return expression(t, depth-1) + expression(t, depth-1)
	case 7:
		return expression(t, depth-1) + "|" + expression(t, depth-1)
	case 8:
		return "(" + expression(t, depth-1) + ")"
	}
	return "(?:" + expression(t, depth-1) + ")" + rapid.SampledFrom([]string{"*", "+", "?", "{2}", "{0,2}", "*?"}).Draw(t, "times")
}

func text(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(characters), 1, 6).Draw(t, "text"), "")
}

// TestFormsAreSound checks that every string that an expression matches has one of its forms,
// and that an expression with fitsAll matches every string without a line feed.
func TestFormsAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := patternOf(t, expression(t, 4))
		if p == nil || p.branches == nil {
			return
		}
		expr := made(t, p)
		for range 20 {
			holds(t, p, expr, text(t))
		}
	})
}

func made(t rapid.TB, p *pattern) *jsregexp.Expr {
	t.Helper()
	expr, err := jsregexp.Compile(p.source, p.flags)
	if err != nil {
		t.Fatal(err)
	}
	return expr
}

func holds(t rapid.TB, p *pattern, expr *jsregexp.Expr, text string) {
	t.Helper()
	fits, err := expr.Match([]byte(text))
	if err != nil {
		return
	}
	if p.fitsAll() && !fits && !strings.Contains(text, "\n") {
		t.Fatalf("%v fits all, but not %q", expr, text)
	}
	forms, limited := p.textForms()
	has := slices.ContainsFunc(forms, func(f form) bool { return f.admits(text) })
	if fits && limited && !has {
		t.Fatalf("%v fits %q, which has none of the forms %v", expr, text, forms)
	}
}

// TestShortFormsAreSound checks that every short string that an expression matches has one of
// the forms of the expression.
func TestShortFormsAreSound(t *testing.T) {
	texts := []string{""}
	for from := 0; len(texts) < 1500; from++ {
		for _, c := range characters {
			texts = append(texts, texts[from]+c)
		}
	}
	for _, source := range []string{
		`^\s`, `^[\s7]b?$`, `^\S+$`, `^\D{2}$`, `^a?b`, `^(?:a|7)?b$`, `^$|^a`, `^(?:$|b{2}$)`, `^.$`, `^..$`, `^[^a]$`, `^a*$`, `a|^b`,
		`^(?:a|bb){2}$`, `^(?:a?|b)-?$`, `(?:^a|^b)$`, `^a{0}b$`, `^(?:ab){0,1}Z`, `^[\s\S]$`, `^[\s\S]*$`, `.*`, `^.*$`, `^(?:)$`, `^\w-`, `^a?`, `^(?:bb|a){2}$`, `^😀`, `^[😀]$`, `^s$`,
	} {
		for _, ignoreCase := range []any{false, true} {
			l := &linter{budget: newBudget(), patterns: map[string]*pattern{}}
			p := l.patternOf(intray.Validator{Options: map[string]any{"regex": source, "regexOptions": map[string]any{"ignoreCase": ignoreCase}}})
			if p.branches == nil {
				t.Fatalf("%s is not seen through", source)
			}
			expr := made(t, p)
			for _, text := range texts[1:] {
				holds(t, p, expr, text)
			}
		}
	}
}

var characters = []string{"a", "b", "A", "Z", "7", "-", " ", "\u00a0", "é", "😀", "\n", "ſ"}

func patternOf(t *rapid.T, source string) *pattern {
	l := &linter{budget: newBudget(), patterns: map[string]*pattern{}}
	options := map[string]any{"regex": source, "regexOptions": map[string]any{
		"ignoreCase": rapid.Bool().Draw(t, "i"), "dotAll": rapid.Bool().Draw(t, "s"), "unicode": rapid.Bool().Draw(t, "u"),
	}}
	p := l.patternOf(intray.Validator{Rule: "regex_match", Options: options})
	if p.report == nil {
		return nil
	}
	return p
}

// TestExpressionsAreKnown checks that the forms of typical expressions are known. The
// previous tests would pass even if they were not.
func TestExpressionsAreKnown(t *testing.T) {
	for source, want := range map[string]form{
		`^\d{5}$`:            fixedLength(5, digits),
		`^\d{5}(-\d{4})?$`:   {5, 10, digits},
		`^(?:[A-Z]{2}|\d+)$`: {1, -1, nil},
		`^[A-C]`:             {1, -1, []rune("AC")},
		`^.{3}$`:             {2, 3, []rune{0, 0x10FFFF}},
		`^(\d{3}){2}$`:       fixedLength(6, digits),
		`[a-z]{3}`:           {3, -1, nil},
	} {
		p := &pattern{branches: branchesOf(parseRegexp(source, jsregexp.Flags{}))}
		forms, known := p.textForms()
		if !known || len(forms) == 0 {
			t.Errorf("%s: nothing is known", source)
			continue
		}
		got := forms[0]
		for _, f := range forms[1:] {
			got = form{min(got.least, f.least), max(got.most, f.most), nil}
			if f.most < 0 {
				got.most = -1
			}
		}
		if got.least != want.least || got.most != want.most || want.first != nil && string(got.first) != string(want.first) {
			t.Errorf("%s: %v, want %v", source, forms, want)
		}
	}
	for _, source := range []string{`\bword\b`, `(?=a)b`, `(a)\1`, `\u0041`, `[[:alpha:]]`, `a$b`, `[]a]`, `\p{L}`} {
		if tree := parseRegexp(source, jsregexp.Flags{}); tree != nil && branchesOf(tree) != nil {
			t.Errorf("%s is treated as known", source)
		}
	}
}

// TestValuesHaveTheirForms checks that each parsed value has the form of its type and that
// validators that match the value are not reported.
func TestValuesHaveTheirForms(t *testing.T) {
	options := []intray.SelectOption{{Label: "Red", Value: "r"}, {Label: "Blue", Value: "b"}}
	for _, tt := range []struct {
		name    intray.TypeName
		options map[string]any
		cells   []string
	}{
		{intray.TypeNumber, nil, []string{"5", "-1,234.50", "12%", "(3)", ".5", "1e-7"}},
		{intray.TypeNumber, map[string]any{"preset": "usd", "min": -5, "max": 10.0}, []string{"$5", "-5", "10.00"}},
		{intray.TypeDate, nil, []string{"2024-12-31", "12/31/99", "Jan 2, 2020", "0999-01-01"}},
		{intray.TypeDatetime, nil, []string{"2024-12-31T15:20:30", "1/22/2020 3:04 pm"}},
		{intray.TypeDatetime, map[string]any{"withSeconds": true}, []string{"2024-12-31T15:20:30", "2020-01-02 03:04"}},
		{intray.TypeTime, nil, []string{"15:20:30", "3 pm", "3:04"}},
		{intray.TypeTime, map[string]any{"withSeconds": true}, []string{"15:20:30", "3:04 pm"}},
		{intray.TypeCheckbox, nil, []string{"yes", "no", "0", "X"}},
		{intray.TypeSelect, nil, []string{"red", "b"}},
		{intray.TypeMultiSelect, nil, []string{"red, blue", "b"}},
		{intray.TypeEmail, nil, []string{"a@b.co", "O.x+y@example.org"}},
		{intray.TypeURL, nil, []string{"https://example.org/x", "HTTP://EXAMPLE.org"}},
		{intray.TypeDomain, nil, []string{"Example.ORG", "t.co"}},
		{intray.TypeZIP, nil, []string{"501", "12345", "12345-6789"}},
		{intray.TypeZIP, map[string]any{"format": "9-digit"}, []string{"12345-6789", "123456789"}},
		{intray.TypeZIP, map[string]any{"format": "9-digit", "outputDash": true}, []string{"12345-6789", "123456789"}},
		{intray.TypeState, nil, []string{"ca", "US-TX", "Guam"}},
		{intray.TypeSSN, nil, []string{"123-45-6789"}},
		{intray.TypeSSN, map[string]any{"outputDash": true}, []string{"123456789"}},
		{intray.TypeCountry, nil, []string{"de", "France", "USA"}},
		{intray.TypeCountry, map[string]any{"format": "3-letter"}, []string{"de", "France"}},
		{intray.TypeUUID, nil, []string{"123e4567-e89b-42d3-a456-426614174000", "F23E4567-E89B-42D3-A456-426614174000"}},
	} {
		f := intray.Field{Key: "a", Type: intray.FieldType{Name: tt.name, Options: tt.options}, SelectOptions: options}
		l := &linter{schema: &intray.Schema{Fields: []intray.Field{f}}}
		parser, err := celltype.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range tt.cells {
			r := parser.Parse(celltype.Cell{Raw: []byte(cell)}, nil)
			got := string(r.Value)
			switch r.State {
			case celltype.Unchanged:
				got = cell
			case celltype.Invalid, celltype.Empty:
				t.Errorf("%s: %q is not a value: %s", tt.name, cell, r.Problem)
				continue
			}
			if has := formOf(f); !has.admits(got) {
				t.Errorf("%s: %q is read as %q, which has not the form %v", tt.name, cell, got, has)
			}
			if why := l.impossibleReason(0, got); !why.IsZero() {
				t.Errorf("%s: %q is parsed as %q, which is reported as impossible: %s", tt.name, cell, got, why)
			}
		}
	}
}
