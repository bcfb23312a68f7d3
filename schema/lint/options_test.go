package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// TestCloseOptionsAreAllFound checks that checkCloseOptions finds the same options as a
// comparison of all pairs.
func TestCloseOptionsAreAllFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[abé]{4,7}( [ab]{4,5})?`), 2, 6, rapid.ID[string]).Draw(t, "names")
		f := intray.Field{Key: "a", Type: intray.FieldType{Name: intray.TypeSelect}}
		for i, name := range names {
			f.SelectOptions = append(f.SelectOptions, intray.SelectOption{Label: name, Value: fmt.Sprint(i)})
		}
		var want []string
		folded := map[string]bool{}
		for i, name := range names {
			if folded[optionName(name)] {
				continue // it differs only in case, spaces or accents, which is reported first
			}
			folded[optionName(name)] = true
			for _, before := range names[:i] {
				if oneLetterApart(optionName(before), optionName(name)) {
					want = append(want, fmt.Sprintf("fields[0].selectOptions[%d].label", i))
					break
				}
			}
		}
		var got []string
		for _, found := range Check(&intray.Schema{Fields: []intray.Field{f}}) {
			if found.Code == "options_one_letter_apart" {
				got = append(got, found.Path)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: found %v, want %v", names, got, want)
		}
	})
}

// TestCloseOptionsBehindOthers checks that two close names are found if a name with the
// same letters is between them.
func TestCloseOptionsBehindOthers(t *testing.T) {
	f := intray.Field{Key: "a", Type: intray.FieldType{Name: intray.TypeSelect}}
	for _, name := range []string{"baaaa", "aaaab", "caaaa"} {
		f.SelectOptions = append(f.SelectOptions, intray.SelectOption{Label: name, Value: name})
	}
	found := Check(&intray.Schema{Fields: []intray.Field{f}})
	if len(found) != 1 || found[0].Path != "fields[0].selectOptions[2].label" || !strings.Contains(found[0].Text.String(), "selectOptions[0]") {
		t.Errorf("found %v", found)
	}
}

func TestOneLetterApart(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"monthly", "montly", true},
		{"monthly", "mnothly", true},
		{"trial", "trail", true},
		{"zambia", "gambia", true},
		{"shirt", "shirts", true},
		{"old shirt", "old shirts", true},
		{"old shirt", "new shirts", false},
		{"iran", "iraq", false},
		{"plan a", "plan b", false},
		{"grade 10", "grade 11", false},
		{"sku10001", "sku10002", false},
		{"female", "male", false},
		{"abcde", "badce", false},
		{"north west", "northwest", false},
		{"same", "same", false},
	} {
		if got := oneLetterApart(tt.a, tt.b); got != tt.want || got != oneLetterApart(tt.b, tt.a) {
			t.Errorf("%q and %q: %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestFolding(t *testing.T) {
	for _, tt := range []struct{ text, field, option string }{
		{"First Name", "firstname", "first name"},
		{"first_name", "firstname", "first name"},
		{"firstName", "firstname", "firstname"},
		{" E-Mail ", "email", "e mail"},
		{"Émail", "email", "email"},
		{"Amount %", "amount%", "amount %"},
		{"A-", "a", "a-"},
		{"A+", "a+", "a+"},
		{"(none)", "none", "(none)"},
		{"日本語", "日本語", "日本語"},
		{"--", "", "--"},
		{"", "", ""},
	} {
		if field, option := fieldName(tt.text), optionName(tt.text); field != tt.field || option != tt.option {
			t.Errorf("%q is the field %q and the option %q, want %q and %q", tt.text, field, option, tt.field, tt.option)
		}
	}
}

// TestPlainFoldingIsFolding checks that normalizeName and normalizeUnicode agree on ASCII text.
func TestPlainFoldingIsFolding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[aB9 ]{0,8}`).Draw(t, "text")
		for _, join := range []string{"", " "} {
			if got, want := normalizeName(text, join), normalizeUnicode(text, join); got != want {
				t.Fatalf("%q joined by %q: %q, want %q", text, join, got, want)
			}
		}
	})
}

// TestChecksContinue checks that an empty name and a wrong format do not end the checks of
// the names and formats that follow.
func TestChecksContinue(t *testing.T) {
	names := []intray.Field{
		{Key: "mail", Label: "Mail", Type: intray.FieldType{Name: intray.TypeString}},
		{Key: "b", Label: "Second", AlternateMatches: []string{" ", "Mail"}, Type: intray.FieldType{Name: intray.TypeString}},
	}
	format := []intray.Field{{Key: "d", Label: "Day", Type: intray.FieldType{Name: intray.TypeDate, Options: map[string]any{"displayFormat": "yyyy-mm-dd", "outputFormat": "HH:mm"}}}}
	for path, fields := range map[string][]intray.Field{"fields[1].alternateMatches[1] fields_alike": names, "fields[0].type format_without_value": format} {
		var got []string
		for _, found := range Check(&intray.Schema{Fields: fields}) {
			got = append(got, found.Path+" "+found.Code)
		}
		if !slices.Contains(got, path) {
			t.Errorf("found %q, want %s", got, path)
		}
	}
}
