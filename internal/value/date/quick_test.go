package date

import (
	"testing"

	"pgregory.net/rapid"
)

// TestQuickReadsLikeRead holds the short ways against the long one.
func TestQuickReadsLikeRead(t *testing.T) {
	styles := []Style{{}, benchStyle, {Orders: [forms]Order{Slash: MDY, Dash: MDY, YearFirst: YDM}}}
	var read [3]int
	texts := rapid.SliceOfN(rapid.OneOf(
		rapid.StringMatching(`[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{3,4}`),
		rapid.StringMatching(`[0-2][0-9]{3}-[01][0-9]-[0-3][0-9]([T ][012]?[0-9]:[0-6][0-9](:[0-6][0-9])?( ?[AaPp][Mm])?([.][0-9]{1,10})?( ?[AaPp][Mm])?Z?)?`),
		rapid.StringMatching(`[012]?[0-9]:[0-6][0-9](:[0-6][0-9])?( ?[AaPp][Mm])?`),
	), 30, 30)
	rapid.Check(t, func(t *rapid.T) {
		style := rapid.SampledFrom(styles).Draw(t, "style")
		for _, text := range texts.Draw(t, "texts") {
			raw := []byte(text)
			if day, ok := style.Day(raw); ok {
				read[WantDate]++
				if r := style.Read(raw, WantDate); r.Reason != Read || r.Date != day || r.Fixed {
					t.Fatalf("%q: %v, and by the long way %+v", raw, day, r)
				}
			}
			if moment, ok := style.DayAndTime(raw); ok {
				read[WantMoment]++
				if r := style.Read(raw, WantMoment); r.Reason != Read || r.Moment != moment || r.Fixed {
					t.Fatalf("%q: %v, and by the long way %+v", raw, moment, r)
				}
			}
			if clock, ok := TimeOfDay(raw); ok {
				read[WantClock]++
				if r := style.Read(raw, WantClock); r.Reason != Read || r.Clock != clock {
					t.Fatalf("%q: %v, and by the long way %+v", raw, clock, r)
				}
			}
		}
	})
	for want, n := range read {
		if n < 30 {
			t.Errorf("only %d texts were read as %d", n, want)
		}
	}
}

// TestQuickEnds gives the short ways texts that end everywhere.
func TestQuickEnds(t *testing.T) {
	style := benchStyle
	for _, text := range []string{"2021-03-04T15:20:07 PMZ", "25/12/2021", "12:00:00 PM", "1/2/2021", "1:5", "////////", "2021-03-04TTTTTTTTT"} {
		for end := range len(text) + 1 {
			raw := []byte(text[:end])
			style.Day(raw)
			style.DayAndTime(raw)
			TimeOfDay(raw)
		}
	}
}
