package celltype_test

import (
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

func TestStringIsAnything(t *testing.T) {
	p, err := celltype.Compile(intray.Field{Type: intray.FieldType{Name: intray.TypeString}})
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{"", " ", "00042", "=1+1", "\xff\x00", "a\nb", strings.Repeat("x", 1<<20)} {
		if got := p.Parse(celltype.Cell{Raw: []byte(raw)}, nil); got.State != celltype.Unchanged || got.Problem != nil {
			t.Errorf("%.20q: %+v, want the text itself", raw, got)
		}
	}
}

func TestOtherTypesAreRefused(t *testing.T) {
	for _, name := range []intray.TypeName{"", "text", "Number"} {
		_, err := celltype.Compile(intray.Field{Key: "amount", Type: intray.FieldType{Name: name}})
		if err == nil || !strings.Contains(err.Error(), string(name)) {
			t.Errorf("the type %q: error %v, want one that names it", name, err)
		}
	}
}

func TestIsBlank(t *testing.T) {
	for raw, want := range map[string]bool{
		"": true, " ": true, "\t\r\n\v\f": true, "\u00a0\u2003\u3000": true, "\u0085": true,
		"x": false, " x ": false, "0": false, "\x00": false, "\u200b": false, "\xa0": false,
	} {
		if got := celltype.IsBlank([]byte(raw)); got != want {
			t.Errorf("%q is blank: %v, want %v", raw, got, want)
		}
	}
}
