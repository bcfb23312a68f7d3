// Package distincttest stores columns with codes, for tests of packages that read them.
package distincttest

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/distinct"
)

// WithCodes returns a copy of a column in which each distinct text is stored once.
func WithCodes(c *intray.TextColumn) (coded intray.TextColumn) {
	var table distinct.Table
	table.Reset()
	for i := range c.Len() {
		coded.Codes = append(coded.Codes, table.Code(c.At(i), 0))
	}
	coded.Texts = table.Texts
	return coded
}
