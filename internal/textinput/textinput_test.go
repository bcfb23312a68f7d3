package textinput

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/charset"
	"github.com/intraydata/intray/source/sourcetest"
)

func TestReader(t *testing.T) {
	in := sourcetest.NewInput("", []byte("0123456789"))
	for at, want := range map[int64]string{0: "0123456789", 7: "789", 10: "", 11: ""} {
		r := NewReader(in, at)
		got, err := io.ReadAll(iotest.OneByteReader(r))
		if string(got) != want || err != nil || r.Failure() != nil {
			t.Errorf("from %d: %q, error %v, failure %v", at, got, err, r.Failure())
		}
	}
	sourcetest.FailEachRead(t, in, func(in source.Input) error {
		r := NewReader(in, 2)
		for range 4 {
			if _, err := io.ReadFull(r, make([]byte, 2)); err != nil {
				if r.Failure() == nil || errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("failure %v, error %v", r.Failure(), err)
				}
				return err
			}
		}
		return nil
	})
}

// TestReaderEndsEarly checks the error if the store has fewer bytes than the file should have.
func TestReaderEndsEarly(t *testing.T) {
	for _, has := range []string{"", "0123"} {
		in := source.Input{ReaderAt: strings.NewReader(has), Size: 5}
		r := NewReader(in, 0)
		got, err := io.ReadAll(r)
		if string(got) != has || err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || r.Failure() == nil {
			t.Errorf("%q, error %v", got, err)
		}
	}
}

// guessOf returns a guess with the named encoding.
func guessOf(t *testing.T, name string, bom int) charset.Guess {
	t.Helper()
	encoding, known := charset.Lookup(name)
	if !known {
		t.Fatalf("unknown encoding %s", name)
	}
	return charset.Guess{Encoding: encoding, BOM: bom}
}

func TestNewTextReader(t *testing.T) {
	for _, test := range []struct {
		name, raw string
		bom       int
		at        int64
		want      string
	}{
		{"UTF-8", "grün", 0, 0, "grün"}, {"UTF-8", "\uFEFFgrün", 3, 2, "ün"}, {"UTF-8", "grün", 0, 99, ""}, {"UTF-8", "gr\xffn", 0, 1, "r\xffn"},
		{"windows-1252", "gr\xfcn", 0, 0, "grün"}, {"windows-1252", "gr\xfcn", 0, 4, "n"}, {"windows-1252", "gr\xfcn", 0, 99, ""},
		{"UTF-16LE", string(sourcetest.UTF16LE("\uFEFFgrün")), 2, 2, "ün"},
	} {
		r, err := NewTextReader(sourcetest.NewInput("", []byte(test.raw)), guessOf(t, test.name, test.bom), test.at)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); string(got) != test.want || err != nil {
			t.Errorf("%s from %d: %q, error %v", test.name, test.at, got, err)
		}
	}
	long := []byte(strings.Repeat("gr\xfcn ", 100_000))
	for _, name := range []string{"UTF-8", "windows-1252"} {
		sourcetest.FailEachRead(t, sourcetest.NewInput("", long), func(in source.Input) error {
			r, err := NewTextReader(in, guessOf(t, name, 0), 300_000)
			if err == nil {
				_, err = io.Copy(io.Discard, r)
			}
			return err
		})
	}
}

func TestDiscard(t *testing.T) {
	r := strings.NewReader("0123456789")
	if err := Discard(r, 7); err != nil || r.Len() != 3 {
		t.Errorf("%d bytes remain, error %v", r.Len(), err)
	}
	if err := Discard(r, 7); err != nil || r.Len() != 0 {
		t.Errorf("%d bytes remain, error %v", r.Len(), err)
	}
	if err := Discard(iotest.ErrReader(sourcetest.ErrStore), 7); !errors.Is(err, sourcetest.ErrStore) {
		t.Errorf("error %v", err)
	}
}

func TestRequest(t *testing.T) {
	requested := intray.NewMessage("option.requested", nil)
	g := guessOf(t, "UTF-8", 3)
	g.Confidence, g.Invalid, g.Preview, g.Second = 0.3, 4, "x", &charset.Second{}
	if err := Request(&g, "latin1", "latin1"); err != nil {
		t.Fatal(err)
	}
	if g.Encoding.Name() != "ISO-8859-1" || g.BOM != 3 || g.Confidence != 1 || !g.Reason.Equal(requested) || g.Second != nil || g.Invalid != 0 || g.Preview != "" {
		t.Errorf("another encoding: %+v", g)
	}
	g = charset.Guess{Confidence: 0.3, Invalid: 4, Preview: "x", Second: &charset.Second{}}
	if err := Request(&g, "utf8", "utf8"); err != nil || g.Confidence != 1 || g.Second != nil || g.Invalid != 4 || g.Preview != "x" {
		t.Errorf("the same encoding: %+v, error %v", g, err)
	}
	before := g
	if err := Request(&g, "klingon", "kli…"); sourcetest.Outline(err) != "encoding.unknown(encoding: kli…)" || g.Encoding != before.Encoding {
		t.Errorf("unknown encoding: %v", err)
	}
}

func TestEvidence(t *testing.T) {
	sure := guessOf(t, "UTF-8", 0)
	Decide(&sure, sure.Encoding, intray.NewMessage("encoding.xml_default", nil))
	unsure := guessOf(t, "windows-1252", 0)
	unsure.Confidence, unsure.Reason = 0.1, intray.NewMessage("encoding.page_default", nil)
	want := []intray.Evidence{
		{Choice: "encoding", Value: "UTF-8", Reason: intray.NewMessage("encoding.xml_default", nil)},
		{Choice: "encoding", Value: "windows-1252", Reason: intray.NewMessage("encoding.page_default", nil), Tie: true,
			Alternatives: []intray.Choice{{Value: "UTF-8", Reason: intray.NewMessage("encoding.most_text", nil)}}},
	}
	if diff := cmp.Diff(want, []intray.Evidence{Evidence(sure), Evidence(unsure)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecodeHead(t *testing.T) {
	utf16 := sourcetest.UTF16LE("\uFEFF<a>ü</a>")
	for raw, want := range map[string]string{
		"": "", "<": "<", "<a>ü</a>": "<a>ü</a>", "\uFEFF<a>": "<a>", "<a>\xfc</a>": "<a>\xfc</a>", "\xfc<a>": "\xfc<a>",
		string(utf16): "<a>ü</a>", string(utf16[2:]): "<a>ü</a>", string(utf16[:5]): "<\uFFFD", "\x00<\x00a\x00>": "<a>",
		"\xFE\xFF\x00<\x00a\x00>": "<a>", "\xFE\xFF": "", "a\xfe<b>": "a\xfe<b>",
	} {
		if got := string(DecodeHead([]byte(raw))); got != want {
			t.Errorf("%q: %q, not %q", raw, got, want)
		}
	}
}
