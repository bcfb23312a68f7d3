package mapping_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
)

// file is a header row of the public set with its correct mapping.
type file struct {
	name, language, schema string
	header                 []string
	rows                   [][]string
	// want maps each field to its correct columns. "" means none.
	want map[string][]string
}

// columns returns the columns of the file, with its rows as samples.
func (f file) columns() []intray.Column {
	list := columns(f.header...)
	for _, row := range f.rows {
		for i := range list {
			if i < len(row) && row[i] != "" {
				list[i].Samples = append(list[i].Samples, row[i])
			}
		}
	}
	return list
}

// right reports whether a column is correct for a field. missed reports whether the field
// should have a column but has none.
func (f file) right(key, column string) (right, missed bool) {
	want, listed := f.want[key]
	if !listed {
		return column == "", false
	}
	return slices.Contains(want, column), !slices.Contains(want, "")
}

func split(line, by string) []string {
	var parts []string
	for part := range strings.SplitSeq(line, by) {
		parts = append(parts, strings.TrimSpace(part))
	}
	return parts
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", "mapping", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// publicSchemas reads the schemas of the public set.
func publicSchemas(t *testing.T) map[string][]intray.Field {
	t.Helper()
	all, current := map[string][]intray.Field{}, ""
	for _, line := range lines(t, "schemas.txt") {
		parts := split(line, " | ")
		if name, ok := strings.CutPrefix(line, "schema "); ok {
			current = name
		} else if len(parts) >= 3 {
			f := field(parts[0], parts[1], parts[3:]...)
			f.Type.Name = intray.TypeName(parts[2])
			all[current] = append(all[current], f)
		}
	}
	return all
}

// publicFiles reads the header rows of the public set.
func publicFiles(t *testing.T) []file {
	t.Helper()
	var all []file
	for _, line := range lines(t, "cases.txt") {
		last := len(all) - 1
		if title, ok := strings.CutPrefix(line, "== "); ok {
			parts := split(title, ",")
			all = append(all, file{name: parts[0], language: parts[1], schema: parts[2], want: map[string][]string{}})
		} else if key, want, ok := strings.Cut(line, " = "); ok {
			all[last].want[key] = split(want, "~")
		} else if line != "" && all[last].header == nil {
			all[last].header = split(line, "|")
		} else if line != "" {
			all[last].rows = append(all[last].rows, split(line, "|"))
		}
	}
	return all
}

// tally counts fields that are right, wrong and missed.
type tally struct{ right, wrong, missed int }

func (c tally) precision() float64 { return float64(c.right) / float64(max(1, c.right+c.wrong)) }
func (c tally) recall() float64    { return float64(c.right) / float64(max(1, c.right+c.missed)) }

// check maps one file and counts its fields.
func (f file) check(t *testing.T, fields []intray.Field) (c tally) {
	t.Helper()
	m, questions, err := mapping.Suggest(t.Context(), fields, f.columns())
	if err != nil {
		t.Fatal(err)
	}
	for i, match := range m.Fields {
		right, missed := f.right(fields[i].Key, match.Header)
		switch {
		case right && match.Column != none:
			c.right++
		case right:
		default:
			if match.Column != none {
				c.wrong++
			}
			if missed {
				c.missed++
			}
			for _, q := range questions {
				if q.Field == fields[i].Key {
					t.Log(q.Text)
				}
			}
			t.Logf("%s: %s has %q, want %q; %.2f %q", f.name, fields[i].Key, match.Header, f.want[fields[i].Key], match.Score, match.Reasons)
		}
	}
	return c
}

// TestPublicSet checks that the precision and recall of the mapping of header rows of real
// products stay above a minimum.
func TestPublicSet(t *testing.T) {
	schemas, files := publicSchemas(t), publicFiles(t)
	if len(files) < 120 {
		t.Fatalf("%d files, want at least 120", len(files))
	}
	total, whole := map[string]*tally{"en": {}, "other": {}}, 0
	for _, f := range files {
		fields := schemas[f.schema]
		for key, want := range f.want {
			if !slices.ContainsFunc(fields, func(x intray.Field) bool { return x.Key == key }) || slices.ContainsFunc(want, func(h string) bool { return h != "" && !slices.Contains(f.header, h) }) {
				t.Fatalf("%s: %s = %q is not in schema and header", f.name, key, want)
			}
		}
		c := f.check(t, fields)
		if c.wrong+c.missed == 0 {
			whole++
		}
		group := "other"
		if f.language == "en" {
			group = "en"
		}
		sum := total[group]
		sum.right, sum.wrong, sum.missed = sum.right+c.right, sum.wrong+c.wrong, sum.missed+c.missed
	}
	for group, floor := range map[string]float64{"en": 0.92, "other": 0.9} {
		c := total[group]
		t.Log(group, fmt.Sprintf("precision %.3f recall %.3f", c.precision(), c.recall()))
		if c.precision() < 0.97 || c.recall() < floor {
			t.Errorf("%s: precision %.3f, recall %.3f; want 0.97 and %.2f", group, c.precision(), c.recall(), floor)
		}
	}
	t.Logf("%d of %d files whole", whole, len(files))
}
