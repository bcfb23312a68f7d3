package simulation

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/imports"
)

// kind is a kind of file.
type kind int

const (
	// valid files become SUCCESSFUL.
	valid kind = iota
	// invalid files have a row with an error, so that they need a review.
	invalid
	// ambiguous files have a question.
	ambiguous
	// broken files cannot be read.
	broken
	// inline imports have their rows in the request that creates them.
	inline
	// hooked imports have a row hook that converts names to upper case, and a row with an error.
	hooked
	kinds
)

// file is a file to import.
type file struct {
	kind    kind
	name    string
	content []byte
	// rows are the email address and the name in each row.
	rows [][2]string
}

// needsReview reports whether the file has a row with an error.
func (f file) needsReview() bool { return f.kind == invalid || f.kind == hooked }

func newFile(c *client) file {
	f := file{kind: kind(c.random.IntN(int(kinds))), name: "contacts.csv"}
	for n := range 1 + c.random.IntN(5) {
		f.rows = append(f.rows, [2]string{fmt.Sprintf("p%d@example.org", n), fmt.Sprintf("Person %d", c.random.IntN(100))})
	}
	if f.needsReview() {
		f.rows[c.random.IntN(len(f.rows))][0] = "nobody"
	}
	var text strings.Builder
	switch f.kind {
	case valid, invalid, hooked, kinds:
		text.WriteString("E-Mail,Name\n")
		for _, row := range f.rows {
			text.WriteString(row[0] + "," + row[1] + "\n")
		}
	case broken:
		f.name = "contacts.xlsx"
		text.WriteString("PK\x03\x04 this is not a workbook\x00\x01\x02\xff\xfe")
	case inline:
		for n, row := range f.rows {
			text.WriteString([]string{"[", ","}[min(n, 1)] + fmt.Sprintf(`{"email":%q,"name":%q}`, row[0], row[1]))
		}
		text.WriteString("]")
	case ambiguous:
		text.WriteString("E-Mail,Name,name\n")
		for _, row := range f.rows {
			text.WriteString(row[0] + "," + row[1] + ",x\n")
		}
	}
	f.content = []byte(text.String())
	return f
}

// identifier is the import identifier of all imports. They share what is learned from answers.
const identifier = "contacts"

const fields = `[{"key":"email","label":"E-Mail","type":"email","validators":[{"validate":"required"}]},{"key":"name","label":"Name"}]`

// document returns the schema document for a kind of file.
func document(k kind) schema.Doc {
	doc := schema.Doc{Fields: decoded(fields), Settings: decoded(`{"invalidDataBehavior":"BLOCK_SUBMIT","importIdentifier":"` + identifier + `"}`)}
	if k == hooked {
		doc.Hooks = decoded(`{"rowHooks":["upper case"]}`)
	}
	return doc
}

func decoded(text string) any {
	v, err := jsonschema.Decode(strings.NewReader(text), jsonschema.Limits{})
	if err != nil {
		panic(err)
	}
	return v
}

// draft returns the request that creates the import.
func (i *importState) draft(w *world) imports.Draft {
	d := imports.Draft{ID: i.getID()}
	switch i.file.kind {
	case hooked:
		d.SchemaID = w.schemaID[i.org]
	case inline:
		d.Rows = strings.NewReader(string(i.file.content))
		d.Doc = document(inline)
	default:
		d.Doc = document(i.file.kind)
	}
	return d
}

// hooks runs hooks in this process. The row hook converts names to upper case.
type hooks struct{}

var _ engine.HookRunner = hooks{}

func loadHooks(context.Context, intray.Hooks, intray.HookEnv) (engine.HookRunner, error) {
	return hooks{}, nil
}

// RunStep implements engine.HookRunner.
func (hooks) RunStep(context.Context, intray.StepCall) (intray.StepChanges, error) { return nil, nil }

// RunColumn implements engine.HookRunner.
func (hooks) RunColumn(context.Context, int, intray.HookRows) ([]intray.Change, error) {
	return nil, nil
}

// RunBulk implements engine.HookRunner.
func (hooks) RunBulk(context.Context, int, intray.HookRows) ([]intray.Change, error) {
	return nil, nil
}

// RunRows implements engine.HookRunner.
func (hooks) RunRows(_ context.Context, _ int, rows intray.HookRows) (changes []intray.Change, err error) {
	n := 0
	for _, b := range rows.Batches {
		for row := range b.Rows() {
			name, _ := b.Fields[1].Value(row)
			upper := strings.ToUpper(string(name))
			changes = append(changes, intray.Change{Row: n, Field: 1, HasValue: true, Value: &upper})
			n++
		}
	}
	return changes, nil
}

// NotifyDeleted implements engine.HookRunner.
func (hooks) NotifyDeleted(context.Context, intray.HookRows) error { return nil }

// Finish implements engine.HookRunner.
func (hooks) Finish(context.Context, *intray.Schema, iter.Seq2[*intray.Batch, error], intray.FinishCall) (*string, error) {
	return nil, nil
}

// Close implements engine.HookRunner.
func (hooks) Close() error { return nil }
