package hooks_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
)

// mappedFields returns three fields, their mapping and the headers. Two columns are mapped
// to the second field.
func mappedFields() (fields []intray.Field, m intray.Mapping, headers []string) {
	many := textField("many")
	many.ManyToOne, many.Hidden = true, true
	m.Fields = []intray.Match{{Column: 1, Header: "Two"}, {Column: 0, Columns: []int{0, 2}, Header: "One"}, {Column: intray.NoColumn}}
	return []intray.Field{textField("a"), many, textField("none")}, m, []string{"One", "Two", "Three"}
}

func TestStepHookMetadata(t *testing.T) {
	const source = `(instance, about) => instance.setUser({id: JSON.stringify(about)})`
	fields, m, headers := mappedFields()
	mapping := `{"headerMapping":{"a":"Two","many":["One","Three"],"none":null},"fields":[` +
		`{"key":"a","label":"A","type":"string","manyToOne":false,"hidden":false},` +
		`{"key":"many","label":"MANY","type":"string","manyToOne":true,"hidden":true},` +
		`{"key":"none","label":"NONE","type":"string","manyToOne":false,"hidden":false}]`
	cases := []struct {
		call intray.StepCall
		want string
	}{
		{intray.StepCall{Step: intray.UploadStep, Filename: "list.csv", Preview: [][]string{{"x"}, {}}}, `{"filename":"list.csv","dataPreview":[["x"],[]],"sessionId":null}`},
		{intray.StepCall{Step: intray.UploadStep}, `{"filename":"","dataPreview":[],"sessionId":null}`},
		{intray.StepCall{Step: intray.ReviewStep, Fields: fields, Mapping: m, Headers: headers}, mapping + `,"rawHeaders":["One","Two","Three"]}`},
		{intray.StepCall{Step: intray.ReviewStepPost, Fields: fields, Mapping: m, Headers: headers}, mapping + `}`},
	}
	var declared intray.Hooks
	for _, step := range []string{intray.UploadStep, intray.ReviewStep, intray.ReviewStepPost} {
		declared.Step = append(declared.Step, intray.StepHook{Step: step, Source: source})
	}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, declared)
		for _, tt := range cases {
			changes, err := session.RunStep(t.Context(), tt.call)
			if err != nil || len(changes) != 1 {
				t.Fatal(changes, err)
			}
			var user struct{ ID string }
			var got, want any
			if err := errors.Join(json.Unmarshal(changes[0].User, &user), json.Unmarshal([]byte(user.ID), &got), json.Unmarshal([]byte(tt.want), &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(tt.call.Step, diff)
			}
		}
	})
}

// runStep calls the second of two step hooks with the fields a, many and none. body is the
// second line of the hook.
func runStep(t *testing.T, s *hooks.Runner, step, body string) (intray.StepChanges, error) {
	t.Helper()
	fields, m, headers := mappedFields()
	session := openSession(t, s, intray.Hooks{Step: []intray.StepHook{
		{Step: "another", Source: `() => { throw new Error("not this one") }`},
		{Step: step, Source: "async (instance) => {\n\t" + body + "\n}"},
	}})
	defer session.Close()
	return session.RunStep(t.Context(), intray.StepCall{Step: step, Fields: fields, Mapping: m, Headers: headers})
}

func TestStepChanges(t *testing.T) {
	row, on, index := 3, true, int64(2)
	cases := []struct {
		body string
		want intray.StepChange
	}{
		{`await instance.addField({label: "NEW", key: "new", type: "number"}, {before: "a"})`, intray.StepChange{AddField: &intray.AddedField{Field: typedField("new", intray.TypeNumber), Before: "a"}}},
		{`instance.addField({label: "NEW", key: "new"}, {after: "many"})`, intray.StepChange{AddField: &intray.AddedField{Field: textField("new"), After: "many"}}},
		{`instance.addField({label: "NEW", key: "new"}, undefined)`, intray.StepChange{AddField: &intray.AddedField{Field: textField("new")}}},
		{`instance.removeField("a")`, intray.StepChange{RemoveField: "a"}},
		{`instance.setHeaderRowOverride(3)`, intray.StepChange{HeaderRow: &row}},
		{`instance.setUser({id: "7", email: null})`, intray.StepChange{User: []byte(`{"id":"7"}`)}},
		{`instance.setDevelopmentMode(true)`, intray.StepChange{DevelopmentMode: &on}},
		{`instance.removeRows(["1", "added-0"])`, intray.StepChange{RemoveRows: []string{"1", "added-0"}}},
		{
			`instance.updateInfoMessages([{rowIndex: 5, fieldKey: "many", manyToOneIndex: 1, messages: [{message: "m"}, {message: "w", level: "warning"}]}])`,
			intray.StepChange{Infos: []intray.Change{{Row: 5, Field: 1, Part: 1, HasInfos: true, Infos: []intray.Info{{Text: "m"}, {Level: intray.LevelWarning, Text: "w"}}}}},
		},
		{
			`instance.addRows([{index: 2, row: {a: {value: 1000000}, many: {value: ["x", 1]}, none: {value: null}}}, {row: {}}])`,
			intray.StepChange{AddRows: []intray.AddedRow{
				{ID: "added-0", Index: &index, Cells: map[string]string{"a": "1000000", "many": `["x",1]`}}, {ID: "added-1", Cells: map[string]string{}},
			}},
		},
	}
	s := newRunner(t, sandbox.QuickJS, hooks.Config{}, sandbox.Config{})
	for _, tt := range cases {
		at := intray.ReviewStep
		if tt.want.HeaderRow != nil {
			at = intray.UploadStep
		}
		changes, err := runStep(t, s, at, tt.body)
		if err != nil || len(changes) != 1 {
			t.Errorf("%s: %v, %v", tt.body, changes, err)
			continue
		}
		if added := changes[0].AddField; added != nil {
			added.Field.Type.Options = nil
			added.Field.Validators = nil
		}
		tt.want.Hook, tt.want.Line, tt.want.Column = "stepHooks[1]", 2, len("\tinstance.")+1+max(0, strings.Index(tt.body, "instance"))
		if diff := cmp.Diff(tt.want, changes[0]); diff != "" {
			t.Errorf("%s: %s", tt.body, diff)
		}
	}
	if changes, err := runStep(t, s, intray.ReviewStep, `instance.setConfirmationMessage("x"); instance.removeField("a"); instance.removeField("many")`); err != nil || len(changes) != 2 || changes[1].RemoveField != "many" {
		t.Error(changes, err)
	}
}

// TestStepErrors checks that the error for a refused method call contains the hook and the
// position, whether the prelude or this package refuses the call.
func TestStepErrors(t *testing.T) {
	cases := []struct{ step, body, want string }{
		{intray.ReviewStep, `instance.addField()`, "argument 1 of addField is undefined"},
		{intray.ReviewStep, `instance.addField({label: "No key"})`, "addField: fields[0].key: "},
		{intray.UploadStep, `instance.addField({label: "N", key: "n", type: "colour"})`, "addField: fields[0]"},
		{intray.ReviewStep, `instance.addField({label: "N", key: "n"}, {before: 7})`, "before in argument 2 of addField is a number"},
		{intray.ReviewStep, `instance.addField({label: "A", key: "a"})`, `the field "a" already exists`},
		{intray.ReviewStepPost, `instance.addField({label: "N", key: "n"})`, "addField has no effect at REVIEW_STEP_POST_HOOKS: call it at UPLOAD_STEP or REVIEW_STEP"},
		{intray.ReviewStep, `instance.removeField()`, "argument 1 of removeField is undefined"},
		{intray.ReviewStep, `instance.removeField("")`, `argument 1 of removeField is "", and there is no such field`},
		{intray.ReviewStepPost, `instance.removeField("a")`, "removeField has no effect at REVIEW_STEP_POST_HOOKS"},
		{intray.UploadStep, `instance.setHeaderRowOverride("first")`, "argument 1 of setHeaderRowOverride is a text"},
		{intray.UploadStep, `instance.setHeaderRowOverride(null)`, "argument 1 of setHeaderRowOverride is null"},
		{intray.UploadStep, `instance.setHeaderRowOverride(-1)`, "argument 1 of setHeaderRowOverride is -1"},
		{intray.ReviewStep, `instance.setHeaderRowOverride(1)`, "setHeaderRowOverride has no effect at REVIEW_STEP: call it at UPLOAD_STEP"},
		{intray.ReviewStep, `instance.setDevelopmentMode("yes")`, "argument 1 of setDevelopmentMode is a text"},
		{intray.ReviewStep, `instance.setUser({id: 5})`, "id of the user passed to setUser is a number; it must be a text"},
		{intray.ReviewStep, `instance.updateInfoMessages([{rowIndex: 1, fieldKey: "other", messages: []}])`, `"other", and there is no such field`},
		{intray.UploadStep, `instance.updateInfoMessages([{rowIndex: 1, fieldKey: "a", messages: []}])`, "updateInfoMessages has no effect at UPLOAD_STEP: call it at REVIEW_STEP or REVIEW_STEP_POST_HOOKS"},
		{intray.ReviewStep, `instance.updateInfoMessages([{rowIndex: 1, fieldKey: "a", messages: [{message: "m", level: "loud"}]}])`, "the level loud"},
		{intray.ReviewStep, `instance.updateInfoMessages([{rowIndex: 1.5, fieldKey: "a"}])`, "is 1.5; it must be a whole number, 0 or more"},
		{intray.ReviewStep, `instance.removeRows("1")`, "argument 1 of removeRows is a text"},
		{intray.ReviewStepPost, `instance.removeRows(["1"])`, "removeRows has no effect at REVIEW_STEP_POST_HOOKS: call it at REVIEW_STEP"},
		{intray.ReviewStep, `instance.addRows([{row: {a: "plain"}}])`, `"a" in the row of element 0 of argument 1 of addRows is a text`},
		{intray.UploadStep, `instance.addRows([])`, "addRows has no effect at UPLOAD_STEP"},
		{intray.ReviewStep, `throw new TypeError("wrong file")`, "TypeError: wrong file"},
		{intray.ReviewStep, `for (;;) instance.removeField("a"), instance.addField({key: "a", label: "A"})`, "method calls"},
	}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		for i, tt := range cases {
			switch slow := tt.want == "method calls"; {
			case slow && testing.Short(), !slow && !isFull() && i%4 > 0 && strings.HasSuffix(t.Name(), "node"):
				continue
			}
			changes, err := runStep(t, s, tt.step, tt.body)
			failed := hookError(t, err)
			if failed.Hook != "stepHooks[1]" || failed.Line != 2 || failed.Column < 2 || !strings.Contains(failed.Text.String(), tt.want) || changes != nil {
				t.Errorf("%s: %v, %v, want %s", tt.body, changes, failed, tt.want)
			}
		}
	})
}

// sequence yields batches and then failure, unless failure is nil.
func sequence(failure error, batches ...*intray.Batch) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		for _, b := range batches {
			if !yield(b, nil) {
				return
			}
		}
		if failure != nil {
			yield(nil, failure)
		}
	}
}

// runFinish calls beforeFinishCallback with two batches.
func runFinish(t *testing.T, s *hooks.Runner, source string, behavior intray.InvalidDataBehavior) (*string, error) {
	t.Helper()
	fields, m, headers := mappedFields()
	fields[2] = typedField("n", intray.TypeNumber)
	schema := &intray.Schema{Fields: fields, Settings: intray.Settings{InvalidDataBehavior: behavior, ImportIdentifier: "people"}}
	one := batch(0, []any{"x", `["p","q"]`, "1.5"}, []any{"y", nil, invalidCell("many")}, []any{nil, nil, nil})
	one.Problems = []intray.Problem{{Row: 0, Level: intray.LevelWarning}, {Row: 1, Field: 2}}
	two := batch(3, []any{invalidCell("z"), parsedCell{`["r",null]`, `["r","?"]`}, "2"})
	two.Problems = []intray.Problem{{Row: 0, Field: 0}, {Row: 0, Field: 1, Part: 1}}
	session := openSession(t, s, intray.Hooks{BeforeFinish: source})
	defer session.Close()
	row, part, text := int64(3), 1, "?"
	return session.Finish(t.Context(), schema, sequence(nil, one, two), intray.FinishCall{
		ID: "7", User: []byte(`{"id":"u"}`), Filename: "list.csv", Headers: headers, Mapping: m, RowsWithError: []int64{1, 3},
		Notices: []intray.Notice{
			{Type: intray.Validation, Level: intray.LevelError, Text: intray.Literal("What?"), Field: "many", Row: &row, Part: &part, Value: &text},
			{Type: intray.Validation, Level: intray.LevelWarning, Text: intray.Literal("Hm."), Field: "n", Row: &row},
			{Type: intray.RepairedRow, Level: intray.LevelError, Text: intray.Literal("Repaired."), Row: &row},
			{Type: intray.Validation, Level: intray.LevelError, Text: intray.Literal("Too short."), Row: &row},
		},
	})
}

func TestFinish(t *testing.T) {
	const first, third = `{"a":"x","many":["p","q"],"n":1.5}`, `{"a":null,"many":null,"n":null}`
	cases := []struct {
		behavior intray.InvalidDataBehavior
		want     string
	}{
		{intray.RemoveInvalidRows, first + "," + third},
		{intray.IncludeInvalidRows, first + `,{"a":"y","many":null,"n":null},` + third + `,{"a":null,"many":null,"n":2}`},
		{intray.IncludeInvalidValues, first + `,{"a":"y","many":null,"n":"many"},` + third + `,{"a":"z","many":["r","?"],"n":2}`},
	}
	const about = `{"id":"7","user":{"id":"u"},"errors":[{"rowIndex":3,"fieldKey":"many","manyToOneIndex":1,"message":"What?","value":"?"},` +
		`{"rowIndex":3,"fieldKey":null,"message":"Too short.","value":null}],"filename":"list.csv","rawHeaders":["One","Two","Three"],"fields":{` +
		`"a":{"fileHeader":"Two","fileHeaderIndex":1,"isCustom":false,"manyToOne":false},` +
		`"many":{"fileHeader":null,"fileHeaderIndex":null,"fileHeaders":["One","Three"],"fileHeaderIndexes":[0,2],"isCustom":false,"manyToOne":true},` +
		`"n":{"fileHeader":null,"fileHeaderIndex":null,"isCustom":false,"manyToOne":false}},` +
		`"importIdentifier":"people","rowsWithError":[1,3]}`
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		for _, tt := range cases {
			cancel, err := runFinish(t, s, `(rows, about) => ({cancel: true, message: JSON.stringify([rows, about])})`, tt.behavior)
			if err != nil || cancel == nil {
				t.Fatal(cancel, err)
			}
			var got, want any
			if err := errors.Join(json.Unmarshal([]byte(*cancel), &got), json.Unmarshal(fmt.Appendf(nil, "[[%s],%s]", tt.want, about), &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(tt.behavior, diff)
			}
		}
		if cancel, err := runFinish(t, s, `(rows) => { rows.pop(); return {cancel: false, message: "no"}; }`, ""); cancel != nil || err != nil {
			t.Error(*cancel, err)
		}
		_, err := runFinish(t, s, "(rows) => {\n  rows[9].a;\n}", "")
		if failed := hookError(t, err); failed.Hook != "beforeFinishCallback" || failed.Line != 2 || failed.Row != nil || !strings.Contains(failed.Text.String(), "TypeError") {
			t.Error(failed)
		}
	})
}

func TestFinishChangesNothing(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{}, sandbox.Config{})
	_, err := runFinish(t, s, `(rows, about, instance) => { instance.setDevelopmentMode(true) }`, "")
	if failed := hookError(t, err); failed.Hook != "beforeFinishCallback" || failed.Line != 1 || failed.Column != 39 || !strings.Contains(failed.Text.String(), "setDevelopmentMode: the import can't change") {
		t.Error(failed)
	}
	for source, want := range map[string]string{`() => "x"`: "a text", `() => true`: "true", `() => ({cancel: 1})`: "a number as cancel"} {
		cancel, err := runFinish(t, s, source, "")
		if failed := hookError(t, err); cancel != nil || failed.Hook != "beforeFinishCallback" || !strings.Contains(failed.Text.String(), "the hook returned "+want) {
			t.Errorf("%s: %v", source, failed)
		}
	}
	if _, err := runFinish(t, s, `(rows, about, instance) => { instance.setConfirmationMessage("done") }`, ""); err != nil {
		t.Error(err)
	}
}

func TestFinishTooMuch(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{}, sandbox.Config{})
	session := openSession(t, s, intray.Hooks{BeforeFinish: `() => {}`})
	schema := &intray.Schema{Fields: []intray.Field{textField("a")}}
	about := intray.FinishCall{Mapping: intray.Mapping{Fields: []intray.Match{{Column: intray.NoColumn}}}}
	rows := make([][]any, 100_001)
	for i := range rows {
		rows[i] = []any{"x"}
	}
	_, err := session.Finish(t.Context(), schema, sequence(nil, batch(0, rows...), batch(100_001, rows...)), about)
	if failed := hookError(t, err); !strings.Contains(failed.Text.String(), "exceeds the limit of 200,000 rows") {
		t.Error(failed)
	}
	broken := errors.New("the stage broke")
	if _, err := session.Finish(t.Context(), schema, sequence(broken), about); !errors.Is(err, broken) {
		t.Error(err)
	}
}
