package intray_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

func TestHooksCount(t *testing.T) {
	hooks := intray.Hooks{
		Row: []string{"a"}, BulkRow: []string{"a", "b"}, RowDelete: []string{"a"},
		Column: []intray.ColumnHook{{}}, Step: []intray.StepHook{{}, {}}, BeforeFinish: "f",
	}
	if got := hooks.Count(); got != 8 {
		t.Errorf("%d hooks, want 8", got)
	}
	if got := (intray.Hooks{}).Count(); got != 0 {
		t.Errorf("%d hooks in none", got)
	}
}

func TestFieldIndex(t *testing.T) {
	s := intray.Schema{Fields: []intray.Field{{Key: "a"}, {Key: "b"}}}
	for key, want := range map[string]int{"a": 0, "b": 1, "c": -1, "": -1} {
		if got := s.FieldIndex(key); got != want {
			t.Errorf("field %q is at %d, want %d", key, got, want)
		}
	}
}

func TestDefaultSettings(t *testing.T) {
	want := intray.Settings{InvalidDataBehavior: intray.RemoveInvalidRows, MaxFileSize: 1 << 30}
	if diff := cmp.Diff(want, intray.DefaultSettings()); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestHooksSource(t *testing.T) {
	hooks := intray.Hooks{
		Row: []string{"row 0", "row 1"}, BulkRow: []string{"bulk 0"}, RowDelete: []string{"delete 0"}, BeforeFinish: "finish",
		Column: []intray.ColumnHook{{Source: "column 0"}, {Source: "column 1"}}, Step: []intray.StepHook{{Source: "step 0"}},
	}
	for name, want := range map[string]string{
		"rowHooks[0]": "row 0", "rowHooks[1]": "row 1", "rowHooks[2]": "", "bulkRowHooks[0]": "bulk 0", "rowDeleteHooks[0]": "delete 0",
		"columnHooks[1]": "column 1", "columnHooks[2]": "", "stepHooks[0]": "step 0", "beforeFinishCallback": "finish", "": "", "rowHooks": "",
	} {
		if got := hooks.Source(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
