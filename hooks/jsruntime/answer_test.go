package jsruntime_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
)

// within holds the limits of the answers below: two rows, a plain field, and a many-to-one
// field of three columns.
var within = jsruntime.Bounds{Rows: 2, Fields: []jsruntime.FieldBounds{{}, {ManyToOne: true, Columns: 3}}, MaxChanges: 8}

// answerWithChanges is an answer with its changes.
type answerWithChanges struct {
	jsruntime.Answer
	Changes []jsruntime.Change
}

func readAnswer(raw []byte, bounds jsruntime.Bounds) (*answerWithChanges, error) {
	var all answerWithChanges
	answer, err := jsruntime.ReadAnswer(string(raw), bounds, func(c *jsruntime.Change) { all.Changes = append(all.Changes, *c) })
	if err != nil {
		return nil, err
	}
	all.Answer = *answer
	return &all, nil
}

func TestReadAnswer(t *testing.T) {
	raw := ` { "changes" : [1,"a\n\u00e9\ud83d\ude00\/", 63,2,[1,-2.5e+3,"x",null,true],[{"message":"m","level":"info"},{"level":"error","message":""}],[{"label":"L","value":"v","alternateMatches":["a"]}],
		2,[], 33,null, 33,false, 1,null, 33,"last"] ,
		"times":[{"hook":"rowHooks[0]","ms":1.5}], "console":["one"], "commands":[{"hook":"h","name":"addField","args":[{"a":[]},null]}],
		"cancel":true,"message":"why" }`
	got, err := readAnswer([]byte(raw), within)
	if err != nil {
		t.Fatal(err)
	}
	want := &answerWithChanges{
		Changes: []jsruntime.Change{
			{HasValue: true, Value: jsruntime.Value{Text: "a\né😀/"}},
			{
				Row: 1, Field: 1, Part: 2, HasValue: true, HasInfos: true, HasOptions: true,
				Value:   jsruntime.Value{Kind: jsruntime.ValueList, Text: `[1,-2.5e+3,"x",null,true]`},
				Infos:   []jsruntime.Info{{Message: "m", Level: intray.LevelInfo}, {}},
				Options: []intray.SelectOption{{Label: "L", Value: "v", AlternateMatches: []string{"a"}}},
			},
			{HasInfos: true},
			{Row: 1, HasValue: true, Value: jsruntime.Value{Kind: jsruntime.ValueNull}},
			{Row: 1, HasValue: true, Value: jsruntime.Value{Kind: jsruntime.ValueBool, Text: "false"}},
			{HasValue: true, Value: jsruntime.Value{Kind: jsruntime.ValueNull}},
			{Row: 1, HasValue: true, Value: jsruntime.Value{Text: "last"}},
		},
		Answer: jsruntime.Answer{
			Times:     []jsruntime.HookTime{{Hook: "rowHooks[0]", Took: 1_500_000}},
			Console:   []string{"one"},
			Commands:  []jsruntime.Command{{Hook: "h", Name: "addField", Args: []json.RawMessage{[]byte(`{"a":[]}`), []byte("null")}}},
			Cancelled: true, Message: "why",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadLearnedColumns(t *testing.T) {
	bounds := within
	bounds.Learn = true
	for raw, bad := range map[string]bool{`{"used":[0,1]}`: false, `{"used":[2]}`: true, `{"used":[0,1,0]}`: true, `{"used":[-1]}`: true, `{"miss":[1]}`: false, `{"miss":[]}`: true} {
		if _, err := readAnswer([]byte(raw), bounds); (err != nil) != bad {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if _, err := readAnswer([]byte(`{"used":[0]}`), within); err == nil {
		t.Error("ReadAnswer accepts columns that the call did not ask for")
	}
}

// TestForgedAnswers checks that an invalid answer is refused completely.
func TestForgedAnswers(t *testing.T) {
	for name, raw := range map[string]string{
		"nothing":                        ``,
		"not an object":                  `[]`,
		"a text":                         `"changes"`,
		"not closed":                     `{"changes":[]`,
		"a second value":                 `{} {}`,
		"a byte after it":                "{}\x00",
		"a trailing comma":               `{"changes":[],}`,
		"an unknown member":              `{"other":1}`,
		"invalid UTF-8":                  "{\"message\":\"\xff\"}",
		"half of a character":            `{"message":"\ud83d"}`,
		"the wrong half":                 `{"message":"\ude00\ud83d"}`,
		"half and a letter":              `{"message":"\ud83dA"}`,
		"an unknown escape":              `{"message":"\x41"}`,
		"an escape without digits":       `{"message":"\u00g0"}`,
		"an escape at the end":           `{"message":"\`,
		"a control character":            "{\"message\":\"a\nb\"}",
		"a control after an escape":      "{\"message\":\"\\n\x01\"}",
		"a text that does not end":       `{"message":"abc`,
		"a long message":                 `{"message":"` + strings.Repeat("x", 1<<14) + `"}`,
		"a row too many":                 `{"changes":[65,"x"]}`,
		"a negative row":                 `{"changes":[-31,"x"]}`,
		"a position of many digits":      `{"changes":[18446744073709551616,"x"]}`,
		"a position with a fraction":     `{"changes":[1.5,"x"]}`,
		"a position with a leading zero": `{"changes":[01,"x"]}`,
		"a position with an exponent":    `{"changes":[1e1,"x"]}`,
		"a part of a plain field":        `{"changes":[9,0,"x"]}`,
		"no part of a many-to-one field": `{"changes":[17,"x"]}`,
		"a part too many":                `{"changes":[25,3,"x"]}`,
		"a value without a position":     `{"changes":["x"]}`,
		"a value after a part":           `{"changes":[25,0,"x","y"]}`,
		"a value after the rows":         `{"changes":[33,"x","y"]}`,
		"a value before the rows":        `{"changes":[33,"x",1,"y","z"]}`,
		"no part of an expected cell":    `{"changes":[1,"x",25,0,"y",33,"x","z"]}`,
		"a number without a position":    `{"changes":[1,"x",null]}`,
		"no flags":                       `{"changes":[0]}`,
		"a part and no change":           `{"changes":[24,0]}`,
		"a change cut short":             `{"changes":[1]}`,
		"an object as a value":           `{"changes":[1,{}]}`,
		"a list in a list":               `{"changes":[1,[[]]]}`,
		"a number with a zero":           `{"changes":[1,01]}`,
		"a number without digits":        `{"changes":[1,-]}`,
		"a number with a point":          `{"changes":[1,1.]}`,
		"a number without exponent":      `{"changes":[1,1e]}`,
		"an unknown word":                `{"changes":[1,nil]}`,
		"a long list":                    `{"changes":[1,[` + strings.Repeat("1,", 10_000) + `1]]}`,
		"many infos":                     `{"changes":[2,[` + strings.Repeat(`{"message":"m"},`, 100) + `{"message":"m"}]]}`,
		"an unknown level":               `{"changes":[2,[{"message":"m","level":"fatal"}]]}`,
		"a member of an info":            `{"changes":[2,[{"text":"m"}]]}`,
		"a member of an option":          `{"changes":[4,[{"name":"m"}]]}`,
		"many console lines":             `{"console":[` + strings.Repeat(`"x",`, 20) + `"x"]}`,
		"an unknown command":             `{"commands":[{"hook":"h","name":"exec","args":[]}]}`,
		"a command of many args":         `{"commands":[{"hook":"h","name":"addRows","args":[1,2,3,4,5]}]}`,
		"a deep argument":                `{"commands":[{"hook":"h","name":"addRows","args":[` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `]}]}`,
		"very deep":                      `{"commands":[{"name":"addRows","args":[` + strings.Repeat(`{"a":[`, 1<<20),
		"very many times":                `{"times":[` + strings.Repeat(`{},`, 300_000) + `{}]}`,
		"times of very many hooks":       `{"times":[` + strings.Repeat(`{},`, 10_000) + `{}]}`,
		"very many arguments":            `{"commands":[{"hook":"h","name":"addRows","args":[` + strings.Repeat(`1,`, 300_000) + `1]}]}`,
		"many commands":                  `{"commands":[` + strings.Repeat(`{"name":"addRows"},`, 10_000) + `{"name":"addRows"}]}`,
		"a long name":                    `{"failure":{"kind":"threw","name":"` + strings.Repeat("x", 2000) + `"}}`,
		"a long console line":            `{"console":["` + strings.Repeat("x", 2000) + `"]}`,
		"a text for a number":            `{"failure":{"kind":"threw","line":"1"}}`,
		"a member of a failure":          `{"failure":{"kind":"threw","cause":1}}`,
		"faults":                         `{"faults":[]}`,
		"an unknown failure":             `{"failure":{"kind":"other"}}`,
		"a failure without a kind":       `{"failure":{}}`,
		"a failure in a huge row":        `{"failure":{"kind":"threw","row":1e99}}`,
		"a negative line":                `{"failure":{"kind":"threw","line":-1}}`,
	} {
		answer, err := readAnswer([]byte(raw), within)
		if err == nil || answer != nil {
			t.Errorf("%s: ReadAnswer accepts %.60q: %+v", name, raw, answer)
		}
	}
}

func TestChangeWithoutColumn(t *testing.T) {
	for _, raw := range []string{`{"changes":[1,"x"]}`, `{"changes":[9,0,"x"]}`} {
		if answer, err := readAnswer([]byte(raw), jsruntime.Bounds{Rows: 1, Fields: []jsruntime.FieldBounds{{ManyToOne: true}}, MaxChanges: 1}); err == nil {
			t.Errorf("ReadAnswer accepts %s: %+v", raw, answer)
		}
	}
}

// TestMostFaults checks that an answer can list at most 10,000 hooks that cannot be loaded.
func TestMostFaults(t *testing.T) {
	for n, valid := range map[int]bool{10_000: true, 10_001: false} {
		raw := `{"faults":[` + strings.TrimSuffix(strings.Repeat(`{"kind":"syntax","hook":"h"},`, n), ",") + `]}`
		faults, _, err := jsruntime.ReadLoaded(raw)
		if (err == nil) != valid || valid && len(faults) != n {
			t.Errorf("%d faults: read %d, %v", n, len(faults), err)
		}
	}
}

func TestForgedLoads(t *testing.T) {
	for _, raw := range []string{``, `{"changes":[]}`, `{"faults":[{"kind":"syntax","line":-1}]}`, `{"faults":[{"kind":"syntax","message":"` + strings.Repeat("x", 1<<14) + `"}]}`, `{"failure":{}}`, `{"faults":[{"kind":"threw","hook":1}]}`, `{"faults":[{"hook":"h"}]}`, `{"faults":[{"kind":"other"}]}`, `{"faults":[{"kind":"threw","other":1}]}`, `{"faults":{}}`, "{\"faults\":[{\"kind\":\"threw\",\"hook\":\"\xff\"}]}", `{"faults":[]}x`} {
		if faults, failure, err := jsruntime.ReadLoaded(raw); err == nil {
			t.Errorf("ReadLoaded accepts %q: %v, %v", raw, faults, failure)
		}
	}
}

// FuzzReadAnswer checks that an accepted answer is JSON and within the limits.
func FuzzReadAnswer(f *testing.F) {
	f.Add([]byte(`{"changes":[1,"x",63,2,[1],[{"message":"m","level":"info"}],[{"label":"L","value":"v"}]],"times":[{"hook":"h","ms":1e2}]}`))
	f.Add([]byte(`{"changes":[1,"x","y"]}`))
	f.Add([]byte(`{"failure":{"kind":"threw","hook":"h","row":-1,"name":"","message":"\u00e9","line":1,"column":2},"console":["a"]}`))
	f.Add([]byte(`{"commands":[{"hook":"h","name":"addRows","args":[{"a":[1.5,{"b":null}]}]}],"cancel":false,"message":"","miss":[0]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		answer, err := readAnswer(raw, within)
		if err != nil {
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("%q is not JSON", raw)
		}
		for _, c := range answer.Changes {
			if c.Row < 0 || c.Row > 1 || c.Field < 0 || c.Field > 1 || c.Part < 0 || c.Part > 2 || c.Field == 0 && c.Part != 0 || !utf8.ValidString(c.Value.Text) {
				t.Fatalf("%+v", c)
			}
		}
	})
}

// FuzzRequests checks that a request is JSON and contains every cell, unchanged except that
// invalid bytes are replaced.
func FuzzRequests(f *testing.F) {
	f.Add("plain", "é\x00\"\\\n\xff\u2028😀", int64(5))
	f.Fuzz(func(t *testing.T, a, b string, first int64) {
		texts := &intray.Texts{}
		texts.AppendString(a)
		texts.AppendString(b)
		call := jsruntime.RowsCall{Kind: jsruntime.HookRow, Mode: b, Rows: jsruntime.Rows{Count: 2, First: first, IDs: []string{b, a}, Columns: []*jsruntime.Column{
			{Value: jsruntime.Cells{Texts: texts}, Infos: []jsruntime.CellInfos{{Row: 1, Infos: []jsruntime.Info{{Message: a}}}}}, nil,
		}}}
		var got struct {
			First   int64
			IDs     []string
			Mode    string
			Columns []any
		}
		request := call.Append(nil)
		if err := json.Unmarshal(request, &got); err != nil {
			t.Fatalf("%s: %v", request, err)
		}
		value := got.Columns[0].(map[string]any)["value"].([]any)
		if value[0] != valid(a) || value[1] != valid(b) || got.IDs[0] != valid(b) || got.Mode != valid(b) || got.First != first {
			t.Errorf("%q %q became %s", a, b, request)
		}
	})
}

// valid replaces each invalid byte with U+FFFD.
func valid(text string) string {
	var out strings.Builder
	for _, r := range text {
		out.WriteRune(r)
	}
	return out.String()
}
