package jsregexp

import (
	"testing"
)

// engines returns each engine that can run the expression.
func engines(t tester, e *Expr) map[string]func([]byte) (bool, error) {
	all := map[string]func([]byte) (bool, error){"the expression": e.Match}
	root, err := parse(e.source, e.flags)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := newBacktracker(root, e.flags)
	if err != nil {
		t.Fatalf("%v: regexp2 refuses it: %v", e, err)
	}
	all["regexp2"] = slow.match
	if clauses := withoutTables(translate(root, e.flags, maxWork), root, e.flags); clauses != nil {
		all["regexp"] = (&Expr{clauses: clauses}).Match
	}
	return all
}

// withoutTables replaces the tables of clauses with Go's regexp.
func withoutTables(clauses []clause, root *node, f Flags) []clause {
	for i, part := range splitConditions(root, false) {
		if clauses == nil {
			return nil
		}
		w := re2Writer{flags: f}
		text, _ := w.writeExpression(part.root)
		clauses[i].table, clauses[i].re2 = nil, regexpOf(text)
	}
	return clauses
}

func TestQuick(t *testing.T) {
	for _, tt := range []struct {
		source, flags, text string
		want                bool
	}{
		{`^[A-Z]{2}\d{4}$`, "", "AB1234", true},
		{`^.{2}$`, "", "😀", true},
	} {
		e, err := Compile(tt.source, flagsOf(tt.flags))
		if err != nil {
			t.Fatal(err)
		}
		for name, match := range engines(t, e) {
			if got, err := match([]byte(tt.text)); err != nil || got != tt.want {
				t.Errorf("%v on %q by %s: %v, %v", e, tt.text, name, got, err)
			}
		}
	}
}

// tester is the common part of testing.TB and rapid.TB.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}
