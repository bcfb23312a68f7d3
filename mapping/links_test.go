package mapping_test

import (
	"testing"

	"github.com/intraydata/intray"
)

// linked holds groups of synonyms. A column with one of the names must map to a field with any
// other name of the group.
var linked = [][]string{
	{"Phonetic name", "Kana", "Name (kana)", "Furigana", "フリガナ", "Name kana"},
	{"Net price", "Price excl. VAT", "Prix HT", "Prix unitaire HT", "Nettopreis", "Cena bez DPH"},
	{"Member number", "Mitgliedsnummer", "会員番号", "N° d'adhérent", "Lidnummer"},
	{"Member since", "Mitglied seit", "入会日", "Lid sinds", "Joined on"},
	{"Membership fee", "Jahresbeitrag", "年会費", "Cotisation", "Lidgeld"},
	{"Membership type", "会員区分", "Mitgliedsart", "Membership level"},
	{"Store #", "Store No.", "Store number"},
	{"Annual revenue", "Jahresumsatz", "Turnover"},
	{"Release date", "Date de mise en vente", "On sale date", "発売日"},
	{"State code", "Province code"},
}

func TestLinkedNames(t *testing.T) {
	for _, names := range linked {
		for _, label := range names {
			for _, header := range names {
				m, questions := suggest(t, []intray.Field{field("k", label)}, header)
				if m.Fields[0].Column != 0 {
					t.Errorf("%q is not matched to %q: %+v %+v", header, label, m.Fields[0], questions)
				}
			}
		}
	}
	for label, header := range map[string]string{"State": "Prefecture", "Value date": "Valuta", "Gross salary": "Salaire brut mensuel"} {
		if m, _ := suggest(t, []intray.Field{field("k", label)}, header); m.Fields[0].Column != 0 {
			t.Errorf("%q is not matched to %q: %+v", header, label, m.Fields[0])
		}
	}
}

// TestYears checks which columns with a year in the header map to a field.
func TestYears(t *testing.T) {
	for what, c := range map[string]struct {
		label   string
		headers []string
		want    int
	}{
		"a year behind the noun":      {"Annual revenue", []string{"Revenue 2025"}, 0},
		"before it":                   {"Annual revenue", []string{"2025 Umsatzerlöse"}, 0},
		"a financial year":            {"Annual revenue", []string{"Turnover FY2025"}, 0},
		"of East Asia":                {"Quantity", []string{"数量2025年"}, 0},
		"two years":                   {"Annual revenue", []string{"Revenue 2024", "Revenue 2025"}, none},
		"a year and none":             {"Annual revenue", []string{"Revenue 2025", "Revenue"}, 1},
		"years of two nouns":          {"Annual revenue", []string{"Employees 2024", "Revenue 2025"}, 1},
		"another year":                {"Annual revenue 2024", []string{"Revenue 2025"}, none},
		"a date is not an amount":     {"Order date", []string{"Order date 2025"}, none},
		"not a year":                  {"Annual revenue", []string{"Revenue 5025"}, none},
		"a year and another figure":   {"Annual revenue", []string{"Revenue 2025 3"}, none},
		"nothing but a year":          {"Annual revenue", []string{"2025"}, none},
		"a long name of another year": {"Total annual revenue of the company 2024", []string{"Total revenue of the company 2025"}, none},
	} {
		t.Run(what, func(t *testing.T) {
			m, _ := suggest(t, []intray.Field{field("k", c.label)}, c.headers...)
			if m.Fields[0].Column != c.want {
				t.Errorf("%+v", m.Fields[0])
			}
		})
	}
}
