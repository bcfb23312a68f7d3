package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/validate"
)

// previewRows is the maximum number of rows that hooks of UPLOAD_STEP receive.
const previewRows = 20

// hasStep reports whether the schema has a hook for a step.
func (p *importRun) hasStep(step string) bool {
	return slices.ContainsFunc(p.imp.Schema.Hooks.Step, func(h intray.StepHook) bool { return h.Step == step })
}

// uploadStep calls the hooks of UPLOAD_STEP with the first rows of the file. It reports
// whether they changed the header row. If so, the file must be reopened.
func (p *importRun) uploadStep(ctx context.Context) (moved bool, err error) {
	if p.uploaded || !p.hasStep(intray.UploadStep) {
		return false, nil
	}
	p.uploaded = true
	preview, err := p.topRows(ctx, p.imp, p.table.sheets[0], previewRows)
	if err != nil {
		return false, err
	}
	changes, err := p.hooks.RunStep(ctx, intray.StepCall{
		Step: intray.UploadStep, Filename: p.imp.Input.Name, Preview: preview, Fields: p.imp.Schema.Fields,
	})
	if err != nil {
		return false, err
	}
	before := p.imp.Answers[intray.AnswerHeaderRow]
	_, err = p.applyStepChanges(intray.UploadStep, changes)
	return p.imp.Answers[intray.AnswerHeaderRow] != before, err
}

// reviewStep calls the hooks of REVIEW_STEP, after the columns are mapped.
func (p *importRun) reviewStep(ctx context.Context) error {
	if !p.hasStep(intray.ReviewStep) {
		return nil
	}
	changes, err := p.hooks.RunStep(ctx, p.stepCall(intray.ReviewStep))
	if err != nil {
		return err
	}
	p.infos, err = p.applyStepChanges(intray.ReviewStep, changes)
	return err
}

// postStep calls the hooks of REVIEW_STEP_POST_HOOKS. It stores their messages about
// cells in the plan, which applies them after all other hooks have run on the row.
func (p *importRun) postStep(ctx context.Context, plan *rowplan.Plan) error {
	if !p.hasStep(intray.ReviewStepPost) {
		return nil
	}
	changes, err := p.hooks.RunStep(ctx, p.stepCall(intray.ReviewStepPost))
	if err != nil {
		return err
	}
	infos, err := p.applyStepChanges(intray.ReviewStepPost, changes)
	plan.FinalInfos = rowplan.SortByRow(infos)
	return err
}

func (p *importRun) stepCall(step string) intray.StepCall {
	return intray.StepCall{Step: step, Filename: p.imp.Input.Name, Headers: p.out.Headers, Mapping: p.out.Mapping, Fields: p.imp.Schema.Fields}
}

// applyStepChanges applies the changes of step hooks in order, and returns their messages
// about cells. A message refers to a field by its index in the list of the fields that the
// hooks received, followed by the fields that they added. applyStepChanges translates these
// indexes after it has applied all changes.
func (p *importRun) applyStepChanges(step string, changes intray.StepChanges) (infos []intray.Change, err error) {
	stepFields := slices.Clone(p.imp.Schema.Fields)
	for _, c := range changes {
		if refused := p.applyStepChange(step, c); !refused.IsZero() {
			return nil, failedStep(c, refused)
		}
		if c.AddField != nil {
			stepFields = append(stepFields, c.AddField.Field)
		}
	}
	if err := p.checkRemovedFields(changes); err != nil {
		return nil, err
	}
	for _, c := range changes {
		for _, one := range c.Infos {
			var refused intray.Message
			if one.Field, refused = p.fieldIndex(one, stepFields[one.Field].Key); !refused.IsZero() {
				return nil, failedMethod(c, "updateInfoMessages", refused)
			}
			infos = append(infos, one)
		}
	}
	return infos, nil
}

// checkRemovedFields returns an error if the remaining fields are invalid, because a validator
// refers to a field that hooks removed. It runs after all hooks of the step, because a hook
// may replace a field that it removes.
func (p *importRun) checkRemovedFields(changes intray.StepChanges) error {
	var by *intray.StepChange
	for i := range changes {
		if changes[i].RemoveField != "" {
			by = &changes[i]
		}
	}
	if by == nil {
		return nil
	}
	if len(p.imp.Schema.Fields) == 0 {
		return failedMethod(*by, "removeField", intray.NewMessage("hook.no_field_left", nil))
	}
	_, err := validate.Compile(p.imp.Schema.Fields)
	if err == nil {
		return nil
	}
	reason := intray.MessageOf(err)
	var missing *validate.MissingFieldError
	if errors.As(err, &missing) {
		reason = intray.NewMessage("hook.validator_without_field", intray.Params{"field": missing.Field, "validator": missing.Rule, "missing": missing.Missing})
		for i, c := range changes {
			if c.RemoveField == missing.Missing {
				by = &changes[i]
			}
		}
	}
	return failedMethod(*by, "removeField", reason)
}

func failedStep(c intray.StepChange, reason intray.Message) error {
	return &intray.HookError{Hook: c.Hook, Line: c.Line, Column: c.Column, Text: reason}
}

// failedMethod returns the error for a failed method call by a hook.
func failedMethod(c intray.StepChange, method string, reason intray.Message) error {
	return failedStep(c, methodFailed(method, reason))
}

func methodFailed(method string, reason intray.Message) intray.Message {
	return intray.NewMessage("hook.method_failed", intray.Params{"method": method, "reason": reason})
}

// fieldIndex returns the current index of the field that a message concerns.
func (p *importRun) fieldIndex(c intray.Change, key string) (field int, refused intray.Message) {
	field = p.imp.Schema.FieldIndex(key)
	if field < 0 {
		return 0, intray.NewMessage("hook.field_removed", intray.Params{"field": key})
	}
	if columns := max(1, len(p.out.Mapping.Fields[field].AllColumns())); c.Part < 0 || c.Part >= columns {
		return 0, intray.NewMessage("hook.unknown_column_of_field", intray.Params{"index": c.Part, "field": key, "n": columns})
	}
	return field, intray.Message{}
}

// applyStepChange applies one change. If it refuses the change, it returns the reason.
func (p *importRun) applyStepChange(step string, c intray.StepChange) (refused intray.Message) {
	switch {
	case (c.AddField != nil || c.RemoveField != "") && step == intray.ReviewStepPost:
		return intray.NewMessage("hook.fields_settled", intray.Params{"step": intray.ReviewStep})
	case c.AddField != nil:
		return p.addField(*c.AddField)
	case c.RemoveField != "":
		return p.removeField(c.RemoveField)
	case c.HeaderRow != nil && step == intray.UploadStep:
		p.headerChange = &c
		p.setHeader(strconv.Itoa(*c.HeaderRow + 1))
	case c.HeaderRow != nil:
		return intray.NewMessage("hook.header_row_settled", intray.Params{"step": intray.UploadStep})
	case (c.AddRows != nil || c.RemoveRows != nil) && step != intray.ReviewStep:
		return intray.NewMessage("hook.rows_not_open", intray.Params{"step": intray.ReviewStep})
	case c.AddRows != nil:
		if p.addedIDs == nil {
			p.addedIDs = map[string]bool{}
		}
		for _, one := range c.AddRows {
			p.addedIDs[one.ID] = true
		}
		p.added = append(p.added, c.AddRows...)
	case c.RemoveRows != nil:
		return p.removeRows(c.RemoveRows)
	case c.Infos != nil && step == intray.UploadStep:
		return intray.NewMessage("hook.messages_too_early", intray.Params{"step": intray.ReviewStep})
	case c.User != nil:
		p.out.User = c.User
	case c.DevelopmentMode != nil:
		p.out.DevelopmentMode = c.DevelopmentMode
	}
	return intray.Message{}
}

// cloneSchema replaces the schema of the import with a copy that may be changed.
func (p *importRun) cloneSchema() *intray.Schema {
	own := *p.imp.Schema
	own.Fields = slices.Clone(own.Fields)
	p.imp.Schema = &own
	return &own
}

// addField adds a field to the schema. If the columns are already mapped, the field
// has no column.
func (p *importRun) addField(a intray.AddedField) (refused intray.Message) {
	if p.imp.Schema.FieldIndex(a.Field.Key) >= 0 {
		return methodFailed("addField", intray.NewMessage("hook.field_exists", intray.Params{"field": a.Field.Key}))
	}
	at := len(p.imp.Schema.Fields)
	for place, key := range []string{a.Before, a.After} {
		if key == "" {
			continue
		}
		other := p.imp.Schema.FieldIndex(key)
		if other < 0 {
			return methodFailed("addField", intray.NewMessage("hook.unknown_neighbor", intray.Params{"field": key}))
		}
		at = other + place
	}
	s := p.cloneSchema()
	s.Fields = slices.Insert(s.Fields, at, a.Field)
	if p.out.Mapping.Fields != nil {
		added := intray.Match{Column: intray.NoColumn, Reasons: []intray.Message{intray.NewMessage("mapping.added_by_hook", nil)}}
		p.out.Mapping.Fields = slices.Insert(p.out.Mapping.Fields, at, added)
	}
	p.out.Fields = s.Fields
	return intray.Message{}
}

// removeField removes a field from the schema and unmaps its columns.
func (p *importRun) removeField(key string) (refused intray.Message) {
	at := p.imp.Schema.FieldIndex(key)
	if at < 0 {
		return methodFailed("removeField", intray.NewMessage("hook.unknown_field", intray.Params{"field": key}))
	}
	s := p.cloneSchema()
	s.Fields = slices.Delete(s.Fields, at, at+1)
	if m := &p.out.Mapping; m.Fields != nil {
		m.Unmapped = append(m.Unmapped, m.Fields[at].AllColumns()...)
		slices.Sort(m.Unmapped)
		m.Fields = slices.Delete(m.Fields, at, at+1)
	}
	p.out.Fields = s.Fields
	return intray.Message{}
}
