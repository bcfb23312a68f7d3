package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/check"
	"github.com/intraydata/intray/source"
)

// previewRows is how many rows the hooks of UPLOAD_STEP are shown.
const previewRows = 20

// hasStep says whether the schema has a hook for a step.
func (p *passage) hasStep(step string) bool {
	return slices.ContainsFunc(p.imp.Schema.Hooks.Step, func(h intray.StepHook) bool { return h.Step == step })
}

// uploadStep calls the hooks of UPLOAD_STEP with the first rows of the file. It
// says whether they moved the header, so that the file must be opened anew.
func (p *passage) uploadStep(ctx context.Context) (moved bool, err error) {
	if p.uploaded || !p.hasStep(intray.UploadStep) {
		return false, nil
	}
	p.uploaded = true
	preview, err := p.preview(ctx)
	if err != nil {
		return false, err
	}
	changes, err := p.hooks.Step(ctx, intray.StepCall{
		Step: intray.UploadStep, Filename: p.imp.Input.Name, Preview: preview, Fields: p.imp.Schema.Fields,
	})
	if err != nil {
		return false, err
	}
	before := p.imp.Answers[intray.AnswerHeaderRow]
	_, err = p.follow(intray.UploadStep, changes)
	return p.imp.Answers[intray.AnswerHeaderRow] != before, err
}

// preview reads the first rows as they stand in the file.
func (p *passage) preview(ctx context.Context) (rows [][]string, err error) {
	opt := answered(p.cfg.Options, p.imp.Answers)
	opt.AsIs, opt.HeaderRow = true, 0
	book, err := source.Open(ctx, p.imp.Input, p.cfg.Formats, opt)
	if err != nil {
		return nil, err
	}
	defer book.Close()
	reader, err := book.Open(ctx, p.sheet)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var recs intray.Records
	for len(rows) < previewRows {
		if err := reader.Next(ctx, &recs); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, err
		}
		for i := range min(recs.Len(), previewRows-len(rows)) {
			row := make([]string, recs.NumCells(i))
			for c := range row {
				row[c] = string(recs.Cell(i, c))
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// reviewStep calls the hooks of REVIEW_STEP, when the columns have their fields.
func (p *passage) reviewStep(ctx context.Context) error {
	if !p.hasStep(intray.ReviewStep) {
		return nil
	}
	changes, err := p.hooks.Step(ctx, p.stepCall(intray.ReviewStep))
	if err != nil {
		return err
	}
	p.infos, err = p.follow(intray.ReviewStep, changes)
	return err
}

// postStep calls the hooks of REVIEW_STEP_POST_HOOKS. They are told nothing of the
// rows: what they say of cells is kept, and is put over what the other hooks said when
// these have seen the row.
func (p *passage) postStep(ctx context.Context, plan *plan) error {
	if !p.hasStep(intray.ReviewStepPost) {
		return nil
	}
	changes, err := p.hooks.Step(ctx, p.stepCall(intray.ReviewStepPost))
	if err != nil {
		return err
	}
	infos, err := p.follow(intray.ReviewStepPost, changes)
	plan.last = byRow(infos)
	return err
}

func (p *passage) stepCall(step string) intray.StepCall {
	return intray.StepCall{Step: step, Filename: p.imp.Input.Name, Headers: p.out.Headers, Mapping: p.out.Mapping, Fields: p.imp.Schema.Fields}
}

// follow does what the hooks of a step asked for, one thing after the other, and gives
// their messages about cells. These name fields by their places among those that the
// hooks were told of, behind which those stand that they added: where they are in the
// end shows at the end.
func (p *passage) follow(step string, changes intray.StepChanges) (infos []intray.Change, err error) {
	told := slices.Clone(p.imp.Schema.Fields)
	for _, c := range changes {
		if err := p.followOne(step, c); err != nil {
			return nil, failedStep(c, err)
		}
		if c.AddField != nil {
			told = append(told, c.AddField.Field)
		}
	}
	if err := p.lacking(changes); err != nil {
		return nil, err
	}
	for _, c := range changes {
		for _, one := range c.Infos {
			if one.Field, err = p.placeOf(one, told[one.Field].Key); err != nil {
				return nil, failedStep(c, err)
			}
			infos = append(infos, one)
		}
	}
	return infos, nil
}

// lacking refuses fields that do not hold without those that hooks of a step removed:
// a rule may name one of these. It asks when all hooks of the step have run, since one
// may put another field in the place of the one that it removes.
func (p *passage) lacking(changes intray.StepChanges) error {
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
		return failedStep(*by, errors.New("removeField: no field is left, and an import needs at least one"))
	}
	_, err := check.Compile(p.imp.Schema.Fields)
	if err == nil {
		return nil
	}
	for i, c := range changes {
		if c.RemoveField != "" && strings.Contains(err.Error(), strconv.Quote(c.RemoveField)) {
			by = &changes[i]
		}
	}
	return failedStep(*by, fmt.Errorf("removeField: %w", err))
}

func failedStep(c intray.StepChange, err error) error {
	return &intray.HookError{Hook: c.Hook, Line: c.Line, Column: c.Column, Text: err.Error()}
}

// placeOf finds where the field of a message is now.
func (p *passage) placeOf(c intray.Change, key string) (int, error) {
	field := p.imp.Schema.FieldIndex(key)
	if field < 0 {
		return 0, fmt.Errorf("updateInfoMessages: the field %q was removed", key)
	}
	if columns := max(1, len(p.out.Mapping.Fields[field].All())); c.Part < 0 || c.Part >= columns {
		return 0, fmt.Errorf("updateInfoMessages: the manyToOneIndex %d of the field %q is of none of its %d columns", c.Part, key, columns)
	}
	return field, nil
}

func (p *passage) followOne(step string, c intray.StepChange) error {
	switch {
	case (c.AddField != nil || c.RemoveField != "") && step == intray.ReviewStepPost:
		return fmt.Errorf("fields are settled by now; add or remove them at %s", intray.ReviewStep)
	case c.AddField != nil:
		return p.addField(*c.AddField)
	case c.RemoveField != "":
		return p.removeField(c.RemoveField)
	case c.HeaderRow != nil && step == intray.UploadStep:
		p.headerBy = &c
		p.setHeader(strconv.Itoa(*c.HeaderRow + 1))
	case c.HeaderRow != nil:
		return fmt.Errorf("the header row can be set at %s only", intray.UploadStep)
	case (c.AddRows != nil || c.RemoveRows != nil) && step != intray.ReviewStep:
		return fmt.Errorf("rows are added and removed at %s only", intray.ReviewStep)
	case c.AddRows != nil:
		p.addRows(c.AddRows)
	case c.RemoveRows != nil:
		return p.removeRows(c.RemoveRows)
	case c.Infos != nil && step == intray.UploadStep:
		return fmt.Errorf("messages about cells can be given from %s on", intray.ReviewStep)
	case c.User != nil:
		p.out.User = c.User
	case c.DevelopmentMode != nil:
		p.out.DevelopmentMode = c.DevelopmentMode
	}
	return nil
}

// ownSchema makes the schema one that this import alone has.
func (p *passage) ownSchema() *intray.Schema {
	own := *p.imp.Schema
	own.Fields = slices.Clone(own.Fields)
	p.imp.Schema = &own
	return &own
}

// addField puts a field into the schema. No column feeds it when the columns
// have their fields already.
func (p *passage) addField(a intray.AddedField) error {
	if p.imp.Schema.FieldIndex(a.Field.Key) >= 0 {
		return fmt.Errorf("addField: there is a field %q already", a.Field.Key)
	}
	at := len(p.imp.Schema.Fields)
	for place, key := range []string{a.Before, a.After} {
		if key == "" {
			continue
		}
		other := p.imp.Schema.FieldIndex(key)
		if other < 0 {
			return fmt.Errorf("addField: there is no field %q to put it beside", key)
		}
		at = other + place
	}
	s := p.ownSchema()
	s.Fields = slices.Insert(s.Fields, at, a.Field)
	if p.out.Mapping.Fields != nil {
		p.out.Mapping.Fields = slices.Insert(p.out.Mapping.Fields, at, intray.Match{Column: intray.NoColumn, Reasons: []intray.Message{intray.Literal("a hook added the field")}})
	}
	p.out.Fields = s.Fields
	return nil
}

// removeField takes a field out of the schema. Its column feeds nothing then.
func (p *passage) removeField(key string) error {
	at := p.imp.Schema.FieldIndex(key)
	if at < 0 {
		return fmt.Errorf("removeField: there is no field %q", key)
	}
	s := p.ownSchema()
	s.Fields = slices.Delete(s.Fields, at, at+1)
	if m := &p.out.Mapping; m.Fields != nil {
		m.Unmapped = append(m.Unmapped, m.Fields[at].All()...)
		slices.Sort(m.Unmapped)
		m.Fields = slices.Delete(m.Fields, at, at+1)
	}
	p.out.Fields = s.Fields
	return nil
}
