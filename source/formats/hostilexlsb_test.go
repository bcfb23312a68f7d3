package formats

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

// These are the identifiers of records of binary workbooks.
const (
	binaryRow       = 0
	binaryRK        = 2
	binaryText      = 6
	binaryString    = 7
	binaryFormula   = 9
	binaryItem      = 19
	binaryFormat    = 44
	binaryStyle     = 47
	binaryColumns   = 60
	binarySheet     = 156
	binaryMerged    = 176
	binaryUnknown   = 3000
	maxRecordBytes  = 1<<28 - 1
	binarySheetPart = "xl/sheet.bin"
)

var biff12 = workbooktest.Record

func binaryRowHeader(number int) string {
	return biff12(binaryRow, number-1, 0, uint16(0), uint16(0), byte(0), 0)
}

func binaryTextCell(column int, text string) string { return biff12(binaryText, column, 0, text) }

// bigRecord returns a function that writes a record with a short beginning, and then the given
// number of bytes.
func bigRecord(id int, begin string, size int, fill string) content {
	return func(t *testing.T, w io.Writer) {
		write(t, w, workbooktest.RecordHeader(id, len(begin)+size)+begin)
		for ; size > 0; size -= min(size, mib) {
			write(t, w, times(fill, min(size, mib)))
		}
	}
}

// joined returns a function that writes one content after the other.
func joined(contents ...content) content {
	return func(t *testing.T, w io.Writer) {
		for _, one := range contents {
			one(t, w)
		}
	}
}

// binaryWorkbook returns an .xlsb file. Parts replace the usual parts of the same name.
func binaryWorkbook(replacements ...part) content {
	relation := func(id, kind, target string) string {
		return `<Relationship Id="` + id + `" Type="` + relationships + "/" + kind + `" Target="` + target + `"/>`
	}
	const listOpen, listShut = `<Relationships xmlns="` + openXML + `package/2006/relationships">`, `</Relationships>`
	parts := []part{
		{"_rels/.rels", text(listOpen + relation("r1", "officeDocument", "xl/workbook.bin") + listShut)},
		{"xl/workbook.bin", binaryBook(text(biff12(binarySheet, 0, 1, "r1", "S")))},
		{"xl/_rels/workbook.bin.rels", text(listOpen + relation("r1", "worksheet", "sheet.bin") + relation("r2", "sharedStrings", "strings.bin") + relation("r3", "styles", "styles.bin") + listShut)},
		{binarySheetPart, binaryRows(text(binaryRowHeader(1) + binaryTextCell(0, "a") + binaryRowHeader(2) + biff12(binaryRK, 0, 0, 6)))},
		{"xl/strings.bin", binaryStrings(text())},
		{"xl/styles.bin", binaryStyles(text(), text())},
	}
	for _, r := range replacements {
		found := false
		for i := range parts {
			if parts[i].name == r.name {
				parts[i], found = r, true
			}
		}
		if !found {
			parts = append(parts, r)
		}
	}
	return archiveOf(parts...)
}

func binaryBook(sheets content) content { return wrapped(biff12(131), sheets, biff12(132)) }

func binaryStrings(items content) content { return wrapped(biff12(159, 0, 0), items, biff12(160)) }

func binaryStyles(formats, cells content) content {
	return wrapped(biff12(278), joined(wrapped(biff12(615, 0), formats, biff12(616)), wrapped(biff12(617, 0), cells, biff12(618))), biff12(279))
}

// binaryRows returns the part of a sheet with the given rows.
func binaryRows(rows content) content {
	return wrapped(biff12(129)+biff12(145), rows, biff12(146)+biff12(130))
}

func binarySheetOf(rows content) content {
	return binaryWorkbook(part{binarySheetPart, binaryRows(rows)})
}

func binarySheetAndMore(before, after content) content {
	rows := wrapped(biff12(145), text(binaryRowHeader(1)+biff12(binaryRK, 0, 0, 6)), biff12(146))
	return binaryWorkbook(part{binarySheetPart, wrapped(biff12(129), joined(before, rows, after), biff12(130))})
}

// useBinaryStrings returns a sheet with n rows, each with a shared string.
func useBinaryStrings(n int) content {
	return binaryRows(sequence("", n, func(i int) string { return binaryRowHeader(i+1) + biff12(binaryString, 0, 0, i*7919%n) }, ""))
}

func binaryStringsWith(items, sheet content) content {
	return binaryWorkbook(part{"xl/strings.bin", binaryStrings(items)}, part{binarySheetPart, sheet})
}

func binaryStylesWith(formats, cells, rows content) content {
	return binaryWorkbook(part{"xl/styles.bin", binaryStyles(formats, cells)}, part{binarySheetPart, binaryRows(rows)})
}

func hostileXLSB() []hostileFile {
	none := text()
	long := func(i int) string { return times(string(rune('x'+i)), 15*mib) }
	item := func(text string) string { return biff12(binaryItem, byte(0), text) }
	styled := func(n int) content {
		return sequence("", n, func(i int) string { return binaryRowHeader(i+1) + biff12(binaryFormula, 0, i, 1.5, 0) }, "")
	}
	formats := func(n int, code func(i int) string) content {
		return sequence("", n, func(i int) string { return biff12(binaryFormat, uint16(i+200), code(i)) }, "")
	}
	styles := func(n int) content {
		return sequence("", n, func(i int) string { return biff12(binaryStyle, uint16(0), uint16(i+200)) }, "")
	}
	return append(hostileBinaryRecords(), []hostileFile{
		{"strings.xlsb", func() content {
			return binaryStringsWith(sequence("", 1_000_000, func(i int) string { return item(fmt.Sprintf("string %d of this workbook", i)) }, ""), useBinaryStrings(1_000_000))
		}, false},
		{"strings_many.xlsb", func() content { return binaryStringsWith(text(times(item(""), 200*mib)), useBinaryStrings(1000)) }, false},
		{"strings_huge.xlsb", func() content {
			return binaryStringsWith(text(item("a"), times(item(long(0)), 200*mib)), useBinaryStrings(7))
		}, false},
		{"strings_huge_twice.xlsb", func() content {
			rows := sequence(binaryRowHeader(1)+binaryTextCell(0, "a")+binaryTextCell(1, "b"), 6000, func(i int) string {
				return binaryRowHeader(i+2) + biff12(binaryString, 0, 0, 1) + biff12(binaryString, 1, 0, 2)
			}, "")
			return binaryStringsWith(text(item("a"), times(item(long(0)), 200*mib)), binaryRows(rows))
		}, true},
		{"strings_unused.xlsb", func() content {
			return binaryStringsWith(sequence("", 2_000_000, func(i int) string { return item(fmt.Sprintf("string %d of this workbook", i)) }, ""), binaryRows(text(binaryRowHeader(1)+biff12(binaryRK, 0, 0, 6))))
		}, false},
		{"string.xlsb", func() content { return binaryStringsWith(text(item(times("x", 50*mib))), useBinaryStrings(1)) }, true},
		{"string_of_runs.xlsb", func() content {
			return binaryStringsWith(bigRecord(binaryItem, "\x01\x01\x00\x00\x00a\x00\xFF\xFF\xFF\xFF", 200*mib, "\x01"), useBinaryStrings(1))
		}, false},
		{"styles.xlsb", func() content {
			return binaryStylesWith(none, text(times(biff12(binaryStyle, uint16(0), uint16(14)), 60*mib)), styled(1))
		}, true},
		{"formats.xlsb", func() content {
			return binaryStylesWith(formats(1_000_000, func(int) string { return "0.0" }), none, styled(1))
		}, true},
		{"formats_below.xlsb", func() content {
			return binaryStylesWith(formats(65_000, func(int) string { return strings.Repeat("0.0#;", 60) }), styles(65_000), styled(65_000))
		}, true},
		{"formats_long.xlsb", func() content {
			return binaryStylesWith(formats(10_000, func(int) string { return strings.Repeat("y\\x", 330) }), styles(10_000), styled(10_000))
		}, true},
		{"format.xlsb", func() content {
			return binaryStylesWith(formats(1, func(int) string { return times("0", 20*mib) }), styles(1), styled(1))
		}, true},
		{"style_records.xlsb", func() content {
			return binaryStylesWith(text(times(biff12(binaryUnknown), 60*mib)), none, styled(1))
		}, false},
		{"sheets.xlsb", func() content {
			return binaryWorkbook(part{"xl/workbook.bin", binaryBook(sequence("", 1_000_000, func(i int) string { return biff12(binarySheet, 0, 1, "r2", fmt.Sprint(i)) }, ""))})
		}, true},
		{"sheets_below.xlsb", func() content {
			return binaryWorkbook(part{"xl/workbook.bin", binaryBook(joined(text(biff12(binarySheet, 0, 1, "r1", "S")), sequence("", 4000, func(i int) string {
				return biff12(binarySheet, 0, 1, "r2", fmt.Sprint(i)+strings.Repeat("x", 7000))
			}, "")))})
		}, false},
		{"sheet_name.xlsb", func() content {
			return binaryWorkbook(part{"xl/workbook.bin", binaryBook(text(biff12(binarySheet, 0, 1, "r1", times("x", 25*mib))))})
		}, true},
		{"book_records.xlsb", func() content {
			return binaryWorkbook(part{"xl/workbook.bin", binaryBook(joined(text(biff12(binarySheet, 0, 1, "r1", "S")), text(times(biff12(binaryUnknown, 1), 60*mib))))})
		}, false},
		{"relations.xlsb", func() content {
			return binaryWorkbook(part{"xl/_rels/workbook.bin.rels", sequence(`<Relationships xmlns="`+openXML+`package/2006/relationships"><Relationship Id="r1" Type="`+relationships+`/worksheet" Target="sheet.bin"/>`, 500_000, func(i int) string {
				return fmt.Sprintf(`<Relationship Id="x%d" Type="`+relationships+`/worksheet" Target="sheet%[1]d.bin"/>`, i)
			}, `</Relationships>`)})
		}, true},
		{"entries_many.xlsb", func() content { return binaryWorkbook(emptyParts(60_000)...) }, true},
	}...)
}

// hostileBinaryRecords returns workbooks whose attack is in the records of a sheet.
func hostileBinaryRecords() []hostileFile {
	none := text()
	header := binaryRowHeader(1) + binaryTextCell(0, "a") + binaryTextCell(1, "b")
	return []hostileFile{
		{"cell.xlsb", func() content { return binarySheetOf(text(binaryRowHeader(1), binaryTextCell(0, times("x", 50*mib)))) }, true},
		{"cells_below.xlsb", func() content {
			return binarySheetOf(sequence(header, 5, func(i int) string {
				return binaryRowHeader(i+2) + binaryTextCell(0, times("x", 15*mib)) + binaryTextCell(1, times("y", 15*mib))
			}, ""))
		}, false},
		{"cells_wide.xlsb", func() content {
			return binarySheetOf(sequence(header, 5, func(i int) string {
				return binaryRowHeader(i+2) + binaryTextCell(0, times("東", 15*mib)) + binaryTextCell(1, times("京", 15*mib))
			}, ""))
		}, false},
		{"formula.xlsb", func() content {
			return binarySheetOf(joined(text(header+binaryRowHeader(2)), bigRecord(binaryFormula, strings.Repeat("\x00", 16), 200*mib, "\x1E")))
		}, false},
		{"record.xlsb", func() content {
			return binarySheetOf(joined(text(header), bigRecord(binaryUnknown, "", 250*mib, "x")))
		}, false},
		{"record_size.xlsb", func() content {
			return binarySheetOf(text(header, workbooktest.RecordHeader(binaryText, maxRecordBytes), strings.Repeat("\x00", 8), "\xFF\xFF\xFF\x00", times("x\x00", 20*mib)))
		}, true},
		{"records.xlsb", func() content { return binarySheetOf(text(header, times(biff12(binaryUnknown), 200*mib))) }, false},
		{"row_of_same_cells.xlsb", func() content {
			return binarySheetOf(text(binaryRowHeader(1), times(biff12(binaryRK, 0, 0, 6), 60*mib)))
		}, true},
		{"row_of_short_cells.xlsb", func() content {
			return binarySheetOf(text(binaryRowHeader(1), times(biff12(13, 0, 6), 60*mib)))
		}, true},
		{"row_of_blank_cells.xlsb", func() content {
			return binarySheetOf(text(header, binaryRowHeader(2), times(biff12(1, 0, 0), 60*mib)))
		}, false},
		{"rows.xlsb", func() content {
			return binarySheetOf(sequence("", 1_500_000, func(i int) string { return binaryRowHeader(i + 1) }, ""))
		}, true},
		{"rows_same.xlsb", func() content {
			return binarySheetOf(text(times(binaryRowHeader(1)+biff12(binaryRK, 0, 0, 6), 60*mib)))
		}, true},
		{"wide.xlsb", func() content {
			return binarySheetOf(sequence("", 300, func(i int) string {
				return binaryRowHeader(i+1) + strings.Repeat(biff12(17, 0, "abc"), 16384)
			}, ""))
		}, false},
		{"wide_last_cell.xlsb", func() content {
			return binarySheetOf(sequence("", 500_000, func(i int) string { return binaryRowHeader(i+1) + biff12(binaryRK, 16383, 0, 6) }, ""))
		}, true},
		{"merges.xlsb", func() content {
			return binarySheetAndMore(none, sequence("", 1_040_000, func(i int) string { return biff12(binaryMerged, i, i, 0, 1) }, ""))
		}, false},
		{"merges_many.xlsb", func() content {
			return binarySheetAndMore(none, sequence("", 3_000_000, func(i int) string { return biff12(binaryMerged, i/3, i/3, 0, 1) }, ""))
		}, false},
		{"merges_large.xlsb", func() content {
			return binarySheetAndMore(none, text(times(biff12(binaryMerged, 0, 1<<20-1, 0, 1<<14-1), 30*mib)))
		}, false},
		{"columns.xlsb", func() content {
			return binarySheetAndMore(text(times(biff12(binaryColumns, 0, 1<<14-1, 0, 0, uint16(1)), 60*mib)), none)
		}, false},
	}
}

// binaryBytes returns an .xlsb file with the given rows.
func binaryBytes(t *testing.T, rows string) []byte {
	t.Helper()
	return bytesOf(t, binarySheetOf(text(rows)))
}

// binaryRowsOfWords returns rows with a word in each cell.
func binaryRowsOfWords(rows, columns int) string {
	var out strings.Builder
	for i := range rows {
		out.WriteString(binaryRowHeader(i + 1))
		for c := range columns {
			out.WriteString(binaryTextCell(c, "abc"))
		}
	}
	return out.String()
}
