package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

// binaryWorkbook returns an XLSB file with two columns and three records. The cells A3 and A4 are
// merged.
func binaryWorkbook(t *testing.T) string {
	t.Helper()
	record := workbooktest.Record
	cell := func(column int, text string) string { return record(6, column, 0, text) }
	rows := ""
	for i, cells := range [][2]string{{"region", "town"}, {"North", "Oslo"}, {"South", "Rome"}, {"", "Athens"}} {
		rows += record(0, i, 0, uint16(0), uint16(0), byte(0), 0)
		if cells[0] != "" {
			rows += cell(0, cells[0])
		}
		rows += cell(1, cells[1])
	}
	merged := record(177, 1) + record(176, 2, 3, 0, 0) + record(178)
	return packed(t,
		"_rels/.rels", strings.ReplaceAll(packageRels, ".xml", ".bin"), "xl/_rels/workbook.bin.rels", strings.ReplaceAll(workbookRels, ".xml", ".bin"),
		"xl/workbook.bin", record(131)+record(156, 0, 1, "r1", "A")+record(132),
		"xl/worksheets/sheet1.bin", record(129)+record(145)+rows+record(146)+merged+record(130))
}

func TestBinaryWorkbook(t *testing.T) {
	name := filepath.Join(t.TempDir(), "towns.xlsb")
	if err := os.WriteFile(name, []byte(binaryWorkbook(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"convert", name, "-"}, "region,town\nNorth,Oslo\nSouth,Rome\n,Athens\n"},
		{[]string{"convert", "--fill-merged", name, "-"}, "region,town\nNorth,Oslo\nSouth,Rome\nSouth,Athens\n"},
		{[]string{"inspect", "--json", name}, `"xlsb"`},
	} {
		var out, stderr bytes.Buffer
		status := run(t.Context(), c.args, streams{strings.NewReader(""), &out, &stderr})
		if status != exitDone || !strings.Contains(out.String(), c.want) {
			t.Errorf("%v: status %d, output %q, want %q; stderr: %s", c.args, status, out.String(), c.want, stderr.String())
		}
	}
}
