package numfmt_test

import (
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/numfmt"
)

func ExampleFormat_AppendFormatted() {
	f, _ := numfmt.Compile(`#,##0.00" kg";[Red]\(#,##0.00" kg"\)`)
	fmt.Println(string(f.AppendFormatted(nil, 1234.5, false)))
	fmt.Println(string(f.AppendFormatted(nil, -0.125, false)))
	// Output:
	// 1,234.50 kg
	// (0.13 kg)
}

func ExampleFormat_AppendValue() {
	f, _ := numfmt.Compile(numfmt.Builtin(22))
	value, kind := f.AppendValue(nil, 44196.75, false)
	fmt.Println(string(value), kind == intray.CellDateTime)
	// Output: 2020-12-31T18:00:00 true
}
