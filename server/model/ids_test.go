package model

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// TestDerivedID checks that derived ids are UUIDs of version 8, and that only the
// version and the variant replace bits of the input.
func TestDerivedID(t *testing.T) {
	mac := bytes.Repeat([]byte{0xff}, 32)
	for _, c := range []struct {
		mac  []byte
		want string
	}{
		{mac, "ffffffff-ffff-8fff-bfff-ffffffffffff"},
		{mac[:16], "ffffffff-ffff-8fff-bfff-ffffffffffff"},
		{make([]byte, 32), "00000000-0000-8000-8000-000000000000"},
		{[]byte("0123456789abcdefghi"), "30313233-3435-8637-b839-616263646566"},
	} {
		got := DerivedID(c.mac)
		if got != c.want {
			t.Errorf("DerivedID(%x) = %s, want %s", c.mac, got, c.want)
		}
		if id, err := uuid.Parse(got); err != nil || id.Variant() != uuid.RFC4122 || id.Version() != 8 {
			t.Errorf("%s: %v, %v, %v", got, id.Variant(), id.Version(), err)
		}
	}
}

func TestParseID(t *testing.T) {
	const id = "0190b2a4-6c1e-4f6b-9d3e-aabbccddeeff"
	for text, want := range map[string]string{
		id:                                      id,
		strings.ToUpper(id):                     id,
		"":                                      "",
		id[:35]:                                 "",
		id + "0":                                "",
		strings.ReplaceAll(id, "-", ""):         "",
		"{" + id + "}":                          "",
		"urn:uuid:" + id:                        "",
		strings.Replace(id, "-", "0", 1):        "",
		strings.Replace(id, "f", "g", 1):        "",
		"{" + strings.ReplaceAll(id, "-", ""):   "",
		strings.ReplaceAll(id, "-", "") + "...": "",
	} {
		if got, ok := ParseID(text); ok != (want != "") || ok && got != want {
			t.Errorf("ParseID(%q) = %q, %v, want %q", text, got, ok, want)
		}
	}
}

func TestRandomIDs(t *testing.T) {
	ones := bytes.Repeat([]byte{0xff}, 64)
	e := Env{Rand: bytes.NewReader(ones)}
	if id, err := e.IDOrNew("given"); id != "given" || err != nil {
		t.Errorf("the given id is %q, %v", id, err)
	}
	if id, err := e.IDOrNew(""); id != "ffffffff-ffff-4fff-bfff-ffffffffffff" || err != nil {
		t.Errorf("the new id is %q, %v", id, err)
	}
	if text, err := e.RandomText(18); text != strings.Repeat("_", 24) || err != nil {
		t.Errorf("the text is %q, %v", text, err)
	}

	for name, call := range map[string]func(*Env) (string, error){
		"an id":  (*Env).NewID,
		"a text": func(e *Env) (string, error) { return e.RandomText(18) },
	} {
		got, err := call(&Env{Rand: bytes.NewReader(ones[:15])})
		if got != "" || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s from 15 random bytes: %q, %v", name, got, err)
		}
	}
}
