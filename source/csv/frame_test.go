package csv

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

func TestFramedTables(t *testing.T) {
	people := [][]string{{"1", "Ada Lovelace"}, {"2", ""}, {"", "Bob"}}
	for name, c := range map[string]struct {
		text  string
		rows  [][]string
		rules int
	}{
		"bars at both ends": {"| id | name |\n| 1 | Ada Lovelace |\n| 2 | |\n| | Bob |\n", people, 0},
		"no spaces":         {"|id|name|\n|1|Ada Lovelace|\n|2||\n||Bob|\n", people, 0},
		"Markdown":          {"| id | name |\n|---:|:-----|\n| 1 | Ada Lovelace |\n| 2 | |\n| | Bob |\n", people, 1},
		"short Markdown":    {"| id | name |\n|-:|:-|\n| 1 | Ada Lovelace |\n| 2 | |\n| | Bob |\n", people, 1},
		"Org":               {"| id | name |\n|----+------|\n| 1 | Ada Lovelace |\n| 2 | |\n| | Bob |\n", people, 1},
		"among prose":       {"# People\n\nWho works here.\n\n| id | name |\n|---|---|\n| 1 | Ada Lovelace |\n| 2 | |\n| | Bob |\n\nWritten by hand in May.\n", people, 1},
		"MySQL": {"+----+--------------+\n| id | name         |\n+----+--------------+\n|  1 | Ada Lovelace |\n|  2 |              |\n|    | Bob          |\n" +
			"+----+--------------+\n3 rows in set (0.00 sec)\n", people, 3},
		"PostgreSQL": {" id |     name     \n----+--------------\n  1 | Ada Lovelace\n  2 | \n    | Bob\n(3 rows)\n\n", people, 1},
		"grid": {"+----+--------------+\n| id | name         |\n+====+==============+\n| 1  | Ada Lovelace |\n+----+--------------+\n| 2  |              |\n" +
			"+----+--------------+\n|    | Bob          |\n+----+--------------+\n", people, 5},
		"box drawing": {"┌────┬──────────────┐\n│ id │     name     │\n├────┼──────────────┤\n│  1 │ Ada Lovelace │\n│  2 │              │\n│    │ Bob          │\n" +
			"└────┴──────────────┘\n", people, 3},
		"lines of dashes": {"---------------\n|id|name        |\n---------------\n|1 |Ada Lovelace|\n|2 |            |\n|  |Bob         |\n---------------\n", people, 3},
		"a quoted bar":    {"| id | name |\n| 1 | \"Ada|Lovelace\" |\n| 2 | Bob |\n", [][]string{{"1", "Ada|Lovelace"}, {"2", "Bob"}}, 0},
		"missing values":  {"| id | name |\n|---|---|\n| 1 | Ada |\n| - | - |\n| 2 | Bob |\n", [][]string{{"1", "Ada"}, {"-", "-"}, {"2", "Bob"}}, 1},
		"only some lines": {"id|name|\n1|Ada|\n|2|Bob\n", [][]string{{"1", "Ada", ""}, {"", "2", "Bob"}}, 0},
	} {
		names, rows, notices, err := readTable(t, []byte(c.text), source.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := []string{"id", "name"}; !slices.Equal(names[:2], want) {
			t.Errorf("%s: names %q, want %q", name, names, want)
		}
		if diff := cmp.Diff(c.rows, rows); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := skippedRules(notices); got != c.rules {
			t.Errorf("%s: %d rules reported, want %d", name, got, c.rules)
		}
	}
}

// skippedRules returns the number of lines that were reported as part of a frame.
func skippedRules(notices []intray.Notice) (n int) {
	for _, notice := range notices {
		if notice.Text.Code == "csv.rules_skipped" {
			n += int(notice.Text.Params()["n"].(int64))
		}
	}
	return n
}

// TestFramedTableAsIs checks that no line is skipped if every row is read as data, so that rows have
// the same numbers as in the choice of the header.
func TestFramedTableAsIs(t *testing.T) {
	text := "| id | name |\n|----|------|\n| 1  | Ada  |\n"
	_, rows, _, err := readTable(t, []byte(text), source.Options{AsIs: true})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"id", "name"}, {"----", "------"}, {"1", "Ada"}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestIsRule(t *testing.T) {
	for line, want := range map[string]bool{
		"---": true, "+--+---+": false, "+---+---+": true, "|:-:|--:|": true, "--- | ---": true, "+===+===+": true, "|---+---|": true, "╞═══╪═══╡": true,
		"": false, "--": false, "---  ---": false, "| - | - |": false, "|-|---|": false, "| --- | a |": false, "|   |": false, "||": false, "1---": false, "- - -": false, ":::": false,
	} {
		if got := isRule([]byte(line)); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
