package mapping_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
)

// typed returns a field with the given key, label, type and alternate names.
func typed(key, label string, t intray.TypeName, alternates ...string) intray.Field {
	f := field(key, label, alternates...)
	f.Type.Name = t
	return f
}

func column(header string, samples ...string) intray.Column {
	return intray.Column{Header: header, Samples: samples}
}

func indexed(list ...intray.Column) []intray.Column {
	for i := range list {
		list[i].Index = i
	}
	return list
}

// TestEvidence checks which column, if any, Suggest maps to a single field, and the reason.
func TestEvidence(t *testing.T) {
	mail := typed("contact", "E-mail", intray.TypeEmail)
	status := typed("state", "Order status", intray.TypeSelect)
	status.SelectOptions = []intray.SelectOption{{Label: "Open", Value: "o"}, {Label: "Sent", Value: "s", AlternateMatches: []string{"shipped"}}}
	for what, c := range map[string]struct {
		field   intray.Field
		columns []intray.Column
		want    int
		reason  string
	}{
		"accents":                     {field("k", "Frôbnicator"), indexed(column("frobnicator")), 0, "apart from accents and punctuation"},
		"order of words":              {field("k", "Widget gizmo"), indexed(column("gizmo-widget")), none, "is similar to"},
		"a wrong letter":              {field("k", "Frobnicator level"), indexed(column("Frobnicator levl")), none, "is similar to"},
		"an abbreviation":             {field("k", "Frobnicator level"), indexed(column("Frob level")), none, "is similar to"},
		"another figure":              {field("k", "Frobnicator 1"), indexed(column("Frobnicator 2")), none, ""},
		"a synonym":                   {field("k", "Surname"), indexed(column("Family name")), 0, "means last name"},
		"another language":            {field("k", "Postal code"), indexed(column("PLZ")), 0, "means postal code"},
		"a misspelled word":           {field("k", "Customer number"), indexed(column("Cutsomer number")), none, ""},
		"an alternate name":           {field("k", "K", "Lastschrift"), indexed(column("Debit")), 0, "the alternate name"},
		"the key where the label is":  {field("ship_city", "City"), indexed(column("Billing city"), column("Delivery city")), 1, "means city"},
		"a qualifier":                 {field("k", "Billing Address Line 1"), indexed(column("Shipping street"), column("Invoice street")), 1, "means street (billing)"},
		"another qualifier":           {field("k", "Value date"), indexed(column("Booking date")), none, ""},
		"a part is not the whole":     {field("k", "First name"), indexed(column("Full name")), none, ""},
		"the whole is not a part":     {field("k", "Full name"), indexed(column("First name")), none, ""},
		"status of the thing":         {field("k", "E-mail"), indexed(column("E-mail status")), none, ""},
		"values confirm":              {mail, indexed(column("Correo", "ann@birch.example", "bo@elm.example")), 0, "100% of the values are email addresses"},
		"values veto":                 {mail, indexed(column("Mail", "2026-03-04", "2026-03-05", "2026-03-06")), none, ""},
		"values choose":               {mail, indexed(column("Mail", "2026-03-04", "2026-03-05"), column("Courriel", "a@b.example")), 1, "means email"},
		"options confirm":             {status, indexed(column("Status", "Open", "shipped")), 0, "100% of the values match"},
		"row numbers are not IDs":     {field("k", "Ticket ID"), indexed(column("ID", "1", "2", "3")), none, "only number the rows"},
		"ids are ids":                 {field("k", "Ticket ID"), indexed(column("ID", "17", "2", "31")), 0, "means id"},
		"an empty column":             {field("k", "City"), indexed(column("Ort", "", "")), 0, "the column is empty"},
		"a full column first":         {field("k", "City"), indexed(column("Ort"), column("Stadt", "Ulm")), 1, "means city"},
		"values of the name's kind":   {field("k", "Frôb surname"), indexed(column("Frob surname", "Birch", "Elm")), 0, "apart from accents"},
		"values of another kind":      {field("k", "Frôb surname"), indexed(column("Frob surname", "2026-03-04", "2026-03-05")), none, ""},
		"own account":                 {field("k", "Own account"), indexed(column("Konto", "1", "2", "3", "4", "5")), none, "every row has a different value"},
		"own account, equal values":   {field("k", "Own account"), indexed(column("Konto", "7", "7", "7", "7", "7")), 0, "means account"},
		"a name next to a first name": {field("k", "Surname"), indexed(column("Vorname"), column("Name")), 1, "means last name"},
		"a name alone":                {field("k", "Surname"), indexed(column("Ort"), column("Name")), none, ""},
		"a lesser meaning":            {field("k", "Service"), indexed(column("品名")), none, ""},
		"unknown words":               {field("k", "Xyzzy"), indexed(column("Plugh")), none, ""},
	} {
		t.Run(what, func(t *testing.T) {
			m, _, err := mapping.Suggest(t.Context(), []intray.Field{c.field}, c.columns)
			if err != nil {
				t.Fatal(err)
			}
			got := m.Fields[0]
			if got.Column != c.want {
				t.Errorf("column %d, want %d: %+v", got.Column, c.want, got)
			}
			if reasons := strings.Join(intray.RenderAll(got.Reasons), "; "); c.reason == "" && reasons != "" && c.want != none || !strings.Contains(reasons, c.reason) {
				t.Errorf("no %q in %q", c.reason, reasons)
			}
		})
	}
}

// TestKeysMayMislead checks that a column whose header is the key of a field does not map to
// that field if the values of the column do not fit the field's more specific label.
func TestKeysMayMislead(t *testing.T) {
	fields := []intray.Field{field("partner", "Counterparty name"), field("iban", "Counterparty IBAN")}
	ibans := []string{"DE02120300000000202051", "DE02500105170137075030"}
	m, _, err := mapping.Suggest(t.Context(), fields, indexed(column("Payee", "Birch", "Elm"), column("Partner", ibans...)))
	if err != nil {
		t.Fatal(err)
	}
	if m.Fields[0].Column != 0 {
		t.Errorf("%+v", m.Fields)
	}
}

func TestNamesAreKeptAgainstValues(t *testing.T) {
	days := []string{"2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"}
	m, _, err := mapping.Suggest(t.Context(), []intray.Field{typed("email", "E-mail", intray.TypeEmail)}, indexed(column("E-mail", days...)))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Fields[0]; got.Column != 0 || !slices.Contains(intray.RenderAll(got.Reasons), "but none of the values are email addresses") {
		t.Errorf("%+v", got)
	}
}

// TestWholeIsBest checks that a column that the second field needs does not map to the first
// field.
func TestWholeIsBest(t *testing.T) {
	fields := []intray.Field{field("a", "Telephone"), field("b", "Mobile phone"), field("c", "Name"), field("d", "Company name")}
	m, questions := suggest(t, fields, "Cell", "Tel. no", "Organisation", "Nombre")
	if diff := cmp.Diff([]int{1, 0, 3, 2}, assigned(m)); diff != "" || len(questions) > 0 {
		t.Errorf("questions %+v, columns (-want +got):\n%s", questions, diff)
	}
}

func TestDoubtfulMatches(t *testing.T) {
	must := required(field("k", "Frobnicator level"))
	for what, c := range map[string]struct {
		fields  []intray.Field
		headers []string
		want    []asked
		words   []string
	}{
		"a required field":    {[]intray.Field{must, field("x", "X")}, []string{"Frobnicator levl", "X"}, []asked{{"k", []int{0}}}, []string{"Frobnicator levl", "is similar to"}},
		"an optional field":   {[]intray.Field{field("k", "Frobnicator level"), field("x", "X")}, []string{"Frobnicator levl", "X"}, nil, nil},
		"two equal columns":   {[]intray.Field{field("k", "City"), field("x", "X")}, []string{"Ort", "X", "Ort"}, []asked{{"k", []int{0, 2}}}, []string{"column 1", "column 3", "means city"}},
		"two equal fields":    {[]intray.Field{field("k", "City"), field("l", "Ciudad")}, []string{"Ort"}, []asked{{"k", []int{0}}}, []string{`"City", "Ciudad"`}},
		"the more usual name": {[]intray.Field{field("k", "City")}, []string{"Ort", "Stadt"}, []asked{{"k", []int{0, 1}}}, []string{"column 1", "column 2"}},
		"gross and net":       {[]intray.Field{field("k", "Amount")}, []string{"Gross", "Net"}, []asked{{"k", []int{0, 1}}}, nil},
		"a word of the name":  {[]intray.Field{field("k", "Tracking no.")}, []string{"Parcel ID", "Tracking number"}, nil, nil},
		"the own names":       {[]intray.Field{field("k", "Town", "Country")}, []string{"Ort", "Land"}, nil, nil},
		"a closer concept":    {[]intray.Field{field("k", "Posting date")}, []string{"Transaction date", "Buchungstag"}, nil, nil},
	} {
		t.Run(what, func(t *testing.T) {
			m, questions := suggest(t, c.fields, c.headers...)
			var got []asked
			for _, q := range questions {
				a := asked{Field: q.Field}
				for _, column := range q.Columns {
					a.Columns = append(a.Columns, column.Index)
				}
				got = append(got, a)
				for _, word := range c.words {
					if !strings.Contains(q.Text.String(), word) {
						t.Errorf("no %q in %s", word, q.Text)
					}
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%+v, questions (-want +got):\n%s", m, diff)
			}
		})
	}
}

func TestValuesAlone(t *testing.T) {
	must, may := required(typed("k", "E-mail", intray.TypeEmail)), typed("k", "E-mail", intray.TypeEmail)
	file := indexed(column("Plugh", "ann@birch.example", "bo@elm.example"), column("Xyzzy", "7"), column("City", "Ulm"))
	for _, f := range []intray.Field{must, may} {
		m, questions, err := mapping.Suggest(t.Context(), []intray.Field{f, field("city", "City")}, file)
		if err != nil || m.Fields[0].Column != none {
			t.Fatalf("%+v, %v", m, err)
		}
		if len(f.Validators) == 0 {
			if len(questions) > 0 {
				t.Errorf("an optional field is asked about: %+v", questions)
			}
			continue
		}
		if len(questions) != 1 || len(questions[0].Columns) != 1 || questions[0].Columns[0].Index != 0 || !strings.Contains(questions[0].Text.String(), "100% of the values are email addresses") {
			t.Errorf("%+v", questions)
		}
	}
}

func TestReasonsOfOpenFields(t *testing.T) {
	m, _ := suggest(t, []intray.Field{field("k", "Frobnicator level"), field("x", "X")}, "Frobnicator levl", "X")
	if got := strings.Join(intray.RenderAll(m.Fields[0].Reasons), ""); m.Fields[0].Column != none || !strings.Contains(got, `"Frobnicator levl" (column 1, score 0.`) {
		t.Errorf("%+v", m.Fields[0])
	}
}

func TestExactOnly(t *testing.T) {
	fields := []intray.Field{field("email", "E-Mail", "Mail"), field("city", "City")}
	for header, want := range map[string]int{"email": 0, "E-Mail": 0, "Mail": 0, "EMAIL": none, "e mail": none, "Correo": none} {
		m, _, err := mapping.Config{ExactOnly: true}.Suggest(t.Context(), fields, columns(header, "City"))
		if err != nil || m.Fields[0].Column != want || m.Fields[1].Column != 1 {
			t.Errorf("%q: %+v, %v", header, m.Fields, err)
		}
	}
}

func TestRemembered(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, time.November, n, 0, 0, 0, 0, time.UTC) }
	fields := []intray.Field{typed("mail", "E-mail", intray.TypeEmail), field("city", "City")}
	past := []intray.LearnedColumn{
		{Field: "city", Header: "Feld 7", On: day(1)}, {Field: "mail", Header: "Feld 7", On: day(3)},
		{Field: "gone", Header: "City", On: day(3)}, {Field: "city", Header: "", On: day(9)},
	}
	for what, c := range map[string]struct {
		columns []intray.Column
		want    []int
	}{
		"the later one":       {indexed(column("Feld 7"), column("City")), []int{0, 1}},
		"before the names":    {indexed(column("E-mail"), column("Feld 7")), []int{1, none}},
		"to the letter":       {indexed(column("feld 7"), column("City")), []int{none, 1}},
		"not of two columns":  {indexed(column("Feld 7"), column("Feld 7"), column("City")), []int{none, 2}},
		"not against values":  {indexed(column("Feld 7", "2026-01-02", "2026-01-03"), column("City")), []int{none, 1}},
		"none where it fails": {indexed(column("Feld 8"), column("City")), []int{none, 1}},
	} {
		t.Run(what, func(t *testing.T) {
			m, _, err := mapping.Config{Learned: past}.Suggest(t.Context(), fields, c.columns)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want[:1], assigned(m)[:1]); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			if got := m.Fields[0]; got.Header == "Feld 7" && got.Reasons[0].String() != `you chose the column "Feld 7" on 2026-11-03` {
				t.Errorf("reasons %q", got.Reasons)
			}
		})
	}
}

func TestHeaderRow(t *testing.T) {
	hidden := field("hidden", "Secret")
	hidden.Hidden = true
	h := mapping.NewHeaderRow([]intray.Field{field("email", "E-Mail"), field("name", "First name", "Rufname"), field("zip", "Postcode"), hidden})
	for what, c := range map[string]struct {
		row       []string
		from, top float64
	}{
		"its names":             {[]string{"E-Mail", "Rufname", "postcode"}, 1, 1},
		"another language":      {[]string{"Correo", "Nombre", "C.P."}, 0.85, 0.95},
		"further columns":       {[]string{"E-Mail", "Plugh", "Postcode", "Xyzzy", "Vorname"}, 0.9, 1},
		"a title":               {[]string{"Postcode", "", ""}, 0.4, 0.6},
		"a row of values":       {[]string{"ann@birch.example", "Ann", "12345"}, 0, 0.1},
		"a name among values":   {[]string{"E-Mail", "12", "2026-01-02", "7"}, 0, 0.2},
		"one name again":        {[]string{"E-Mail", "E-Mail", "E-Mail"}, 0.3, 0.4},
		"a name that is hidden": {[]string{"Secret", "Secret"}, 0, 0},
		"nothing":               {[]string{"", " "}, 0, 0},
	} {
		t.Run(what, func(t *testing.T) {
			if got := h.Score(c.row); got < c.from || got > c.top {
				t.Errorf("score %.2f, want %.2f to %.2f", got, c.from, c.top)
			}
		})
	}
	many := make([]intray.Field, 0, 18)
	for _, label := range strings.Fields("City Country Phone Fax Website Notes Birthday Company Department Salutation Gender Language Age Street State Currency Amount Quantity") {
		many = append(many, field("key "+label, label))
	}
	wide := mapping.NewHeaderRow(many)
	some := strings.Fields("Ort Land Telefon Fax Website Notizen Plugh Xyzzy Frob Grault Waldo Garply Corge Quux")
	if got := wide.Score(some); got < 0.5 {
		t.Errorf("six fields in many columns score %.2f", got)
	}
	quarters := mapping.NewHeaderRow([]intray.Field{field("q1", "Q1"), field("year", "2025")})
	if got := quarters.Score([]string{"Q1", "2025"}); got != 1 {
		t.Errorf("names that look like numbers count %v", got)
	}
	if none := mapping.NewHeaderRow(nil).Score([]string{"E-Mail"}); none != 0 {
		t.Errorf("a schema without fields: %v", none)
	}
}
