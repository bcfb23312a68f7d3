package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

func TestTable(t *testing.T) {
	members := table{header: true}
	members.append("COLUMN", "HEADER", "SAMPLES")
	members.append("1", "会員番号", "M-0001 · M-0002 · M-0003 · M-0004")
	members.append("2", "Name", "Ada Lovelace · Grace Hopper")
	for _, c := range []struct {
		name  string
		limit int
		want  []string
	}{
		{"without a limit", 0, []string{
			"COLUMN  HEADER    SAMPLES",
			"1       会員番号  M-0001 · M-0002 · M-0003 · M-0004",
			"2       Name      Ada Lovelace · Grace Hopper",
		}},
		{"wrapped", 38, []string{
			"COLUMN  HEADER    SAMPLES",
			"1       会員番号  M-0001 · M-0002 ·",
			"                  M-0003 · M-0004",
			"2       Name      Ada Lovelace · Grace",
			"                  Hopper",
		}},
	} {
		var printed strings.Builder
		if err := members.write(&printed, c.limit, false); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Join(c.want, "\n")+"\n", printed.String()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestTableFits checks that every line of a table fits if its columns can be reduced enough.
func TestTableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab ü会-")), 0, 60, -1)
		columns := rapid.IntRange(1, 4).Draw(t, "columns")
		limit := rapid.IntRange(columns*(minColumn+tableGap), 120).Draw(t, "limit")
		var made table
		for range rapid.IntRange(1, 4).Draw(t, "rows") {
			made.append(rapid.SliceOfN(text, columns, columns).Draw(t, "row")...)
		}
		var printed strings.Builder
		if err := made.write(&printed, limit, false); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(printed.String()) {
			if width := displayWidth(strings.TrimSuffix(line, "\n")); width > limit {
				t.Fatalf("%q has a width of %d, the limit is %d", line, width, limit)
			}
		}
		letters := func(text string) int { return len(text) - strings.Count(text, " ") - strings.Count(text, "\n") }
		want := 0
		for _, row := range made.rows {
			want += letters(strings.Join(row, ""))
		}
		if got := letters(printed.String()); got != want {
			t.Fatalf("%d bytes were printed, want %d:\n%s", got, want, printed.String())
		}
	})
}

func TestColors(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		env      map[string]string
		want     palette
	}{
		{true, nil, true},
		{false, nil, false},
		{true, map[string]string{"NO_COLOR": "1"}, false},
		{true, map[string]string{"NO_COLOR": ""}, true},
		{true, map[string]string{"TERM": "dumb"}, false},
		{true, map[string]string{"TERM": "xterm"}, true},
	} {
		if got := hasColors(c.terminal, func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("terminal %v, environment %v: colors %v, want %v", c.terminal, c.env, got, c.want)
		}
	}
	if got := palette(true).level(intray.LevelError); got != "\x1b[31merror\x1b[0m" {
		t.Errorf("an error is %q", got)
	}
	if got := palette(false).level(intray.LevelError) + palette(false).bold("b") + palette(true).bold(""); got != "errorb" {
		t.Errorf("without colors: %q", got)
	}
}
