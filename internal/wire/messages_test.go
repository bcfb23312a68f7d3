package wire

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

// TestMessages checks the JSON of each kind of object, with messages that have a code and
// messages that do not.
func TestMessages(t *testing.T) {
	coded, literal := intray.NewMessage("x.unknown", intray.Params{"n": 2}), intray.Literal("Not on Fridays.")
	for name, c := range map[string]struct {
		object any
		want   string
	}{
		"message":               {NewMessage(coded), `{"message":"x.unknown","messageCode":"x.unknown","params":{"n":2}}`},
		"message without code":  {NewMessage(literal), `{"message":"Not on Fridays."}`},
		"message of no text":    {NewMessage(intray.Message{}), `{"message":""}`},
		"without parameters":    {NewMessage(intray.NewMessage("x.unknown", nil)), `{"message":"x.unknown","messageCode":"x.unknown","params":{}}`},
		"reason":                {NewReason(coded), `{"reason":"x.unknown","reasonCode":"x.unknown","reasonParams":{"n":2}}`},
		"label":                 {NewLabel(coded), `{"label":"x.unknown","labelCode":"x.unknown","labelParams":{"n":2}}`},
		"snake message":         {NewSnakeMessage(coded), `{"message":"x.unknown","message_code":"x.unknown","params":{"n":2}}`},
		"snake error":           {NewSnakeError(coded), `{"error":"x.unknown","error_code":"x.unknown","error_params":{"n":2}}`},
		"snake error of nobody": {NewSnakeError(intray.Message{}), `{"error":""}`},
		"reasons":               {NewReasons([]intray.Message{coded, literal}), `{"reasons":["x.unknown","Not on Fridays."],"reasonMessages":[{"code":"x.unknown","params":{"n":2}},{"text":"Not on Fridays."}]}`},
		"no reasons":            {NewReasons(nil), `{"reasons":[],"reasonMessages":[]}`},
		"warnings":              {NewWarnings([]intray.Message{literal}), `{"warnings":["Not on Fridays."],"warning_messages":[{"text":"Not on Fridays."}]}`},
		"no warnings":           {NewWarnings(nil), `{}`},
		"choice": {
			Choice{Alternative: Alternative{"DMY", NewLabel(literal), NewReason(coded), []string{"a"}}, Readings: []Reading{{"1", "2"}}},
			`{"value":"DMY","label":"Not on Fridays.","reason":"x.unknown","reasonCode":"x.unknown","reasonParams":{"n":2},"examples":["a"],"readings":[{"raw":"1","value":"2"}]}`,
		},
		"problem": {ReviewProblem{"error", "email", NewMessage(coded)}, `{"level":"error","code":"email","message":"x.unknown","messageCode":"x.unknown","params":{"n":2}}`},
	} {
		got, err := json.Marshal(c.object)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
