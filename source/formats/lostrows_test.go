package formats

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// TestNoRowIsLostSilently reads generated tables with titles, metadata, names of column groups, repeated
// headers, placeholders for missing values, optional last cells, double-encoded text, totals, notes and
// second tables. Each record must be among the records that are read, or the choice of the header must
// be a question. A table without records is also a question. One table in four is read from a workbook
// as well. 20,000 tables are read if INTRAY_TORTURE=full, and 3,000 otherwise. Set INTRAY_TORTURE_SEED
// to read other tables.
func TestNoRowIsLostSilently(t *testing.T) {
	seed, tables := uint64(20261124), 3000
	if text := os.Getenv("INTRAY_TORTURE_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = given
	}
	if os.Getenv("INTRAY_TORTURE") == "full" {
		tables = 20_000
	}
	t.Logf("INTRAY_TORTURE_SEED=%d", seed)
	asked, merged := 0, 0
	for i := range tables {
		g := tableGenerator{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
		g.generate()
		text := g.text()
		files := map[string][]byte{"table.csv": text}
		if i%4 == 0 {
			files["table.xml"] = g.spreadsheet()
		}
		for name, file := range files {
			got, err := readTable(t, name, file)
			if err != nil {
				t.Fatalf("%s %d: %v\n%.2000s", name, i, err, text)
			}
			if name == "table.csv" && got.asked {
				asked++
			}
			if name == "table.csv" && got.header == g.header {
				merged++
			}
			if lost := got.lost(g.ids); len(lost) > 0 && !got.asked {
				t.Errorf("%s %d: the records %s are lost; the header row is %s\n%.1500s", name, i, lost, got.header, text)
			}
		}
	}
	t.Logf("%d tables: %.1f %% with a question, %.1f %% with exactly the header that was written", tables, percent(asked, tables), percent(merged, tables))
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(of) }

// readResult is what was read from a generated table.
type readResult struct {
	// asked reports whether the header is a question, and header is its evidence.
	asked  bool
	header string
	// values holds the texts of all cells of the records.
	values map[string]bool
}

// lost returns the unique texts of records that are not among the values.
func (r readResult) lost(ids []string) (list []string) {
	for _, id := range ids {
		if !r.values[id] {
			list = append(list, id)
		}
	}
	return list
}

func readTable(t *testing.T, name string, file []byte) (got readResult, err error) {
	t.Helper()
	book, err := source.Open(t.Context(), sourcetest.NewInput(name, file), Formats(""), source.Options{})
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	got.values = map[string]bool{}
	defer func() {
		for _, e := range reader.Evidence() {
			if e.Choice == "header row" {
				got.asked, got.header = e.Tie || len(got.values) == 0, e.Value
			}
		}
	}()
	batch := &intray.Records{}
	for {
		err := reader.Next(t.Context(), batch)
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		for row := range batch.Len() {
			for column := range batch.NumCells(row) {
				got.values[string(batch.Cell(row, column))] = true
			}
		}
	}
}

// tableGenerator writes a random table.
type tableGenerator struct {
	*rand.Rand
	rows [][]string
	// header is the value of the evidence about the header that was written.
	header string
	// ids are the unique texts in the records.
	ids   []string
	kinds []columnKind
	// names is the last row of the header.
	names []string
	// optional reports whether records can omit their last cells, repeats whether the header is
	// repeated between them, and doubled whether texts were encoded twice.
	optional, repeats, doubled bool
}

type columnKind int

const (
	idColumn columnKind = iota
	nameColumn
	categoryColumn
	integerColumn
	decimalColumn
	dateColumn
	columnKinds
)

var (
	generatedNames = [][]string{
		idColumn:       {"ID", "Key", "Reference", "Kennung", "Clave", "Station", "GEO"},
		nameColumn:     {"Name", "Region", "County", "Kanton", "Título", "Person", "Description"},
		categoryColumn: {"Type", "Category", "Status", "Gruppe", "Sector"},
		integerColumn:  {"Births", "Deaths", "Employees", "Anzahl", "Count", "Air", "Rail", "Taxi", "Population"},
		decimalColumn:  {"Rate", "Share", "Amount", "Betrag", "Total cost", "Mean"},
		dateColumn:     {"Date", "Updated", "Datum", "Start"},
	}
	generatedPlaceholders = []string{"**", "*", "x", "X", "..", "...", "suppressed", "(D)", "(S)", "[c]", "n.a.", "NA", "N/A", "-", "--", ".", ":", "k.A.", "withheld", "#N/A", "<5", "pending", "embargoed"}
	generatedTitles       = []string{"Births and deaths", "Report of the statistical office", "Table 3.1: Employees, by region, and by sector, 2019", "Stand: 31.12.2025", "Confidential, for internal use"}
	generatedGroups       = []string{"Travel", "Costs", "Men", "Women", "First half", "Second half", "2019", "2020", "Umsatz"}
	generatedWords        = strings.Fields("Aargau Basel Chur Davos Essen Fulda Genf Halle Ilmenau Jena Kiel Lugano Murten Nancy Olten Passau Rheims Sion Thun Ulm Vevey Worms Xanten Zug")
)

func pick[T any](g *tableGenerator, list []T) T { return list[g.IntN(len(list))] }

// chance returns true with a probability of n %.
func (g *tableGenerator) chance(n int) bool { return g.IntN(100) < n }

func (g *tableGenerator) generate() {
	g.kinds = []columnKind{idColumn}
	for range 1 + g.IntN(8) {
		g.kinds = append(g.kinds, nameColumn+columnKind(g.IntN(int(columnKinds-nameColumn))))
	}
	if g.chance(30) {
		g.Shuffle(len(g.kinds), func(i, j int) { g.kinds[i], g.kinds[j] = g.kinds[j], g.kinds[i] })
	}
	g.optional, g.repeats, g.doubled = g.chance(10), g.chance(5), g.chance(10)
	if g.chance(10) {
		g.addMetadata()
	} else {
		g.addTitles()
	}
	g.addHeader()
	g.addRecords()
	if g.chance(8) {
		g.addBlock()
	}
	g.addEnd()
}

// addMetadata adds a row of names of properties and a row of their values.
func (g *tableGenerator) addMetadata() {
	n := 2 + g.IntN(2*len(g.kinds))
	names, values := make([]string, n), make([]string, n)
	for c := range n {
		names[c] = pick(g, []string{"Source", "Latitude", "Elevation", "Time zone", "Units", "Version"})
		values[c] = pick(g, []string{"NSRDB", "64.84", "132", "-9", "w/m2", "Degree", "-"})
	}
	g.rows = append(g.rows, names, values)
	if g.chance(30) {
		g.add()
	}
}

// addBlock adds a second table with its own names, often with the same columns.
func (g *tableGenerator) addBlock() {
	kinds := g.kinds
	if g.chance(50) {
		g.kinds = append([]columnKind{}, kinds[:max(2, g.IntN(len(kinds)+1))]...)
		if !slices.Contains(g.kinds, idColumn) {
			g.kinds[0] = idColumn
		}
	}
	g.add()
	if g.chance(30) {
		g.add(pick(g, generatedTitles))
	}
	names := make([]string, len(g.kinds))
	for i, kind := range g.kinds {
		names[i] = fmt.Sprintf("%s of %s", pick(g, generatedNames[kind]), pick(g, generatedWords))
	}
	g.add(names...)
	g.addRecords()
	g.kinds = kinds
}

// add adds a row. It fills missing cells at the end.
func (g *tableGenerator) add(cells ...string) {
	for len(cells) < len(g.kinds) {
		cells = append(cells, "")
	}
	g.rows = append(g.rows, cells)
}

func (g *tableGenerator) addTitles() {
	if !g.chance(40) {
		return
	}
	for range 1 + g.IntN(3) {
		switch g.IntN(4) {
		case 0:
			g.rows = append(g.rows, strings.Split(pick(g, generatedTitles), ", ")) // an unquoted title
		case 1:
			g.add("Date:", "2025-12-31")
		default:
			g.add(pick(g, generatedTitles))
		}
	}
	if g.chance(50) {
		g.add()
	}
}

// addHeader adds a header of one or two rows.
func (g *tableGenerator) addHeader() {
	names := make([]string, len(g.kinds))
	for i, kind := range g.kinds {
		names[i] = pick(g, generatedNames[kind])
		for n := 2; slices.Contains(names[:i], names[i]); n++ {
			names[i] = fmt.Sprintf("%s %d", pick(g, generatedNames[kind]), n)
		}
	}
	years := g.chance(8)
	if years {
		g.nameYears(names)
	}
	if g.kinds[0] == idColumn && g.chance(8) {
		names[0] = "" // an index without a name
	}
	first := len(g.rows) + 1
	switch form := g.IntN(10); {
	case form == 0 && len(names) > 3: // groups above some names
		groups := make([]string, len(names))
		for c := 1; c < len(names); c += 2 + g.IntN(2) {
			groups[c] = pick(g, generatedGroups)
		}
		g.add(groups...)
		if g.chance(20) {
			g.add()
		}
	case form == 1 && len(names) > 3: // questions and answers
		answers := make([]string, len(names))
		from := 1 + g.IntN(len(names)-2)
		copy(answers[from:], names[from:])
		clear(names[from+1:])
		names[from] = "Which of these apply to you?"
		g.add(names...)
		names = answers
	}
	g.add(names...)
	g.names = names
	g.header = fmt.Sprint(first)
	if last := len(g.rows); last > first {
		g.header = fmt.Sprintf("%d–%d", first, last)
	}
	if g.chance(5) { // units
		units := make([]string, len(g.kinds))
		for i, kind := range g.kinds {
			if kind == integerColumn || kind == decimalColumn {
				units[i] = pick(g, []string{"kg", "EUR", "%", "(000s)", "number"})
			}
		}
		g.add(units...)
		g.header = fmt.Sprintf("%d–%d", first, len(g.rows))
	}
}

// nameYears names the numeric columns after years or dates.
func (g *tableGenerator) nameYears(names []string) {
	year, dates := 1990+g.IntN(30), g.chance(30)
	for i, kind := range g.kinds {
		if kind != integerColumn && kind != decimalColumn {
			continue
		}
		names[i] = strconv.Itoa(year)
		if dates {
			names[i] += "-04-01"
		}
		year++
	}
}

// addRecords adds records. In the first ones, most numbers can be missing.
func (g *tableGenerator) addRecords() {
	masked := 0
	if g.chance(40) {
		masked = 1 + g.IntN(3)
	}
	rare := 0
	if g.chance(40) {
		rare = g.IntN(20)
	}
	same := pick(g, generatedPlaceholders)
	for i := range 1 + g.IntN(40) {
		cells := make([]string, len(g.kinds))
		for c, kind := range g.kinds {
			cells[c] = g.value(kind, i)
			typed := kind >= integerColumn
			switch {
			case typed && i < masked && g.chance(95):
				cells[c] = same
			case typed && g.chance(rare):
				cells[c] = pick(g, generatedPlaceholders)
			case kind != idColumn && g.chance(3):
				cells[c] = ""
			}
		}
		if g.chance(2) {
			g.add(pick(g, generatedWords)) // a group of records
		}
		if g.repeats && g.chance(10) {
			g.add(g.names...)
		}
		if last := len(cells) - 1; g.optional && g.chance(50) && last > 1 && g.kinds[last] != idColumn {
			g.rows = append(g.rows, cells[:last])
			continue
		}
		g.add(cells...)
	}
}

func (g *tableGenerator) value(kind columnKind, record int) string {
	switch kind {
	case idColumn:
		id := fmt.Sprintf("%s %s", pick(g, generatedWords), string(rune('A'+record%26))+strings.Repeat("i", record/26+1))
		g.ids = append(g.ids, id)
		return id
	case nameColumn:
		if g.doubled && g.chance(30) {
			return pick(g, []string{"ZÃ¼rich", "MÃ¼nchen", "CafÃ©", "Â£ rate", "Ã…land", "GraubÃ¼nden"})
		}
		return pick(g, generatedWords) + " " + strings.ToLower(pick(g, generatedWords))
	case categoryColumn:
		return pick(g, []string{"open", "closed", "part"})
	case integerColumn:
		return strconv.Itoa(g.IntN(5000))
	case decimalColumn:
		return fmt.Sprintf("%.2f", g.Float64()*1000)
	}
	return fmt.Sprintf("20%02d-%02d-%02d", 10+g.IntN(15), 1+g.IntN(12), 1+g.IntN(28))
}

// addEnd adds totals and notes.
func (g *tableGenerator) addEnd() {
	if g.chance(20) {
		total := make([]string, len(g.kinds))
		for c, kind := range g.kinds {
			if kind == integerColumn || kind == decimalColumn {
				total[c] = strconv.Itoa(g.IntN(90000))
			}
		}
		total[0] = "Total"
		g.add(total...)
	}
	if g.chance(20) {
		g.add()
		g.add("Source: " + pick(g, generatedTitles))
	}
	if g.chance(5) && len(g.kinds) > 3 {
		remark := make([]string, len(g.kinds))
		remark[0], remark[2+g.IntN(len(g.kinds)-2)] = "Remark: preliminary figures", "Office of statistics"
		g.add()
		g.add(remark...)
	}
}

// spreadsheet returns the table as an XML spreadsheet. Blank cells are not stored.
func (g *tableGenerator) spreadsheet() []byte {
	var b bytes.Buffer
	const ns = "urn:schemas-microsoft-com:office:spreadsheet"
	fmt.Fprintf(&b, `<?xml version="1.0"?><Workbook xmlns="%s" xmlns:ss="%s"><Worksheet ss:Name="Table"><Table>`, ns, ns)
	for i, row := range g.rows {
		fmt.Fprintf(&b, `<Row ss:Index="%d">`, i+1)
		for c, cell := range row {
			if cell == "" {
				continue
			}
			kind := "String"
			if _, err := strconv.ParseFloat(cell, 64); err == nil && strings.Trim(cell, "0123456789.") == "" {
				kind = "Number"
			}
			fmt.Fprintf(&b, `<Cell ss:Index="%d"><Data ss:Type="%s">`, c+1, kind)
			_ = xml.EscapeText(&b, []byte(cell))
			b.WriteString(`</Data></Cell>`)
		}
		b.WriteString("</Row>")
	}
	b.WriteString("</Table></Worksheet></Workbook>")
	return b.Bytes()
}

// text returns the table as CSV, sometimes with the columns in another order of delimiters.
func (g *tableGenerator) text() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = pick(g, []rune{',', ',', ';', '\t'})
	w.UseCRLF = g.chance(30)
	_ = w.WriteAll(g.rows)
	return b.Bytes()
}
