package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
)

// TestMappingTable checks how a mapping is printed on a terminal.
func TestMappingTable(t *testing.T) {
	schema := &intray.Schema{Fields: []intray.Field{{Key: "email"}, {Key: "phones"}, {Key: "city"}}}
	out := &engine.Outcome{
		Headers: []string{"E-Mail", "Phone 1", "Phone 2"},
		Mapping: intray.Mapping{Fields: []intray.Match{
			{Column: 0, Header: "E-Mail", Score: 1, Reasons: []intray.Message{intray.Literal("the header is the key")}},
			{Column: 1, Columns: []int{1, 2}, Header: "Phone 1", Score: 0.5, Reasons: []intray.Message{intray.Literal("\x1b[2J")}},
			{Column: intray.NoColumn},
		}},
	}
	var printed strings.Builder
	if err := writeMapping(&printed, schema, out); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"FIELD   COLUMN                 SCORE  REASONS",
		"email   1 E-Mail               1.00   the header is the key",
		"phones  2 Phone 1 · 3 Phone 2  0.50   �[2J",
		"city    –",
		"",
	}
	got := strings.Split(printed.String(), "\n")
	for i := range got {
		got[i] = strings.TrimRight(got[i], " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
