package attacks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/source/sourcetest"
)

// delimitedAttacks returns attacks on the dialects and the records of delimited text.
func delimitedAttacks() (list []attack) {
	for _, one := range [][2]string{{"commas", ","}, {"semicolons", ";"}, {"tabs", "\t"}, {"bars", "|"}, {"double-bars", "||"}, {"double-colons", "::"}, {"carets", "^"}, {"tildes", "~"}, {"colons", ":"}, {"spaces", "x "}} {
		list = append(list, text("line-of-"+one[0]+".csv", "cells of a record", func() string {
			return "name" + one[1] + "n\n" + strings.Repeat("a"+one[1]+"1\n", 20) + repeat(one[1], 24*mib) + "\n"
		}))
	}
	wide := func(cell string) string { return strings.TrimSuffix(strings.Repeat(cell+",", 16_384), ",") + "\n" }
	return append(list,
		text("one-line.csv", "cells of a record", func() string { return "name\n" + repeat(",", 60*mib) }),
		text("quoted-empty-cells.csv", "cells of a record", func() string { return "name,n\n" + repeat(`"",`, 30*mib) }),
		text("header-of-commas.csv", "columns", func() string { return "name" + repeat(",", 30*mib) + "\n1,2\n" }),
		text("late-commas.csv", "cells of a record after the sample", func() string {
			return "name,b,c\n" + strings.Repeat("a,b,c\n", 50_000) + repeat(",", 30*mib)
		}),
		text("wide-table.csv", "header detection", func() string { return "name" + wide("abc")[3:] + strings.Repeat(wide("abc"), 300) }),
		text("wide-empty-rows.csv", "cells of a table", func() string { return "name" + wide("") + strings.Repeat(wide(""), 2_000) }),
		text("wide-headers.csv", "size of headers", func() string {
			return "name," + strings.TrimSuffix(each(16_383, format("column with a long name that is number %d,")), ",") + "\n" + strings.Repeat(wide("1"), 100)
		}),
		text("equal-headers.csv", "questions about columns", func() string { return wide("name") + strings.Repeat(wide("1"), 100) }),
		text("similar-headers.csv", "mapping", func() string {
			return strings.TrimSuffix(each(16_384, format("nam%x,")), ",") + "\n" + strings.Repeat(wide("1"), 100)
		}),
		text("long-header.csv", "size of a header", func() string { return "name," + repeat("n", 20*mib) + "\n1,2\n" }),
		text("long-cell.csv", "size of a cell", func() string { return "name,n\n1," + repeat("x", 50*mib) + "\n" }),
		text("longest-cells.csv", "size of a cell", func() string { return "name,n\n" + strings.Repeat("1,"+repeat("x", 15*mib)+"\n", 4) }),
		text("longest-records.csv", "size of a record", func() string {
			return "name,n\n" + strings.Repeat(repeat("x", 15*mib)+","+repeat("y", 15*mib)+"\n", 2)
		}),
		text("open-quote.csv", "search for the end of a quote", func() string { return "name,n\n\"a,1\n" + repeat("b,2\n", 50*mib) }),
		text("open-quotes.csv", "search for the end of a quote", func() string { return "name,n\n" + repeat("a,\"b\n", 20*mib) }),
		text("open-quotes-in-a-line.csv", "search for the end of a quote", func() string { return "name,n\n1,2\n" + repeat(`"x,`, 20*mib) + "\n3,4\n" }),
		text("quotes-only.csv", "escaped quotes", func() string { return "name,n\n1," + repeat(`"`, 20*mib) + "\n" }),
		text("escaped-quotes.csv", "escaped quotes", func() string { return "name,n\n1,\"" + repeat(`""`, 30*mib) + "\"\n" }),
		text("alternating-quotes.csv", "quotes", func() string { return "name,n\n" + repeat(`"a",b"`+"\n"+`c","d`+"\n", 20*mib) }),
		text("single-quotes.csv", "kinds of quotes", func() string { return "name,n\n" + repeat("'a,\"b\n'c',“d\n", 20*mib) }),
		text("ragged-rows.csv", "repair of rows", func() string {
			return "name,b,c,d\n" + each(3_000, func(i int) string { return strings.Repeat("a,", i*7%5_000) + "\n" })
		}),
		text("rows-to-repair.csv", "repair of rows", func() string { return "name,b,c\n" + repeat("a,b,c\na,\"b,c,d\na,b\"c\",d,e\na;b;c\n", 16*mib) }),
		text("long-rows-to-repair.csv", "repair of rows", func() string {
			return "name,b,c\n" + strings.Repeat("1,2,3\n", 100) + strings.Repeat(repeat("a,\"b\",", 16_000)+"\n", 500)
		}),
		text("mixed-delimiters.csv", "detection of the delimiter", func() string { return "name\n" + repeat("a,b;c\td|e^f~g:h i::j||k\n", 20*mib) }),
		text("aligned-columns.txt", "detection of aligned columns", func() string {
			return "name      n    \n" + each(200_000, func(i int) string { return fmt.Sprintf("%-*d%*d x\n", 5+i%9, i, 4+i%7, i) })
		}),
		text("comments.csv", "comments", func() string { return repeat("# a, b\n", 30*mib) + "name,n\n1,2\n" }),
		text("titles.csv", "titles above the table", func() string {
			return each(299, format("Report number %d,,,\n")) + "name,b,c,d\n" + repeat("1,2,3,4\n", 4*mib)
		}),
		text("many-tables.csv", "tables below each other", func() string { return strings.Repeat("name,n\na,1\nb,2\n\n\n", 400_000) }),
		text("totals.csv", "remarks below the table", func() string { return "name,n\na,1\n" + repeat("Total,1\n", 16*mib) }),
		text("remarks.csv", "remarks below the table", func() string { return "name,n\n" + strings.Repeat("a,1\n", 100) + repeat("\n,\nNote\n", 16*mib) }),
		text("separator-line.csv", "sep= lines", func() string { return repeat("sep=,\nsep=;\n", 16*mib) }),
		text("short-rows.csv", "rows", func() string { return "name\n" + repeat("1\n", 40*mib) }),
		text("empty-lines.csv", "rows", func() string { return "name\n" + repeat("\n", 40*mib) }),
		text("carriage-returns.csv", "rows", func() string { return "name\r" + repeat("\r", 40*mib) }),
		text("mixed-line-breaks.csv", "rows", func() string { return "name\n" + repeat("a\rb\r\nc\n\n\r", 40*mib) }),
		text("problems.csv", "problems", func() string { return "name,n\n" + repeat("a,1,2,3\nb\n", 30*mib) }),
	)
}

// textAttacks returns attacks on the detection and conversion of text encodings.
func textAttacks() []attack {
	table := func(size int) string { return "name,n\n" + repeat("Müller,1\n", size) }
	return []attack{
		{name: "utf-16-commas.csv", target: "growth by conversion", file: func(testing.TB) []byte {
			return append([]byte{0xFF, 0xFE}, sourcetest.UTF16LE("name,n\n"+repeat(",", 15*mib))...)
		}},
		{name: "utf-16-cjk.csv", target: "growth by conversion", file: func(testing.TB) []byte {
			return append([]byte{0xFF, 0xFE}, sourcetest.UTF16LE("name,n\n"+repeat("漢字,語\n", 40*mib))...)
		}},
		{name: "utf-16-without-mark.csv", target: "detection of the encoding", file: func(testing.TB) []byte { return sourcetest.UTF16LE(table(20 * mib)) }},
		{name: "utf-16-surrogates.csv", target: "invalid characters", file: func(testing.TB) []byte {
			return append([]byte{0xFE, 0xFF, 0, 'n', 0, '\n'}, repeat("\xD8\x00", 30*mib)...)
		}},
		{name: "utf-32.csv", target: "growth by conversion", file: func(testing.TB) []byte {
			return append([]byte{0xFF, 0xFE, 0, 0}, repeat("n\x00\x00\x00,\x00\x00\x00\n\x00\x00\x00", 40*mib)...)
		}},
		text("utf-8-emoji.csv", "display width", func() string { return "name,n\n" + repeat("😀😀😀,1\n", 30*mib) }),
		text("utf-8-invalid-tail.csv", "detection of the encoding", func() string { return table(30*mib) + "\xFF\xFE\xFF,1\n" }),
		text("utf-8-cut-sequences.csv", "invalid characters", func() string { return "name,n\n" + repeat("\xE2\x82,1\n", 30*mib) }),
		text("combining-marks.csv", "normalization", func() string {
			return "name,n" + repeat("\u0301\u0323", 3_000) + "\n" + repeat("a"+repeat("\u0323\u0301", 20_000)+",1\n", 20*mib)
		}),
		text("expanding-letters.csv", "normalization", func() string {
			return "name," + repeat("ﷺ", 4_000) + "\n" + repeat(repeat("ﷺ", 10_000)+",1\n", 20*mib)
		}),
		text("nul-bytes.csv", "detection of the format", func() string { return repeat("\x00", 20*mib) }),
		text("ff-bytes.csv", "detection of the encoding", func() string { return "name,n\n" + repeat("\xFF\xFF,\xFE\n", 20*mib) }),
		text("random.csv", "detection of the format", func() string { return string(random(30 * mib)) }),
		text("all-code-pages.csv", "detection of the encoding", func() string {
			return "name,n\n" + each(300_000, func(i int) string {
				return string([]byte{'a', byte(128 + i%128), byte(160 + i*7%96), ',', byte(192 + i%64), '\n'})
			})
		}),
		text("shift-jis.csv", "detection of the encoding", func() string { return "name,n\n" + repeat("\x83\x65\x83\x58\x83\x67,\x93\xFA\x96\x7B\n", 30*mib) }),
		text("iso-2022.csv", "escape sequences", func() string { return "name,n\n" + repeat("\x1B$B\x1B(B\x1B$B\x1B(J,1\n", 30*mib) }),
		text("ebcdic.txt", "detection of the encoding", func() string { return repeat("\x95\x81\x94\x85\x6B\xF1\x15", 20*mib) }),
		text("byte-order-marks.csv", "byte order marks", func() string { return repeat("\uFEFF", 20*mib) + "name\n1\n" }),
		text("controls.csv", "control characters", func() string { return "name,n\n" + repeat("\x01\x02\x03\x1F,\x7F\n", 20*mib) }),
		text("directions.csv", "invisible characters", func() string { return "name,n\n" + repeat("\u202E\u200B\u2066a,\u200F\n", 20*mib) }),
		text("formulas.csv", "formula escapes", func() string { return "name,n\n" + repeat("=1+1,@SUM(A1:A9)\n", 20*mib) }),
		text("dates.csv", "detection of date orders", func() string { return "name,n\n" + repeat("01/02/03,1.234\n13/12/2020,\"1,234\"\n", 20*mib) }),
		text("long-digits.csv", "numbers", func() string { return "name,n\n" + repeat(repeat("9", 100_000)+",1\n", 20*mib) }),
	}
}
