package schema_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/intraydata/intray/schema"
)

// Read a schema from JSON.
func Example() {
	s, err := schema.Read(strings.NewReader(`{
		"fields": [
			{"key": "email", "label": "Email", "type": "email", "validators": [{"validate": "required"}]},
			{"key": "born", "label": "Date of birth", "type": "date"}
		],
		"settings": {"maxRecords": 1000}
	}`))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range s.Fields {
		fmt.Println(f.Key, f.Type.Name, len(f.Validators))
	}
	fmt.Println(s.Settings.MaxRecords, s.Settings.InvalidDataBehavior)
	// Output:
	// email email 1
	// born date 0
	// 1000 REMOVE_INVALID_ROWS
}

// List the issues of an invalid schema.
func ExampleParse() {
	doc := schema.Doc{Fields: []any{map[string]any{"key": "email", "label": "Email", "type": "mail"}}}
	_, issues := schema.Parse(doc)
	for _, issue := range issues {
		fmt.Println(issue.Path)
	}
	// Output:
	// fields[0].type
}
