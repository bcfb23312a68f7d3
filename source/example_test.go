package source_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
)

// Read a file, and print what was detected about it.
func Example() {
	ctx := context.Background()
	text := "Name;Amount\nAda;1,50\nBob;2,75\n"
	in := source.Input{Name: "list.csv", ReaderAt: strings.NewReader(text), Size: int64(len(text))}
	book, err := source.Open(ctx, in, []source.Format{csv.Format{}}, source.Options{})
	if err != nil {
		panic(err)
	}
	defer book.Close()
	reader, err := book.Open(ctx, 0)
	if err != nil {
		panic(err)
	}
	defer reader.Close()
	for _, e := range append(book.Evidence(), reader.Evidence()...) {
		fmt.Printf("%s: %q\n", e.Choice, e.Value)
	}
	var batch intray.Records
	for {
		if err := reader.Next(ctx, &batch); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			panic(err)
		}
		for i := range batch.Len() {
			fmt.Printf("line %d: %s, %s\n", batch.Lines[i], batch.Cell(i, 0), batch.Cell(i, 1))
		}
	}
	// Output:
	// format: "csv"
	// encoding: "UTF-8"
	// delimiter: ";"
	// quote: "\""
	// header row: "1"
	// line 2: Ada, 1,50
	// line 3: Bob, 2,75
}

// Reject a file with too many columns.
func ExampleLimits() {
	text := "id,name,note\n1,Ada,x\n2,Bob,y\n"
	in := source.Input{Name: "list.csv", ReaderAt: strings.NewReader(text), Size: int64(len(text))}
	opt := source.Options{Limits: source.Limits{Columns: 2}}
	book, err := csv.Format{}.Open(context.Background(), in, opt)
	if err == nil {
		defer book.Close()
		_, err = book.Open(context.Background(), 0)
	}
	var limit *source.LimitError
	fmt.Println(errors.As(err, &limit), err)
	// Output:
	// true on line 2, a record has more than 2 cells
}
