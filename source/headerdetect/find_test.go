package headerdetect

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rowsOf parses rows from text with one row per line and vertical bars between cells.
func rowsOf(text string) (rows [][]string) {
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		if line == "" {
			rows = append(rows, nil)
			continue
		}
		rows = append(rows, strings.Split(line, "|"))
	}
	return rows
}

// numberedRows returns n rows. Each column holds the numbers from 1 to n.
func numberedRows(n, columns int) string {
	var text strings.Builder
	for i := range n {
		text.WriteString(strings.TrimSuffix(strings.Repeat(strconv.Itoa(i+1)+"|", columns), "|") + "\n")
	}
	return text.String()
}

// find returns the result of FindLayout and fails the test on an error.
func find(t testing.TB, rows [][]string, width int) Layout {
	t.Helper()
	l, err := FindLayout(t.Context(), rows, width)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, text            string
		width, first, headers int
		names                 string
		unsure                bool
	}{
		{"plain", "id|name|price\n1|Ada|2.50\n2|Bob|3.10\n3|Cy|4", 3, 0, 1, "id|name|price", false},
		{"a title and a blank row", "Sales of the year\n\nRegion|Amount|Share\nNorth|12|10 %\nSouth|90|80 %\nEast|3|10 %", 3, 2, 1, "Region|Amount|Share", false},
		{"titles next to the logo", "|||ACME Ltd\n|||Price list\nItem|Unit|Price|Note\nBolt|piece|0.10|\nNut|piece|0.05|\nRope|metre|2.00|red", 4, 2, 1, "Item|Unit|Price|Note", false},
		{"labels and values above", "Customer:|Smith\nDate:|2024-05-01\n\nPos|Article|Quantity|Price|Total\n1|A-100|5|2.00|10.00\n2|B-200|1|7.50|7.50", 5, 3, 1, "Pos|Article|Quantity|Price|Total", false},
		{"two rows of header", "Region|First half|First half|Year\n|spring|summer|total\nNorth|1|2|3\nSouth|4|5|9\nEast|7|8|15", 4, 0, 2, "Region|First half spring|First half summer|Year total", false},
		{"three rows of header", "Plant|Output|Output|Scrap\nname|gross|net|share\ntext|tons|tons|percent\nA|12.5|11.0|3%\nB|13.5|12.0|4%\nC|1.5|1.0|5%\nD|1.5|1.0|5%\nE|2.5|1.0|5%", 4, 0, 3, "Plant name text|Output gross tons|Output net tons|Scrap share percent", false},
		{"a title in several cells", "Report|North|Spring|Final\nOrder|Customer|City|Day|Pieces|Price\n17|Ada|Bern|2026-01-02|3|2.50\n18|Bob|Ulm|2026-01-03|1|7.10\n19|Cy|Bonn|2026-01-04|2|4.20",
			6, 1, 1, "Order|Customer|City|Day|Pieces|Price", false},
		{"a title in several cells above words", "Report|North|Spring\nfirst name|last name|city|country\nAda|King|London|UK\nGrace|Hopper|Arlington|USA\nBob|Ross|Orlando|USA",
			4, 1, 1, "first name|last name|city|country", false},
		{"last columns without a name", "Name|City|Team\nAda|Bern|red|12|x1\nBob|Ulm|blue|14|x2\nCy|Bonn|red|16|x3", 5, 0, 1, "Name|City|Team||", true},
		{"words whose last columns have no name", "Name|City|Team\nAda|Bern|red|left|big\nBob|Ulm|blue|left|small\nCy|Bonn|red|right|big", 5, 0, 1, "Name|City|Team||", true},
		{"a record above the header", "Ann|ann@birch.example|2026-01-02|12\nFirst name|E-mail|Joined on|Age\nBen|ben@oak.example|2026-02-02|13\nCy|cy@oak.example|2026-02-03|14",
			4, 1, 1, "First name|E-mail|Joined on|Age", true},
		{"no header, numbers", numberedRows(5, 3), 3, 0, 0, "||", false},
		{"no header, people", "Ada|ada@example.org|1980-01-02\nBob|bob@example.org|1981-02-03\nCy|cy@example.org|1982-03-04", 3, 0, 0, "||", false},
		{"years as headers", "Country|2019|2020|2021\nFrance|12|14|15\nSpain|9|8|7\nItaly|5|6|6", 4, 0, 1, "Country|2019|2020|2021", false},
		{"sparse", "name|phone|fax|note\nAda|1||\n||2|\nBob|||x\n|3||", 4, 0, 1, "name|phone|fax|note", false},
		{"a column without a name", "name||amount\nAda|x|1\nBob|y|2", 3, 0, 1, "name||amount", false},
		{"one column", "e-mail\na@example.org\nb@example.org", 1, 0, 1, "e-mail", false},
		{"one column of numbers", "12\n13\n14", 1, 0, 0, "", false},
		{"one column of words", "Paris\nRome\nBern", 1, 0, 1, "Paris", true},
		{"words above words", "alpha|beta\ngamma|delta\nepsilon|zeta", 2, 0, 1, "alpha|beta", true},
		{"names of columns above words", "first name|last name\nAda|King\nGrace|Hopper", 2, 0, 1, "first name|last name", false},
		{"wide", strings.Join(wideNames(200), "|") + "\n" + numberedRows(20, 200), 200, 0, 1, strings.Join(wideNames(200), "|"), false},
		{"the header printed twice", "id|name\nid|name\n1|Ada\n2|Bob\n3|Cy", 2, 0, 2, "id id|name name", false},
		{"only a header", "id|name|price", 3, 0, 1, "id|name|price", false},
		{"one row of values", "1|2.50|2020-01-01", 3, 0, 0, "||", false},
		{"one row of years", "Name|2019|2020", 3, 0, 1, "Name|2019|2020", false},
		{"one row that may be names", "Ada|12", 2, 0, 1, "Ada|12", true},
		{"years above a column of words", "Measure|2018|2019\nIncome|5|6\nCost|7.5|8\nShare|3|4", 3, 0, 1, "Measure|2018|2019", false},
		{"groups above two rows of header", "|Men|Men|Women|Women\nAge|Employed|Unemployed|Employed|Unemployed\n|(000s)|(000s)|(000s)|(000s)\n16|1|2|3|4\n17|5|6|7|8\n18|5|6|7|8",
			5, 0, 3, "Age|Men Employed (000s)|Men Unemployed (000s)|Women Employed (000s)|Women Unemployed (000s)", false},
		{"notes above make a header sure", "Data Source|World Development Indicators|\n\nLast Updated Date|2020-07-01|\n\nCountry Name|Country Code|1960|1961|1962|\nAruba|ABW|||1.5|\nAngola|AGO|||2.5|", 5, 4, 1, "Country Name|Country Code|1960|1961|1962", false},
		{"a column that repeats other words", "who|side\nAda|left\nBob|right\nCy|left\nDon|left\nEd|right", 2, 0, 1, "who|side", false},
		{"placeholders below the header", "Region|Births|Deaths|Rate\nAargau|**|**|**\nBasel|(D)|(D)|(D)\nBern|3|4|0.5\nChur|6|7|0.25\nUlm|1|2|0.5", 4, 0, 1, "Region|Births|Deaths|Rate", false},
		{"a word for missing values", "Region|Births|Deaths|Rate\nAargau|suppressed|suppressed|suppressed\nBern|3|4|0.5\nChur|6|7|0.25\nUlm|1|2|0.5", 4, 0, 1, "Region|Births|Deaths|Rate", false},
		{"a word that also replaces values below", "Region|Births|Deaths\nAargau|embargoed|embargoed\nBern|3|4\nChur|6|7\nUlm|1|embargoed\nBonn|1|2\nKiel|3|4\nJena|5|6", 3, 0, 1, "Region|Births|Deaths", false},
		{"an unknown word instead of values", "Region|Births|Deaths|Rate\nAargau|embargoed|embargoed|embargoed\nBern|3|4|0.5\nChur|6|7|0.25\nUlm|1|2|0.5", 4, 0, 1, "Region|Births|Deaths|Rate", true},
		{"groups above names", "||Travel|||Hotel|\nName|Date|Air|Rail|Taxi|Night|Food\nAda|2020-01-01|1|2|3|4|5\nBob|2020-01-02|1|2|3|4|5\nCy|2020-01-03|1|2|3|4|5", 7, 0, 2, "Name|Date|Travel Air|Rail|Taxi|Hotel Night|Food", false},
		{"groups of equal names", "|2019||2020|\nTown|Men|Women|Men|Women\nBonn|1|2|3|4\nUlm|5|6|7|8\nKiel|9|1|2|3", 5, 0, 2, "Town|2019 Men|2019 Women|2020 Men|2020 Women", false},
		{"a blank row between groups and names", "||Travel|||Hotel|\n\nName|Date|Air|Rail|Taxi|Night|Food\nAda|2020-01-01|1|2|3|4|5\nBob|2020-01-02|1|2|3|4|5\nCy|2020-01-03|1|2|3|4|5", 7, 0, 3, "Name|Date|Travel Air|Rail|Taxi|Hotel Night|Food", false},
		{"one group in the middle", "||Travel||\nName|Date|Air|Rail|Taxi\nAda|2020-01-01|1|2|3\nBob|2020-01-02|1|2|3\nCy|2020-01-03|1|2|3", 5, 1, 1, "Name|Date|Air|Rail|Taxi", true},
		{"questions and answers", "ID|Which colors?|||Comments\n|Red|Blue|Green|Free text\n1001|Red||Green|fine\n1002||Blue||bad\n1003|Red|Blue|Green|good", 5, 0, 2, "ID|Which colors? Red|Blue|Green|Comments Free text", false},
		{"a title above groups and names", "Report of the year\n\n||Travel|||Hotel|\nName|Date|Air|Rail|Taxi|Night|Food\nAda|2020-01-01|1|2|3|4|5\nBob|2020-01-02|1|2|3|4|5\nCy|2020-01-03|1|2|3|4|5", 7, 2, 2, "Name|Date|Travel Air|Rail|Taxi|Hotel Night|Food", false},
		{"units below names", "Town|Height|Weight\n|m|kg\nBonn|1.5|2.5\nUlm|1.25|6.5\nKiel|9.5|1.5", 3, 0, 2, "Town|Height m|Weight kg", false},
		{"a table above a larger one", "day|value||\n2019-01-01|1||\n2019-01-02|2||\n2019-01-03|3||\n2019-01-04|4||\n2019-01-05|5||\n\nname|city|amount|unit\nn1|c1|1|kg\nn2|c2|2|kg\nn3|c3|3|kg\nn4|c4|4|kg\nn5|c5|5|kg\nn6|c6|6|kg\nn7|c7|7|kg", 4, 7, 1, "name|city|amount|unit", true},
		{"an unnamed index above numbers", "|growth\n1961|4.5\n1962|3.25\n1963|6.125", 2, 0, 1, "|growth", false},
		{"an unnamed index below a title", "Dwellings in each quarter|\n|Total\n1991Q1|1301700\n1991Q2|1307000\n1991Q3|1310700", 2, 1, 1, "|Total", false},
		{"a title in the second of two columns", "|Price list\nItem|Price\nBolt|1\nNut|2\nRope|3", 2, 1, 1, "Item|Price", true},
		{"a title with more cells directly above the names", "Measured for Ms Smith|second sample|20 January 2016\nwave|A\n" + numberedRows(12, 2), 2, 1, 1, "wave|A", false},
		{"properties and their values above", "Station|Owner|Height|Unit|Zone\nNSR-7|Smith|132|m|-9\nYear|Month|Hour|GHI|DHI\n" + numberedRows(12, 5), 5, 2, 1, "Year|Month|Hour|GHI|DHI", false},
		{"properties of more columns than the table", "Station|Owner|Height|Unit|Zone|Method|Note\nNSR-7|Smith|132|m|-9|mean|x\nYear|Month|Hour\n" + numberedRows(12, 3), 3, 2, 1, "Year|Month|Hour", false},
		{"labeled values above", "Account|62000|Kind|debit|Period|20251201-20251231||\nNo|Date|Kind|Amount|Balance|Payee|Bank|Note\n1|2025-12-03|out|3.88|19.25|Ann|A1|x\n2|2025-12-05|in|10.00|29.25|Bob|B2|y\n3|2025-12-06|in|1.00|30.25|Cy|C3|z", 8, 1, 1, "No|Date|Kind|Amount|Balance|Payee|Bank|Note", false},
		{"a label and a value above a blank row", "Date|2014||\n\n|Cars|Planes|Trains\nJohn|2|2|1\nPaul|4|3|2\nRingo|4|1|3", 4, 2, 1, "|Cars|Planes|Trains", false},
		{"groups of years above names", "Region|2025|2025|2024|2024\nRegion|Men|Women|Men|Women\nUlm|51|25|26|51\nBonn|93|45|48|93\nKiel|33|15|16|32", 5, 0, 2, "Region Region|2025 Men|2025 Women|2024 Men|2024 Women", false},
		{"dates as names", "Region|2021-04-01|2022-04-01|2023-04-01\nUlm|51|25|26\nBonn|93|45|48\nKiel|33|15|16", 4, 0, 1, "Region|2021-04-01|2022-04-01|2023-04-01", false},
		{"units above years", "|mass in kg|mass in kg|mass in t\nFuel|1990|1991|1992\nCoal|1.5|2.5|3.5\nGas|6.5|7.5|8.5\nOil|2.25|3.25|4.25", 4, 0, 2, "Fuel|mass in kg 1990|mass in kg 1991|mass in t 1992", false},
		{"a repeated header with another name", "City|Ward|Votes|Ann|Bob\nUlm|W1|10|4|6\nUlm|W2|20|9|11\nCity|Ward|Votes|Cy|Don\nUlm|W1|10|5|5\nUlm|W2|20|9|11", 5, 0, 1, "City|Ward|Votes|Ann|Bob", false},
		{"a matrix of codes", "|11A|21B|31C|42\n11A|10|0|3|4\n21B|0|8|1|0\n31C|5|0|2|7\n42|1|2|3|4", 5, 0, 1, "|11A|21B|31C|42", false},
		{"a narrow table above a wider one", "District 1|Ann|Bob||||\nUlm|299|1||||\nBonn|4|0||||\n\nDistrict 2|Cy|Don|Eve|Fay|Gil|Hal\nKiel|24|14|17|0|0|0\nJena|490|356|457|0|1|22\nThun|49|35|45|2|1|22\nWorms|40|56|57|0|1|2", 7, 4, 1, "District 2|Cy|Don|Eve|Fay|Gil|Hal", true},
		{"a row above records without a header", "1|note||||\n2|Ada|3|4|5|6\n3|Bob|4|5|6|7\n4|Cy|4|5|6|7", 6, 1, 0, "|||||", true},
		{"names of the first columns below a blank row", "CAS||19-24||14-79\nName|Code|Atrazine|Code|Benzene\n\nSite|Sampled\nUp|20160801|E|0.25|0.5\nUp|20170907|E|0.5|0.75\nUp|20170920|E|0.5|0.75", 5, 0, 2, "CAS Name|CAS Code|19-24 Atrazine|19-24 Code|14-79 Benzene", true},
		{"values in every second column", "||All|||||Area\n||NSA||SA||NSA||SA\n2012|Jan|2245.5||2660||192.5||1704.25\n|Feb|1736.5||2470||153.5||1369.25\n|Mar|2267.5||2670||242.5||1740.25\n|Apr|2916.5||2840||268.5||2326.25", 9, 0, 2, "||All NSA||SA||NSA|Area|SA", false},
		{"an unnamed index above a placeholder", "|Rate\nUlm|x\nKiel|779.5", 2, 1, 1, "Ulm|x", true},
		{"a masked record of another table", "Key|Kind|Datum|Updated|Start\nChur A|part|<5|<5|<5\n\nKey of Ulm|Kind of Ulm|Datum of Ulm|Updated of Ulm|Start of Ulm\n" + strings.Repeat("Ulm|open|2023-10-03|2022-02-06|2015-04-04\nKiel|shut|2023-03-18|2017-05-04|2017-04-22\n", 6), 5, 0, 1, "Key|Kind|Datum|Updated|Start", false},
		{"a record with one text for all values", "Key|Births|Air|Datum|Name\nUlm A|x|290|x|Ada\n\nKey of Ulm|Taxi of Ulm|Air of Ulm|Start of Ulm|Name of Ulm\n" + strings.Repeat("Ulm|4023|15|2023-10-03|Bob\nKiel|377|26|2023-03-18|Eve\n", 6), 5, 0, 1, "Key|Births|Air|Datum|Name", false},
		{"a wider table of texts above", "Station|Kind|Use|Owner\n\nUlm A|open|part|Smith\n\nKey of Ulm|Status of Ulm\n" + strings.Repeat("Kiel|part\nBonn|open\n", 6), 2, 4, 1, "Key of Ulm|Status of Ulm", true},
		{"a masked record below a whole one", "|Births|Mean|Cost|Kind\nUlm|41|X|X|open\nKiel|X|X|X|open\nBonn|43|5.5|6.5|shut\nThun|47|8.5|8.5|open\nChur|15|7.5|9.5|shut\nGenf|15|7.5|9.5|shut\nJena|15|7.5|9.5|shut\nZug|15|7.5|9.5|shut\nSion|15|7.5|9.5|shut\nOlten|15|7.5|9.5|shut\nVevey|15|7.5|9.5|shut\nWorms|15|7.5|9.5|shut", 5, 0, 1, "|Births|Mean|Cost|Kind", false},
		{"optional last cells", "Key|Start|Cost|Kind\nUlm|embargoed|embargoed\nKiel|2018-08-18|5.5|open\nBonn|2018-07-13|6.5\nThun|2017-07-13|6.5\nGenf|2016-07-13|6.5|shut", 4, 0, 1, "Key|Start|Cost|Kind", true},
		{"an unquoted title above another title", "Table 3: Staff|by region|2019\nTable 3 of 9\n\nShare|Date|Key|Town\n6.5|2011-09-06|D1|Ulm\n7.5|2012-09-06|D2|Kiel\n8.5|2013-09-06|D3|Bonn", 4, 3, 1, "Share|Date|Key|Town", false},
		{"an unnamed index above a blank value", "Staff of the year|\n|\n|Employees\nUlm|\nKiel|1254\nBonn|777\nJena|3907", 2, 2, 1, "|Employees", false},
		{"a cell directly above two columns", "Ulm|\nKiel|1254\nBonn|777\nJena|3907", 2, 1, 0, "|", true},
		{"dates above dates", "Key|Datum|Updated|Start\nUlm|2017-07-21|2016-10-07|2016-12-14\nKiel|2017-09-04|2016-01-19|2014-03-08\nBonn|2015-10-03|2023-10-09|2015-05-05", 4, 0, 1, "Key|Datum|Updated|Start", false},
		{"labels above that look like a header", "Report|2024\nGenerated|2024-05-05\n\ndate|price\nJan 1 2000|13.9\nFeb 1 2000|13.6\nMar 1 2000|14.9", 2, 0, 1, "Report|2024", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := rowsOf(c.text)
			l := find(t, rows, 0)
			got := []any{l.Width, l.First, l.Headers, l.Unsure()}
			if diff := cmp.Diff([]any{c.width, c.first, c.headers, c.unsure}, got); diff != "" {
				t.Errorf("width, first row, headers and doubt of %+v (-want +got):\n%s", l, diff)
			}
			if l.Reason.IsZero() {
				t.Errorf("%+v has no reason", l)
			}
			if c.headers == 0 {
				return
			}
			if diff := cmp.Diff(c.names, strings.Join(l.ColumnNames(rows), "|")); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
}

func wideNames(n int) (names []string) {
	for i := range n {
		names = append(names, "measure "+strings.Repeat("x", i%7)+string(rune('a'+i%26)))
		names[i] += strings.Repeat("'", i/26)
	}
	return names
}

// TestAlternative checks the alternative to the chosen header, which is a row or NoHeader, and
// the doubt about the choice.
func TestAlternative(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		alternative int
		least       float64
	}{
		{"another row", "Report|2024\nGenerated|2024-05-05\n\ndate|price\nJan 1 2000|13.9\nFeb 1 2000|13.6\nMar 1 2000|14.9", 3, 0.9},
		{"no header", "alpha|beta\ngamma|delta\nepsilon|zeta", NoHeader, 1},
		{"a header", "alpha|5\nbeta|6\ngamma|7", 0, 0.1},
	} {
		l := find(t, rowsOf(c.text), 0)
		if l.Alternative != c.alternative || l.Doubt < c.least || l.Doubt > 1 {
			t.Errorf("%s: %+v, want the alternative %d and a doubt of at least %v", c.name, l, c.alternative, c.least)
		}
	}
	sure := find(t, rowsOf("id|name|price|since\n1|Ada|2.50|2024-01-01\n2|Bob|3.10|2024-01-02\n3|Cy|4|2024-01-03"), 0)
	if sure.Doubt > 0.2 {
		t.Errorf("%+v has much doubt", sure)
	}
	if l := find(t, nil, 0); l.Headers != 0 || l.Width != 0 || l.Unsure() || l.Reason.IsZero() {
		t.Errorf("no rows: %+v", l)
	}
	if (Layout{}).Unsure() {
		t.Error("a requested layout is unsure")
	}
}

func TestFindWithWidth(t *testing.T) {
	rows := rowsOf("a list|of some\nid|name|price\n1|Ada|2.50\n2|Bob|3.10")
	if l := find(t, rows, 3); l.First != 1 || l.Width != 3 {
		t.Errorf("%+v", l)
	}
}

func TestNamesColumns(t *testing.T) {
	below := rowsOf("1|Ada|2.50\n2|Bob|3.10")
	for header, want := range map[string]bool{"id|name|price": true, "3|Cy|4.10": false, "||": false, "id|name|": true} {
		if got := NamesColumns(strings.Split(header, "|"), below); got != want {
			t.Errorf("%q names the columns: %v", header, got)
		}
	}
}

// BenchmarkFind measures FindLayout for the first rows of a typical sheet and of a sheet with
// the maximum width.
func BenchmarkFind(b *testing.B) {
	for _, columns := range []int{10, 16384} {
		rows := make([][]string, 300)
		for i := range rows {
			for c := range columns {
				cell := fmt.Sprint(i * c)
				if c%3 == 0 {
					cell = fmt.Sprint("name ", i)
				}
				rows[i] = append(rows[i], cell)
			}
		}
		b.Run(fmt.Sprint(columns), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				find(b, rows, 0)
			}
		})
	}
}

// TestOnlyRecordAboveTotal checks that a single record above a total is not accepted as the header
// without a question.
func TestOnlyRecordAboveTotal(t *testing.T) {
	rows := [][]string{
		{"Region", "Births", "County", "Answers", "", ""},
		{"", "", "", "Group", "Employees", "Start"},
		{"Essen", "X", "Nancy", "part", "X", "X"},
		{"Total", "75982", "", "", "38744", ""},
	}
	l, err := FindLayout(t.Context(), rows, 6)
	if err != nil {
		t.Fatal(err)
	}
	if l.BodyStart() > 2 && !l.Unsure() {
		t.Errorf("the layout is %+v", l)
	}
}
