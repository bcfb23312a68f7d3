package suite

import "testing"

func TestSelected(t *testing.T) {
	for _, c := range []struct {
		value, suite string
		want         bool
	}{{"", Torture, false}, {"torture", Torture, true}, {"contract, bench", Bench, true}, {"contract", Bench, false}, {"all", Conformance, true}} {
		t.Setenv(Variable, c.value)
		if got := Selected(c.suite); got != c.want {
			t.Errorf("%s=%q selects %s: %v", Variable, c.value, c.suite, got)
		}
	}
	t.Setenv(Variable, "tortur")
	defer func() {
		if recover() == nil {
			t.Error("an unknown suite is ignored")
		}
	}()
	Selected(Torture)
}
