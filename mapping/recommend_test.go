package mapping_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
)

// TestRecommendByValues checks which columns without a header the values suggest for fields.
func TestRecommendByValues(t *testing.T) {
	plan := typed("plan", "Plan", intray.TypeSelect)
	plan.SelectOptions = []intray.SelectOption{{Label: "Free", Value: "f"}, {Label: "Paid", Value: "p"}}
	name, mail, start, end := field("name", "Name"), typed("mail", "Email", intray.TypeEmail), typed("start", "Start", intray.TypeDate), typed("end", "End", intray.TypeDate)
	phone, site, amount := typed("phone", "Phone", intray.TypePhone), typed("site", "Website", intray.TypeURL), typed("amount", "Amount", intray.TypeNumber)
	names, mails := column("", "Ann", "Bo"), column("", "ann@birch.example", "bo@elm.example")
	days, plans := column("", "2026-01-02", "2026-01-03"), column("", "free", "Paid")
	phones, sites, numbers := column("", "+49 89 1234567", "+49 30 765432"), column("", "https://birch.example", "www.elm.example"), column("", "1.50", "20")
	for what, c := range map[string]struct {
		fields  []intray.Field
		columns []intray.Column
		want    map[string]int
	}{
		"each kind once":         {[]intray.Field{name, mail, start, plan, phone, site, amount}, indexed(names, mails, days, plans, phones, sites, numbers), map[string]int{"mail": 1, "start": 2, "plan": 3, "phone": 4, "site": 5, "amount": 6}},
		"two date columns":       {[]intray.Field{mail, start}, indexed(mails, days, days), map[string]int{"mail": 0}},
		"two date fields":        {[]intray.Field{start, end, mail}, indexed(mails, days), map[string]int{"mail": 0}},
		"text fields":            {[]intray.Field{name}, indexed(names), map[string]int{}},
		"no such values":         {[]intray.Field{mail, plan}, indexed(names, days), map[string]int{}},
		"some other values":      {[]intray.Field{mail}, indexed(column("", "ann@birch.example", "n/a", "bo@elm.example")), map[string]int{}},
		"a number in one row":    {[]intray.Field{amount}, indexed(column("", "7")), map[string]int{}},
		"an address in one row":  {[]intray.Field{mail}, indexed(column("", "ann@birch.example")), map[string]int{"mail": 0}},
		"no samples":             {[]intray.Field{mail}, indexed(column("")), map[string]int{}},
		"phones or numbers":      {[]intray.Field{phone, amount}, indexed(column("", "8912345678", "3076543210")), map[string]int{}},
		"too many columns":       {[]intray.Field{mail}, append(indexed(mails), make([]intray.Column, 500)...), map[string]int{}},
		"the index of a column":  {[]intray.Field{mail}, []intray.Column{{Index: 7, Samples: mails.Samples}}, map[string]int{"mail": 7}},
		"a hidden field ignored": {[]intray.Field{hidden(mail), typed("other", "Other", intray.TypeEmail)}, indexed(mails), map[string]int{"other": 0}},
	} {
		got := map[string]int{}
		for key, r := range mapping.RecommendByValues(c.fields, c.columns) {
			got[key] = r.Column
			if !strings.Contains(r.Reason.String(), "100% of the values") {
				t.Errorf("%s: reason %q", what, r.Reason)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

func hidden(f intray.Field) intray.Field {
	f.Hidden = true
	return f
}
