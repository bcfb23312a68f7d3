package intray_test

import (
	"strings"
	"testing"

	"github.com/intraydata/intray"
)

func TestParseDerivedColumns(t *testing.T) {
	for answer, valid := range map[string]bool{
		`[]`:                                   true,
		`[{"name":"Country","constant":"DE"}]`: true,
		`[{"name":"Country","constant":""}]`:   true,
		`[{"name":"Name","join":{"columns":[0,2],"with":" "}}]`:     true,
		`[{"name":"First","split":{"column":1,"at":",","part":0}}]`: true,
		`[{"name":"Country"}]`:                                                                       false,
		`[{"constant":"DE"}]`:                                                                        false,
		`[{"name":"x","constant":"","join":{"columns":[0]}}]`:                                        false,
		`[{"name":"x","join":{"columns":[]}}]`:                                                       false,
		`[{"name":"x","join":{"columns":[3]}}]`:                                                      false,
		`[{"name":"x","join":{"columns":[-1]}}]`:                                                     false,
		`[{"name":"x","split":{"column":0,"at":"","part":0}}]`:                                       false,
		`[{"name":"x","split":{"column":0,"at":" ","part":-1}}]`:                                     false,
		`[{"name":"x","split":{"column":3,"at":" ","part":0}}]`:                                      false,
		`[{"name":"x","constant":"DE","more":1}]`:                                                    false,
		`[{"name":"x","change":{"column":2,"case":"title"}}]`:                                        true,
		`[{"name":"x","change":{"column":2,"find":"-"}}]`:                                            true,
		`[{"name":"x","change":{"column":2}}]`:                                                       false,
		`[{"name":"x","change":{"column":3,"trim":true}}]`:                                           false,
		`[{"name":"x","change":{"column":0,"case":"camel"}}]`:                                        false,
		`[{"name":"x","change":{"column":2,"dates":{"order":"DMY","format":"dd.MM.yyyy"}}}]`:         true,
		`[{"name":"x","change":{"column":2,"dates":{"order":"YDM","format":"dd.MM.yyyy"}}}]`:         false,
		`[{"name":"x","change":{"column":2,"dates":{"order":"DMY","format":"HH:mm"}}}]`:              false,
		`[{"name":"x","constant":"","change":{"column":0,"trim":true}}]`:                             false,
		`[{"name":"x","constant":"` + strings.Repeat("x", 1000) + `"}]`:                              true,
		`[{"name":"x","constant":"` + strings.Repeat("x", 1001) + `"}]`:                              false,
		`[{"name":"x","change":{"column":0,"find":"x","with":"` + strings.Repeat("x", 1001) + `"}}]`: false,
		`[] []`: false,
		`null`:  false,
		`[]]x`:  false,
		`[{"name":"x","join":{"columns":[0,0]}}]`: false,
		`{}`: false,
		``:   false,
	} {
		if _, ok := intray.ParseDerivedColumns(answer, 3); ok != valid {
			t.Errorf("%s: %v, want %v", answer, ok, valid)
		}
	}
	if _, ok := intray.ParseDerivedColumns(`[{"name":"x","join":{"columns":[99]}}]`, -1); !ok {
		t.Error("the columns of an unknown file are limited")
	}
}
