package attacks

import (
	"strconv"
	"strings"
	"testing"

	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

// biff12 returns a record of an XLSB workbook.
var biff12 = workbooktest.Record

// scattered returns a number that looks random, so that an archive stays below the maximum
// compression ratio.
func scattered(i int) uint32 { return uint32(i) * 2654435761 }

// binaryRow returns the header of a row. Its style is scattered.
func binaryRow(number int) string {
	return biff12(0, number-1, scattered(number), uint16(0), uint16(0), byte(0), 0)
}

func binaryCell(column int, text string) string { return biff12(6, column, 0, text) }

// binaryParts returns the parts of a binary workbook with one sheet.
func binaryParts(rows, after string) parts {
	return parts{
		"_rels/.rels", relations([2]string{"officeDocument", "xl/workbook.bin"}),
		"xl/workbook.bin", binaryBook(biff12(156, 0, 1, "rId1", "S")),
		"xl/_rels/workbook.bin.rels", relations([2]string{"worksheet", "worksheets/sheet1.bin"}, [2]string{"sharedStrings", "sharedStrings.bin"}, [2]string{"styles", "styles.bin"}),
		"xl/worksheets/sheet1.bin", biff12(129) + biff12(145) + rows + biff12(146) + after + biff12(130),
	}
}

func binaryBook(sheets string) string { return biff12(131) + sheets + biff12(132) }

func binaryStrings(items string) string { return biff12(159, 0, 0) + items + biff12(160) }

// binaryRecords joins what write returns for the numbers from 0 to n-1.
func binaryRecords(n int, write func(i int) string) string {
	return string(manyRecords(n, func(i int) []byte { return []byte(write(i)) }))
}

// randomText returns text of the given length that hardly compresses.
func randomText(length int) string {
	text := random(length)
	for i := range text {
		text[i] = 'a' + text[i]%26
	}
	return string(text)
}

// xlsbAttacks returns attacks with XLSB workbooks.
func xlsbAttacks() []attack {
	header := binaryRow(1) + binaryCell(0, "name")
	one := header + binaryRow(2) + binaryCell(0, "x")
	book := func(name, target string, write func() parts) attack {
		return attack{name: name, target: target, file: func(t testing.TB) []byte { return write().zip(t) }}
	}
	rows := func(name, target string, write func() string) attack {
		return book(name, target, func() parts { return binaryParts(header+write(), "") })
	}
	return []attack{
		rows("row-of-cells.xlsb", "cells of a row", func() string {
			return binaryRow(2) + binaryRecords(2_500_000, func(i int) string { return biff12(13, 0, scattered(i)) })
		}),
		rows("blank-cells.xlsb", "cells of a row", func() string {
			return binaryRow(2) + binaryRecords(2_500_000, func(i int) string { return biff12(1, 0, scattered(i)) })
		}),
		rows("last-column.xlsb", "empty columns", func() string {
			return binaryRecords(500_000, func(i int) string { return binaryRow(i+2) + biff12(2, 16_383, 0, scattered(i)) })
		}),
		rows("empty-rows.xlsb", "rows", func() string { return binaryRecords(1_048_575, func(i int) string { return binaryRow(i + 2) }) }),
		rows("descending-rows.xlsb", "order of rows", func() string {
			return binaryRecords(500_000, func(i int) string { return binaryRow(600_000-i) + binaryCell(0, "x") })
		}),
		rows("wide-rows.xlsb", "cells of a sheet", func() string {
			return binaryRecords(100, func(i int) string {
				return binaryRow(i+2) + binaryRecords(16_384, func(i int) string { return biff12(13, 0, scattered(i)) })
			})
		}),
		rows("long-text.xlsb", "text of a cell", func() string { return binaryRow(2) + binaryCell(0, randomText(30*mib)) }),
		rows("long-texts.xlsb", "text of a row", func() string {
			return binaryRecords(4, func(i int) string { return binaryRow(i+2) + binaryCell(0, randomText(15*mib)) })
		}),
		rows("declared-record.xlsb", "declared sizes", func() string {
			return binaryRow(2) + workbooktest.RecordHeader(6, 1<<28-1) + strings.Repeat("\x00", 8) + "\xFF\xFF\xFF\x00" + randomText(20*mib)
		}),
		rows("unknown-records.xlsb", "records", func() string {
			return binaryRecords(4_000_000, func(i int) string { return biff12(3000, scattered(i)) })
		}),
		rows("long-formula.xlsb", "formulas", func() string {
			return binaryRow(2) + biff12(9, 0, 0, 1.5, []byte(randomText(40*mib)))
		}),
		book("small-shared-strings.xlsb", "shared strings", func() parts {
			items := binaryRecords(2_500_000, func(i int) string { return biff12(19, byte(0), strconv.Itoa(i)) })
			uses := binaryRecords(100_000, func(i int) string { return binaryRow(i+2) + biff12(7, 0, 0, i*7919%2_500_000) })
			return append(binaryParts(header+uses, ""), "xl/sharedStrings.bin", binaryStrings(items))
		}),
		book("missing-shared-strings.xlsb", "shared strings", func() parts {
			return binaryParts(header+binaryRecords(100_000, func(i int) string { return binaryRow(i+2) + biff12(7, 0, 0, -1) }), "")
		}),
		book("hidden-columns.xlsb", "columns", func() parts {
			hidden := binaryRecords(2_000_000, func(i int) string { return biff12(60, 0, 16_383, scattered(i), 0, uint16(1)) })
			return append(binaryParts(one, ""), "xl/worksheets/sheet1.bin", biff12(129)+hidden+biff12(145)+one+biff12(146)+biff12(130))
		}),
		book("merged-ranges.xlsb", "merged ranges", func() parts {
			return binaryParts(one, binaryRecords(1_048_576, func(i int) string { return biff12(176, i, 1<<20-1, 0, 16_383) }))
		}),
		book("many-styles.xlsb", "styles", func() parts {
			styles := binaryRecords(2_000_000, func(i int) string { return biff12(47, uint16(0), uint16(14), scattered(i), scattered(i)) })
			return append(binaryParts(one, ""), "xl/styles.bin", biff12(278)+biff12(617, 0)+styles+biff12(618)+biff12(279))
		}),
		book("same-sheet.xlsb", "sheets", func() parts {
			return append(binaryParts(one, ""), "xl/workbook.bin", binaryBook(binaryRecords(4_000, func(i int) string { return biff12(156, 0, 1, "rId1", strconv.Itoa(i)) })))
		}),
		book("long-sheet-name.xlsb", "names of sheets", func() parts {
			return append(binaryParts(one, ""), "xl/workbook.bin", binaryBook(biff12(156, 0, 1, "rId1", randomText(20*mib))))
		}),
		{name: "encrypted.xlsb", target: "encryption", file: func(t testing.TB) []byte {
			large := binaryParts(header+binaryRecords(300_000, func(i int) string { return binaryRow(i+2) + biff12(2, 0, 0, scattered(i)) }), "").zip(t)
			return workbooktest.EncryptAgile(large, workbooktest.DefaultPassword, 1000)
		}},
	}
}
