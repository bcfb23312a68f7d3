package number

import (
	"testing"

	"pgregory.net/rapid"
)

// TestShortWaysReadLikeTheLongOne reads texts that are numbers, nearly.
func TestShortWaysReadLikeTheLongOne(t *testing.T) {
	styles := []Style{{}, english, german, {Decimal: Point}, {Decimal: Comma}, {Point, Space}, {Comma, Apostrophe}, {Group: Space}}
	read, marked := 0, 0
	texts := rapid.SliceOfN(rapid.OneOf(
		rapid.StringMatching(`-?[0-9]{0,4}([,.][0-9]{3}){0,3}([.,][0-9]{0,4})?`),
		rapid.StringMatching(`(US[$] ?|[$€£-] ?|CHF |kr |x)?-?[0-9]{1,3}([,.][0-9]{2,3}){0,2}([.,][0-9]{0,3})?( ?[€$%-])?`),
		rapid.StringMatching(`-?[0-9]{20,50}[,.]?[0-9]{0,30}€?`),
	), 30, 30)
	rapid.Check(t, func(t *rapid.T) {
		style := rapid.SampledFrom(styles).Draw(t, "style")
		for _, text := range texts.Draw(t, "texts") {
			raw := []byte(text)
			got, reading := style.Append([]byte("x"), raw)
			want, long := style.appendAny([]byte("x"), raw)
			if string(got) != string(want) || reading != long {
				t.Fatalf("%q in %s: %s %+v, by the long way %s %+v", raw, style, got, reading, want, long)
			}
			if _, ok := style.appendGrouped(nil, raw); ok {
				read++
			}
			if reading.Currency != 0 {
				marked++
			}
		}
	})
	if read < 20 || marked < 100 {
		t.Errorf("only %d texts went the short way, %d with a currency", read, marked)
	}
}
