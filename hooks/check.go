package hooks

import (
	"context"
	"errors"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/schema"
)

// Check loads all hooks of a schema into a worker and then ends the worker. It does not
// call any hook.
//
// A [*schema.InvalidError] has an issue for each hook that cannot be loaded, with the line
// and column. An [*intray.HookError] reports a hook that uses too much time or memory while
// it is loaded. Any other error means that the hooks could not be checked.
func (r *Runner) Check(ctx context.Context, hooks intray.Hooks) error {
	all := jsruntime.HooksOf(hooks)
	faults := jsruntime.CheckSources(all)
	loadable := slices.DeleteFunc(slices.Clone(all), func(hook jsruntime.Hook) bool {
		return slices.ContainsFunc(faults, func(f jsruntime.Fault) bool { return f.Hook == hook.Name })
	})
	if len(loadable) > 0 {
		session := r.openSession(hooks, loadable, intray.HookEnv{})
		slot, found, err := session.acquireOrFaults(ctx, nil)
		if slot != nil {
			session.closeSlot(slot)
		}
		if err = errors.Join(err, session.Close()); err != nil {
			return err
		}
		faults = append(faults, found...)
	}
	byHook := map[string]jsruntime.Fault{}
	for _, fault := range faults {
		byHook[fault.Hook] = fault
	}
	var issues []schema.Issue
	for _, hook := range all {
		if fault, found := byHook[hook.Name]; found {
			issues = append(issues, schema.Issue{Path: schemaPath(hook), Message: describeFault(fault)})
			delete(byHook, hook.Name)
		}
	}
	for _, fault := range byHook { // a fault that is not about a hook of the schema
		return faultError(fault)
	}
	if len(issues) > 0 {
		return &schema.InvalidError{Issues: issues}
	}
	return nil
}

// schemaPath returns the path of a hook's source in the schema document.
func schemaPath(hook jsruntime.Hook) string {
	path := "hooks." + hook.Name
	if hook.Kind == jsruntime.HookColumn || hook.Kind == jsruntime.HookStep {
		path += ".callback"
	}
	return path
}

// describeFault returns the message of an issue. The path of the hook precedes this message.
func describeFault(f jsruntime.Fault) intray.Message {
	problem := joinErrorText(f.Name, f.Message)
	switch {
	case f.Kind == jsruntime.FaultNotFunction:
		return intray.NewMessage("hook_source.not_one_function", intray.Params{"example": "(record, mode) => ({row: {}})", "example2": "function (record, mode) { … }"})
	case f.Line == 0:
		return intray.NewMessage("hook_source.error", intray.Params{"problem": problem})
	case f.Column == 0:
		return intray.NewMessage("hook_source.error_in_line", intray.Params{"line": f.Line, "problem": problem})
	case f.Kind == jsruntime.FaultSyntax:
		return intray.NewMessage("hook_source.syntax_error", intray.Params{"line": f.Line, "column": f.Column, "problem": f.Message})
	}
	return intray.NewMessage("hook_source.error_at", intray.Params{"line": f.Line, "column": f.Column, "problem": problem})
}
