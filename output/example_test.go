package output_test

import (
	"context"
	"fmt"
	"iter"
	"os"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

// contacts returns a schema, and the only batch of an import with three rows. The third
// row has an error.
func contacts() (*intray.Schema, iter.Seq2[*intray.Batch, error]) {
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "name", Type: intray.FieldType{Name: intray.TypeString}},
		{Key: "amount", Type: intray.FieldType{Name: intray.TypeNumber}},
	}}
	b := &intray.Batch{Lines: []int64{2, 3, 4}, Fields: make([]intray.Cells, 2)}
	b.Fields[0].AppendValue([]byte("Ada"))
	b.Fields[0].AppendValue([]byte("=SUM(A1)"))
	b.Fields[0].AppendValue([]byte("Cy"))
	b.Fields[1].AppendParsed([]byte("1.5"), []byte("1,50"))
	b.Fields[1].AppendNull(nil)
	b.Fields[1].AppendNull([]byte("many"))
	b.Problems = []intray.Problem{{Row: 2, Field: 1, Level: intray.LevelError, Code: "number"}}
	return schema, func(yield func(*intray.Batch, error) bool) { yield(b, nil) }
}

// Write the rows without errors as NDJSON, and as CSV, in which text cannot become a
// formula.
func ExampleWrite() {
	schema, batches := contacts()
	schema.Settings.InvalidDataBehavior = intray.RemoveInvalidRows
	for _, format := range []output.Format{output.NDJSON, output.CSV} {
		rows, err := output.Write(context.Background(), os.Stdout, format, schema, batches)
		if err != nil {
			panic(err)
		}
		fmt.Println(rows, "rows")
	}
	// Output:
	// {"name":"Ada","amount":1.5}
	// {"name":"=SUM(A1)","amount":null}
	// 2 rows
	// name,amount
	// Ada,1.5
	// '=SUM(A1),
	// 2 rows
}

// Keep the raw text of values with an error.
func ExampleWrite_invalidValues() {
	schema, batches := contacts()
	schema.Settings.InvalidDataBehavior = intray.IncludeInvalidValues
	if _, err := output.Write(context.Background(), os.Stdout, output.NDJSON, schema, batches); err != nil {
		panic(err)
	}
	// Output:
	// {"name":"Ada","amount":1.5}
	// {"name":"=SUM(A1)","amount":null}
	// {"name":"Cy","amount":"many"}
}
