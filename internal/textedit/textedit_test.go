package textedit

import "testing"

func TestTrim(t *testing.T) {
	const text = "\ufeff \u00a0Ada \u200b\n Lovelace\t"
	if got := Trim(text, false); got != "Ada \u200b\n Lovelace" {
		t.Errorf("%q", got)
	}
	if got := Trim(text, true); got != "Ada Lovelace" {
		t.Errorf("%q", got)
	}
}

func TestCasing(t *testing.T) {
	for casing, want := range map[Casing]string{Upper: "STRASSE, O'NEIL", Lower: "straße, o'neil", Title: "Straße, O'neil"} {
		if got := casing.Apply("straße, O'Neil"); got != want {
			t.Errorf("%s: %q, want %q", casing, got, want)
		}
	}
	if got := Upper.Apply("a\xff"); got != "a\xff" {
		t.Errorf("text that is not UTF-8 became %q", got)
	}
	if Casing("").IsValid() || Casing("camel").IsValid() {
		t.Error("an unknown case is valid")
	}
}
