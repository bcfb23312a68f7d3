package intray

import (
	"encoding/json"
	"testing"
)

// testCatalogue has one sentence of each form.
var testCatalogue = catalogue{
	"plain": {"A sentence.", "A sentence."},
	"cells": {"{n} cell", "{n} cells"},
	"where": {`In "{column}": {cells}.`, `In "{column}": {cells}.`},
	"and":   {"{list, and}", "{list, and}"},
	"or":    {"{list, or}", "{list, or}"},
	"comma": {"{list}", "{list}"},
}

func TestMessageRenders(t *testing.T) {
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
		if got := testCatalogue.render(c.message, 0); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.message, got, c.want)
		}
	}
	deep := NewMessage("plain", nil)
	for range 2 * maxNesting {
		deep = NewMessage("and", Params{"list": []Message{deep}})
	}
	if got := testCatalogue.render(deep, 0); got != "and" {
		t.Errorf("too deep a message is rendered as %q", got)
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
