package mapping_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
)

// field returns a field with the given key, label and alternate names.
func field(key, label string, alternates ...string) intray.Field {
	return intray.Field{Key: key, Label: label, AlternateMatches: alternates}
}

func required(f intray.Field) intray.Field {
	f.Validators = []intray.Validator{{Rule: "required"}}
	return f
}

func columns(headers ...string) []intray.Column {
	list := make([]intray.Column, len(headers))
	for i, header := range headers {
		list[i] = intray.Column{Index: i, Header: header}
	}
	return list
}

// suggest calls Suggest for columns with the given headers.
func suggest(t interface {
	Helper()
	Context() context.Context
	Fatal(...any)
}, fields []intray.Field, headers ...string) (intray.Mapping, []mapping.Question) {
	t.Helper()
	m, questions, err := mapping.Suggest(t.Context(), fields, columns(headers...))
	if err != nil {
		t.Fatal(err)
	}
	return m, questions
}

// assigned returns the column of each field.
func assigned(m intray.Mapping) []int {
	list := make([]int, len(m.Fields))
	for i, match := range m.Fields {
		list[i] = match.Column
	}
	return list
}

const none = intray.NoColumn

func TestSuggest(t *testing.T) {
	mail, name := field("email", "E-Mail", "Mail address"), field("name", "Full name")
	for what, c := range map[string]struct {
		fields   []intray.Field
		headers  []string
		want     []int
		unmapped []int
	}{
		"keys":                       {[]intray.Field{mail, name}, []string{"name", "email"}, []int{1, 0}, nil},
		"labels":                     {[]intray.Field{mail, name}, []string{"E-Mail", "Full name"}, []int{0, 1}, nil},
		"alternate names":            {[]intray.Field{mail, name}, []string{"Mail address", "x"}, []int{0, none}, []int{1}},
		"written otherwise":          {[]intray.Field{mail, name}, []string{"  FULL_NAME ", "e mail"}, []int{1, 0}, nil},
		"composed otherwise":         {[]intray.Field{field("city", "Z\u00fcrich")}, []string{"Zu\u0308rich"}, []int{0}, nil},
		"camel case":                 {[]intray.Field{mail, name}, []string{"mailAddress", "fullName"}, []int{0, 1}, nil},
		"the key to the letter wins": {[]intray.Field{mail}, []string{"EMAIL", "email"}, []int{1}, []int{0}},
		"a name beats an alternate":  {[]intray.Field{mail}, []string{"Mail address", "E-Mail"}, []int{1}, []int{0}},
		"an alternate to the letter beats a name written otherwise": {[]intray.Field{mail}, []string{"EMAIL", "Mail address"}, []int{1}, []int{0}},
		"a name written otherwise beats such an alternate":          {[]intray.Field{mail}, []string{"MAIL ADDRESS", "EMAIL"}, []int{1}, []int{0}},
		"the closer field gets the column": {
			[]intray.Field{field("a", "A", "total"), field("total", "Sum")}, []string{"total"}, []int{none, 0}, nil},
		"what a closer match took is not given again": {
			[]intray.Field{field("mail", "Mail"), field("m", "M", "mail")}, []string{"mail"}, []int{0, none}, nil},
		"a second choice": {
			[]intray.Field{field("mail", "Mail"), field("m", "M", "mail", "post")}, []string{"post", "mail"}, []int{1, 0}, nil},
		"accents tell names apart":  {[]intray.Field{field("resume", "Résumé")}, []string{"RÉSUMÉ"}, []int{0}, nil},
		"signs tell names apart":    {[]intray.Field{field("amount", "Amount"), field("share", "Amount %")}, []string{"AMOUNT %", "AMOUNT"}, []int{1, 0}, nil},
		"nameless columns":          {[]intray.Field{mail, field("x", "")}, []string{"", "email", " - "}, []int{1, none}, []int{0, 2}},
		"other scripts":             {[]intray.Field{field("plz", "邮政编码"), field("city", "ГОРОД")}, []string{"город", "邮政 编码"}, []int{1, 0}, nil},
		"a column that is not used": {[]intray.Field{mail}, []string{"x", "email", "y"}, []int{1}, []int{0, 2}},
	} {
		t.Run(what, func(t *testing.T) {
			m, questions := suggest(t, c.fields, c.headers...)
			if len(questions) > 0 {
				t.Errorf("questions %+v, want none", questions)
			}
			if diff := cmp.Diff(c.want, assigned(m)); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.unmapped, m.Unmapped); diff != "" {
				t.Errorf("columns of no field (-want +got):\n%s", diff)
			}
			for i, match := range m.Fields {
				mapped := match.Column != none
				if mapped != (match.Score > 0 && match.Score <= 1) || mapped != (len(match.Reasons) > 0) || mapped && match.Header != c.headers[match.Column] {
					t.Errorf("field %d: %+v", i, match)
				}
			}
		})
	}
}

// asked is a question without the text.
type asked struct {
	Field   string
	Columns []int
}

func TestQuestions(t *testing.T) {
	mail := field("email", "E-Mail", "Mail")
	must := field("must", "Must")
	must.RequireMapping = true
	warned := field("warned", "Warned")
	warned.Validators = []intray.Validator{{Rule: "required", Level: intray.LevelWarning}}
	hidden := required(field("hidden", "Hidden"))
	hidden.Hidden = true
	for what, c := range map[string]struct {
		fields  []intray.Field
		headers []string
		want    []asked
		columns []int
		words   []string
	}{
		"two columns of one name": {[]intray.Field{mail}, []string{"email", "email"},
			[]asked{{"email", []int{0, 1}}}, []int{none}, []string{`"E-Mail"`, "column 1", "column 2"}},
		"key and label": {[]intray.Field{mail}, []string{"x", "email", "E-Mail"},
			[]asked{{"email", []int{1, 2}}}, []int{none}, []string{`"email" (column 2), "E-Mail" (column 3)`}},
		"two spellings": {[]intray.Field{mail}, []string{"EMAIL", "e_mail"},
			[]asked{{"email", []int{0, 1}}}, []int{none}, nil},
		"two fields want one column": {[]intray.Field{field("a", "Mail"), field("b", "Mail"), field("c", "C")}, []string{"Mail", "C"},
			[]asked{{"a", []int{0}}}, []int{none, none, 1}, []string{`"Mail"`}},
		"two required fields want one column": {[]intray.Field{required(field("a", "Mail")), required(field("b", "Mail"))}, []string{"Mail"},
			[]asked{{"a", []int{0}}}, []int{none, none}, nil},
		"no column matches": {[]intray.Field{mail, required(field("name", "Name"))}, []string{"x", "y"},
			[]asked{{"", nil}}, []int{none, none}, []string{"first row"}},
		"a required field without a column": {[]intray.Field{mail, required(field("name", "Name"))}, []string{"email"},
			[]asked{{"name", nil}}, []int{0, none}, []string{`"Name"`}},
		"requireMapping without a column": {[]intray.Field{mail, must}, []string{"email"},
			[]asked{{"must", nil}}, []int{0, none}, []string{`"Must"`}},
		"a required field in question is asked about once": {[]intray.Field{required(mail), field("x", "X")}, []string{"email", "email", "X"},
			[]asked{{"email", []int{0, 1}}}, []int{none, 2}, nil},
		"required as a warning needs no column": {[]intray.Field{mail, warned}, []string{"email"}, nil, []int{0, none}, nil},
		"a hidden field needs and takes none":   {[]intray.Field{mail, hidden}, []string{"email", "hidden", "Hidden"}, nil, []int{0, none}, nil},
	} {
		t.Run(what, func(t *testing.T) {
			m, questions := suggest(t, c.fields, c.headers...)
			var got []asked
			text := ""
			for _, q := range questions {
				a := asked{Field: q.Field}
				for _, column := range q.Columns {
					a.Columns = append(a.Columns, column.Index)
				}
				got = append(got, a)
				text += q.Text.String() + "\n"
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("questions (-want +got):\n%s%s", diff, text)
			}
			if diff := cmp.Diff(c.columns, assigned(m)); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			for _, word := range c.words {
				if !strings.Contains(text, word) {
					t.Errorf("the question does not tell of %s: %s", word, text)
				}
			}
		})
	}
}

func TestNormalize(t *testing.T) {
	for _, same := range [][]string{
		{"First Name", "first_name", "firstName", "FIRST-NAME", " first.name ", "first\u00a0name", "(First) Name:"},
		{"Straße", "STRAßE"}, {"Größe", "GRÖßE"}, {"№ 7", "7"}, {"", "--", " \t"}, {"Price €", "price€"},
	} {
		for _, name := range same[1:] {
			if got, want := mapping.Normalize(name), mapping.Normalize(same[0]); got != want {
				t.Errorf("%q becomes %q, %q becomes %q", name, got, same[0], want)
			}
		}
	}
	names := []string{"Amount", "Amount %", "Amount €", "Amount $", "Amount #", "Amount +", "resume", "résumé", "été", "ete"}
	seen := map[string]string{}
	for _, name := range names {
		n := mapping.Normalize(name)
		if other, taken := seen[n]; taken {
			t.Errorf("%q and %q are one name", name, other)
		}
		seen[n] = name
	}
}
