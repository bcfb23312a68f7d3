package mapping_test

import (
	"context"
	"fmt"
	"log"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
)

// Map the columns of a file to the fields of a schema.
func Example() {
	fields := []intray.Field{{Key: "email", Label: "E-Mail"}, {Key: "name", Label: "Name"}}
	columns := []intray.Column{{Index: 0, Header: "Name"}, {Index: 1, Header: "e mail"}}
	m, _, err := mapping.Suggest(context.Background(), fields, columns)
	if err != nil {
		log.Fatal(err)
	}
	for i, match := range m.Fields {
		fmt.Println(fields[i].Key, match.Column, match.Score, match.Reasons[0])
	}
	// Output:
	// email 1 0.95 "e mail" matches the field's key "email"
	// name 0 1 the header matches the field's label "Name"
}

// Two columns match a field equally well, so a person must choose one.
func ExampleSuggest_question() {
	fields := []intray.Field{{Key: "email", Label: "Email"}}
	columns := []intray.Column{{Index: 0, Header: "Home email"}, {Index: 1, Header: "Work email"}}
	_, questions, err := mapping.Suggest(context.Background(), fields, columns)
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range questions {
		fmt.Println(q.Field)
		for _, c := range q.Columns {
			fmt.Println(" ", c.Header)
		}
	}
	// Output:
	// email
	//   Work email
	//   Home email
}
