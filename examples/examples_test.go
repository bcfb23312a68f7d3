// Package examples_test holds the examples to what they promise: an example is
// a messy file and a schema, which the command run understands without any
// option. Its golden file is what comes of the two, as text.
//
// The files are made by this package as well, from fixed seeds, by
//
//	go test ./examples -make
//
// and the golden files are written by -update. contacts.csv is not made here.
package examples_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/schema"
)

var (
	remake = flag.Bool("make", false, "make the files of the examples again")
	update = flag.Bool("update", false, "rewrite the golden files")
)

// example is a file and how it is made. Its schema and its golden file have its
// name before the point.
type example struct {
	name, file string
	made       func(*testing.T) []byte
	// wrong are the rows with a mistake, counted from 1, and those that hold the
	// same value as one of them.
	wrong []int64
}

func examples() []example {
	return []example{
		{"bank", "bank.csv", bank, []int64{12, 38, 61, 65, 91, 122, 151, 172, 204}},
		{"crm", "crm.csv", crm, []int64{7, 16, 22, 41, 59, 78, 94, 111, 132, 150, 161}},
		{"stores", "stores.xlsx", stores, []int64{8, 13, 23, 32, 49, 60, 67, 84, 102}},
		{"members", "members.csv", members, []int64{10, 25, 31, 39, 56, 72, 89, 105, 127}},
		{"products", "products.csv", products, []int64{4, 9, 20, 34, 48, 63, 76, 99, 101, 121, 142}},
	}
}

// TestFiles holds the files to what makes them.
func TestFiles(t *testing.T) {
	for _, e := range examples() {
		made := e.made(t)
		if *remake {
			if err := os.WriteFile(e.file, made, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		there, err := os.ReadFile(e.file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(there, made) {
			t.Errorf("%s is not what is made for it; run go test ./examples -make", e.file)
		}
	}
}

// TestExamples runs each example and compares what comes of it.
func TestExamples(t *testing.T) {
	for _, e := range examples() {
		t.Run(e.name, func(t *testing.T) {
			text, err := os.ReadFile(e.name + ".schema.json")
			if err != nil {
				t.Fatal(err)
			}
			schema, err := schema.Read(bytes.NewReader(text))
			if err != nil {
				t.Fatalf("the schema is refused: %v", err)
			}
			got, out := run(t, e.file, schema)
			e.checkOutcome(t, schema, out)
			e.checkReadme(t, out)
			golden := filepath.Join("testdata", e.name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// checkOutcome checks that there are no questions, that every field has a column, and
// that exactly the rows that were generated as invalid are invalid.
func (e example) checkOutcome(t *testing.T, schema *intray.Schema, out *engine.Outcome) {
	t.Helper()
	if out.Verdict != engine.Done {
		t.Errorf("the verdict is %s", verdicts[out.Verdict])
	}
	for i, match := range out.Mapping.Fields {
		if match.Column == intray.NoColumn {
			t.Errorf("no column feeds %s", schema.Fields[i].Key)
		}
	}
	var wrong []int64
	for _, row := range out.RowsWithError {
		wrong = append(wrong, row+1)
	}
	if diff := cmp.Diff(e.wrong, wrong); diff != "" {
		t.Errorf("rows with an error (-want +got):\n%s", diff)
	}
}

// checkReadme checks that README.md states the outcome of the example.
func (e example) checkReadme(t *testing.T, out *engine.Outcome) {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("`intray run examples/%s --schema examples/%s.schema.json`", e.file, e.name),
		fmt.Sprintf("%d rows, %d with an error", out.DataRows, out.ErrorRows),
	} {
		if !slices.ContainsFunc(strings.Split(string(readme), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "| ["+e.file+"]") && strings.Contains(line, want)
		}) {
			t.Errorf("README.md has no line of %s that says %s", e.file, want)
		}
	}
}
