package engine

import (
	"testing"

	"github.com/intraydata/intray"
)

func TestDerivedText(t *testing.T) {
	row := [][]byte{[]byte("Ada"), []byte(" "), []byte("Lovelace, Augusta, King"), nil}
	cell := func(column int) []byte { return row[column] }
	for answer, want := range map[string]string{
		`{"name":"x","constant":"DE"}`:                                                         "DE",
		`{"name":"x","join":{"columns":[0,1,2],"with":" - "}}`:                                 "Ada - Lovelace, Augusta, King",
		`{"name":"x","join":{"columns":[3,1],"with":" "}}`:                                     "",
		`{"name":"x","split":{"column":2,"at":",","part":0}}`:                                  "Lovelace",
		`{"name":"x","split":{"column":2,"at":",","part":1}}`:                                  "Augusta",
		`{"name":"x","split":{"column":2,"at":",","part":1,"rest":true}}`:                      "Augusta, King",
		`{"name":"x","split":{"column":2,"at":",","part":3}}`:                                  "",
		`{"name":"x","split":{"column":3,"at":",","part":0}}`:                                  "",
		`{"name":"x","change":{"column":2,"case":"upper"}}`:                                    "LOVELACE, AUGUSTA, KING",
		`{"name":"x","change":{"column":2,"find":", ","with":"/"}}`:                            "Lovelace/Augusta/King",
		`{"name":"x","change":{"column":2,"find":",","with":"  ","trim":true,"case":"lower"}}`: "lovelace augusta king",
		`{"name":"x","change":{"column":3,"case":"title"}}`:                                    "",
	} {
		list, ok := intray.ParseDerivedColumns("["+answer+"]", 4)
		if !ok {
			t.Fatal(answer)
		}
		if got := string(appendDerived([]byte("<"), list[0], cell)); got != "<"+want {
			t.Errorf("%s: %q, want %q", answer, got, want)
		}
	}
}
