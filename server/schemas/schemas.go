// Package schemas validates and stores schemas. [Frozen] returns the schema of an
// import as of its creation.
package schemas

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
	"github.com/intraydata/intray/server/model"
)

// Service saves schemas. It is safe for concurrent use.
type Service struct {
	env *model.Env
	// checkHooks is the function passed to New. It may be nil.
	checkHooks func(ctx context.Context, hooks intray.Hooks) (warning intray.Message, err error)
}

// New returns a Service. checkHooks loads hooks. It returns a [*schema.InvalidError] if a hook
// cannot be loaded, an [*intray.HookError] if a hook takes too much time or memory, and a
// warning if hooks cannot be checked. If checkHooks is nil, all hooks are accepted.
func New(env *model.Env, checkHooks func(ctx context.Context, hooks intray.Hooks) (warning intray.Message, err error)) *Service {
	return &Service{env: env, checkHooks: checkHooks}
}

// Draft describes a schema to save.
type Draft struct {
	// ID is the id of a new schema. "" generates a new id. If a schema with this ID
	// exists, CreateSchema returns it instead of a new one.
	ID  string
	Doc schema.Doc
}

// CreateSchema stores a schema. It returns warnings about parts that are valid but
// will not work as intended.
func (s *Service) CreateSchema(ctx context.Context, org string, draft Draft) (model.Schema, []intray.Message, error) {
	schema, warnings, err := s.validateDraft(ctx, org, draft)
	if err != nil {
		return model.Schema{}, nil, err
	}
	if schema.ID, err = s.env.IDOrNew(draft.ID); err != nil {
		return model.Schema{}, nil, err
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if err := model.CheckRequest(ctx, tx); err != nil {
			return err
		}
		if draft.ID != "" {
			existing, err := tx.Schemas.Get(ctx, org, draft.ID)
			if !model.IsKind(err, model.NotFound) {
				schema = existing
				return err
			}
		}
		if err := s.env.CheckQuotas(ctx, tx, org, model.Addition{Quota: model.SchemaQuota, N: 1}); err != nil {
			return err
		}
		return nameTakenError(tx.Schemas.Insert(ctx, schema), schema.Name)
	})
	return schema, warnings, err
}

// Schemas calls the function use with a sequence of a page of the saved schemas, oldest first.
// The sequence reads schemas as it yields them and is valid only until use returns.
func (s *Service) Schemas(ctx context.Context, org string, page model.PageRequest, use func(list iter.Seq2[model.Schema, error]) error) error {
	return s.env.Store.View(ctx, func(tx model.Tx) error { return use(tx.Schemas.List(ctx, org, page)) })
}

// IDByName returns the id of the saved schema with a name, or NotFound.
func (s *Service) IDByName(ctx context.Context, org, name string) (string, error) {
	return model.Get(ctx, s.env.Store, func(tx model.Tx) (string, error) { return tx.Schemas.IDByName(ctx, org, name) })
}

// Schema returns a saved schema or the inline schema of an import.
func (s *Service) Schema(ctx context.Context, org, id string) (schema model.Schema, err error) {
	schema, err = model.Get(ctx, s.env.Store, func(tx model.Tx) (model.Schema, error) { return tx.Schemas.Get(ctx, org, id) })
	return schema, model.DescribeNotFound(err, model.SchemaMissing)
}

// ReplaceSchema replaces the name and content of a saved schema. Existing imports
// keep their frozen schemas.
func (s *Service) ReplaceSchema(ctx context.Context, org, id string, draft Draft) (model.Schema, []intray.Message, error) {
	next, warnings, err := s.validateDraft(ctx, org, draft)
	if err != nil {
		return model.Schema{}, nil, err
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		saved, err := savedSchema(ctx, tx, org, id)
		if err != nil {
			return err
		}
		next.ID, next.Created, next.Document.Extensions = saved.ID, saved.Created, saved.Document.Extensions
		if warnings, err = addExtensionWarnings(warnings, next); err != nil {
			return err
		}
		return nameTakenError(tx.Schemas.Replace(ctx, next), next.Name)
	})
	return next, warnings, err
}

// ReplaceExtensions replaces the extensions of a saved schema. Existing imports keep their frozen
// schemas.
func (s *Service) ReplaceExtensions(ctx context.Context, org, id string, extensions any) (replaced model.Schema, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if replaced, err = savedSchema(ctx, tx, org, id); err != nil {
			return err
		}
		doc, err := Decode(replaced.Name, replaced.Document)
		if err != nil {
			return err
		}
		doc.Extensions = extensions
		if issues := schema.CheckExtensions(doc); len(issues) > 0 {
			return model.ValidationError(issues)
		}
		encoded, err := Encode(doc)
		if err != nil {
			return err
		}
		replaced.Document.Extensions, replaced.Modified = encoded.Extensions, s.env.Now()
		return tx.Schemas.SetExtensions(ctx, org, id, encoded.Extensions, replaced.Modified)
	})
	return replaced, err
}

// addExtensionWarnings adds a warning for each issue in the extensions of a schema, such as a field
// that no longer exists. Such extensions have no effect.
func addExtensionWarnings(warnings []intray.Message, saved model.Schema) ([]intray.Message, error) {
	doc, err := Decode(saved.Name, saved.Document)
	if err != nil {
		return nil, err
	}
	for _, issue := range schema.CheckExtensions(doc) {
		warnings = append(warnings, intray.NewMessage("property.problem", intray.Params{"path": "extensions." + issue.Path, "problem": issue.Message}))
	}
	return warnings, nil
}

// DeleteSchema deletes a saved schema. Existing imports keep their frozen schemas.
func (s *Service) DeleteSchema(ctx context.Context, org, id string) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		if _, err := savedSchema(ctx, tx, org, id); err != nil {
			return err
		}
		return model.DescribeNotFound(tx.Schemas.Delete(ctx, org, id), model.SchemaMissing)
	})
}

// savedSchema returns a saved schema. It returns a Conflict for an inline schema.
func savedSchema(ctx context.Context, tx model.Tx, org, id string) (model.Schema, error) {
	saved, err := tx.Schemas.Get(ctx, org, id)
	if err != nil {
		return model.Schema{}, model.DescribeNotFound(err, model.SchemaMissing)
	}
	if saved.Inline {
		return model.Schema{}, model.NewError(model.Conflict, "inline_schema", intray.NewMessage("schema.of_one_import", nil))
	}
	return saved, nil
}

// validateDraft validates a draft and returns its schema and warnings.
func (s *Service) validateDraft(ctx context.Context, org string, draft Draft) (model.Schema, []intray.Message, error) {
	parsed, err := Parse(draft.Doc)
	if err != nil {
		return model.Schema{}, nil, err
	}
	unchecked, err := s.CheckHooks(ctx, parsed.Hooks)
	if err != nil {
		return model.Schema{}, nil, err
	}
	document, err := Encode(draft.Doc)
	if err != nil {
		return model.Schema{}, nil, err
	}
	now := s.env.Now()
	saved := model.Schema{Org: org, Name: draft.Doc.Name, Document: document, Created: now, Modified: now}
	warnings := schema.Warnings(parsed)
	warnings = append(warnings, unchecked...)
	return saved, append(warnings, lintWarnings(parsed, draft.Doc.Settings)...), nil
}

// CheckHooks returns an error if a hook cannot be loaded, and a warning if hooks
// cannot be checked.
func (s *Service) CheckHooks(ctx context.Context, hooks intray.Hooks) (warnings []intray.Message, err error) {
	if s.checkHooks == nil || hooks.Count() == 0 {
		return nil, nil
	}
	warning, err := s.checkHooks(ctx, hooks)
	var invalid *schema.InvalidError
	var failed *intray.HookError
	switch {
	case errors.As(err, &invalid):
		return nil, model.ValidationError(invalid.Issues)
	case errors.As(err, &failed):
		e := &model.Error{Kind: model.Invalid, Code: "invalid", Fields: model.FieldMessage("hooks", failed.Describe())}
		e.Message = intray.NewMessage("request.invalid_hooks", intray.Params{"problem": failed.Describe()})
		return nil, e
	case err != nil:
		return nil, fmt.Errorf("check the hooks of a schema: %w", err)
	case !warning.IsZero():
		warnings = append(warnings, intray.NewMessage("property.problem", intray.Params{"path": "hooks", "problem": warning}))
	}
	return warnings, nil
}

// maxLintWarnings is the maximum number of warnings about likely mistakes.
const maxLintWarnings = 50

// lintWarnings returns warnings about likely mistakes in a schema.
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
	default: // lint stopped counting the problems
		warnings = append(warnings, intray.NewMessage("schema.many_more_warnings", intray.Params{"n": all - maxLintWarnings}))
	}
	return warnings
}

// Parse parses a schema document. It returns an Invalid error if the document has issues.
func Parse(doc schema.Doc) (*intray.Schema, error) { return parsed(schema.Parse(doc)) }

// ParseSaved is like Parse, but for a document with the fields of a saved schema.
func ParseSaved(doc schema.Doc) (*intray.Schema, error) { return parsed(schema.ParseSaved(doc)) }

func parsed(s *intray.Schema, issues []schema.Issue) (*intray.Schema, error) {
	if len(issues) > 0 {
		return nil, model.ValidationError(issues)
	}
	return s, nil
}

// Encode converts a schema document to its stored form.
func Encode(doc schema.Doc) (model.Document, error) {
	var d model.Document
	for _, part := range []struct {
		to   *json.RawMessage
		from any
		zero string
	}{{&d.Fields, schema.Normalize(doc.Fields), "[]"}, {&d.Settings, doc.Settings, "{}"}, {&d.Hooks, doc.Hooks, "{}"}, {&d.Extensions, doc.Extensions, "{}"}} {
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

// Decode converts a stored schema document to a schema.Doc with the given name.
func Decode(name string, d model.Document) (schema.Doc, error) {
	doc := schema.Doc{Name: name}
	for _, part := range []struct {
		from json.RawMessage
		to   *any
	}{{d.Fields, &doc.Fields}, {d.Settings, &doc.Settings}, {d.Hooks, &doc.Hooks}, {d.Extensions, &doc.Extensions}} {
		dec := json.NewDecoder(bytes.NewReader(part.from))
		dec.UseNumber()
		if err := dec.Decode(part.to); err != nil {
			return doc, fmt.Errorf("decode a stored schema document: %w", err)
		}
	}
	return doc, nil
}

// WithoutURLs returns a copy of the settings of a schema document without the URLs that the server calls.
// They are not for the browser, and a page must not choose them. It returns an empty map if the settings
// are not an object.
func WithoutURLs(settings any) map[string]any {
	object, _ := settings.(map[string]any)
	kept := make(map[string]any, len(object))
	for name, value := range object {
		if name != "webhookUrl" && name != "needsReviewWebhookUrl" {
			kept[name] = value
		}
	}
	return kept
}

func nameTakenError(err error, name string) error {
	if !model.IsKind(err, model.Conflict) {
		return err
	}
	e := model.NewError(model.Conflict, "name_taken", intray.NewMessage("schema.name_taken", intray.Params{"name": name}))
	e.Fields = model.FieldMessage("name", intray.NewMessage("schema.name_of_another", nil))
	return e
}

// Frozen returns the schema of an import as of its creation. After a run, it also
// contains the fields that hooks added, and lacks the fields that they removed.
func Frozen(imp model.Import) (*intray.Schema, error) {
	doc, err := Decode("", imp.Schema)
	if err != nil {
		return nil, err
	}
	schema := schema.ParseUnchecked(doc)
	imp.PageHooks.AddTo(schema)
	if imp.Outcome != nil {
		schema = imp.Outcome.Schema(schema)
	}
	return schema, nil
}

// NotSaved is the message for an id without a saved schema.
var NotSaved = intray.NewMessage("schema.names_no_saved_schema", nil)
