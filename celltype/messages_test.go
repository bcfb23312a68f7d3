package celltype

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray"
)

// TestMessagesOfManyNames checks that the messages about a cell have a limited size, however many
// names the options of the field contain and however long they and the cell are.
func TestMessagesOfManyNames(t *testing.T) {
	long := strings.Repeat("<", 4096)
	var names []any
	var options []intray.SelectOption
	for i := range 30_000 {
		names = append(names, fmt.Sprintf("%d%s", i, long[:i%64]))
	}
	for i := range 200 {
		options = append(options, intray.SelectOption{Label: long + fmt.Sprint(i), Value: fmt.Sprint(i)})
	}
	options[7].AlternateMatches = []string{"Frankfurt"}
	for _, one := range []struct {
		field intray.Field
		cell  string
		more  string
	}{
		{intray.Field{Type: intray.FieldType{Name: intray.TypeURL, Options: map[string]any{"acceptedDomains": names}}}, "https://example.org/", "or 29,980 more"},
		{intray.Field{Type: intray.FieldType{Name: intray.TypeURL, Options: map[string]any{"acceptedProtocols": names}}}, "https://example.org/", "or 29,980 more"},
		{intray.Field{Type: intray.FieldType{Name: intray.TypeURL, Options: map[string]any{"acceptedProtocols": names[:20]}}}, "https://example.org/", " or 19"},
		{intray.Field{Type: intray.FieldType{Name: intray.TypeSelect}, SelectOptions: options}, "x", "195 more"},
		{intray.Field{Type: intray.FieldType{Name: intray.TypeSelect}, SelectOptions: options}, "Frankfrut", "…"},
		{intray.Field{Type: intray.FieldType{Name: intray.TypeMultiSelect, Options: map[string]any{"allowCustom": true}}, SelectOptions: options}, long + "," + long, "…"},
	} {
		parser, err := Compile(one.field)
		if err != nil {
			t.Fatal(err)
		}
		result := parser.Parse(Cell{Raw: []byte(one.cell)}, nil)
		text := result.Problem
		if result.Note != nil {
			text = &result.Note.Text
		}
		if text.Size() > 20_000 || !strings.Contains(text.String(), one.more) {
			t.Errorf("%s, %.20q: a message of %d bytes, want %q in %.200q", one.field.Type.Name, one.cell, text.Size(), one.more, text)
		}
	}
}

// TestManyAcceptedDomains checks that a URL is accepted if its host is an accepted domain or one
// of its subdomains, with one domain and with many.
func TestManyAcceptedDomains(t *testing.T) {
	for _, n := range []int{0, 40_000} {
		names := []any{"Example.org", "*.a.example.net", "münchen.example"}
		for i := range n {
			names = append(names, fmt.Sprintf("d%d.example", i))
		}
		parser, err := Compile(intray.Field{Type: intray.FieldType{Name: intray.TypeURL, Options: map[string]any{"acceptedDomains": names}}})
		if err != nil {
			t.Fatal(err)
		}
		for host, accepted := range map[string]bool{
			"example.org": true, "www.example.org": true, "a.b.c.EXAMPLE.org": true, "myexample.org": false, "example.org.uk": false, "org": false,
			"a.example.net": true, "b.a.example.net": true, "example.net": false, "münchen.example": true, "www.xn--mnchen-3ya.example": true,
			"d7.example": n > 0, "x.d39999.example": n > 0, "d40000.example": false, "example": false, strings.Repeat("a.", 2000) + "example.org": true,
		} {
			if got := parser.Parse(Cell{Raw: []byte("https://" + host + "/")}, nil).State != Invalid; got != accepted {
				t.Errorf("with %d other domains, %.40s is accepted: %v", n, host, got)
			}
		}
	}
}
