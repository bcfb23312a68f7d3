package celltype_test

import (
	"fmt"
	"log"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// Parse cells as email addresses.
func Example() {
	parser, err := celltype.Compile(intray.Field{Key: "email", Type: intray.FieldType{Name: intray.TypeEmail}})
	if err != nil {
		log.Fatal(err)
	}
	for _, raw := range []string{"ada@example.org", " bob@example.org ", "", "nobody"} {
		result := parser.Parse(celltype.Cell{Raw: []byte(raw)}, nil)
		switch result.State {
		case celltype.Unchanged:
			fmt.Printf("%q is a value\n", raw)
		case celltype.Parsed:
			fmt.Printf("%q has the value %q\n", raw, result.Value)
		case celltype.Empty:
			fmt.Printf("%q is empty\n", raw)
		case celltype.Invalid:
			fmt.Printf("%q: %s\n", raw, result.Problem)
		}
	}
	// Output:
	// "ada@example.org" is a value
	// " bob@example.org " has the value "bob@example.org"
	// "" is empty
	// "nobody": Invalid email address. Enter an address such as name@example.org.
}

// Decide the format of a column of dates before parsing its cells.
func ExampleSniffer() {
	parser, err := celltype.Compile(intray.Field{Key: "day", Type: intray.FieldType{Name: intray.TypeDate}})
	if err != nil {
		log.Fatal(err)
	}
	sniffer := parser.(celltype.SniffingParser).NewSniffer()
	for _, raw := range []string{"03/04/2021", "13/04/2021"} {
		sniffer.Observe(celltype.Cell{Raw: []byte(raw)})
	}
	decision := sniffer.Decide(nil, nil)
	fmt.Println(len(decision.Ambiguities), "ambiguities")
	fmt.Printf("%s\n", decision.Parser.Parse(celltype.Cell{Raw: []byte("03/04/2021")}, nil).Value)
	// Output:
	// 0 ambiguities
	// 2021-04-03
}
