package service_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/service"
)

func TestSchemas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made, warnings, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: namedSchema(t, "Contacts")})
	must(t, err)
	if len(warnings) > 0 {
		t.Errorf("warnings %v, want none", warnings)
	}
	_, _, err = f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: namedSchema(t, "Contacts")})
	f.wantError(err, model.Conflict, "name_taken")
	f.Clock.Advance(time.Second)
	_, _, err = f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: namedSchema(t, "Orders")})
	must(t, err)
	_, _, err = f.ReplaceSchema(f.ctx, f.org, made.ID, schemas.Draft{Doc: namedSchema(t, "Orders")})
	f.wantError(err, model.Conflict, "name_taken")
	f.Clock.Advance(time.Second)
	next, _, err := f.ReplaceSchema(f.ctx, f.org, made.ID, schemas.Draft{Doc: namedSchema(t, "People")})
	must(t, err)
	if next.ID != made.ID || !next.Created.Equal(made.Created) || !next.Modified.After(made.Modified) {
		t.Errorf("replaced %+v by %+v", made, next)
	}
	got, err := f.Schema(f.ctx, f.org, made.ID)
	must(t, err)
	if diff := cmp.Diff(next, got); diff != "" {
		t.Errorf("the saved schema differs (-returned +saved):\n%s", diff)
	}
	names := f.schemaNames()
	if diff := cmp.Diff([]string{"People", "Orders"}, names); diff != "" {
		t.Errorf("listed, oldest first (-want +got):\n%s", diff)
	}
	must(t, f.DeleteSchema(f.ctx, f.org, made.ID))
	f.wantError(f.DeleteSchema(f.ctx, f.org, made.ID), model.NotFound, "not_found")
}

func TestSchemaDocuments(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := namedSchema(t, "Contacts")
	d.Settings = decoded(t, `{"title":"<b> & \u2028 1.50","maxRecords":12345678901}`)
	made, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: d})
	must(t, err)
	if diff := cmp.Diff(`{"maxRecords":12345678901,"title":"<b> & \u2028 1.50"}`, string(made.Document.Settings)); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(`{}`, string(made.Document.Hooks)); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
	if !strings.Contains(string(made.Document.Fields), `"type":"string"`) || !strings.Contains(string(made.Document.Fields), `"validators":[]`) {
		t.Errorf("fields %s: type or validators are missing", made.Document.Fields)
	}
}

func TestInlineSchemas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImport("")
	_, _, err := f.ReplaceSchema(f.ctx, f.org, imp.SchemaID, schemas.Draft{Doc: namedSchema(t, "Mine")})
	f.wantError(err, model.Conflict, "inline_schema")
	f.wantError(f.DeleteSchema(f.ctx, f.org, imp.SchemaID), model.Conflict, "inline_schema")
}

// TestExtensions checks that extensions belong to a saved schema, take effect in its next import and
// survive a replacement of the schema.
func TestExtensions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := namedSchema(t, "Ages")
	d.Fields = decoded(t, `[{"key":"age","label":"Age","type":"number"},{"key":"name","label":"Name"}]`)
	saved, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: d})
	must(t, err)
	if got := string(saved.Document.Extensions); got != "{}" {
		t.Errorf("the extensions of a new schema are %s", got)
	}
	const extensions = `{"fields":{"age":{"labels":{"de":"Lebensjahre"},"missingValues":["999"]}}}`
	before, err := f.CreateImport(f.ctx, f.org, imports.Draft{SchemaID: saved.ID, Rows: strings.NewReader(`[{"age":"999","name":"A"}]`)})
	must(t, err)
	f.Clock.Advance(time.Second)
	replaced, err := f.ReplaceExtensions(f.ctx, f.org, saved.ID, decoded(t, extensions))
	must(t, err)
	if diff := cmp.Diff(extensions, string(replaced.Document.Extensions)); diff != "" || !replaced.Modified.After(saved.Modified) {
		t.Errorf("modified %v; extensions (-want +got):\n%s", replaced.Modified, diff)
	}
	after, err := f.CreateImport(f.ctx, f.org, imports.Draft{SchemaID: saved.ID, Rows: strings.NewReader(`[{"Lebensjahre":"999","name":"A"}]`)})
	must(t, err)
	f.runAll()
	f.wantResult(before, `[{"age":999,"name":"A"}]`)
	f.wantResult(after, `[{"age":null,"name":"A"}]`)

	d.Fields = decoded(t, `[{"key":"years","label":"Age","type":"number"}]`)
	next, warnings, err := f.ReplaceSchema(f.ctx, f.org, saved.ID, schemas.Draft{Doc: d})
	must(t, err)
	if string(next.Document.Extensions) != extensions || len(warnings) != 1 || !strings.Contains(warnings[0].String(), "extensions.fields.age") {
		t.Errorf("extensions %s, warnings %v", next.Document.Extensions, warnings)
	}
	_, err = f.CreateImport(f.ctx, f.org, imports.Draft{SchemaID: saved.ID, Rows: strings.NewReader(`[{"years":1}]`)})
	must(t, err)

	for path, wrong := range map[string]string{
		"fields.gone":             `{"fields":{"gone":{}}}`,
		"fields.years.lenient":    `{"fields":{"years":{"lenient":true}}}`,
		"fields.years.labels.d e": `{"fields":{"years":{"labels":{"d e":"Jahre"}}}}`,
		"surprise":                `{"surprise":1}`,
	} {
		_, err := f.ReplaceExtensions(f.ctx, f.org, saved.ID, decoded(t, wrong))
		if f.wantError(err, model.Invalid, "invalid"); err != nil && !strings.Contains(err.Error(), path+":") {
			t.Errorf("%s: error %v, want a message about %s", wrong, err, path)
		}
	}
	_, err = f.ReplaceExtensions(f.ctx, f.org, "0f8fad5b-d9cb-469f-a165-70867728950e", decoded(t, `{}`))
	f.wantError(err, model.NotFound, "not_found")
	_, err = f.ReplaceExtensions(f.ctx, f.org, f.newImport("").SchemaID, decoded(t, `{}`))
	f.wantError(err, model.Conflict, "inline_schema")
}

func TestInvalidSchemas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := namedSchema(t, "Contacts")
	d.Fields = decoded(t, `[{"key":"a","label":"A","surprise":1},{"key":"a","label":"B"}]`)
	_, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: d})
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.Invalid || len(e.Fields) == 0 {
		t.Fatalf("error %#v, want Invalid with messages by field", err)
	}
	for path := range e.Fields {
		if !strings.HasPrefix(path, "fields") {
			t.Errorf("a message for %q", path)
		}
	}
}

func TestParseID(t *testing.T) {
	t.Parallel()
	const id = "0f8fad5b-d9cb-469f-a165-70867728950e"
	for text, ok := range map[string]bool{
		id: true, strings.ToUpper(id): true, "": false, id[1:]: false, "{" + id[2:] + "}": false,
		strings.ReplaceAll(id, "-", ""): false, "urn:uuid:" + id: false, strings.Replace(id, "0", "g", 1): false,
	} {
		got, valid := model.ParseID(text)
		if valid != ok || ok && got != id {
			t.Errorf("%q is parsed as %q, %v; want %v", text, got, valid, ok)
		}
	}
}

func TestErrorIs(t *testing.T) {
	t.Parallel()
	err := error(&model.Error{Kind: model.Conflict, Code: "name_taken", Message: intray.Literal("Taken.")})
	for target, want := range map[*model.Error]bool{
		{Kind: model.Conflict}:                     true,
		{Kind: model.Conflict, Code: "name_taken"}: true,
		{Kind: model.Conflict, Code: "other"}:      false,
		{Kind: model.NotFound}:                     false,
	} {
		if got := errors.Is(err, target); got != want {
			t.Errorf("errors.Is(%+v) is %v, want %v", target, got, want)
		}
	}
	if err.Error() != "Taken." {
		t.Errorf("the message is %q", err)
	}
}

// schemaNames returns the names of the saved schemas.
func (f *fixture) schemaNames() (names []string) {
	f.Helper()
	must(f.T, f.Schemas(f.ctx, f.org, model.PageRequest{Limit: math.MaxInt64}, func(list iter.Seq2[model.Schema, error]) error {
		for s, err := range list {
			if err != nil {
				return err
			}
			names = append(names, s.Name)
		}
		return nil
	}))
	return names
}

// Likely mistakes in a schema are reported as warnings.
func TestLintWarnings(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := namedSchema(t, "Doubtful")
	d.Settings = decoded(t, `{"allowInvalidSubmit":true,"invalidDataBehavior":"BLOCK_SUBMIT"}`)
	schema, warnings, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: d})
	must(t, err)
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0].String(), "settings.allowInvalidSubmit: ") {
		t.Errorf("warnings %q", warnings)
	}
	for _, c := range []struct {
		fields, count int
		last          string
	}{
		{50, 50, "fields[49].validators[0].max: "},
		{53, 51, "There are 3 more warnings; fix these first."},
		{600, 51, "There are at least 449 more warnings; fix these first."},
	} {
		var fields []string
		for n := range c.fields {
			fields = append(fields, fmt.Sprintf(`{"key":"f%d","label":"F %d","validators":[{"validate":"length","min":0,"max":0}]}`, n, n))
		}
		d.Settings, d.Fields = nil, decoded(t, "["+strings.Join(fields, ",")+"]")
		_, warnings, err := f.ReplaceSchema(f.ctx, f.org, schema.ID, schemas.Draft{Doc: d})
		must(t, err)
		if len(warnings) != c.count || !strings.HasPrefix(warnings[len(warnings)-1].String(), c.last) {
			t.Errorf("%d fields: %d warnings, the last %q", c.fields, len(warnings), warnings[len(warnings)-1])
		}
	}
}

// Hooks are checked when a schema is saved, and when an import with hooks is created.
func TestCheckHooks(t *testing.T) {
	result := struct {
		warning intray.Message
		err     error
	}{}
	calls := 0
	f := newFixture(t, func(_ *fixture, cfg *service.Config) {
		cfg.CheckHooks = func(context.Context, intray.Hooks) (intray.Message, error) {
			calls++
			return result.warning, result.err
		}
	})
	ctx := f.ctx
	hooks := map[string]any{"rowHooks": []any{"r => r"}}
	draft := schemas.Draft{Doc: schema.Doc{Name: "s", Fields: []any{map[string]any{"key": "a", "label": "A"}}, Hooks: hooks}}

	result.err = &intray.HookError{Hook: "rowHooks[0]", Line: 3, Column: 4, Text: intray.Literal("SyntaxError: what is this")}
	var refused *model.Error
	if _, _, err := f.CreateSchema(ctx, f.org, draft); !errors.As(err, &refused) || refused.Kind != model.Invalid || !strings.Contains(refused.Message.String(), "rowHooks[0] failed at line 3, column 4") || len(refused.Fields["hooks"]) != 1 {
		t.Errorf("a hook that cannot be loaded: %v", err)
	}
	result.err = &schema.InvalidError{Issues: []schema.Issue{{Path: "hooks.rowHooks[0]", Message: intray.Literal("is wrong")}, {Path: "hooks.stepHooks[1].callback", Message: intray.Literal("too")}}}
	if _, _, err := f.CreateSchema(ctx, f.org, draft); !errors.As(err, &refused) || refused.Kind != model.Invalid || fmt.Sprint(refused.Fields["hooks"]) != "[rowHooks[0]: is wrong stepHooks[1].callback: too]" {
		t.Errorf("hooks with a wrong source: %v, %v", err, refused.Fields)
	}
	result.err = errors.New("no process left")
	if _, _, err := f.CreateSchema(ctx, f.org, draft); err == nil || errors.As(err, &refused) {
		t.Errorf("an internal error is returned as %v", err)
	}
	result.err, result.warning = nil, intray.Literal("not checked")
	saved, warnings, err := f.CreateSchema(ctx, f.org, draft)
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].String(), "not checked") {
		t.Errorf("a schema whose hooks were not checked: %q, %v", warnings, err)
	}
	before := calls
	if _, err := f.CreateImport(ctx, f.org, imports.Draft{SchemaID: saved.ID}); err != nil || calls != before {
		t.Errorf("the hooks of a saved schema were checked again, or %v", err)
	}
	result.err = &intray.HookError{Hook: "rowHooks[0]", Text: intray.Literal("no")}
	if _, err := f.CreateImport(ctx, f.org, imports.Draft{SchemaID: saved.ID, Doc: schema.Doc{Hooks: hooks}}); !errors.As(err, &refused) || calls == before {
		t.Errorf("hooks of an import that cannot be loaded: %v", err)
	}
}
