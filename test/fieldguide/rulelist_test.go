package fieldguide

// ruleEntries returns the entries of all validators, by name.
func ruleEntries() map[string]ruleEntry {
	const name = `{"key": "name", "label": "Name"`
	phone := ruleEntry{field: `{"key": "phone", "label": "Phone"`, others: []string{`{"key": "fax", "label": "Fax"}`, `{"key": "email", "label": "E-mail"}`},
		header: []string{"Phone", "Fax", "E-mail"}}
	vat := ruleEntry{field: `{"key": "vat", "label": "VAT id"`, others: []string{`{"key": "kind", "label": "Kind"}`, `{"key": "country", "label": "Country", "type": "country"}`},
		header: []string{"VAT id", "Kind", "Country"}}
	like := func(e ruleEntry, summary string, tried ...broken) ruleEntry {
		e.summary, e.tried = summary, tried
		return e
	}
	of := func(field, label, summary string, tried ...broken) ruleEntry {
		return ruleEntry{summary: summary, field: field, header: []string{label}, tried: tried}
	}
	cells := func(list ...string) (rows [][]string) {
		for _, cell := range list {
			rows = append(rows, []string{cell})
		}
		return rows
	}
	return map[string]ruleEntry{
		"required": of(name, "Name", "The cell must not be empty or blank. With level `error`, the field also needs a column. If no column matches, the import needs review.",
			broken{`{"validate": "required"}`, cells("Ada", " ", "")},
			broken{`{"validate": "required", "errorMessage": "Who is it?"}`, cells("")},
			broken{`{"validate": "required", "level": "warning"}`, cells("")},
			broken{`{"validate": "required", "level": "info"}`, cells("")},
			broken{`{"validate": "required", "level": "error"}`, cells("")}),
		"unique": of(name, "Name", "The value must be different in each row. All rows with a duplicate value are invalid, including the first. Empty cells are never duplicates.",
			broken{`{"validate": "unique"}`, cells("Ada", "Bob", "ada", "Bob", "", "")}),
		"unique_case_insensitive": of(name, "Name", "Like `unique`, but ignores case.",
			broken{`{"validate": "unique_case_insensitive"}`, cells("Ada", "Bob", "ada")}),
		"unique_with": {summary: "The combination of values of all fields with the same `uniqueKey` must be unique.",
			field: `{"key": "order", "label": "Order"`, header: []string{"Order", "Line"},
			others: []string{`{"key": "line", "label": "Line", "validators": [{"validate": "unique_with", "uniqueKey": "position"}]}`},
			tried:  []broken{{`{"validate": "unique_with", "uniqueKey": "position"}`, [][]string{{"A", "1"}, {"A", "2"}, {"B", "1"}, {"A", "2"}, {"", ""}}}}},
		"regex_match": of(`{"key": "code", "label": "Code"`, "Code", "The text must contain a match for a JavaScript regular expression. To match the whole text, start the expression with `^` and end it with `$`. Intray also checks empty cells, except those that another validator requires to have a value. In JSON, write each `\\` twice.",
			broken{`{"validate": "regex_match", "regex": "^[A-Z]{2}\\d{3}$"}`, cells("AB123", "ab123", "xAB1234", "")},
			broken{`{"validate": "regex_match", "regex": "^$|^[A-Z]{2}$", "regexOptions": {"ignoreCase": true}}`, cells("ab", "")},
			broken{`{"validate": "regex_match", "regex": "^a.b$"}`, cells("a\nb")},
			broken{`{"validate": "regex_match", "regex": "^a.b$", "regexOptions": {"dotAll": true}}`, cells("a\nb")},
			broken{`{"validate": "regex_match", "regex": "^b$", "regexOptions": {"multiline": true}}`, cells("a\nb")},
			broken{`{"validate": "regex_match", "regex": "^\\p{L}+$", "regexOptions": {"unicode": true}}`, cells("Müller", "M3")},
			broken{`{"validate": "regex_match", "regex": "^(?=.*\\d)(?=.*[a-z]).{6,}$", "errorMessage": "Six characters, a letter and a digit."}`, cells("abc123", "abcdef")}),
		"regex_exclude": of(`{"key": "code", "label": "Code"`, "Code", "The text must not contain a match for the regular expression.",
			broken{`{"validate": "regex_exclude", "regex": "\\s"}`, cells("AB12", "AB 12")},
			broken{`{"validate": "regex_exclude", "regex": "^test", "regexOptions": {"ignoreCase": true, "dotAll": false, "multiline": false, "unicode": false}}`, cells("Test 1", "A test")}),
		"require_with": like(phone, "The cell must not be empty if at least one of the other fields has a value.",
			broken{`{"validate": "require_with", "fields": ["fax", "email"]}`, [][]string{{"1", "2", ""}, {"", "2", ""}, {"", "", ""}}}),
		"require_without": like(phone, "The cell must not be empty if at least one of the other fields is empty.",
			broken{`{"validate": "require_without", "fields": ["fax", "email"]}`, [][]string{{"", "2", "a@b.org"}, {"", "2", ""}, {"1", "", ""}}}),
		"require_with_all": like(phone, "The cell must not be empty if all of the other fields have a value.",
			broken{`{"validate": "require_with_all", "fields": ["fax", "email"]}`, [][]string{{"", "2", "a@b.org"}, {"", "2", ""}}}),
		"require_without_all": like(phone, "The cell must not be empty if all of the other fields are empty.",
			broken{`{"validate": "require_without_all", "fields": ["fax", "email"]}`, [][]string{{"", "2", ""}, {"", "", ""}, {"1", "", ""}}}),
		"require_with_values": like(vat, "The cell must not be empty if at least one of the fields in `fieldValues` has the value given for it. Give canonical values, regardless of `outputFormat`: for example `2024-12-31`, `DE`, or the value of an option rather than its label.",
			broken{`{"validate": "require_with_values", "fieldValues": {"kind": "firm", "country": "DE"}}`, [][]string{{"", "firm", "France"}, {"", "person", "Germany"}, {"", "person", "France"}}}),
		"require_without_values": like(vat, "The cell must not be empty if at least one of the fields in `fieldValues` does not have the value given for it.",
			broken{`{"validate": "require_without_values", "fieldValues": {"kind": "person", "country": "DE"}}`, [][]string{{"", "person", "Germany"}, {"", "person", "France"}, {"", "firm", "Germany"}}}),
		"require_with_all_values": like(vat, "The cell must not be empty if all of the fields in `fieldValues` have the values given for them.",
			broken{`{"validate": "require_with_all_values", "fieldValues": {"kind": "firm", "country": "DE"}}`, [][]string{{"", "firm", "Germany"}, {"", "firm", "France"}}}),
		"require_without_all_values": like(vat, "The cell must not be empty if none of the fields in `fieldValues` has the value given for it.",
			broken{`{"validate": "require_without_all_values", "fieldValues": {"kind": "person", "country": "DE"}}`, [][]string{{"", "firm", "France"}, {"", "firm", "Germany"}}}),
		"length": of(name, "Name", "The text must be from `min` to `max` characters long, inclusive. Set `min`, `max` or both. Intray skips empty cells.",
			broken{`{"validate": "length", "min": 2, "max": 5}`, cells("Jo", "Zoë", "Josephine", "J", "")},
			broken{`{"validate": "length", "min": 3, "max": 3}`, cells("Jo")},
			broken{`{"validate": "length", "max": 5}`, cells("Josephine")}),
		"alphabetical": of(name, "Name", "The text must contain only the letters A to Z and a to z. Intray skips empty cells.",
			broken{`{"validate": "alphabetical"}`, cells("Ada", "Zoë", "Ada L", "")}),
	}
}
