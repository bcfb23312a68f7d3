package benchdata

import (
	"bufio"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// CustomerHeader contains the column names of a customer file.
var CustomerHeader = []string{"id", "name", "email", "phone", "signed_up", "amount", "country", "reference", "notes", "url"}

// CustomerCountries are the countries that the schema accepts.
var CustomerCountries = countries

// CustomerReference is the regular expression that references must match.
const CustomerReference = "^[A-Z]{2}-[0-9]{4}-[0-9]{2}$"

// WriteCustomers writes a CSV file with a header and rows of 10 columns, about 160 bytes per
// row. On average, 18 of 1,000 rows have a fault. Each of eight kinds of faults occurs in 2 of
// 1,000 rows. In each of the two unique columns, id and email, 1 of 1,000 rows repeats an
// earlier value. Phone numbers are in the usual formats of three countries.
func WriteCustomers(to io.Writer, rows int, seed uint64) error {
	w := bufio.NewWriterSize(to, 1<<20)
	line := []byte(strings.Join(CustomerHeader, ",") + "\n")
	made := newCustomerGenerator(seed)
	for range rows {
		if _, err := w.Write(line); err != nil {
			return err
		}
		row := made.next()
		line = appendCSV(line[:0], &row)
	}
	if _, err := w.Write(line); err != nil {
		return err
	}
	return w.Flush()
}

// customerGenerator generates customers in order. A seed always generates the same customers.
type customerGenerator struct {
	random *rand.Rand
	// rows generates the columns that customers share with the rows that Write generates.
	rows *rowGenerator
	made int
}

func newCustomerGenerator(seed uint64) *customerGenerator {
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // the rows must be reproducible
	return &customerGenerator{random: random, rows: &rowGenerator{random: random}}
}

func (c *customerGenerator) next() [10]string {
	c.made++
	number := strconv.Itoa(c.made)
	row := [10]string{
		customerID(c.made), c.rows.pickRandom(firstNames) + " " + c.rows.pickRandom(lastNames), customerEmail(c.made), c.randomPhone(), c.rows.randomDate(),
		strconv.Itoa(c.random.IntN(10000)) + "." + strconv.Itoa(10+c.random.IntN(90)), c.rows.pickRandom(countries), c.randomReference(),
		c.rows.randomNotes(), "https://shop.example.org/customers/" + number,
	}
	c.injectFault(&row)
	return row
}

// faults contains the faulty values of each column.
var faults = []struct {
	column int
	texts  []string
}{
	{1, []string{""}},
	{2, []string{"nobody at example.org", "info@", "@example.org", "call her"}},
	{3, []string{"12", "on file", "+49 30", "ask"}},
	{4, []string{"2024-02-30", "soon", "2023-14-32", "unclear"}},
	{5, []string{"x/y", "many", "12.5.0.1", "tbd"}},
	{6, []string{"Atlantis", "Nowhere", "Utopia land"}},
	{7, []string{"AB-12-345", "ab-1234-56", "none"}},
	{9, []string{"no page", "shop.example.org/customers", "see notes"}},
}

// injectFault puts a fault into 18 of 1,000 rows, on average.
func (c *customerGenerator) injectFault(row *[10]string) {
	n := c.random.IntN(1000)
	switch earlier := 1 + c.random.IntN(c.made); {
	case n < 2*len(faults):
		fault := faults[n/2]
		row[fault.column] = fault.texts[c.random.IntN(len(fault.texts))]
	case n == 998:
		row[0] = customerID(earlier)
	case n == 999:
		row[2] = customerEmail(earlier)
	}
}

func customerID(number int) string { return "C" + strconv.Itoa(100_000_000 + number)[1:] }

func customerEmail(number int) string {
	return "user" + strconv.Itoa(number) + "@mail" + strconv.Itoa(number*7%40) + ".example.org"
}

// randomPhone returns a phone number that is valid in its numbering plan.
func (c *customerGenerator) randomPhone() string {
	digits := strconv.Itoa(2_000_000 + c.random.IntN(7_000_000))
	switch c.random.IntN(4) {
	case 0:
		return "+1 212 " + digits[:3] + "-" + digits[3:]
	case 1:
		return "+33 1 4" + digits[:1] + " " + digits[1:3] + " " + digits[3:5] + " " + digits[5:]
	}
	return "+49 30 " + digits
}

func (c *customerGenerator) randomReference() string {
	letter := func() string { return string(rune('A' + c.random.IntN(26))) }
	return letter() + letter() + "-" + strconv.Itoa(1000+c.random.IntN(9000)) + "-" + strconv.Itoa(10+c.random.IntN(90))
}

// CustomerSchema returns the schema of the file as decoded JSON. It has ten fields. Each
// except notes has a validator or a type other than string. Rows with an error remain in the result, with their raw text.
func CustomerSchema() map[string]any {
	rule := func(name string, more ...string) map[string]any {
		r := map[string]any{"validate": name}
		for option := range slices.Chunk(more, 2) {
			r[option[0]] = option[1]
		}
		return r
	}
	rules := map[string][]any{
		"id": {rule("unique")}, "name": {rule("required")}, "email": {rule("unique")},
		"reference": {rule("regex_match", "regex", CustomerReference)},
	}
	types := map[string]string{"email": "email", "phone": "phone-number", "signed_up": "date", "amount": "number", "country": "select", "url": "url"}
	fields := make([]any, 0, len(CustomerHeader))
	for _, name := range CustomerHeader {
		field := map[string]any{"key": name, "label": name, "type": "string"}
		if kind := types[name]; kind != "" {
			field["type"] = kind
		}
		if kept := rules[name]; kept != nil {
			field["validators"] = kept
		}
		if name == "country" {
			field["selectOptions"] = countryOptions()
		}
		fields = append(fields, field)
	}
	return map[string]any{"name": "Customers", "fields": fields, "settings": map[string]any{
		"importIdentifier": "customers", "invalidDataBehavior": "INCLUDE_INVALID_ROWS_AND_VALUES",
	}}
}

func countryOptions() (list []any) {
	for _, c := range CustomerCountries {
		list = append(list, map[string]any{"label": c, "value": c})
	}
	return list
}
