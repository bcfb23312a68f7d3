package importer_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/importer"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/source"
)

// Print the clean rows of a file and the problems in the other rows.
func Example() {
	if err := printRows(context.Background()); err != nil {
		panic(err)
	}
	// Output:
	// map[email:ada@example.org joined:2025-12-10 name:Ada Lovelace]
	// map[email:grace@example.org joined:2025-12-09 name:Grace Hopper]
	// row 2, email "bob at example.org": Invalid email address. Enter an address such as name@example.org.
}

func printRows(ctx context.Context) error {
	people, err := schema.ReadFile("testdata/people.schema.json")
	if err != nil {
		return err
	}
	imp, err := importer.Open(ctx, "testdata/people.csv", people, importer.Config{})
	if err != nil {
		return err
	}
	defer imp.Close()
	for row, err := range imp.Rows(ctx) {
		if err != nil {
			return err
		}
		fmt.Println(row.Values())
	}
	for problem, err := range imp.Problems(ctx) {
		if err != nil {
			return err
		}
		fmt.Println(problem)
	}
	return nil
}

// Answer a question about a file: is 03/04 in March or in April?
func ExampleImport_Err() {
	ctx := context.Background()
	people, err := schema.Read(strings.NewReader(`{"fields": [{"key": "born", "label": "Born", "type": "date"}]}`))
	if err != nil {
		panic(err)
	}
	text := "Born\n03/04/1990\n05/06/1991\n"
	file := source.Input{Name: "people.csv", ReaderAt: strings.NewReader(text), Size: int64(len(text))}
	imp, err := importer.OpenInput(ctx, file, people, importer.Config{})
	if err != nil {
		panic(err)
	}
	defer imp.Close()
	fmt.Println(imp.Err() != nil, imp.Outcome.Questions[0].ID)

	answers := intray.Answers{imp.Outcome.Questions[0].ID: "DMY"}
	if imp, err = importer.OpenInput(ctx, file, people, importer.Config{Answers: answers}); err != nil {
		panic(err)
	}
	defer imp.Close()
	if _, err := imp.Write(ctx, os.Stdout, output.NDJSON); err != nil {
		panic(err)
	}
	// Output:
	// true format:born:slash
	// {"born":"1990-04-03"}
	// {"born":"1991-06-05"}
}
