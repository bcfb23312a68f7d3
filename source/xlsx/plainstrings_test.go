package xlsx

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray/internal/ooxml"
	"github.com/intraydata/intray/internal/xmlscan"
)

// TestPlainStrings reads random shared strings twice: as they are, and with a space in each tag that
// starts a string, which makes it a string that is not plain.
func TestPlainStrings(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"a", "word", "0123456789", " ", "\n", "\r", "\r\n", "_", "_x0041_", "_x", "&amp;", "&", "é", "\xff", "日本", "\x00", "<", "</t><t>", "<r><t>b</t></r>", "%", "`", "\u00a0"})
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(0, 6).Draw(rt, "strings") {
			fmt.Fprintf(&text, "<si><t>%s</t></si>", strings.Join(rapid.SliceOfN(pieces, 0, 5).Draw(rt, "pieces"), ""))
		}
		read := func(items string) (list []string, problem string) {
			s, err := xmlscan.New(strings.NewReader("<sst>"+items+"</sst>"), xmlscan.Config{Part: "strings", TextBytes: 20, TokenBytes: 1 << 10, Depth: 9})
			if err != nil {
				rt.Fatal(err)
			}
			table := ooxml.NewSharedStrings(ooxml.StringLimits{Strings: 5, Bytes: 1 << 20})
			err = readStringTable(s, table, 20)
			for i := range table.Len() {
				one, _, err := table.Text(i, nil)
				if err != nil {
					rt.Fatal(err)
				}
				list = append(list, string(bytes.Clone(one)))
			}
			return list, fmt.Sprint(err)
		}
		got, gotProblem := read(text.String())
		want, wantProblem := read(notPlain.Replace(text.String()))
		if diff := cmp.Diff(want, got); diff != "" || gotProblem != wantProblem {
			rt.Fatalf("%q\nproblem %q, want %q (-want +got):\n%s", &text, gotProblem, wantProblem, diff)
		}
	})
}
