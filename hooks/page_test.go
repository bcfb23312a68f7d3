package hooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
)

// fakePage records the calls to a page and returns results in order, the last one repeatedly.
type fakePage struct {
	calls   []string
	results []string
	err     error
}

func (f *fakePage) CallPage(_ context.Context, imp string, call []byte) ([]byte, error) {
	f.calls = append(f.calls, imp+" "+string(call))
	if len(f.results) == 0 {
		return nil, f.err
	}
	result := f.results[0]
	if len(f.results) > 1 {
		f.results = f.results[1:]
	}
	return []byte(result), f.err
}

// pageRows returns n rows with a name, a number, and two columns of tags.
func pageRows(n int) intray.HookRows {
	b := &intray.Batch{}
	b.Reset(3)
	b.First = 7
	for range n {
		b.Lines = append(b.Lines, 1)
		b.Fields[0].Values.Texts.AppendString(`a"b`)
		b.Fields[1].Values.Texts.AppendString("4.50")
		b.Fields[2].Values.Texts.AppendString(`["x",null]`)
	}
	if n > 0 {
		b.Problems = []intray.Problem{{Row: n - 1, Field: 0, Level: intray.LevelWarning, Text: intray.Literal("odd")}}
	}
	fields := []intray.Field{
		{Key: "name", Type: intray.FieldType{Name: intray.TypeString}},
		{Key: "amount", Type: intray.FieldType{Name: intray.TypeNumber}},
		{Key: "tags", Type: intray.FieldType{Name: intray.TypeString}, ManyToOne: true},
	}
	return intray.HookRows{Fields: fields, Parts: []int{0, 0, 2}, Batches: []*intray.Batch{b}}
}

func TestPageRecords(t *testing.T) {
	page := &fakePage{results: []string{`[
		{"index":8,"row":{"name":{"value":"Ann","info":[]},"amount":{"value":7},"tags":{"manyToOne":[{},{"value":"y","info":[{"message":"m","level":"info"}]}]},"missing":{"value":1}}},
		{"index":7,"row":{"name":{"value":null,"selectOptions":[{"label":"L","value":"v"}]},"amount":{"info":[{"message":"low"}]}}},
		{"index":99,"row":{"name":{"value":"x"}}}, {"row":{"name":{"value":"x"}}}, {"index":7,"row":{"name":7,"amount":{}}}
	]`}}
	runner := hooks.NewPageRunner(page, intray.HookEnv{Import: "import"}, intray.Hooks{Row: []string{intray.PageHook}})
	got, err := runner.RunRows(t.Context(), 0, pageRows(2))
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) *string { return &s }
	want := []intray.Change{
		{Row: 1, Field: 0, HasValue: true, Value: text("Ann"), HasInfos: true},
		{Row: 1, Field: 1, HasValue: true, Value: text("7"), IsNumber: true},
		{Row: 1, Field: 2, Part: 1, HasValue: true, Value: text("y"), HasInfos: true, Infos: []intray.Info{{Level: intray.LevelInfo, Text: "m"}}},
		{Row: 0, Field: 0, HasValue: true, Options: []intray.SelectOption{{Label: "L", Value: "v"}}},
		{Row: 0, Field: 1, HasInfos: true, Infos: []intray.Info{{Level: intray.LevelError, Text: "low"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	sent := `import {"hook":"rows","mode":"init","rows":[` +
		`{"index":7,"rowId":"7","row":{"name":{"value":"a\"b","resultValue":"a\"b"},"amount":{"value":"4.50","resultValue":4.50},"tags":{"value":null,"resultValue":null,"manyToOne":[{"value":"x","resultValue":"x"},{"value":"","resultValue":null}]}}},` +
		`{"index":8,"rowId":"8","row":{"name":{"value":"a\"b","resultValue":"a\"b","info":[{"message":"odd","level":"warning"}]},"amount":{"value":"4.50","resultValue":4.50},"tags":{"value":null,"resultValue":null,"manyToOne":[{"value":"x","resultValue":"x"},{"value":"","resultValue":null}]}}}]}`
	if diff := cmp.Diff([]string{sent}, page.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestPageBatches checks that row hooks receive 1,000 rows at a time, batch hooks numbered batches of the
// file, and bulk hooks all rows.
func TestPageBatches(t *testing.T) {
	rows := pageRows(2500)
	rows.Batches[0].First = 0
	all := intray.Hooks{Row: []string{intray.PageHook, intray.PageBatchHook}, BulkRow: []string{intray.PageHook}}
	page := &fakePage{results: []string{`[]`, `[]`, `[{"index":2001,"row":{"name":{"value":"x"}}}]`, `[]`}}
	runner := hooks.NewPageRunner(page, intray.HookEnv{Import: "i"}, all)
	changes, err := runner.RunRows(t.Context(), 0, rows)
	if err != nil || len(page.calls) != 3 || len(changes) != 1 || changes[0].Row != 2001 {
		t.Errorf("%d calls, changes %v, %v", len(page.calls), changes, err)
	}
	page.calls = nil
	_, err = runner.RunRows(t.Context(), 1, rows)
	for i, call := range page.calls {
		if !strings.HasPrefix(call, `i {"hook":"batch","batch":`+string(rune('1'+i))) {
			t.Errorf("call %d is %.40s", i, call)
		}
	}
	if err != nil || len(page.calls) != 3 {
		t.Errorf("%d batches, %v", len(page.calls), err)
	}
	rows.Update, page.calls = true, nil
	if _, err = runner.RunRows(t.Context(), 1, rows); err != nil || len(page.calls) != 0 {
		t.Errorf("batch hooks were called with changed rows: %v", err)
	}
	if _, err = runner.RunBulk(t.Context(), 0, rows); err != nil || len(page.calls) != 1 || !strings.HasPrefix(page.calls[0], `i {"hook":"rows","mode":"update"`) {
		t.Errorf("%d calls of bulk hooks, %v", len(page.calls), err)
	}
}

func TestPageColumns(t *testing.T) {
	page := &fakePage{results: []string{`[{"index":7,"value":"x"}]`, `[{"index":8,"info":[{"message":"m","level":"error"}]},{"index":-1,"value":"x"},7]`, `[{"index":8,"value":null}]`}}
	runner := hooks.NewPageRunner(page, intray.HookEnv{Import: "i"}, intray.Hooks{Column: []intray.ColumnHook{{Field: "name"}, {Field: "gone"}, {Field: "tags"}}})
	got, err := runner.RunColumn(t.Context(), 0, pageRows(2))
	if err != nil || len(got) != 1 || *got[0].Value != "x" {
		t.Errorf("changes %v, %v", got, err)
	}
	if got, err = runner.RunColumn(t.Context(), 1, pageRows(2)); err != nil || got != nil {
		t.Errorf("changes of a field that does not exist: %v, %v", got, err)
	}
	// A malformed element makes the whole result meaningless, as in the second part here.
	got, err = runner.RunColumn(t.Context(), 2, pageRows(2))
	if diff := cmp.Diff([]intray.Change{{Row: 1, Field: 2, Part: 1, HasValue: true}}, got); err != nil || diff != "" {
		t.Errorf("changes of two columns: %s, %v", diff, err)
	}
	want := `i {"hook":"columns","field":"name","rows":[{"index":7,"rowId":"7","value":"a\"b"},{"index":8,"rowId":"8","value":"a\"b"}]}`
	if page.calls[0] != want || len(page.calls) != 3 {
		t.Errorf("the calls are %v", page.calls)
	}
}

func TestPageSteps(t *testing.T) {
	result, err := json.Marshal(map[string]any{"commands": []any{
		map[string]any{"name": "addField", "args": []any{map[string]any{"key": "city", "label": "City"}, map[string]any{"after": "name"}}},
		map[string]any{"name": "removeField", "args": []any{7}}, // a mistake
		map[string]any{"name": "format", "args": []any{}},
		map[string]any{"name": "removeField", "args": []any{"amount"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	page := &fakePage{results: []string{string(result), `null`, `7`, ``}}
	runner := hooks.NewPageRunner(page, intray.HookEnv{Import: "i"}, intray.Hooks{})
	call := intray.StepCall{Step: intray.UploadStep, Filename: "a.csv", Preview: [][]string{{"x"}}}
	changes, err := runner.RunStep(t.Context(), call)
	if err != nil || len(changes) != 2 || changes[0].AddField.Field.Key != "city" || changes[1].RemoveField != "amount" {
		t.Errorf("changes %v, %v", changes, err)
	}
	for range 3 {
		if changes, err := runner.RunStep(t.Context(), call); err != nil || changes != nil {
			t.Errorf("changes %v, %v", changes, err)
		}
	}
	if want := `i {"hook":"step","step":"UPLOAD_STEP","data":{"dataPreview":[["x"]],"filename":"a.csv","sessionId":null}}`; page.calls[0] != want {
		t.Errorf("the call is %s", page.calls[0])
	}
}

func TestPageNonsense(t *testing.T) {
	for _, result := range []string{``, `null`, `7`, `"x"`, `{}`, `[7]`, `[{"index":"7"}]`, `[{"index":7}]`, `[{"index":7,"row":7}]`, `[{"index":7,"row":{"name":null}}]`, `[`, strings.Repeat("[", 10_000)} {
		runner := hooks.NewPageRunner(&fakePage{results: []string{result}}, intray.HookEnv{Import: "i"}, intray.Hooks{Row: []string{intray.PageHook}})
		if changes, err := runner.RunRows(t.Context(), 0, pageRows(1)); err != nil || len(changes) > 0 {
			t.Errorf("%.20s: %v, %v", result, changes, err)
		}
	}
	gone := hooks.NewPageRunner(&fakePage{err: errors.New("gone")}, intray.HookEnv{Import: "i"}, intray.Hooks{Row: []string{intray.PageHook}})
	if _, err := gone.RunRows(t.Context(), 0, pageRows(1)); !errors.As(err, new(*intray.HookError)) {
		t.Errorf("a page that does not respond: %v", err)
	}
}
