package formats_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// Read the records of a file in any supported format.
func Example() {
	ctx := context.Background()
	text := "Name;Amount\nAda;1,50\nBob;2,75\n"
	in := source.Input{Name: "list.csv", ReaderAt: strings.NewReader(text), Size: int64(len(text))}
	book, err := source.Open(ctx, in, formats.Formats(""), source.Options{})
	if err != nil {
		panic(err)
	}
	defer book.Close()
	reader, err := book.Open(ctx, 0)
	if err != nil {
		panic(err)
	}
	defer reader.Close()
	for _, c := range reader.Columns() {
		fmt.Println("column", c.Header)
	}
	var recs intray.Records
	for {
		if err := reader.Next(ctx, &recs); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			panic(err)
		}
		for i := range recs.Len() {
			fmt.Printf("line %d: %s, %s\n", recs.Lines[i], recs.Cell(i, 0), recs.Cell(i, 1))
		}
	}
	// Output:
	// column Name
	// column Amount
	// line 2: Ada, 1,50
	// line 3: Bob, 2,75
}
