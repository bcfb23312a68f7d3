package date_test

import (
	"fmt"

	"github.com/intraydata/intray/celltype/date"
)

// The cells of a column decide the style.
func ExampleSniffer() {
	cells := []string{"03/04/2021", "25/12/2021", "26/12/2021", "27/12/2021", "28/12/2021", "12/31/2021"}
	column := date.NewSniffer(date.WantDate)
	for _, cell := range cells {
		column.Observe([]byte(cell))
	}
	decision := column.Decide(date.Hints{Autofix: true})
	for _, e := range decision.Evidence {
		fmt.Println(e)
	}
	for _, cell := range []string{"03/04/2021", "12/31/2021", "30/02/2021"} {
		r := decision.Style.Read([]byte(cell), date.WantDate)
		fmt.Printf("%s: %s %s fixed=%v\n", cell, r.Reason.Code(), r.Date.Append(nil), r.Autofixed)
	}
	// Output:
	// in 4 of 6 cells, for example 25/12/2021, the first number can't be a month (cells where the second can't: 1), so the day comes before the month
	// cells that fit only a different order, such as 12/31/2021, are read in that order and flagged (cells: 1)
	// 03/04/2021: read 2021-04-03 fixed=false
	// 12/31/2021: read 2021-12-31 fixed=true
	// 30/02/2021: no_such_day 0000-00-00 fixed=false
}

// Each choice answers a question. A style can be stored as text.
func ExampleAmbiguity() {
	column := date.NewSniffer(date.WantDate)
	column.Observe([]byte("03/04/2021"))
	decision := column.Decide(date.Hints{})
	for _, choice := range decision.Ambiguities[0].Choices {
		stored, err := choice.Apply(decision.Style).MarshalText()
		fmt.Printf("%s: %s (%s) %v\n", choice.Label, choice.Readings[0].Value, stored, err)
	}
	var style date.Style
	if err := style.UnmarshalText([]byte("slash=MDY")); err != nil {
		fmt.Println(err)
	}
	r := style.Read([]byte("03/04/2021"), date.WantDate)
	fmt.Println(string(r.Date.Append(nil)))
	// Output:
	// Day, month, year: 2021-04-03 (slash=DMY) <nil>
	// Month, day, year: 2021-03-04 (slash=MDY) <nil>
	// 2021-03-04
}

// A layout formats a timestamp in the language of a locale and parses the
// result.
func ExampleLayout() {
	layout, err := date.CompileLayout("EEEE, d. MMMM yyyy 'um' HH:mm", "de", date.WantDateTime, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := layout.Read([]byte("DO, 4. März 2021 um 15:20"), date.WantDateTime)
	fmt.Println(string(layout.Append(nil, r.Timestamp)))
	// Output:
	// Donnerstag, 4. März 2021 um 15:20
}
