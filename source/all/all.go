// Package all lists the formats that come with Intray.
//
// It knows which formats there are; each format knows itself.
package all

import (
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
	"github.com/intraydata/intray/source/jsonrows"
	"github.com/intraydata/intray/source/xls"
	"github.com/intraydata/intray/source/xlsx"
)

// Formats lists every format, the one that wins among equals first.
func Formats() []source.Format {
	return []source.Format{xlsx.Format{}, xls.Format{}, jsonrows.Format{}, csv.Format{}}
}
