// Package formats lists the file formats that Intray supports.
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
	"github.com/intraydata/intray/source/xlsb"
	"github.com/intraydata/intray/source/xlsx"
)

// Formats returns all supported formats. If several formats have the same score, the
// first one wins. Archives are inflated into a temporary file in the folder temp, or in
// os.TempDir() if temp is "".
func Formats(temp string) []source.Format {
	inner := []source.Format{xlsx.Format{}, xlsb.Format{}, xls.Format{}, ods.Format{}, parquet.Format{}, spreadsheetml.Format{}, htmltable.Format{}, jsonrows.Format{}, csv.Format{}}
	return append(inner, archive.Format{Inner: inner, Temp: temp})
}
