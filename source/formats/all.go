// Package formats lists the formats that come with Intray.
package formats

import (
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/archive"
	"github.com/intraydata/intray/source/csv"
	"github.com/intraydata/intray/source/htmltable"
	"github.com/intraydata/intray/source/jsonrows"
	"github.com/intraydata/intray/source/ods"
	"github.com/intraydata/intray/source/parquet"
	"github.com/intraydata/intray/source/spreadsheetml"
	"github.com/intraydata/intray/source/xls"
	"github.com/intraydata/intray/source/xlsx"
)

// Formats returns all formats. Of formats with equal scores, the first one wins.
// Archives are inflated into a file in the folder temp, by default os.TempDir.
func Formats(temp string) []source.Format {
	inner := []source.Format{xlsx.Format{}, xls.Format{}, ods.Format{}, parquet.Format{}, spreadsheetml.Format{}, htmltable.Format{}, jsonrows.Format{}, csv.Format{}}
	return append(inner, archive.Format{Inner: inner, Temp: temp})
}
