package xlsx

// parseRef reads a reference such as B7 into a column, from 0, and a row, from
// 1. It refuses what lies outside of a worksheet.
func parseRef(ref []byte) (column int, row int64, ok bool) {
	const letters, digits = 3, 7
	i := 0
	for i < len(ref) && i < letters && ref[i] >= 'A' && ref[i] <= 'Z' {
		column = column*26 + int(ref[i]-'A') + 1
		i++
	}
	if i == 0 || len(ref)-i > digits {
		return 0, 0, false
	}
	row, ok = parseRow(ref[i:])
	return column - 1, row, ok && column <= maxColumns
}

// parseRow reads the number of a row.
func parseRow(text []byte) (row int64, ok bool) {
	if len(text) == 0 || len(text) > 7 {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		row = row*10 + int64(c-'0')
	}
	return row, row >= 1 && row <= maxRows && text[0] != '0'
}

// appendColumn appends a column's letters.
func appendColumn(dst []byte, column int) []byte {
	if column >= 26 {
		dst = appendColumn(dst, column/26-1)
	}
	return append(dst, 'A'+byte(column%26))
}
