package realm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/internal/script/realm"
)

// abroad are environments of machines in other places.
var abroad = []string{"TZ=Asia/Tokyo", "LANG=de_DE.UTF-8", "LC_ALL=de_DE.UTF-8", "LANGUAGE=de"}

// TestNodeOfAnotherPlace: what hooks see does not follow the machine.
func TestNodeOfAnotherPlace(t *testing.T) {
	hook := `() => {
		const winter = new Date(2026, 0, 15, 12, 30), all = Intl.DateTimeFormat().resolvedOptions();
		console.log(winter.getTimezoneOffset(), winter.toISOString(), String(new Date(0)), new Date("2026-07-01T00:00").getTime());
		console.log((1234567.891).toLocaleString(), 12345678901234567890n.toLocaleString(), [1.5, 2e4].toLocaleString());
		console.log(winter.toLocaleString(), winter.toLocaleDateString(), winter.toLocaleTimeString());
		console.log(all.locale, all.timeZone, new Intl.NumberFormat().resolvedOptions().locale, new Intl.Collator().resolvedOptions().locale);
		console.log(new Intl.NumberFormat().format(0.5), new Intl.DateTimeFormat().format(), new Intl.PluralRules().select(1));
		console.log(new Intl.ListFormat().format(["a", "b"]), new Intl.RelativeTimeFormat().format(1, "day"), ["z", "ä", "a"].sort((a, b) => a.localeCompare(b)).join(""));
		console.log(new Intl.DateTimeFormat("de").format(winter), (1.5).toLocaleString("de"), winter.toLocaleString("ja", { timeZone: "Asia/Tokyo" }));
	}`
	want := `0 2026-01-15T12:30:00.000Z Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time) 1782864000000
1,234,567.891 12,345,678,901,234,567,890 1.5,20,000
1/15/2026, 12:30:00 PM 1/15/2026 12:30:00 PM
en-US UTC en-US en-US
0.5 11/14/2023 one
a and b in 1 day aäz
15.1.2026 1,5 2026/1/15 21:30:00`
	for _, env := range [][]string{nil, abroad} {
		w := newNodeIn(t, env)
		load := realm.Load{Hooks: []realm.Hook{{Kind: realm.HookRow, Name: "rowHooks[0]", Source: hook}}, Pins: realm.Pins{Now: time.UnixMilli(1_700_000_000_000)}}
		if raw, err := w.Handle(load.Append(nil)); err != nil || !strings.Contains(string(raw), `"faults":[]`) {
			t.Fatalf("%s %v", raw, err)
		}
		raw, err := w.Handle((&realm.RowsCall{Kind: realm.HookRow, Rows: realm.Rows{Count: 1}}).Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		a, err := readAnswer(raw, realm.Bounds{Rows: 1})
		if err != nil || a.Failure != nil {
			t.Fatalf("%v %s", err, raw)
		}
		for i, line := range strings.Split(want, "\n") {
			if got := strings.ReplaceAll(a.Console[i], "\u202f", " "); got != line {
				t.Errorf("with %q:\ngot  %s\nwant %s", env, got, line)
			}
		}
	}
}
