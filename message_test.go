package intray

import (
	"encoding/json"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// testSentences has one sentence of each kind. Its codes do not occur in the catalogue.
var testSentences = map[string]sentence{
	"plain": {"A sentence.", "A sentence."},
	"cells": {"{n} cell", "{n} cells"},
	"where": {`In "{column}": {cells}.`, `In "{column}": {cells}.`},
	"and":   {"{list, and}", "{list, and}"},
	"or":    {"{list, or}", "{list, or}"},
	"comma": {"{list}", "{list}"},
}

func TestMessageRenders(t *testing.T) {
	for code, one := range testSentences {
		englishSentences.Store(code, one)
	}
	cells := func(n int64) Message { return NewMessage("cells", Params{"n": n}) }
	for _, c := range []struct {
		message Message
		want    string
	}{
		{NewMessage("plain", nil), "A sentence."},
		{cells(1), "1 cell"},
		{cells(0), "0 cells"},
		{cells(1234567), "1,234,567 cells"},
		{cells(-1234), "-1,234 cells"},
		{NewMessage("where", Params{"column": "a{b}\n\x00", "cells": cells(2)}), `In "a{b}  ": 2 cells.`},
		{NewMessage("where", Params{"column": Literal("{n}"), "cells": "x"}), `In "{n}": x.`},
		{NewMessage("and", Params{"list": []string{"a"}}), "a"},
		{NewMessage("and", Params{"list": []string{"a", "b"}}), "a and b"},
		{NewMessage("or", Params{"list": []Message{cells(1), cells(2), Literal("c")}}), "1 cell, 2 cells or c"},
		{NewMessage("comma", Params{"list": []string{"a", "b", "c"}}), "a, b, c"},
		{NewMessage("where", nil), `In "": .`},
		{NewMessage("unknown", Params{"n": 1}), "unknown"},
	} {
		if got := c.message.String(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.message, got, c.want)
		}
	}
	deep := NewMessage("plain", nil)
	for range 2 * maxNesting {
		deep = NewMessage("and", Params{"list": []Message{deep}})
	}
	if got := deep.String(); got != "and" {
		t.Errorf("too deep a message is rendered as %q", got)
	}
}

// TestFindSentence checks that findSentence returns every sentence in the catalogue as
// encoding/json decodes it.
func TestFindSentence(t *testing.T) {
	text, err := os.ReadFile("messages/en.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]sentence
	if err := json.Unmarshal(text, &all); err != nil || len(all) < 1000 {
		t.Fatalf("%d sentences, %v", len(all), err)
	}
	for code, want := range all {
		if got, ok := findSentence(code); !ok || got != want {
			t.Errorf("%s: got %q, %v, want %q", code, got, ok, want)
		}
	}
	for _, code := range []string{"", "no.such_code", "one", "other", `a"b`} {
		if got, ok := findSentence(code); ok {
			t.Errorf("%q: got %q", code, got)
		}
	}
}

// TestMessagesAreJSON checks that the fast paths that encode and decode messages agree with
// encoding/json.
func TestMessagesAreJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z <"\\&]*`))
		value := rapid.OneOf(rapid.Custom(func(t *rapid.T) any { return text.Draw(t, "text") }), rapid.Custom(func(t *rapid.T) any { return rapid.Int().Draw(t, "int") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.Int64().Draw(t, "int64") }), rapid.Custom(func(t *rapid.T) any { return []string{text.Draw(t, "item")} }))
		params := Params(rapid.MapOf(text, value).Draw(t, "params"))
		code := rapid.OneOf(rapid.StringMatching(`[a-z_.]+`), rapid.StringN(1, -1, -1)).Draw(t, "code")
		m := NewMessage(code, params)
		if want, err := json.Marshal(params); err != nil || len(params) > 0 && m.params != string(want) {
			t.Fatalf("parameters %s, want %s, %v", m.params, want, err)
		}
		want, err := json.Marshal(m)
		if got := m.Encode(); err != nil || got != string(want) {
			t.Fatalf("encoded %s, want %s, %v", got, want, err)
		}
		var read Message
		if err := json.Unmarshal(want, &read); err != nil || DecodeMessage(string(want)) != read {
			t.Fatalf("%s is decoded as %+v, want %+v, %v", want, DecodeMessage(string(want)), read, err)
		}
	})
	for _, broken := range []string{`{"code":"a","params":{]}}`, `{"code":"a","params":{}`, `{"code":"a"`, `{"code":""}`, `{"code":"a","params":{}}}`} {
		var read Message
		want := Literal(broken)
		if json.Unmarshal([]byte(broken), &read) == nil {
			want = read
		}
		if got := DecodeMessage(broken); got != want {
			t.Errorf("%s is decoded as %+v, want %+v", broken, got, want)
		}
	}
}

func TestMessageIsKeptByItsEncodings(t *testing.T) {
	for _, m := range []Message{
		{}, Literal("a text"), Literal(`{"code":"x"}`), NewMessage("a", nil),
		NewMessage("a", Params{"n": 3, "text": "“\"", "list": []string{}, "m": NewMessage("b", Params{"n": 0})}),
	} {
		if got := DecodeMessage(m.Encode()); got != m {
			t.Errorf("%q came back as %+v", m.Encode(), got)
		}
		var got Message
		text, err := json.Marshal(m)
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil || got != m {
			t.Errorf("%s came back as %+v, %v", text, got, err)
		}
	}
	var old Message
	if err := json.Unmarshal([]byte(`"a text"`), &old); err != nil || old != Literal("a text") {
		t.Errorf("a JSON string is read as %+v, %v", old, err)
	}
	if got := DecodeMessage("{broken"); got != Literal("{broken") {
		t.Errorf("a text that is no JSON is read as %+v", got)
	}
}

func TestJoinMessages(t *testing.T) {
	a, b := Literal("a"), Literal("b")
	for _, c := range []struct {
		got  Message
		want string
	}{{JoinMessages(), ""}, {JoinMessages(Message{}, a), "a"}, {JoinMessages(a, Message{}, b), "a; b"}} {
		if c.got.String() != c.want {
			t.Errorf("got %q, want %q", c.got.String(), c.want)
		}
	}
}
