package schema

import (
	"strings"
	"testing"
)

// TestHookSources checks the limits on the source of a hook. It does not check the syntax.
func TestHookSources(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{"(record, mode) => ({row: {}})", ""},
		{"not JavaScript", ""},
		{" \n ", "not an empty string"},
		{"()=>'" + strings.Repeat("ä", MaxHookBytes/2) + "'", "at most 1,048,576 bytes"},
	} {
		_, issues := Parse(Doc{Fields: []any{map[string]any{"key": "a", "label": "A"}}, Hooks: map[string]any{"rowHooks": []any{tt.source}}})
		switch {
		case tt.want == "" && len(issues) > 0:
			t.Errorf("%.40q: %v", tt.source, issues)
		case tt.want != "" && (len(issues) != 1 || issues[0].Path != "hooks.rowHooks[0]" || !strings.Contains(issues[0].Message.String(), tt.want)):
			t.Errorf("%.40q: %v, want %q", tt.source, issues, tt.want)
		}
	}
}

func TestMentions(t *testing.T) {
	for source, want := range map[string]bool{
		"fetch": true, "await fetch(url)": true, "globalThis['fetch']": true, "x.fetch": true,
		"": false, "prefetch()": false, "fetch_all()": false, "$fetch": false, "Fetch": false,
	} {
		if got := containsWord(source, "fetch"); got != want {
			t.Errorf("%q: %v", source, got)
		}
	}
}
