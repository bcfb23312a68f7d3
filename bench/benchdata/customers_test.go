package benchdata_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/bench/benchdata"
	"github.com/intraydata/intray/schema"
)

func customers(t *testing.T, rows int, seed uint64) string {
	t.Helper()
	var b strings.Builder
	if err := benchdata.WriteCustomers(&b, rows, seed); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCustomersAreAsPromised uses an independent implementation of the rules to check that
// customer files contain as many faults as documented.
func TestCustomersAreAsPromised(t *testing.T) {
	const rows = 50_000
	text := customers(t, rows, 1)
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(benchdata.CustomerHeader, all[0]); diff != "" || len(all) != rows+1 {
		t.Errorf("%d records, header (-want +got):\n%s", len(all), diff)
	}
	right := map[string]*regexp.Regexp{
		"name": regexp.MustCompile(`^\S+ \S+$`), "email": regexp.MustCompile(`^user\d+@mail\d+\.example\.org$`),
		"phone": regexp.MustCompile(`^\+(49 30 \d{7}|33 1 4\d( \d\d){3}|1 212 \d{3}-\d{4})$`), "signed_up": regexp.MustCompile(`^\d{4}-[01]\d-[012]\d$`),
		"amount": regexp.MustCompile(`^\d{1,4}\.\d\d$`), "country": regexp.MustCompile(`^(` + strings.Join(benchdata.CustomerCountries, "|") + `)$`),
		"reference": regexp.MustCompile(benchdata.CustomerReference), "url": regexp.MustCompile(`^https://shop\.example\.org/customers/\d+$`),
	}
	wrong, times, bad := map[string]int{}, map[string]int{}, 0
	for i, record := range all[1:] {
		spoilt := false
		for column, name := range benchdata.CustomerHeader {
			if rule := right[name]; rule != nil && !rule.MatchString(record[column]) {
				wrong[name]++
				spoilt = true
			}
		}
		for _, column := range []int{0, 2} {
			if times[record[column]]++; times[record[column]] > 1 && right["email"].MatchString(all[i+1][2]) {
				wrong["twice"]++
				spoilt = true
			}
		}
		if spoilt {
			bad++
		}
	}
	for what, c := range map[string]struct{ got, least, most int }{
		"bad rows":    {bad, rows * 15 / 1000, rows * 22 / 1000},
		"twice":       {wrong["twice"], rows / 1000, rows * 3 / 1000},
		"bytes a row": {len(text) / rows, 140, 170},
	} {
		if c.got < c.least || c.got > c.most {
			t.Errorf("%s: %d, want %d to %d", what, c.got, c.least, c.most)
		}
	}
	for name := range right {
		if n := wrong[name]; n < rows/1000 || n > rows*3/1000 {
			t.Errorf("%d rows have a wrong %s, want two in 1000", n, name)
		}
	}
}

func TestCustomersAreTheSameEachTime(t *testing.T) {
	first, again := customers(t, 500, 3), customers(t, 500, 3)
	if first != again {
		t.Error("one seed gives two files")
	}
	if first == customers(t, 500, 4) {
		t.Error("two seeds give one file")
	}
	if !strings.HasPrefix(first, strings.TrimSuffix(customers(t, 10, 3), "\n")) {
		t.Error("a longer file does not start with the shorter one")
	}
	for _, rows := range []int{1, 50_000} {
		if err := benchdata.WriteCustomers(full{}, rows, 1); !errors.Is(err, errFull) {
			t.Errorf("%d rows on a full disk: error %v", rows, err)
		}
	}
}

func TestCustomerSchema(t *testing.T) {
	text, err := json.Marshal(benchdata.CustomerSchema())
	if err != nil {
		t.Fatal(err)
	}
	schema, err := schema.Read(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	var keys, kinds []string
	unique := 0
	for _, f := range schema.Fields {
		keys, kinds = append(keys, f.Key), append(kinds, string(f.Type.Name))
		for _, v := range f.Validators {
			if v.Rule == "unique" {
				unique++
			}
		}
	}
	if diff := cmp.Diff(benchdata.CustomerHeader, keys); diff != "" || unique != 2 {
		t.Errorf("%d unique fields, want 2 (-header +keys):\n%s", unique, diff)
	}
	slices.Sort(kinds)
	want := []string{"date", "email", "number", "phone-number", "select", "string", "string", "string", "string", "url"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}
