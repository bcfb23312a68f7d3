package intray_test

import (
	"fmt"

	"github.com/intraydata/intray"
)

// Describe a schema in Go. Package schema reads schemas from JSON.
func Example() {
	schema := intray.Schema{
		Name: "Contacts",
		Fields: []intray.Field{
			{Key: "email", Label: "Email", Type: intray.FieldType{Name: intray.TypeEmail},
				Validators: []intray.Validator{{Rule: "required"}, {Rule: "unique"}}},
			{Key: "born", Label: "Date of birth", Type: intray.FieldType{Name: intray.TypeDate}},
		},
		Settings: intray.DefaultSettings(),
	}
	fmt.Println(schema.FieldIndex("born"), schema.Settings.InvalidDataBehavior)
	// Output: 1 REMOVE_INVALID_ROWS
}

// Read the values of a batch along with the raw text from the file.
func ExampleBatch() {
	b := intray.Batch{Lines: []int64{2, 3}, Fields: make([]intray.Cells, 1)}
	b.Fields[0].AppendParsed([]byte("1234.5"), []byte("1.234,50"))
	b.Fields[0].AppendNull([]byte("n/a"))
	for row := range b.Rows() {
		value, ok := b.Fields[0].Value(row)
		fmt.Printf("line %d: %q is %q, %v\n", b.Lines[row], b.Fields[0].Raw(row), value, ok)
	}
	// Output:
	// line 2: "1.234,50" is "1234.5", true
	// line 3: "n/a" is "", false
}

// A message has a code for programs and a sentence for people.
func ExampleMessage() {
	m := intray.NewMessage("file.more_rows_than_limit", intray.Params{"limit": 1000})
	fmt.Println(m.Code)
	fmt.Println(m)
	fmt.Println(intray.Literal("A text of your organization."))
	// Output:
	// file.more_rows_than_limit
	// The file has more data rows than allowed (maxRecords: 1,000). Rows beyond the limit were skipped.
	// A text of your organization.
}
