package mapping_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
)

// TestOpposites checks that a column never maps to a field with an opposite or contrasting
// meaning, but maps to a field that expresses the same meaning in different words.
func TestOpposites(t *testing.T) {
	for _, pair := range [][2]string{
		{"Opt-in", "Opt-out"}, {"Subscribed", "Unsubscribed"}, {"Newsletter", "Unsubscribed"}, {"Consent", "Do not call"},
		{"Marketing consent", "Opt-out"}, {"Email Opt In", "Email Opt Out"}, {"Active", "Inactive"}, {"Paid", "Unpaid"},
		{"Min Price", "Max Price"}, {"Lowest price", "Highest price"}, {"Min. Bestand", "Max. Bestand"},
		{"Length", "Width"}, {"Width", "Depth"}, {"Height", "Length"}, {"Höhe", "Breite"}, {"Height", "Weight"}, {"Width", "Dimensions"},
		{"Old Price", "New Price"}, {"First Contact Date", "Last Contact Date"}, {"Date from", "Date to"}, {"Start Date", "End Date"},
		{"Sender Email", "Receiver Email"}, {"Billing City", "Shipping City"}, {"Gross Amount", "Net Amount"}, {"Gross Weight", "Net Weight"},
		{"Home Phone", "Work Phone"}, {"Private email", "Work email"}, {"Mother name", "Father name"},
	} {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			m, _ := suggest(t, []intray.Field{field("k", p[0])}, p[1], "Xyzzy")
			if m.Fields[0].Column != none {
				t.Errorf("%q feeds %q: %q", p[1], p[0], m.Fields[0].Reasons)
			}
		}
	}
	for _, p := range [][2]string{
		{"Opt-out", "Unsubscribed"}, {"Newsletter", "Accepts marketing"}, {"Width", "Breite"}, {"Highest price", "Max Price"},
		{"Work phone", "Telefon geschäftlich"}, {"Last name", "Primer apellido"}, {"Company website", "Website"}, {"Phone", "Home Phone"},
	} {
		if m, _ := suggest(t, []intray.Field{field("k", p[0])}, p[1], "Xyzzy"); m.Fields[0].Column != 0 {
			t.Errorf("%q does not feed %q: %q", p[1], p[0], m.Fields[0].Reasons)
		}
	}
}

// TestKinds checks that Suggest returns a question if the columns are different kinds of the
// field's concept and none of them is closer.
func TestKinds(t *testing.T) {
	for name, headers := range map[string][]string{
		"ID":        {"Account ID", "Contact ID"},
		"Quantity":  {"Qty Ordered", "Qty Shipped"},
		"Date":      {"Order Date", "Ship Date"},
		"Price":     {"List Price", "Cost Price"},
		"Betrag":    {"Rechnungsbetrag", "Zahlbetrag"},
		"City":      {"Shipping City", "Billing City"},
		"Name":      {"Shipping Name", "Billing Name"},
		"Town":      {"Mailing Town", "Other Town"},
		"Status":    {"Financial Status", "Fulfillment Status"},
		"Last name": {"Surname", "Family Name"},
		"Phone":     {"Home Phone", "Work Phone"},
		"Email":     {"Sender Email", "Receiver Email"},
		"Total":     {"Sub Total", "Grand Total"},
	} {
		// The third column maps to the second field, so that at least one field is mapped.
		fields := []intray.Field{field("k", name), field("note", "Remarks")}
		m, questions := suggest(t, fields, append(slices.Clone(headers), "Remarks")...)
		if m.Fields[0].Column != none || len(questions) != 1 || len(questions[0].Columns) != 2 {
			t.Errorf("%s of %q: %+v, %+v", name, headers, m.Fields[0], questions)
			continue
		}
		for _, h := range headers {
			if !strings.Contains(questions[0].Text.String(), fmt.Sprintf("%q", h)) {
				t.Errorf("%s: %q is not named in %s", name, h, questions[0].Text)
			}
		}
	}
}

// TestNearerThanKinds checks that a clearly closer column wins over columns that are kinds
// of the field's concept.
func TestNearerThanKinds(t *testing.T) {
	for what, c := range map[string]struct {
		fields  []intray.Field
		headers []string
		want    int
	}{
		"the label":              {[]intray.Field{field("k", "Date")}, []string{"Order Date", "Ship Date", "Date"}, 2},
		"a unit in brackets":     {[]intray.Field{field("k", "Amount")}, []string{"Amount (Foreign Currency)", "Amount (EUR)"}, 1},
		"fewer words":            {[]intray.Field{field("k", "Price")}, []string{"Variant Compare At Price", "Variant Price"}, 1},
		"the first of several":   {[]intray.Field{field("k", "Tax amount")}, []string{"Tax 1 Amount", "Tax 2 Amount"}, 0},
		"meaning of the key":     {[]intray.Field{field("ship_city", "City")}, []string{"Billing City", "Delivery City"}, 1},
		"meanings of the schema": {[]intray.Field{field("k", "City"), field("b", "Billing name")}, []string{"Shipping City", "Billing City"}, 1},
		"what others need":       {[]intray.Field{field("k", "City"), field("s", "Shipping City")}, []string{"Shipping City", "Billing City"}, 1},
	} {
		if m, questions := suggest(t, c.fields, c.headers...); m.Fields[0].Column != c.want {
			t.Errorf("%s: %+v, %+v", what, m.Fields[0], questions)
		}
	}
}

// TestNothingMapped checks that there is exactly one question if no column maps to any field,
// and that it lists the closest columns, if any.
func TestNothingMapped(t *testing.T) {
	phone := required(field("k", "Phone"))
	for what, c := range map[string]struct {
		fields  []intray.Field
		headers []string
		keyed   bool
		columns int
		text    string
	}{
		"candidates":          {[]intray.Field{phone}, []string{"Home Phone", "Work Phone"}, false, 2, "Which column contains the field \"Phone\""},
		"one, not required":   {[]intray.Field{field("k", "Date")}, []string{"Created At", "Xyzzy"}, false, 1, "contain the field \"Date\""},
		"nothing close":       {[]intray.Field{phone}, []string{"Xyzzy"}, false, 0, "the first row"},
		"keys of records":     {[]intray.Field{phone}, []string{"Xyzzy"}, true, 0, "No key in the records"},
		"none close, another": {[]intray.Field{phone, field("n", "Name")}, []string{"Name", "Xyzzy"}, false, 0, "no header matches it"},
	} {
		_, questions, err := mapping.Config{Keyed: c.keyed}.Suggest(t.Context(), c.fields, columns(c.headers...))
		if err != nil {
			t.Fatal(err)
		}
		if len(questions) != 1 || len(questions[0].Columns) != c.columns || !strings.Contains(questions[0].Text.String(), c.text) {
			t.Errorf("%s: %+v, want %d columns and %q", what, questions, c.columns, c.text)
		}
	}
	hidden := field("k", "K")
	hidden.Hidden = true
	if _, questions := suggest(t, []intray.Field{hidden}, "Xyzzy"); len(questions) > 0 {
		t.Errorf("without a visible field: %+v", questions)
	}
}
