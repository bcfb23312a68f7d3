package fieldguide

// ruleEntries are the entries of all rules.
func ruleEntries() map[string]ruleEntry {
	const name = `{"key": "name", "label": "Name"`
	phone := ruleEntry{field: `{"key": "phone", "label": "Phone"`, others: []string{`{"key": "fax", "label": "Fax"}`, `{"key": "email", "label": "E-mail"}`},
		header: []string{"Phone", "Fax", "E-mail"}}
	vat := ruleEntry{field: `{"key": "vat", "label": "VAT id"`, others: []string{`{"key": "kind", "label": "Kind"}`, `{"key": "country", "label": "Country", "type": "country"}`},
		header: []string{"VAT id", "Kind", "Country"}}
	like := func(e ruleEntry, says string, tried ...broken) ruleEntry {
		e.says, e.tried = says, tried
		return e
	}
	of := func(field, label, says string, tried ...broken) ruleEntry {
		return ruleEntry{says: says, field: field, header: []string{label}, tried: tried}
	}
	cells := func(list ...string) (rows [][]string) {
		for _, cell := range list {
			rows = append(rows, []string{cell})
		}
		return rows
	}
	return map[string]ruleEntry{
		"required": of(name, "Name", "The cell must hold more than blanks. At the level error the field must have a column, too: where none fits, the import waits for a person.",
			broken{`{"validate": "required"}`, cells("Ada", " ", "")},
			broken{`{"validate": "required", "errorMessage": "Who is it?"}`, cells("")},
			broken{`{"validate": "required", "level": "warning"}`, cells("")},
			broken{`{"validate": "required", "level": "info"}`, cells("")},
			broken{`{"validate": "required", "level": "error"}`, cells("")}),
		"unique": of(name, "Name", "No two rows may have the same value. All of the rows that share one break the rule, not only the later ones. Empty cells are never the same.",
			broken{`{"validate": "unique"}`, cells("Ada", "Bob", "ada", "Bob", "", "")}),
		"unique_case_insensitive": of(name, "Name", "As unique, and capitals count as small letters.",
			broken{`{"validate": "unique_case_insensitive"}`, cells("Ada", "Bob", "ada")}),
		"unique_with": {says: "The values of all fields with the same `uniqueKey` together must be in one row only.",
			field: `{"key": "order", "label": "Order"`, header: []string{"Order", "Line"},
			others: []string{`{"key": "line", "label": "Line", "validators": [{"validate": "unique_with", "uniqueKey": "position"}]}`},
			tried:  []broken{{`{"validate": "unique_with", "uniqueKey": "position"}`, [][]string{{"A", "1"}, {"A", "2"}, {"B", "1"}, {"A", "2"}, {"", ""}}}}},
		"regex_match": of(`{"key": "code", "label": "Code"`, "Code", "A regular expression of JavaScript must be found in the text. It may stand anywhere: write `^` before it and `$` behind it where the whole text is meant. Empty cells are looked at, too. `\\` is written twice in JSON.",
			broken{`{"validate": "regex_match", "regex": "^[A-Z]{2}\\d{3}$"}`, cells("AB123", "ab123", "xAB1234", "")},
			broken{`{"validate": "regex_match", "regex": "^$|^[A-Z]{2}$", "regexOptions": {"ignoreCase": true}}`, cells("ab", "")},
			broken{`{"validate": "regex_match", "regex": "^a.b$"}`, cells("a\nb")},
			broken{`{"validate": "regex_match", "regex": "^a.b$", "regexOptions": {"dotAll": true}}`, cells("a\nb")},
			broken{`{"validate": "regex_match", "regex": "^b$", "regexOptions": {"multiline": true}}`, cells("a\nb")},
			broken{`{"validate": "regex_match", "regex": "^\\p{L}+$", "regexOptions": {"unicode": true}}`, cells("Müller", "M3")},
			broken{`{"validate": "regex_match", "regex": "^(?=.*\\d)(?=.*[a-z]).{6,}$", "errorMessage": "Six characters, a letter and a digit."}`, cells("abc123", "abcdef")}),
		"regex_exclude": of(`{"key": "code", "label": "Code"`, "Code", "The expression must not be found.",
			broken{`{"validate": "regex_exclude", "regex": "\\s"}`, cells("AB12", "AB 12")},
			broken{`{"validate": "regex_exclude", "regex": "^test", "regexOptions": {"ignoreCase": true, "dotAll": false, "multiline": false, "unicode": false}}`, cells("Test 1", "A test")}),
		"require_with": like(phone, "The cell must be filled where at least one of the fields is filled.",
			broken{`{"validate": "require_with", "fields": ["fax", "email"]}`, [][]string{{"1", "2", ""}, {"", "2", ""}, {"", "", ""}}}),
		"require_without": like(phone, "The cell must be filled where at least one of the fields is empty.",
			broken{`{"validate": "require_without", "fields": ["fax", "email"]}`, [][]string{{"", "2", "a@b.org"}, {"", "2", ""}, {"1", "", ""}}}),
		"require_with_all": like(phone, "The cell must be filled where all of the fields are filled.",
			broken{`{"validate": "require_with_all", "fields": ["fax", "email"]}`, [][]string{{"", "2", "a@b.org"}, {"", "2", ""}}}),
		"require_without_all": like(phone, "The cell must be filled where all of the fields are empty, so that one cell of the row is filled.",
			broken{`{"validate": "require_without_all", "fields": ["fax", "email"]}`, [][]string{{"", "2", ""}, {"", "", ""}, {"1", "", ""}}}),
		"require_with_values": like(vat, "The cell must be filled where at least one of the fields has the value given. What is compared are values, as the result has them without an `outputFormat`: the value of an option and not its label, `2024-12-31`, `DE`.",
			broken{`{"validate": "require_with_values", "fieldValues": {"kind": "firm", "country": "DE"}}`, [][]string{{"", "firm", "France"}, {"", "person", "Germany"}, {"", "person", "France"}}}),
		"require_without_values": like(vat, "The cell must be filled where at least one of the fields has another value than the one given.",
			broken{`{"validate": "require_without_values", "fieldValues": {"kind": "person", "country": "DE"}}`, [][]string{{"", "person", "Germany"}, {"", "person", "France"}, {"", "firm", "Germany"}}}),
		"require_with_all_values": like(vat, "The cell must be filled where all of the fields have the values given.",
			broken{`{"validate": "require_with_all_values", "fieldValues": {"kind": "firm", "country": "DE"}}`, [][]string{{"", "firm", "Germany"}, {"", "firm", "France"}}}),
		"require_without_all_values": like(vat, "The cell must be filled where all of the fields have other values than those given.",
			broken{`{"validate": "require_without_all_values", "fieldValues": {"kind": "person", "country": "DE"}}`, [][]string{{"", "firm", "France"}, {"", "firm", "Germany"}}}),
		"length": of(name, "Name", "The text must have so many characters, both bounds within. It needs at least one of them. Empty cells are passed over.",
			broken{`{"validate": "length", "min": 2, "max": 5}`, cells("Jo", "Zoë", "Josephine", "J", "")},
			broken{`{"validate": "length", "min": 3, "max": 3}`, cells("Jo")},
			broken{`{"validate": "length", "max": 5}`, cells("Josephine")}),
		"alphabetical": of(name, "Name", "The text must have nothing but the letters A to Z and a to z. Empty cells are passed over.",
			broken{`{"validate": "alphabetical"}`, cells("Ada", "Zoë", "Ada L", "")}),
	}
}
