// Package examples_test checks the examples. An example is a messy file with a schema. The run
// command imports the file without any options. The golden file of an example is a summary of
// the outcome and the result.
//
// This package also generates the example files, from fixed seeds:
//
//	go test ./examples -make
//
// The flag -update writes the golden files. The package does not generate contacts.csv.
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

// example is a file and the function that generates it. The schema and the golden file have
// the same base name.
type example struct {
	name, file string
	made       func(*testing.T) []byte
	// wrong lists the rows with a mistake, counted from 1, and the rows that duplicate a value
	// of such a row.
	wrong []int64
}

func examples() []example {
	return []example{
		{"bank", "bank.csv", bank, []int64{12, 38, 61, 65, 91, 122, 151, 172, 204}},
		{"crm", "crm.csv", crm, []int64{7, 16, 22, 41, 59, 78, 94, 111, 132, 150}},
		{"stores", "stores.xlsx", stores, []int64{8, 13, 23, 32, 49, 60, 67, 84, 102}},
		{"members", "members.csv", members, []int64{10, 25, 31, 39, 56, 72, 89, 105, 127}},
		{"products", "products.csv", products, []int64{4, 9, 20, 34, 48, 63, 76, 99, 101, 121, 142}},
	}
}

// TestFiles checks that each file equals the output of the function that generates it.
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

// TestExamples checks that the summary of each example equals its golden file.
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
