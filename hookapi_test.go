package intray_test

import (
	"testing"

	"github.com/intraydata/intray"
)

func TestHookErrorDescribe(t *testing.T) {
	row := int64(1233)
	reason := intray.Literal("x is not a function.")
	for want, e := range map[string]intray.HookError{
		"The hook a failed: x is not a function.":                                                    {},
		"The hook a failed on data row 1,234: x is not a function.":                                  {Row: &row},
		"The hook a failed at line 3: x is not a function.":                                          {Line: 3},
		"The hook a failed on data row 1,234, at line 3 of its code: x is not a function.":           {Line: 3, Row: &row},
		"The hook a failed at line 3, column 7: x is not a function.":                                {Line: 3, Column: 7},
		"The hook a failed on data row 1,234, at line 3, column 7 of its code: x is not a function.": {Line: 3, Column: 7, Row: &row},
	} {
		e.Hook, e.Text = "a", reason
		if got := e.Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	coded := intray.HookError{Hook: "a", Text: intray.NewMessage("hook.too_many_threads", nil)}
	if got, want := intray.MessageOf(&coded).String(), "The hook a failed: it started too many threads."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	none := intray.HookError{Text: intray.Literal("this system cannot sandbox them")}
	if got, want := none.Error(), "Hooks can't run: this system cannot sandbox them."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
