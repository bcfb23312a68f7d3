package examples_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

// town is the location of a store, with its state, ZIP code and telephone area code.
type town struct {
	city, state, zip, area string
}

func towns() []town {
	return []town{
		{"Holyoke", "MA", "1040", "413"}, {"Bangor", "ME", "4401", "207"}, {"Nashua", "NH", "3060", "603"}, {"Camden", "NJ", "8102", "856"},
		{"New Haven", "CT", "6510", "203"}, {"Burlington", "VT", "5401", "802"}, {"Dayton", "OH", "45402", "937"}, {"Fresno", "CA", "93721", "559"},
		{"Ponce", "PR", "716", "787"}, {"Provo", "UT", "84601", "801"},
	}
}

// stores returns a manually maintained workbook. It has a title that is merged across all
// columns, numbers that only their format identifies as codes or dates, a hidden sheet and
// a row of totals.
func stores(t *testing.T) []byte {
	d := newDraw(3)
	rows := kept(d, 120)
	text := func(s string) xcell { return xcell{kind: "s", value: s} }
	rows[7][9] = text("Feb 30, 2019")
	rows[22][0] = rows[12][0]
	rows[31][8] = text("store.0031@@pineanchor.example")
	rows[48][12] = text("Renovating")
	rows[59][5] = text("K1A 0B1")
	rows[66][11] = xcell{kind: "e", value: "#DIV/0!", formula: "0/0", style: percent}
	rows[83][4] = text("ZZ")
	rows[101][10] = text("tbd")
	title := [][]xcell{
		{{kind: "s", value: "Pine & Anchor Hardware: Store Directory", style: bold}}, {text("All regions, as of March 31, 2026. Internal use only.")}, {},
	}
	var header []xcell
	for _, name := range []string{"Store No.", "Store Name", "Address", "City", "State", "ZIP", "Phone", "Manager", "Manager E-mail", "Opened", "Revenue (USD)", "Gross Margin", "Status"} {
		header = append(header, xcell{kind: "s", value: name, style: bold})
	}
	all := append(append(title, header), rows...)
	sums := make([]xcell, len(header))
	sums[0] = xcell{kind: "s", value: "Total", style: bold}
	sums[10] = xcell{kind: "n", value: summed(rows, 10), formula: fmt.Sprintf("SUM(K5:K%d)", len(all)), style: dollars}
	end := strconv.Itoa(len(all))
	return book(t, []sheetPart{
		{name: "Directory", rows: append(all, sums), merged: []string{"A1:M1", "A2:M2"}, lists: [][2]string{{"M5:M" + end, `"Open,Closed,Seasonal"`}}},
		{name: "Lists", hidden: true},
	})
}

// summed returns the sum of the numbers in a column.
func summed(rows [][]xcell, column int) string {
	sum := 0.0
	for _, row := range rows {
		if n, err := strconv.ParseFloat(row[column].value, 64); err == nil && row[column].kind == "n" {
			sum += n
		}
	}
	return strconv.FormatFloat(sum, 'f', 2, 64)
}

func kept(d draw, n int) (rows [][]xcell) {
	text := func(s string) xcell { return xcell{kind: "s", value: s} }
	count := func(style int, format string, v any) xcell {
		return xcell{kind: "n", value: fmt.Sprintf(format, v), style: style}
	}
	list := towns()
	number := 1000
	for range n {
		at := list[d.IntN(len(list))]
		number += d.between(1, 9)
		manager := d.of("Wendell", "Marisol", "Agnes", "Thaddeus", "Bridget") + " " + d.of("Kowalczyk", "Abernathy", "St. Clair", "Delacroix", "O'Shea")
		zip := count(zipCode, "%s", at.zip)
		if d.one(6) {
			zip = count(zipPlus4, "%s", at.zip+fmt.Sprintf("%04d", d.between(1, 9899)))
		}
		opened := day(2024, time.June, 30).AddDate(0, 0, -d.IntN(9000))
		rows = append(rows, []xcell{
			text(fmt.Sprintf("S-%04d", number)), text(at.city + " " + d.of("Main Street", "Riverside", "Depot", "Commons")),
			text(d.digits(3) + " " + d.of("Elm St", "Harbor Rd, Unit 4", "Mill Ave", "State Route 9")), text(at.city), text(at.state), zip,
			count(phoneNumber, "%s", at.area+d.number("55501##")), text(manager), text(fmt.Sprintf("store.%04d@pineanchor.example", number)),
			count(calendarDay, "%d", serial(opened)), count(dollars, "%.2f", float64(d.between(9000000, 420000000))/100),
			count(percent, "%.4f", float64(d.between(1800, 4400))/10000), text(d.of("Open", "Open", "Open", "Seasonal", "Closed")),
		})
	}
	return rows
}

// serial returns the serial number of a date in a workbook: the number of days since
// 1899-12-30. Workbooks treat 1900 as a leap year.
func serial(t time.Time) int { return int(t.Sub(day(1899, time.December, 30)).Hours() / 24) }
