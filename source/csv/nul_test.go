package csv

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
)

func TestNULBytes(t *testing.T) {
	many := strings.Repeat("b,\x00,1\r\n", 50000)
	for name, c := range map[string]struct {
		text    string
		want    [][]string
		rows    int
		n, line int64
	}{
		"cells of NULs":     {"a,b,c\nx,\x00,1\ny,\x00\x00\x00,2\nz,\x00 \x00,3\n", [][]string{{"x", "", "1"}, {"y", "", "2"}, {"z", "", "3"}}, 3, 6, 2},
		"padding":           {"name,city\nAnn\x00\x00\x00\x00,Rome\x00\x00\nBobby\x00\x00,Köln\x00\x00\nCy\x00\x00\x00,Ulm\x00\x00\x00\n", [][]string{{"Ann", "Rome"}, {"Bobby", "Köln"}, {"Cy", "Ulm"}}, 3, 16, 2},
		"inside text":       {"name,n\nAnn,1\nBo\x00b,2\nCy,3\n", [][]string{{"Ann", "1"}, {"Bo\uFFFDb", "2"}, {"Cy", "3"}}, 3, 1, 3},
		"in quotes":         {"name,n\n\"A\nnn\x00\",1\n\"\x00\",2\n", [][]string{{"A\nnn", "1"}, {"", "2"}}, 2, 2, 3},
		"at the end":        {"name,n\nAnn,1\nBob,2\n" + strings.Repeat("\x00", 4096), [][]string{{"Ann", "1"}, {"Bob", "2"}}, 2, 4096, 4},
		"a line of NULs":    {"name,n\nAnn,1\n\x00\x00\nBob,2\n", [][]string{{"Ann", "1"}, {"Bob", "2"}}, 2, 2, 3},
		"fixed width":       {"id    name     city\n1\x00\x00\x00\x00\x00Ann Lee\x00\x00Rome\n22\x00\x00\x00\x00Bob\x00\x00\x00\x00\x00\x00Ulm\n333\x00\x00\x00Cy\x00\x00\x00\x00\x00\x00\x00Köln\n", [][]string{{"1", "Ann Lee", "Rome"}, {"22", "Bob", "Ulm"}, {"333", "Cy", "Köln"}}, 3, 27, 2},
		"in every row":      {"a,b,c\r\n" + many, nil, 50000, 50000, 2},
		"beyond the sample": {"a,b,c\r\n" + strings.ReplaceAll(many, "\x00", "x") + strings.Repeat("plain,text,3\n", 100000) + "a,\x00,1\n", nil, 150001, 1, 150002},
		"no NULs":           {"a,b\n1,2\n", [][]string{{"1", "2"}}, 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, rows, notices, err := readTable(t, []byte(c.text), source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var n, line int64
			for _, one := range notices {
				if one.Text.Code != "csv.nul_bytes" {
					t.Errorf("notice %v", one.Text)
					continue
				}
				n, line = n+one.Text.Params()["n"].(int64), one.Text.Params()["line"].(int64)
			}
			if n != c.n || line != c.line || len(rows) != c.rows {
				t.Errorf("%d NUL bytes, first on line %d, want %d and %d; %d rows, want %d", n, line, c.n, c.line, len(rows), c.rows)
			}
			if c.want != nil {
				if diff := cmp.Diff(c.want, rows); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

// TestBinaryFiles checks which files with NUL bytes are text.
func TestBinaryFiles(t *testing.T) {
	tar := "notes.csv" + strings.Repeat("\x00", 91) + "0000644\x000001750\x000001750\x0000000000010\x0014400000000\x00012345\x00 0" + strings.Repeat("\x00", 100) + "ustar\x0000" + strings.Repeat("\x00", 248) + "a,b\n1,2\n"
	floats := binary.LittleEndian.AppendUint64([]byte("x,y\n1,2\n"), 0x3FF0000000010203)
	for name, c := range map[string]struct {
		head string
		want bool
	}{
		"text":           {"a,b\n1,2\n", false},
		"cells of NULs":  {"a,b\n1,\x00\n", false},
		"padding":        {"a\x00\x00\x00b\x00\x00\x00\n1\x00\x00\x002\x00\x00\x00\n", false},
		"only NULs":      {strings.Repeat("\x00", 100), true},
		"no lines":       {"a\x00bc\x00def", true},
		"other controls": {"a,b\n\x01\x02\x00\x00\x03\n", true},
		"numbers":        {strings.Repeat(string(floats), 9), true},
		"an archive":     {tar, true},
		"mostly NULs":    {"\x00a\x00\n\x00\x00b\x00", true},
		"Latin 1":        {"name,n\nM\xfcller\x00\x00,1\nWei\xdf\x00,2\n", false},
		"UTF-16 mark":    {"\xff\xfea\x00\n\x00", false},
		"a program":      {"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00>\x00\n", true},
		"damaged line":   {strings.Repeat("2024-01-01,ok,12\n", 40) + strings.Repeat("\x00", 300), false},
	} {
		if got := isBinary([]byte(c.head)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestUTF16WithoutMark checks that UTF-16 is still found in files without a byte order mark.
func TestUTF16WithoutMark(t *testing.T) {
	for _, text := range []string{"name;city\nAnn;Rome\n", "имя;город\nАнна;Рим\n", "氏名,市\n山田一郎,東京\n鈴木二郎,大阪\n", "いろはに,ほへと\nちりぬ,るを\n"} {
		var little, big []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			little, big = binary.LittleEndian.AppendUint16(little, unit), binary.BigEndian.AppendUint16(big, unit)
		}
		for name, file := range map[string][]byte{"UTF-16LE": little, "UTF-16BE": big} {
			_, rows, notices, err := readTable(t, file, source.Options{HeaderRow: 1})
			if err != nil || len(notices) > 0 {
				t.Errorf("%s of %q: %v, %v", name, text, err, notices)
			}
			got := ""
			for _, row := range rows {
				got += strings.Join(row, string(text[strings.IndexAny(text, ";,")])) + "\n"
			}
			if _, body, _ := strings.Cut(text, "\n"); got != body {
				t.Errorf("%s: %q, want %q", name, got, body)
			}
		}
	}
}
