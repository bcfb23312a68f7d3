package validate_test

import (
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/validate"
)

// Validate the rows of a batch.
func Example() {
	fields := []intray.Field{{Key: "name", Label: "Name", Validators: []intray.Validator{{Rule: "required"}}}}
	rules, err := validate.Compile(fields)
	if err != nil {
		panic(err)
	}
	b := &intray.Batch{Lines: []int64{2, 3}, Fields: make([]intray.Cells, 1)}
	b.Fields[0].AppendValue([]byte("Ada"))
	b.Fields[0].AppendNull(nil)
	if err := rules.Apply(b, validate.NewBudget()); err != nil {
		panic(err)
	}
	for _, p := range b.Problems {
		fmt.Printf("line %d, %s: %s\n", b.Lines[p.Row], p.Code, p.Text)
	}
	// Output:
	// line 3, required: Required. Enter a value.
}

// Find the values that several rows have. A UniqueChecker must observe all
// batches first.
func ExampleUniqueChecker() {
	fields := []intray.Field{{Key: "id", Label: "ID", Validators: []intray.Validator{{Rule: "unique"}}}}
	rules, err := validate.Compile(fields)
	if err != nil {
		panic(err)
	}
	checker := rules.UniqueChecker("", validate.NewBudget())
	defer checker.Close()
	b := &intray.Batch{Lines: []int64{2, 3, 4}, Fields: make([]intray.Cells, 1)}
	for _, id := range []string{"7", "8", "7"} {
		b.Fields[0].AppendValue([]byte(id))
	}
	if err := checker.AddBatch(b); err != nil {
		panic(err)
	}
	found, err := checker.Finish()
	if err != nil {
		panic(err)
	}
	for _, d := range found {
		fmt.Println(d.Problem.Code, d.Rows.ToArray())
	}
	// Output:
	// unique [0 2]
}
