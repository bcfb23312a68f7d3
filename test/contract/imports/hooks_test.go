package imports_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const rowHook = "(record, mode) => ({row: {name: {value: 'x'}}})"

// hooksTable returns each property of the hooks with a valid value.
func hooksTable() []m {
	step := func(name string) m {
		return m{"stepHooks": []any{m{"type": name, "callback": "(instance, step) => {}"}}}
	}
	return []m{
		{"rowHooks": []any{rowHook, "function (record) { return {row: {}} }"}},
		{"bulkRowHooks": []any{"async (records, mode) => []"}},
		{"rowDeleteHooks": []any{"record => {}"}},
		{"beforeFinishCallback": "function finish(data, metadata, instance) { return {cancel: true, message: 'no'} }"},
		{"columnHooks": []any{m{"fieldName": "email", "callback": "values => values"}}},
		step("UPLOAD_STEP"), step("REVIEW_STEP"), step("REVIEW_STEP_POST_HOOKS"),
	}
}

// TestHooksTable checks that each kind of hook is accepted, returned unchanged and run. If a
// hook cancels the import, the import needs a review.
func TestHooksTable(t *testing.T) {
	each(t, func(c client) {
		for _, hooks := range hooksTable() {
			status, types := "SUCCESSFUL", ""
			if hooks["beforeFinishCallback"] != nil {
				status, types = "NEEDS_REVIEW", "CANCELLED_BY_HOOK"
			}
			e := c.run(inline(people(), m{"hooks": hooks}), "email,name\na@example.org,A\n").want(status)
			got := c.Call("GET", schemasPath+e.doc["schema_id"].(string)+"/", nil).Object()["hooks"]
			if diff := cmp.Diff(hooks, got); diff != "" {
				c.T.Error(diff)
			}
			if e.types() != types {
				c.T.Errorf("%s: %s", show(hooks), show(e.doc["import_errors"]))
			}
		}
		e := c.run(inline(people(), m{"hooks": m{"rowHooks": []any{}, "columnHooks": []any{}}}), "email\na@example.org\n")
		e.want("SUCCESSFUL")
	})
}

// TestFailingHooks checks that the error of a failing hook names the hook, the line and the
// row, and that there is no result.
func TestFailingHooks(t *testing.T) {
	each(t, func(c client) {
		hook := "record => {\n  if (record.index === 1) throw new TypeError('odd name');\n}"
		e := c.run(inline(people(), m{"hooks": m{"rowHooks": []any{rowHook, hook}}}), "email,name\na@example.org,A\nb@example.org,B\n").want("FAILED")
		text := show(e.doc["import_errors"])
		for _, want := range []string{"HOOK_FAILED", "rowHooks[1]", "line 2", "data row 2", "TypeError: odd name"} {
			if !strings.Contains(text, want) {
				c.T.Errorf("%q is not in %s", want, text)
			}
		}
		c.Call("GET", importsPath+e.id+"/url/", nil).WantStatus(409)
	})
}

// TestHooksAreClosed checks that invalid hooks are rejected.
func TestHooksAreClosed(t *testing.T) {
	each(t, func(c client) {
		for _, hooks := range []any{
			[]any{}, "x", 7, m{"rowHook": []any{}}, m{"batchRowHooks": []any{rowHook}}, m{"": []any{}},
			m{"rowHooks": rowHook}, m{"rowHooks": []any{7}}, m{"rowHooks": []any{m{}}}, m{"rowHooks": nil},
			m{"bulkRowHooks": m{}}, m{"rowDeleteHooks": []any{nil}},
			m{"beforeFinishCallback": []any{"() => {}"}}, m{"beforeFinishCallback": 7},
			m{"columnHooks": []any{"x => x"}}, m{"columnHooks": []any{m{"callback": "x => x"}}},
			m{"columnHooks": []any{m{"fieldName": "email"}}}, m{"columnHooks": []any{m{"fieldKey": "email", "callback": "x => x"}}},
			m{"columnHooks": []any{m{"fieldName": "email", "callback": "x => x", "mode": "init"}}},
			m{"columnHooks": []any{m{"fieldName": "nobody", "callback": "x => x"}}},
			m{"stepHooks": []any{m{"type": "REVIEW_STEP"}}}, m{"stepHooks": []any{m{"callback": "x => x"}}},
			m{"stepHooks": []any{m{"type": "REVIEW_STEP_PRE_SUBMIT", "callback": "x => x"}}},
			m{"stepHooks": []any{m{"type": "UPLOAD_STEP", "callback": "x => x", "order": 1}}},
		} {
			c.refused(inline(people(), m{"hooks": hooks}), 400, "hooks")
		}
	})
}

// TestHookSyntaxErrors checks that the location of a syntax error is reported.
func TestHookSyntaxErrors(t *testing.T) {
	each(t, func(c client) {
		saved := c.saveSchema(people(), m{}, m{})
		place := regexp.MustCompile(`line 2\D.*column \d`)
		for _, source := range []string{"(record) => {\n  return {row: }\n}", "function (record) {\n  let x = ;\n}"} {
			for _, body := range []m{inline(people()), {"schema_id": saved}} {
				body["hooks"] = m{"rowHooks": []any{rowHook, source}}
				if text := c.refused(body, 400, "hooks"); !place.MatchString(text) || !strings.Contains(text, "rowHooks[1]") {
					c.T.Errorf("no line, column or location: %s", text)
				}
			}
		}
		c.refused(inline(people(), m{"hooks": m{"beforeFinishCallback": "7"}}), 400, "hooks")
		if text := c.refused(inline(people(), m{"hooks": m{"rowHooks": []any{rowHook, "async r => {\n  await import('fs')\n}"}}}), 400, "hooks"); !place.MatchString(text) || !strings.Contains(text, "rowHooks[1]") {
			c.T.Errorf("no line, column or location of import(): %s", text)
		}
		c.refused(inline(people(), m{"hooks": m{"rowHooks": []any{""}}}), 400, "hooks")
	})
}
