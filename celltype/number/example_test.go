package number_test

import (
	"fmt"

	"github.com/intraydata/intray/celltype/number"
)

func ExampleSniffer() {
	var s number.Sniffer
	for _, cell := range []string{"1.250,00 €", "12,5", "980", "1.234"} {
		s.Observe([]byte(cell))
	}
	d := s.Decide(number.Hints{})
	fmt.Println(d.Style)
	for _, e := range d.Evidence {
		fmt.Println(e)
	}
	value, _ := d.Style.Append(nil, []byte("1.234"))
	fmt.Printf("%s\n", value)
	// Output:
	// decimal=comma group=point
	// in 1 of 4 cells, for example 12,5, a comma is not followed by exactly 3 digits
	// in 1 of 4 cells, for example 1.250,00 €, a comma follows a period
	// the decimal separator is a comma; no period is used that way
	// in 2 cells, periods separate thousands
	// only the numbers are imported, without their currencies: € (1)
	// 1234
}

func ExampleSniffer_ambiguity() {
	var s number.Sniffer
	for _, cell := range []string{"1.234", "12.345"} {
		s.Observe([]byte(cell))
	}
	tie := s.Decide(number.Hints{}).Ambiguity
	fmt.Println(tie.Text)
	for _, choice := range tie.Choices {
		fmt.Println(choice.Label, choice.Readings)
	}
	// Output:
	// Numbers such as 1.234 and 12.345 can be read in two ways: in 2 cells, exactly 3 digits follow the separator, and nothing in the column shows which way is right.
	// Decimal point, commas between thousands [{1.234 1.234} {12.345 12.345}]
	// Decimal comma, periods between thousands [{1.234 1234} {12.345 12345}]
}

func ExampleStyle_Append() {
	for _, cell := range []string{"12%", "(1,234.50)", "US$ 5", "1,234", "12 kg"} {
		value, reading := number.Style{}.Append(nil, []byte(cell))
		fmt.Printf("%s: %s %s\n", cell, value, reading.Reason.Code())
	}
	// Output:
	// 12%: 0.12 read
	// (1,234.50): -1234.5 read
	// US$ 5: 5 read
	// 1,234:  two_ways
	// 12 kg:  not_a_number
}

func ExampleCompileOptions() {
	o, err := number.CompileOptions(map[string]any{"preset": "eur", "min": 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	value := o.Round(nil, []byte("1234.565"))
	fmt.Printf("%s %s %d\n", value, o.Display.Append(nil, value), o.CompareBounds(value))
	// Output: 1234.57 1,234.57 € 0
}
