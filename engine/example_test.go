package engine_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// emailSink is a sink that collects the values of the first field.
type emailSink struct{ values []string }

func (s *emailSink) StageBatch(b *intray.Batch) (commit func() error, err error) {
	var values []string
	for row := range b.Rows() {
		if value, ok := b.Fields[0].Value(row); ok {
			values = append(values, string(value))
		}
	}
	return func() error {
		s.values = append(s.values, values...)
		return nil
	}, nil
}

func exampleImport(file string, answers intray.Answers) engine.Import {
	return engine.Import{
		Input: source.Input{Name: "list.csv", ReaderAt: strings.NewReader(file), Size: int64(len(file))},
		Schema: &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
			{Key: "email", Label: "Email", Type: intray.FieldType{Name: intray.TypeEmail}, RequireMapping: true},
		}},
		Answers: answers,
	}
}

// Import a file from memory into a sink.
func Example() {
	e := engine.New(engine.Config{Formats: formats.Formats("")})
	sink := &emailSink{}
	out, err := e.Run(context.Background(), exampleImport("E-Mail\nada@example.org\nnobody\n", nil),
		func([]string, []int) (engine.Sink, error) { return sink, nil })
	if err != nil {
		panic(err)
	}
	fmt.Println(sink.values)
	fmt.Println(out.DataRows, "rows,", out.ErrorRows, "invalid")
	for _, n := range out.Listed {
		fmt.Printf("row %d, %q: %s\n", *n.Row, *n.Value, n.Text)
	}
	// Output:
	// [ada@example.org]
	// 2 rows, 1 invalid
	// row 1, "nobody": Invalid email address. Enter an address such as name@example.org.
}

// Map the columns of a file, and answer the question about them.
func ExampleEngine_MapColumns() {
	e := engine.New(engine.Config{Formats: formats.Formats("")})
	file := "name,contact\nAda,ada@example.org\n"
	out, err := e.MapColumns(context.Background(), exampleImport(file, nil))
	if err != nil {
		panic(err)
	}
	for _, q := range out.Questions {
		fmt.Println(q.ID, q.Text)
		for _, c := range q.Choices {
			fmt.Println(" ", c.Value, c.Label, c.Examples)
		}
	}
	out, err = e.MapColumns(context.Background(), exampleImport(file, intray.Answers{"column:email": "1"}))
	if err != nil {
		panic(err)
	}
	fmt.Println("column", out.Mapping.Fields[0].Column)
	// Output:
	// column:email No header matches the field "Email". Which column contains it?
	//   1 contact (column 2) [ada@example.org]
	//   0 name (column 1) [Ada]
	// column 1
}
