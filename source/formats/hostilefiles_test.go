package formats

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/intraydata/intray/source/sourcetest"
)

const mib = 1 << 20

// hostileFiles returns files of all formats that are meant to exhaust memory.
func hostileFiles() []hostileFile {
	return slices.Concat(hostileCSV(), hostileJSON(), hostileHTML(), hostileXLSX(), hostileXLSB(), hostileODS(), hostileSpreadsheetML(), hostileXLS(), hostileParquet(), hostileArchives())
}

// text returns a function that writes the texts one after the other.
func text(parts ...string) content {
	return func(t *testing.T, w io.Writer) {
		for _, part := range parts {
			write(t, w, part)
		}
	}
}

func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

// sequence returns a function that writes head, part(0), part(1) and so on up to n parts, and tail.
func sequence(head string, n int, part func(i int) string, tail string) content {
	return func(t *testing.T, w io.Writer) {
		write(t, w, head)
		for i := range n {
			write(t, w, part(i))
		}
		write(t, w, tail)
	}
}

// times returns text repeated to a total of about size bytes.
func times(text string, size int) string { return strings.Repeat(text, size/len(text)) }

// encoded returns a function that writes text in another encoding.
func encoded(text string, encode func(string) []byte) content {
	return func(t *testing.T, w io.Writer) { write(t, w, string(encode(text))) }
}

func utf16BE(text string) []byte {
	var raw []byte
	for _, unit := range utf16.Encode([]rune("\uFEFF" + text)) {
		raw = append(raw, byte(unit>>8), byte(unit))
	}
	return raw
}

func utf16LE(text string) []byte { return sourcetest.UTF16LE("\uFEFF" + text) }

func utf32LE(text string) []byte {
	var raw bytes.Buffer
	for _, r := range "\uFEFF" + text {
		raw.Write([]byte{byte(r), byte(r >> 8), byte(r >> 16), 0})
	}
	return raw.Bytes()
}

func hostileCSV() []hostileFile {
	wide := strings.TrimSuffix(strings.Repeat("a,", 16384), ",") + "\n"
	files := []hostileFile{
		{"record.csv", func() content { return text("name,n\n1,2\n", times("x", 100*mib), "\n") }, true},
		{"record_below.csv", func() content {
			return text("name,n\n1,2\n", times("x", 15*mib), ",", times("y", 15*mib), "\n", times("x", 15*mib), ",", times("y", 15*mib), "\n")
		}, false},
		{"records_below.csv", func() content {
			return sequence("name,n\n1,2\n", 10, func(int) string { return times("x", 15*mib) + "," + times("y", 15*mib) + "\n" }, "")
		}, false},
		{"quoted_below.csv", func() content {
			return sequence("name,n\n1,2\n", 10, func(int) string { return `"` + times(`x""`, 15*mib) + `","` + times("\n", 15*mib) + "\"\n" }, "")
		}, false},
		{"newlines_below.csv", func() content {
			return sequence("name,n\n1,2\n", 10, func(int) string { return `1,"` + times("\n", 15*mib) + "\"\n" }, "")
		}, false},
		{"ragged_below.csv", func() content {
			return sequence("name,n\n1,2\n", 10, func(int) string {
				return times("x", 10*mib) + "," + times("y", 10*mib) + "," + times("z", 10*mib) + "\n"
			}, "")
		}, false},
		{"header_record.csv", func() content { return text(times("x", 15*mib), ",", times("y", 15*mib), "\n1,2\n") }, true},
		{"unclosed.csv", func() content { return text("name,n\n1,2\n\"", times("x,y\n", 100*mib)) }, false},
		{"unclosed_each.csv", func() content { return text("name,n\n1,2\n", times("\"x,y\n", 60*mib)) }, false},
		{"open_quotes.csv", func() content { return text("name,n\n1,2\n", times(`"x,`, 30*mib), "\n") }, false},
		{"commas.csv", func() content { return text("name\n", times(",", 60*mib), "\n") }, true},
		{"commas_below.csv", func() content { return text(times("a,b\n", 10), times(times(",", 16383)+"\n", 60*mib)) }, false},
		{"commas_wide.csv", func() content { return text(wide, times(times(",", 16383)+"\n", 60*mib)) }, false},
		{"wide.csv", func() content { return text(times(wide, 60*mib)) }, false},
		{"wide_header.csv", func() content { return text(times("abcdefgh,", 16384*9), "\n", times(wide, 60*mib)) }, false},
		{"wide_quoted.csv", func() content { return text(times(times(`"",`, 3*16383)+"\n", 100*mib)) }, false},
		{"wide_samples.csv", func() content { return text(wide, times(times(strings.Repeat("x", 200)+",", 201*16383)+"\n", 100*mib)) }, false},
		{"empty_lines.csv", func() content { return text("name,n\n", times("\n", 100*mib), "1,2\n") }, false},
		{"spaces.csv", func() content { return text("name,n\n", times(" ", 100*mib), "\n1,2\n") }, true},
		{"rows_of_one.csv", func() content { return text("n\n", times("1\n", 100*mib)) }, false},
		{"remarks.csv", func() content { return text("a,b,c,d\n1,2,3,4\n", times(strings.Repeat("x", mib)+"\n", 100*mib)) }, false},
		{"irregular.csv", func() content { return text("a,b,c,d\n1,2,3,4\n", times("1,2,3\n1,2,3,4,5\n", 60*mib)) }, false},
		{"carriage_returns.csv", func() content { return text("a,b\r1,2\r", times("\r", 60*mib)) }, false},
		{"tabs.tsv", func() content { return text("name\tn\n", times("\t", 60*mib), "\n") }, true},
		{"nul.csv", func() content { return text("name,n\n1,2\n", times("\x00", 60*mib)) }, true},
		{"nul_late.csv", func() content {
			return text("name,n\n", times("1,2\n", 2*mib), times(times("\x00", 15*mib)+","+times("\x00", 15*mib)+"\n", 70*mib))
		}, false},
		{"held_below.csv", func() content {
			return text("a,b,c,d\n", times("1,2,3,4\n", 2*mib), times("Total,,,"+strings.Repeat("x", 15*mib)+"\n", 200*mib))
		}, false},
		{"repaired_below.csv", func() content {
			return text("a,b,c,d\n", times("1,2,3,4\n", 2*mib), times("1,2\n1,"+strings.Repeat("x", 15*mib)+",3,"+strings.Repeat("x", 15*mib)+"\n", 200*mib))
		}, false},
		{"unclosed_below.csv", func() content {
			return text("a,b\n", times("1,2\n", 2*mib), times("\""+strings.Repeat("x", 30*mib)+",\"\"\n", 200*mib))
		}, false},
		{"totals.csv", func() content { return text("a,b,c\n1,2,3\n", times("Total,,\n", 60*mib)) }, false},
		{"headers.csv", func() content { return text(times("a,b,c\n", 60*mib)) }, false},
		{"invalid_bytes.csv", func() content { return text("a,b\n1,2\n", times("\xff,\xfe\n", 60*mib)) }, false},
		{"utf16be.csv", func() content { return encoded("name,n\n1,2\n"+times("中,", 20*mib)+"\n", utf16BE) }, true},
		{"utf16le_records.csv", func() content {
			return encoded("name,n\n1,2\n"+strings.Repeat(times("中", 10*mib)+","+times("文", 10*mib)+"\n", 4), utf16LE)
		}, false},
		{"utf16_surrogates.csv", func() content { return encoded("name,n\n1,2\n"+times("\U0001F600,x\n", 30*mib), utf16LE) }, false},
		{"utf32.csv", func() content {
			return encoded("name,n\n1,2\n"+strings.Repeat(times("\U0001F600", 10*mib)+","+times("文", 10*mib)+"\n", 4), utf32LE)
		}, false},
		{"utf32_one.csv", func() content { return encoded("name,n\n1,2\n"+times("\U0001F600", 100*mib), utf32LE) }, true},
		{"latin1.csv", func() content { return text("name,n\n1,\xe9t\xe9\n", times("\xe9,\xe8\n", 60*mib)) }, false},
		{"latin1_record.csv", func() content { return text("name,n\n1,\xe9t\xe9\n", times("\xe9", 100*mib), "\n") }, true},
		{"wrapped.csv", func() content { return text(times("\"a,b,c,\"\"d\"\"\"\n", 60*mib)) }, false},
		{"wrapped_record.csv", func() content { return text(times("\"a,b,c\"\n", mib), `"`, times("x", 60*mib), "\"\n") }, true},
		{"shift_jis.csv", func() content {
			return text("name,n\n1,\x93\xfa\x96\x7b\x8c\xea\n", times("\x93\xfa\x96\x7b,\x8c\xea\n", 60*mib))
		}, false},
		{"ebcdic.csv", func() content { return text("\xd5\x81\x94\x85\x6b\xd5\x15", times("\x81\x6b\xf1\x15", 60*mib)) }, true},
	}
	return files
}

func hostileJSON() []hostileFile {
	number := func(format string) func(int) string { return func(i int) string { return fmt.Sprintf(format, i) } }
	return []hostileFile{
		{"names.json", func() content { return sequence(`[{"a":1},{`, 2_600_000, number(`"%x":1,`), `"z":1}]`) }, true},
		{"names_long.json", func() content {
			return sequence(`[{"a":1},{`, 100_000, func(i int) string { return fmt.Sprintf(`"%x%s":1,`, i, strings.Repeat("x", 300)) }, `"z":1}]`)
		}, true},
		{"names_same.json", func() content { return sequence(`[{"a":1},{`, 3_000_000, number(`"a":1,`), `"z":1}]`) }, true},
		{"names_over_objects.json", func() content { return sequence(`[`, 5_000_000, number(`{"%x":1},`), `{"a":1}]`) }, true},
		{"names.ndjson", func() content { return sequence(``, 5_000_000, number("{\"%x\":1}\n"), "{\"a\":1}\n") }, true},
		{"names_nested.ndjson", func() content { return sequence(``, 2_000_000, number("{\"a\":{\"b\":{\"%x\":1}}}\n"), "{\"a\":1}\n") }, true},
		{"names_in_array.json", func() content {
			return sequence(`[{"a":[`, 100, func(int) string { return `{` + times(`"a":1,`, 300_000) + `"z":1},` }, `{}]}]`)
		}, true},
		{"names_in_cell.json", func() content { return sequence(`[{"a":[{`, 1_200_000, number(`"%x":1,`), `"z":1}]}]`) }, true},
		{"names_escaped.json", func() content { return sequence(`[{"a":1},{`, 2_000_000, number(`"\u0041%x":1,`), `"z":1}]`) }, true},
		{"names_wide.ndjson", func() content {
			return sequence(``, 3000, func(int) string { return times(`{`+strings.TrimSuffix(strings.Repeat(`"a":1,`, 1), ",")+"}\n", 10_000) }, "")
		}, false},
		{"skipped_members.json", func() content { return sequence(`{`, 2_600_000, number(`"%x":1,`), `"rows":[{"a":1}]}`) }, true},
		{"skipped_object.json", func() content { return sequence(`{"meta":{`, 2_000_000, number(`"%x":1,`), `"z":1},"rows":[{"a":1}]}`) }, true},
		{"many_tables.json", func() content { return sequence(`{`, 2_000_000, number(`"%x":[{"a":1}],`), `"rows":[{"a":1}]}`) }, true},
		{"deep.json", func() content { return text(times("[", 60*mib)) }, true},
		{"deep_objects.json", func() content { return text(times(`{"a":`, 60*mib)) }, true},
		{"deep_element.json", func() content { return text(`[{"a":`, times("[", 30*mib), times("]", 30*mib), `}]`) }, true},
		{"deep_names.ndjson", func() content {
			return sequence("", 10, func(int) string { return times(`{"a":`, 250) + "1" + times("}", 50) + "\n" }, "")
		}, false},
		{"string.json", func() content { return text(`[{"a":"`, times("x", 100*mib), `"}]`) }, true},
		{"strings_below.json", func() content {
			return sequence(`[{"a":1}`, 10, func(int) string {
				return `,{"a":"` + times("x", 15*mib) + `","b":"` + times("y", 15*mib) + `"}`
			}, `]`)
		}, false},
		{"strings_below.ndjson", func() content {
			return sequence("{\"a\":1}\n", 10, func(int) string {
				return `{"a":"` + times("x", 15*mib) + `","b":"` + times("y", 15*mib) + "\"}\n"
			}, "")
		}, false},
		{"escapes_below.json", func() content {
			return sequence(`[{"a":1}`, 10, func(int) string {
				return `,{"a":"` + times(`\n`, 15*mib) + `","b":"` + times(`\u4e2d`, 15*mib) + `"}`
			}, `]`)
		}, false},
		{"escapes_below.ndjson", func() content {
			return sequence("{\"a\":1}\n", 10, func(int) string {
				return `{"a":"` + times(`\n`, 15*mib) + `","b":"` + times(`\u4e2d`, 15*mib) + "\"}\n"
			}, "")
		}, false},
		{"number.json", func() content { return text(`[{"a":`, times("9", 100*mib), `}]`) }, true},
		{"numbers_below.json", func() content {
			return sequence(`[{"a":1}`, 10, func(int) string { return `,{"a":` + times("9", 15*mib) + `,"b":` + times("8", 15*mib) + `}` }, `]`)
		}, false},
		{"arrays_below.json", func() content {
			return sequence(`[{"a":1}`, 10, func(int) string {
				return `,{"a":[` + times("1, ", 15*mib) + `1],"b":[` + times("[],", 15*mib) + `[]]}`
			}, `]`)
		}, false},
		{"arrays.json", func() content { return text(`[["a","b"]`, times(`,[1,2]`, 60*mib), `]`) }, false},
		{"array_of_arrays.json", func() content { return text(`[["a"],[`, times("1,", 30*mib), `1]]`) }, true},
		{"array_of_arrays_nested.json", func() content {
			return sequence(`[["a","b"]`, 10, func(int) string { return `,[[` + times("[],", 15*mib) + `[]],[` + times("{},", 14*mib) + `{}]]` }, `]`)
		}, false},
		{"array_wide.json", func() content {
			return sequence(`[["a","b"]`, 1000, func(int) string { return `,[` + strings.Repeat(`"",`, 16383) + `""]` }, `]`)
		}, false},
		{"array_lines.ndjson", func() content {
			return sequence("[\"a\",\"b\"]\n", 1000, func(int) string { return `[` + strings.Repeat(`"",`, 16383) + "\"\"]\n" }, "")
		}, false},
		{"array_of_scalars.json", func() content { return text(`[`, times(`1,`, 60*mib), `1]`) }, true},
		{"white_space.json", func() content { return text(`[{"a":1},`, times(" ", 100*mib), `{"a":2}]`) }, true},
		{"white_space_in_element.json", func() content { return text(`[{"a":1},{`, times(" ", 100*mib), `"a":2}]`) }, true},
		{"white_space_lines.ndjson", func() content { return text("{\"a\":1}\n", times("\n", 100*mib), "{\"a\":2}\n") }, true},
		{"empty_objects.json", func() content { return text(`[{"a":1}`, times(`,{}`, 60*mib), `]`) }, false},
		{"empty_objects.ndjson", func() content { return text("{\"a\":1}\n", times("{}\n", 60*mib)) }, false},
		{"wide_objects.ndjson", func() content {
			return sequence("", 500, func(i int) string {
				var b strings.Builder
				for c := range 16384 {
					fmt.Fprintf(&b, `,"%x":"%s"`, c, strings.Repeat("x", 20))
				}
				return "{" + b.String()[1:] + "}\n"
			}, "")
		}, false},
		{"wide_samples.json", func() content {
			return sequence("[", 40, func(i int) string {
				var b strings.Builder
				for c := range 16384 {
					fmt.Fprintf(&b, `,"%x":"%s"`, c, strings.Repeat("x", 1000))
				}
				return "{" + b.String()[1:] + "},"
			}, "{}]")
		}, false},
		{"wide_then_empty.ndjson", func() content {
			return sequence("", 1, func(i int) string {
				var b strings.Builder
				for c := range 16384 {
					fmt.Fprintf(&b, `,"%x":"x"`, c)
				}
				return "{" + b.String()[1:] + "}\n" + times("{}\n", 300_000)
			}, "")
		}, false},
		{"duplicate_names.json", func() content {
			return sequence(`[`, 1, func(int) string { return `{` + times(`"a":1,"b":1,`, 20*mib) + `"c":1}` }, `]`)
		}, true},
		{"utf16.json", func() content { return encoded(`[{"a":"`+times("中", 30*mib)+`"}]`, utf16LE) }, true},
	}
}

func hostileHTML() []hostileFile {
	table := func(body string) string { return "<table>" + body + "</table>" }
	return []hostileFile{
		{"text.html", func() content { return text("<table><tr><th>a<tr><td>", times("x", 100*mib), "</table>") }, true},
		{"text_outside.html", func() content { return text(times("x", 100*mib), table("<tr><th>a<tr><td>1")) }, true},
		{"notes_below.html", func() content {
			return text("<table><tr><th>a<th>b<th>c", times("<tr><td>1<td>2<td>3", mib), times("<tr><td>Total<tr><td>note "+strings.Repeat("x ", 7*mib)+"<tr><td><td>"+strings.Repeat("x", 15*mib), 200*mib), "</table>")
		}, false},
		{"cells_below.html", func() content {
			return sequence("<table><tr><th>a<th>b", 10, func(int) string { return "<tr><td>" + times("x ", 15*mib) + "<td>" + times("y<br>", 15*mib) }, "</table>")
		}, false},
		{"nested_tables.html", func() content { return text(times("<table><tr><td>", 30*mib)) }, true},
		{"nested_in_turn.html", func() content {
			return text("<table><tr><th>a", times("<tr><td><table><tr><td>1</table>", 60*mib), "</table>")
		}, true},
		{"many_tables.html", func() content { return text(times("<table><tr><td>a<tr><td>1</table>", 60*mib)) }, true},
		{"many_empty_tables.html", func() content { return text(times("<table></table>", 60*mib), table("<tr><td>1")) }, false},
		{"colspan.html", func() content { return text("<table><tr><th>a", times("<tr><td colspan=16384>1", 60*mib), "</table>") }, true},
		{"colspans.html", func() content { return text("<table><tr><th>a<tr>", times("<td colspan=16384>1", 60*mib), "</table>") }, true},
		{"rowspan.html", func() content {
			return text("<table><tr><th>a<tr>", strings.Repeat("<td rowspan=65534>1", 16384), times("<tr>", 60*mib), "</table>")
		}, false},
		{"rowspans.html", func() content { return text("<table><tr><th>a", times("<tr><td rowspan=65534>1", 30*mib), "</table>") }, true},
		{"both_spans.html", func() content {
			return text("<table><tr><th>a", times("<tr><td rowspan=65534 colspan=16384>1", 30*mib), "</table>")
		}, true},
		{"span_of_text.html", func() content {
			return text("<table><tr><th>a<tr><td colspan=1000 rowspan=1000>", times("x", 15*mib), times("<tr>", 4000), "</table>")
		}, false},
		{"unclosed.html", func() content { return text("<table>", times("<div><p><b>", 60*mib), "<tr><td>1") }, true},
		{"unclosed_cells.html", func() content { return text("<table>", times("<tr><td>", 60*mib)) }, true},
		{"row_of_cells.html", func() content { return text("<table><tr>", times("<td>", 60*mib)) }, true},
		{"attributes.html", func() content { return text("<table><tr><td ", times("a=1 ", 60*mib), ">1</table>") }, true},
		{"attributes_distinct.html", func() content {
			return sequence("<table><tr><td ", 5_000_000, func(i int) string { return fmt.Sprintf("a%x=1 ", i) }, ">1</table>")
		}, true},
		{"attributes_below.html", func() content {
			return sequence("<table>", 20, func(int) string { return "<tr><td " + times("a=1 ", 8*mib) + ">1" }, "</table>")
		}, false},
		{"attribute.html", func() content { return text("<table><tr><td style='", times("x", 100*mib), "'>1</table>") }, true},
		{"attribute_number.html", func() content { return text("<table><tr><td x:num='", times("9", 15*mib), "'>1</table>") }, false},
		{"tag_name.html", func() content { return text("<table><tr><td><", times("x", 100*mib), ">1</table>") }, true},
		{"comment.html", func() content { return text("<table><tr><td><!--", times("x", 100*mib), "-->1</table>") }, true},
		{"comments.html", func() content { return text("<table><tr><td>", times("<!--x-->", 60*mib), "1</table>") }, false},
		{"script.html", func() content { return text("<script>", times("x", 100*mib), "</script>", table("<tr><td>1")) }, true},
		{"style.html", func() content {
			return sequence("<style>", 1_000_000, func(i int) string { return fmt.Sprintf(".xl%d{mso-number-format:\"0.0%d\"}\n", i, i) }, "</style>"+table("<tr><td class=xl1>1"))
		}, true},
		{"styles_below.html", func() content {
			return sequence("<style>", 200_000, func(i int) string { return fmt.Sprintf(".xl%d{mso-number-format:\"0.0%d\"}\n", i, i) }, "</style>"+table("<tr><td class=xl1>1"))
		}, false},
		{"title.html", func() content { return text("<title>", times("x", 100*mib), "</title>", table("<tr><td>1")) }, true},
		{"captions.html", func() content {
			return text(times("<table><caption>"+strings.Repeat("x", 15*mib)+"</caption><tr><td>1</table>", 100*mib))
		}, false},
		{"headings.html", func() content { return text("<h1>", times("x", 15*mib), "</h1>", table("<tr><td>1")) }, true},
		{"entities.html", func() content { return text("<table><tr><td>", times("&amp;", 60*mib), "</table>") }, true},
		{"entities_below.html", func() content { return text("<table><tr><td>", times("&#x1F600;", 15*mib), "</table>") }, true},
		{"entity.html", func() content { return text("<table><tr><td>&", times("x", 60*mib), ";</table>") }, true},
		{"doctype.html", func() content { return text("<!doctype ", times("x", 100*mib), ">", table("<tr><td>1")) }, true},
		{"number_formats.html", func() content {
			return sequence("<table>", 500_000, func(i int) string {
				return fmt.Sprintf("<tr><td style='mso-number-format:\"0.%d\"' x:num='%d'>1", i, i)
			}, "</table>")
		}, false},
		{"wide.html", func() content {
			return sequence("<table>", 500, func(int) string { return "<tr>" + strings.Repeat("<td>", 16384) }, "</table>")
		}, false},
		{"utf16.html", func() content { return encoded("<table><tr><td>"+times("中", 60*mib), utf16LE) }, true},
		{"part.mht", func() content {
			return text("MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<table><tr><td>", times("x", 60*mib), "\n--b--\n")
		}, true},
		{"parts.mht", func() content {
			return text("MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n", times("--b\nContent-Type: text/html\n\n<table><tr><td>1</table>\n", 60*mib), "\n--b--\n")
		}, true},
		{"base64.mht", func() content {
			return text("MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPHRhYmxlPjx0cj48dGQ+", times("eHh4", 60*mib), "\n--b--\n")
		}, true},
		{"header.mht", func() content {
			return text("MIME-Version: 1.0\nContent-Type: multipart/related; boundary=", times("b", 60*mib), "\n\n--b\nContent-Type: text/html\n\n<table><tr><td>1")
		}, true},
		{"headers.mht", func() content {
			return text("MIME-Version: 1.0\n", times("X-A: b\n", 60*mib), "Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<table><tr><td>1")
		}, false},
		{"part_headers.mht", func() content {
			return text("MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n", times("X-A: b\n", 60*mib), "Content-Type: text/html\n\n<table><tr><td>1")
		}, true},
	}
}
