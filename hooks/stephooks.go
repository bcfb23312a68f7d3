package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/schema"
)

// newRowIDPrefix is the prefix of the IDs of rows that hooks add.
const newRowIDPrefix = "added-"

// RunStep calls the hooks of a step and returns the changes that they request.
func (s *Session) RunStep(ctx context.Context, call intray.StepCall) (intray.StepChanges, error) {
	about, err := json.Marshal(newStepMetadata(call, s.pins.Session))
	if err != nil {
		return nil, fmt.Errorf("encode the metadata for step hooks: %w", err)
	}
	request := &jsruntime.StepCall{About: about, Step: call.Step, NewIDs: newRowIDPrefix, Budget: s.engineBudget(s.cfg.BatchTimeout)}
	for i, h := range s.hooks.Step {
		if h.Step == call.Step {
			request.Hooks = append(request.Hooks, fmt.Sprintf("stepHooks[%d]", i))
		}
	}
	info := callInfo{
		hooks: request.Hooks, group: "stepHooks",
		timeoutText: func() intray.Message {
			return intray.NewMessage("hook.slow_step", intray.Params{"limit": formatDuration(s.cfg.BatchTimeout)})
		},
		addContext: func(reason intray.Message) intray.Message {
			return intray.NewMessage("hook.at_step", intray.Params{"reason": reason, "step": call.Step})
		},
	}
	var a *jsruntime.Answer
	err = s.withRetry(ctx, call.Fields, info, func(slot *workerSlot) error {
		a, err = s.callForCommands(ctx, slot, request, len(call.Fields), s.cfg.BatchTimeout, info)
		return err
	})
	if err != nil {
		return nil, err
	}
	return parseStepChanges(a.Commands, call.Fields)
}

// callForCommands calls hooks that may not change cells.
func (s *Session) callForCommands(ctx context.Context, slot *workerSlot, r request, fields int, budget time.Duration, info callInfo) (*jsruntime.Answer, error) {
	bounds := jsruntime.Bounds{Fields: make([]jsruntime.FieldBounds, fields)}
	a, err := s.roundTrip(ctx, slot, r, bounds, budget, ignoreChange)
	if err != nil {
		return nil, err
	}
	s.recordOutput(a)
	if a.Failure != nil {
		return nil, s.hookError(a.Failure, info)
	}
	return a, nil
}

// uploadMetadata is the second argument of hooks in UPLOAD_STEP.
type uploadMetadata struct {
	DataPreview [][]string `json:"dataPreview"`
	Filename    string     `json:"filename"`
	// SessionID is the id of the session that keeps the import, or nil.
	SessionID *string `json:"sessionId"`
}

// reviewMetadata is the second argument of hooks in REVIEW_STEP and later steps.
type reviewMetadata struct {
	Fields []stepField `json:"fields"`
	// HeaderMapping maps each field to the header of its column, or to null. For a many-to-one
	// field, the value is a list of headers.
	HeaderMapping map[string]any `json:"headerMapping"`
	// RawHeaders are the headers of the file. They are absent in steps after REVIEW_STEP.
	RawHeaders []string `json:"rawHeaders,omitzero"`
}

type stepField struct {
	Hidden    bool            `json:"hidden"`
	Key       string          `json:"key"`
	Label     string          `json:"label"`
	ManyToOne bool            `json:"manyToOne"`
	Type      intray.TypeName `json:"type"`
}

// newStepMetadata returns the second argument of the hooks of a step. session is the id of the session that
// keeps the import, or "".
func newStepMetadata(call intray.StepCall, session string) any {
	if call.Step == intray.UploadStep {
		about := uploadMetadata{Filename: call.Filename, DataPreview: append([][]string{}, call.Preview...)}
		if session != "" {
			about.SessionID = &session
		}
		return about
	}
	m := reviewMetadata{Fields: make([]stepField, len(call.Fields)), HeaderMapping: map[string]any{}}
	for i, f := range call.Fields {
		m.Fields[i] = stepField{Key: f.Key, Label: f.Label, Type: f.Type.Name, ManyToOne: f.ManyToOne, Hidden: f.Hidden}
		match := call.Mapping.Fields[i]
		switch {
		case f.ManyToOne:
			headers := []string{}
			for _, c := range match.Columns {
				headers = append(headers, call.Headers[c])
			}
			m.HeaderMapping[f.Key] = headers
		case match.Column == intray.NoColumn:
			m.HeaderMapping[f.Key] = nil
		default:
			m.HeaderMapping[f.Key] = match.Header
		}
	}
	if call.Step == intray.ReviewStep {
		m.RawHeaders = append([]string{}, call.Headers...)
	}
	return m
}

// parseStepChanges converts the commands of step hooks to changes. Fields that hooks add come
// after those of the call, regardless of the position at which they are added.
func parseStepChanges(commands []jsruntime.Command, fields []intray.Field) (list intray.StepChanges, err error) {
	fields = slices.Clone(fields)
	removed := 0
	for _, c := range commands {
		change, err := parseStepChange(c, fields)
		switch {
		case err != nil || change == nil:
		case change.RemoveField != "":
			removed++
		case change.AddField != nil:
			if fields = append(fields, change.AddField.Field); len(fields)-removed > schema.MaxFields {
				err = refuse(intray.NewMessage("hook.too_many_fields", intray.Params{"limit": schema.MaxFields}))
			}
		}
		if err != nil {
			reason := intray.NewMessage("hook.method_failed", intray.Params{"method": c.Name, "reason": intray.MessageOf(err)})
			return nil, &intray.HookError{Hook: c.Hook, Line: c.Line, Column: c.Column, Text: reason}
		}
		if change != nil {
			change.Hook, change.Line, change.Column = c.Hook, c.Line, c.Column
			list = append(list, *change)
		}
	}
	return list, nil
}

func parseStepChange(c jsruntime.Command, fields []intray.Field) (*intray.StepChange, error) {
	switch c.Name {
	case "addField":
		added, err := parseAddedField(c.Args)
		return &intray.StepChange{AddField: added}, err
	case "removeField":
		var key string
		err := parseArgument(c.Args, 0, &key)
		if err == nil && key == "" {
			err = refuse(intray.NewMessage("hook.argument_empty_key", intray.Params{"argument": 1}))
		}
		return &intray.StepChange{RemoveField: key}, err
	case "setHeaderRowOverride":
		var row int
		err := parseArgument(c.Args, 0, &row)
		return &intray.StepChange{HeaderRow: &row}, err
	case "setUser":
		var user json.RawMessage
		err := parseArgument(c.Args, 0, &user)
		return &intray.StepChange{User: user}, err
	case "setDevelopmentMode":
		var on bool
		err := parseArgument(c.Args, 0, &on)
		return &intray.StepChange{DevelopmentMode: &on}, err
	case "updateInfoMessages":
		infos, err := parseInfos(c.Args, fields)
		return &intray.StepChange{Infos: infos}, err
	case "addRows":
		rows, err := parseAddedRows(c.Args)
		return &intray.StepChange{AddRows: rows}, err
	case "removeRows":
		var ids []string
		err := parseArgument(c.Args, 0, &ids)
		return &intray.StepChange{RemoveRows: ids}, err
	case "setConfirmationMessage":
		return nil, nil // API imports show no confirmation
	}
	return nil, refuse(intray.NewMessage("hook.unknown_method", nil))
}

// refuse returns the error for a command that cannot be carried out.
func refuse(reason intray.Message) error { return &intray.MessageError{Message: reason} }

// parseArgument decodes args[at].
func parseArgument(args []json.RawMessage, at int, into any) error {
	number := at + 1
	if at >= len(args) {
		return refuse(intray.NewMessage("hook.argument_missing", intray.Params{"argument": number}))
	}
	if _, any := into.(*json.RawMessage); !any && string(args[at]) == "null" {
		return refuse(intray.NewMessage("hook.argument_null", intray.Params{"argument": number}))
	}
	err := json.Unmarshal(args[at], into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return refuse(intray.NewMessage("hook.argument_property_type", intray.Params{"argument": number, "property": wrong.Field, "type": wrong.Value}))
	case errors.As(err, &wrong):
		return refuse(intray.NewMessage("hook.argument_type", intray.Params{"argument": number, "type": wrong.Value}))
	case err != nil:
		return refuse(intray.NewMessage("hook.argument_unreadable", intray.Params{"argument": number, "problem": err.Error()}))
	}
	return nil
}

func parseAddedField(args []json.RawMessage) (*intray.AddedField, error) {
	var definition any
	if err := parseArgument(args, 0, &definition); err != nil {
		return nil, err
	}
	parsed, issues := schema.Parse(schema.Doc{Fields: []any{definition}})
	if len(issues) > 0 {
		return nil, refuse(issues[0].Describe())
	}
	var neighbor struct{ Before, After string }
	if len(args) > 1 && string(args[1]) != "null" {
		if err := parseArgument(args, 1, &neighbor); err != nil {
			return nil, err
		}
	}
	return &intray.AddedField{Field: parsed.Fields[0], Before: neighbor.Before, After: neighbor.After}, nil
}

func parseInfos(args []json.RawMessage, fields []intray.Field) ([]intray.Change, error) {
	var list []struct {
		RowIndex       int
		FieldKey       string
		ManyToOneIndex int
		Messages       []struct{ Message, Level string }
	}
	if err := parseArgument(args, 0, &list); err != nil {
		return nil, err
	}
	changes := []intray.Change{}
	schema := intray.Schema{Fields: fields}
	for _, one := range list {
		field := schema.FieldIndex(one.FieldKey)
		if field < 0 {
			return nil, refuse(intray.NewMessage("hook.unknown_field", intray.Params{"field": one.FieldKey}))
		}
		c := intray.Change{Row: one.RowIndex, Field: field, Part: one.ManyToOneIndex, HasInfos: true}
		for _, m := range one.Messages {
			level, known := intray.ParseLevel(m.Level)
			if !known && m.Level != "" {
				return nil, refuse(intray.NewMessage("hook.unknown_level", intray.Params{"level": m.Level}))
			}
			c.Infos = append(c.Infos, intray.Info{Level: level, Text: m.Message})
		}
		changes = append(changes, c)
	}
	return changes, nil
}

func parseAddedRows(args []json.RawMessage) ([]intray.AddedRow, error) {
	var list []struct {
		Index *int64
		Row   map[string]struct{ Value json.RawMessage }
	}
	if err := parseArgument(args, 0, &list); err != nil {
		return nil, err
	}
	var ids []string
	if err := parseArgument(args, 1, &ids); err != nil {
		return nil, err
	}
	if len(ids) != len(list) {
		return nil, refuse(intray.NewMessage("hook.row_ids_differ", intray.Params{"ids": len(ids), "rows": len(list)}))
	}
	rows := make([]intray.AddedRow, len(list))
	for i, one := range list {
		rows[i] = intray.AddedRow{ID: ids[i], Index: one.Index, Cells: map[string]string{}}
		for key, cell := range one.Row {
			if text, ok := cellText(cell.Value); ok {
				rows[i].Cells[key] = text
			}
		}
	}
	return rows, nil
}

// cellText returns a value from a hook as text: a string unchanged, any other value as
// JSON. ok is false for null.
func cellText(raw json.RawMessage) (text string, ok bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", false
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, true
	}
	return string(raw), true
}
