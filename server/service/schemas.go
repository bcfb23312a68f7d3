package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/schema/lint"
)

// schemaService saves schemas.
type schemaService struct {
	env *Env
	// checkHooks reports whether hooks can be loaded: an *intray.HookError names the
	// first that cannot, a warning says why they could not be checked. Nil accepts all.
	checkHooks func(ctx context.Context, hooks intray.Hooks) (warning intray.Message, err error)
}

// newSchemaService returns the service upon env. checkHooks reports whether hooks can
// be loaded: an *intray.HookError names the first that cannot, a warning says why they
// could not be checked. Nil accepts all hooks.
func newSchemaService(env *Env, checkHooks func(ctx context.Context, hooks intray.Hooks) (warning intray.Message, err error)) *schemaService {
	return &schemaService{env: env, checkHooks: checkHooks}
}

// SchemaDraft is a schema as it was sent.
type SchemaDraft struct {
	// ID fixes the id of a new schema, so that a repeated request makes one
	// schema only; "" lets the service choose.
	ID string
	// Doc has the name, too.
	Doc schema.Doc
}

// CreateSchema saves a schema. The warnings name what is accepted and will not
// work.
func (s *schemaService) CreateSchema(ctx context.Context, org string, draft SchemaDraft) (Schema, []intray.Message, error) {
	schema, warnings, err := s.validateDraft(ctx, org, draft)
	if err != nil {
		return Schema{}, nil, err
	}
	if schema.ID, err = s.env.IDOrNew(draft.ID); err != nil {
		return Schema{}, nil, err
	}
	err = s.env.Store.Update(ctx, func(tx Tx) error {
		if draft.ID != "" {
			if made, err := tx.Schemas.Get(ctx, org, draft.ID); err == nil {
				schema = made
				return nil
			}
		}
		return nameTaken(tx.Schemas.Insert(ctx, schema), schema.Name)
	})
	return schema, warnings, err
}

// Schemas shows the saved schemas to use, oldest first. They are read as they
// are used, and are gone when use returns.
func (s *schemaService) Schemas(ctx context.Context, org string, use func(list iter.Seq2[Schema, error]) error) error {
	return s.env.Store.View(ctx, func(tx Tx) error { return use(tx.Schemas.List(ctx, org)) })
}

// Schema gives a schema, inline ones too.
func (s *schemaService) Schema(ctx context.Context, org, id string) (schema Schema, err error) {
	err = s.env.Store.View(ctx, func(tx Tx) (err error) {
		schema, err = tx.Schemas.Get(ctx, org, id)
		return err
	})
	return schema, describeNotFound(err, schemaMissing)
}

// ReplaceSchema gives a saved schema a new name and content. Imports made
// before keep what they were made with.
func (s *schemaService) ReplaceSchema(ctx context.Context, org, id string, draft SchemaDraft) (Schema, []intray.Message, error) {
	next, warnings, err := s.validateDraft(ctx, org, draft)
	if err != nil {
		return Schema{}, nil, err
	}
	err = s.env.Store.Update(ctx, func(tx Tx) error {
		saved, err := editable(ctx, tx, org, id)
		if err != nil {
			return err
		}
		next.ID, next.Created = saved.ID, saved.Created
		return nameTaken(tx.Schemas.Replace(ctx, next), next.Name)
	})
	return next, warnings, err
}

// DeleteSchema removes a saved schema. Imports made with it go on.
func (s *schemaService) DeleteSchema(ctx context.Context, org, id string) error {
	return s.env.Store.Update(ctx, func(tx Tx) error {
		if _, err := editable(ctx, tx, org, id); err != nil {
			return err
		}
		return describeNotFound(tx.Schemas.Delete(ctx, org, id), schemaMissing)
	})
}

func editable(ctx context.Context, tx Tx, org, id string) (Schema, error) {
	saved, err := tx.Schemas.Get(ctx, org, id)
	if err != nil {
		return Schema{}, describeNotFound(err, schemaMissing)
	}
	if saved.Inline {
		return Schema{}, newError(Conflict, "inline_schema", intray.NewMessage("schema.of_one_import", nil))
	}
	return saved, nil
}

// validateDraft turns a draft into a schema that can be saved.
func (s *schemaService) validateDraft(ctx context.Context, org string, draft SchemaDraft) (Schema, []intray.Message, error) {
	parsed, err := parse(draft.Doc)
	if err != nil {
		return Schema{}, nil, err
	}
	unchecked, err := s.loadable(ctx, parsed.Hooks)
	if err != nil {
		return Schema{}, nil, err
	}
	document, err := encode(draft.Doc)
	if err != nil {
		return Schema{}, nil, err
	}
	now := s.env.Now()
	saved := Schema{Org: org, Name: draft.Doc.Name, Document: document, Created: now, Modified: now}
	warnings := schema.Warnings(parsed)
	warnings = append(warnings, unchecked...)
	return saved, append(warnings, lintWarnings(parsed, draft.Doc.Settings)...), nil
}

// loadable refuses hooks that what runs them cannot load, and warns where that is
// not known.
func (s *schemaService) loadable(ctx context.Context, hooks intray.Hooks) (warnings []intray.Message, err error) {
	if s.checkHooks == nil || hooks.Count() == 0 {
		return nil, nil
	}
	warning, err := s.checkHooks(ctx, hooks)
	var failed *intray.HookError
	switch {
	case errors.As(err, &failed):
		e := &Error{Kind: Invalid, Code: "invalid", Fields: fieldMessage("hooks", failed.Describe())}
		e.Message = intray.NewMessage("request.invalid_hooks", intray.Params{"problem": failed.Describe()})
		return nil, e
	case err != nil:
		return nil, fmt.Errorf("check the hooks of a schema: %w", err)
	case !warning.IsZero():
		warnings = append(warnings, intray.NewMessage("property.problem", intray.Params{"path": "hooks", "problem": warning}))
	}
	return warnings, nil
}

// maxLintWarnings is the most doubts that are told.
const maxLintWarnings = 50

// lintWarnings are what in a schema cannot be meant.
func lintWarnings(s *intray.Schema, settings any) (warnings []intray.Message) {
	found := lint.CheckWritten(s, settings)
	all := 0
	for _, f := range found {
		if f.Level != intray.LevelWarning {
			continue
		}
		if all++; all <= maxLintWarnings {
			warnings = append(warnings, f.Describe())
		}
	}
	switch {
	case all <= maxLintWarnings:
	case len(found) < lint.MaxFindings:
		warnings = append(warnings, intray.NewMessage("schema.more_warnings", intray.Params{"n": all - maxLintWarnings}))
	default: // not all were counted
		warnings = append(warnings, intray.NewMessage("schema.many_more_warnings", intray.Params{"n": all - maxLintWarnings}))
	}
	return warnings
}

// parse reads a schema document; what is wrong with it is Invalid.
func parse(doc schema.Doc) (*intray.Schema, error) {
	parsed, issues := schema.Parse(doc)
	if len(issues) > 0 {
		return nil, ValidationError(issues)
	}
	return parsed, nil
}

// encode gives the texts that are kept of a document.
func encode(doc schema.Doc) (Document, error) {
	var d Document
	for _, part := range []struct {
		to   *json.RawMessage
		from any
		zero string
	}{{&d.Fields, schema.Normalize(doc.Fields), "[]"}, {&d.Settings, doc.Settings, "{}"}, {&d.Hooks, doc.Hooks, "{}"}} {
		if part.from == nil {
			*part.to = json.RawMessage(part.zero)
			continue
		}
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(part.from); err != nil {
			return d, fmt.Errorf("encode a schema document: %w", err)
		}
		*part.to = bytes.TrimSpace(text.Bytes())
	}
	return d, nil
}

// decode reads the texts that were kept of a document.
func decode(name string, d Document) (schema.Doc, error) {
	doc := schema.Doc{Name: name}
	for _, part := range []struct {
		from json.RawMessage
		to   *any
	}{{d.Fields, &doc.Fields}, {d.Settings, &doc.Settings}, {d.Hooks, &doc.Hooks}} {
		dec := json.NewDecoder(bytes.NewReader(part.from))
		dec.UseNumber()
		if err := dec.Decode(part.to); err != nil {
			return doc, fmt.Errorf("decode a kept schema document: %w", err)
		}
	}
	return doc, nil
}

func nameTaken(err error, name string) error {
	if !IsKind(err, Conflict) {
		return err
	}
	e := newError(Conflict, "name_taken", intray.NewMessage("schema.name_taken", intray.Params{"name": name}))
	e.Fields = fieldMessage("name", intray.NewMessage("schema.name_of_another", nil))
	return e
}

// FrozenSchema gives the schema that an import was made with, once it has ended
// with the fields that hooks added or removed.
func FrozenSchema(imp Import) (*intray.Schema, error) {
	doc, err := decode("", imp.Schema)
	if err != nil {
		return nil, err
	}
	schema := schema.ParseUnchecked(doc)
	if imp.Outcome != nil {
		schema = imp.Outcome.Schema(schema)
	}
	return schema, nil
}

// schemaNotSaved says of an id that it is that of no saved schema.
var schemaNotSaved = intray.NewMessage("schema.names_no_saved_schema", nil)
