package celltype

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

func TestSuggest(t *testing.T) {
	sizes := intray.Field{Type: intray.FieldType{Name: intray.TypeSelect}, SelectOptions: []intray.SelectOption{
		{Value: "s", Label: "Small"}, {Value: "m", Label: "Medium"}, {Value: "l", Label: "Large", AlternateMatches: []string{"big one"}}, {Value: "xl", Label: "Extra large"},
	}}
	country := intray.Field{Type: intray.FieldType{Name: intray.TypeCountry}}
	three := intray.Field{Type: intray.FieldType{Name: intray.TypeCountry, Options: map[string]any{"format": "3-letter"}}}
	state := intray.Field{Type: intray.FieldType{Name: intray.TypeState}}
	for _, c := range []struct {
		field intray.Field
		text  string
		want  []string
	}{
		{sizes, "Smal", []string{"s Small"}},
		{sizes, "medum ", []string{"m Medium"}},
		{sizes, "the big one", []string{"l Large"}},
		{sizes, "large", []string{"l Large", "xl Extra large"}},
		{sizes, "purple", nil},
		{sizes, "", nil},
		{country, "Germny", []string{"DE Germany"}},
		{country, "Deutschl.", []string{"DE Germany"}},
		{three, "Germny", []string{"DEU Germany"}},
		{country, "XX", nil},
		{country, "Europe", nil},
		{state, "Calfornia", []string{"CA California"}},
		{state, "N. Carolina", []string{"NC North Carolina", "SC South Carolina"}},
		{intray.Field{Type: intray.FieldType{Name: intray.TypeString}}, "Smal", nil},
	} {
		var got []string
		for _, s := range NewSuggester(c.field, nil).Suggest(c.text, 3) {
			if s.Reason.IsZero() {
				t.Errorf("%q: %q has no reason", c.text, s.Text)
			}
			got = append(got, s.Text+" "+s.Label)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (want - got +):\n%s", c.text, diff)
		}
	}
}

func TestBuiltinOptions(t *testing.T) {
	countries := BuiltinOptions(intray.Field{Type: intray.FieldType{Name: intray.TypeCountry}})
	if len(countries) < 240 || countries[0].Value != "AF" || countries[0].Label != "Afghanistan" {
		t.Errorf("%d countries, first %v", len(countries), countries[0])
	}
	if states := BuiltinOptions(intray.Field{Type: intray.FieldType{Name: intray.TypeState}}); len(states) != 63 || states[0].Label != "Alabama" {
		t.Errorf("%d states, first %v", len(states), states[0])
	}
	if got := BuiltinOptions(intray.Field{Type: intray.FieldType{Name: intray.TypeString}}); got != nil {
		t.Errorf("a string has %v", got)
	}
}
