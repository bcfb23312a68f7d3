package workbook

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

func TestJoinNames(t *testing.T) {
	var names []string
	for n := range 23 {
		names = append(names, fmt.Sprint(n))
	}
	for n, want := range map[int]string{0: "", 1: "0", 2: "0, 1", 20: strings.Join(names[:20], ", "), 21: strings.Join(names[:20], ", ") + " and 1 more", 23: strings.Join(names[:20], ", ") + " and 3 more"} {
		if got := JoinNames(names[:n]); got != want {
			t.Errorf("%d names: %q, want %q", n, got, want)
		}
	}
}

func TestHiddenSheets(t *testing.T) {
	if got := HiddenSheets([]Sheet{{Name: "a"}}); got != nil {
		t.Errorf("no hidden sheets: %v", got)
	}
	want := []intray.Evidence{{Choice: "hidden sheets", Value: "b, d", Reason: intray.NewMessage("workbook.hidden_read", nil)}}
	if diff := cmp.Diff(want, HiddenSheets([]Sheet{{Name: "a"}, {Name: "b", Hidden: true}, {Name: "c"}, {Name: "d", Hidden: true}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDateSystem(t *testing.T) {
	for epoch1904, want := range map[bool]intray.Evidence{
		false: {Choice: "date system", Value: "1900", Reason: intray.NewMessage("workbook.date_system_1900", nil)},
		true:  {Choice: "date system", Value: "1904", Reason: intray.NewMessage("workbook.date_system_1904", nil)},
	} {
		if diff := cmp.Diff(want, DateSystem(epoch1904)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestColumnName(t *testing.T) {
	for column, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA", 16383: "XFD"} {
		if got := ColumnName(column); got != want {
			t.Errorf("%d: %s, want %s", column, got, want)
		}
	}
}

func TestAtRow(t *testing.T) {
	reason := intray.NewMessage("xml.empty", nil)
	for _, test := range []struct{ err, want error }{
		{nil, nil}, {io.EOF, io.EOF},
		{&source.UnreadableError{Reason: reason}, &source.UnreadableError{Line: 7, Reason: reason}},
		{&source.LimitError{Reason: reason}, &source.LimitError{Line: 7, Reason: reason}},
		{fmt.Errorf("read: %w", &source.LimitError{Reason: reason}), &source.LimitError{Line: 7, Reason: reason}},
		{&source.UnreadableError{Line: 3, Reason: reason}, &source.UnreadableError{Line: 3, Reason: reason}},
		{&source.LimitError{Line: 3, Reason: reason}, &source.LimitError{Line: 3, Reason: reason}},
	} {
		got := AtRow(test.err, 7)
		if !errors.Is(got, test.want) && (got == nil || test.want == nil || got.Error() != test.want.Error()) {
			t.Errorf("%v becomes %v, want %v", test.err, got, test.want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { _ = AtRow(nil, 7) }); n != 0 {
		t.Errorf("%v allocations without an error", n)
	}
}
