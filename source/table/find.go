package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// MaxAbove is the most rows above a header that are looked through.
	MaxAbove = 40
	// MaxHeaders is the most rows that a header is made of.
	MaxHeaders = 3
)

// Layout says where the table is among the rows it was found in.
type Layout struct {
	// Width is how many columns the table has.
	Width int
	// First is the index of the first row of the header, or of the first record
	// where there is no header.
	First int
	// Headers is how many rows the header has: 0 to MaxHeaders.
	Headers int
	// Reason says why the header is where it is, or why there is none.
	Reason string
}

// Body is the index of the first record.
func (l Layout) Body() int { return l.First + l.Headers }

// Find looks at the first rows of a sheet, blank rows among them, and says where
// its table is. width is the number of cells that most rows have, or 0 where the
// rows should tell.
func Find(rows [][]string, width int) Layout {
	f := finder{rows: rows, width: width}
	if f.width == 0 {
		f.width = usualWidth(rows)
	}
	f.measure()
	return f.find()
}

// usualWidth is the place behind the last cell with text of most rows; among
// equals the wider.
func usualWidth(rows [][]string) int {
	counts := map[int]int{}
	for _, row := range rows {
		if w := extent(row); w > 0 {
			counts[w]++
		}
	}
	best := 0
	for w, n := range counts {
		if n > counts[best] || n == counts[best] && w > best {
			best = w
		}
	}
	// Wider rows count for their columns if there are some: last columns are
	// often empty.
	for w, n := range counts {
		if w > best && 5*n >= counts[best] {
			best = w
		}
	}
	return best
}

// extent is the place behind the last cell with text.
func extent(row []string) int {
	for i := len(row) - 1; i >= 0; i-- {
		if strings.TrimSpace(row[i]) != "" {
			return i + 1
		}
	}
	return 0
}

// finder holds what is known about the rows.
type finder struct {
	rows   [][]string
	width  int
	filled []int
	kinds  [][]Kind
}

func (f *finder) measure() {
	for _, row := range f.rows {
		kinds := make([]Kind, 0, len(row))
		filled := 0
		for _, cell := range row {
			kinds = append(kinds, KindOf(cell))
			if strings.TrimSpace(cell) != "" {
				filled++
			}
		}
		f.kinds = append(f.kinds, kinds)
		f.filled = append(f.filled, filled)
	}
}

// usualHeader is how much speaks for a header in the first row before it is
// looked at: most tables have one there.
const usualHeader = 1

// find takes the header that fits best, from the rows above the first record.
func (f *finder) find() Layout {
	none := Layout{Width: f.width, First: f.firstRow(), Reason: "the first row looks like the rows below it"}
	best, bestScore := none, 0.0
	for at := none.First; at < min(len(f.rows), none.First+MaxAbove); at++ {
		score, reason := f.headerScore(at)
		if at == none.First {
			score += usualHeader
		}
		if score > bestScore {
			best, bestScore = Layout{Width: f.width, First: at, Headers: 1, Reason: reason}, score
		}
		if score > 0 && f.filled[at] >= f.width && at > best.First+MaxHeaders {
			break
		}
	}
	if best.Headers == 1 {
		f.extend(&best)
	}
	return best
}

// firstRow is the first row that could begin a table of this width: titles and
// notes above have fewer cells.
func (f *finder) firstRow() int {
	for i, n := range f.filled {
		if n > 0 && (f.width <= 1 || n >= 2 && 2*n >= f.width || n > 0 && f.tabular(i)) {
			return i
		}
	}
	for i, n := range f.filled {
		if n > 0 {
			return i
		}
	}
	return 0
}

// tabular says whether a row with few cells has them where typed columns are.
func (f *finder) tabular(at int) bool {
	if f.filled[at] < 2 {
		return false
	}
	typed := 0
	for c, kind := range f.kinds[at] {
		if kind.Typed() && f.columnKind(c, at+1, nil).share >= 0.8 {
			typed++
		}
	}
	return typed >= 2
}

// column is what the cells of a column below some row are like.
type column struct {
	kind   Kind
	share  float64
	filled int
	values map[string]int
	length float64
}

// bodyRows is how many rows below a header are looked at.
const bodyRows = 200

// columnKind leaves out the rows that are the same as the header.
func (f *finder) columnKind(c, from int, header []string) column {
	var counts [Kinds]int
	col := column{values: map[string]int{}}
	total := 0
	for i := from; i < min(len(f.rows), from+bodyRows); i++ {
		if c >= len(f.rows[i]) || f.kinds[i][c] == Empty || header != nil && slices.Equal(f.rows[i], header) {
			continue
		}
		counts[f.kinds[i][c]]++
		col.filled++
		cell := strings.TrimSpace(f.rows[i][c])
		col.values[strings.ToLower(cell)]++
		total += utf8.RuneCountInString(cell)
	}
	counts[Number] += counts[Integer]
	if counts[Number] == counts[Integer] {
		counts[Number] = 0
	}
	for k, n := range counts {
		if n > counts[col.kind] {
			col.kind = Kind(k)
		}
	}
	if col.filled > 0 {
		col.share = float64(counts[col.kind]) / float64(col.filled)
		col.length = float64(total) / float64(col.filled)
	}
	return col
}

// headerScore says how well a row serves as the header of the rows below it: by
// how many columns it differs from in what they hold, and how far it names them.
func (f *finder) headerScore(at int) (score float64, reason string) {
	row, filled := f.rows[at], f.filled[at]
	if filled == 0 || 2*filled < f.width || f.width > 1 && extent(row) > 2*f.width {
		return 0, ""
	}
	seen := map[string]bool{}
	differs, same := 0, 0
	body := at + 1
	for body < len(f.rows) && slices.Equal(f.rows[body], row) {
		body++ // the header, printed twice
	}
	for c, cell := range row {
		cell = strings.ToLower(strings.TrimSpace(cell))
		if cell == "" {
			continue
		}
		if seen[cell] {
			score -= 0.5
		}
		seen[cell] = true
		points := f.cellScore(at, c, body, cell)
		score += points
		switch {
		case points >= 1:
			differs++
		case points < 0:
			same++
		}
	}
	score += 0.4 * (float64(filled) - float64(f.width))
	// A row further down has to be the better header by far: data is above it.
	for i := f.firstRow(); i < at; i++ {
		if 2*f.filled[i] > f.width {
			score -= 0.75 * float64(f.width)
		}
	}
	why := "it names the columns"
	if differs > 0 {
		why = fmt.Sprintf("in %d of %d columns it is text above values of another kind", differs, f.width)
	}
	if same > 0 {
		why += "; " + strconv.Itoa(same) + " of its cells look like those below"
	}
	return score, why
}

// cellScore compares a cell with its column from the row body on.
func (f *finder) cellScore(at, c, body int, cell string) float64 {
	kind := f.kinds[at][c]
	col := f.columnKind(c, body, f.rows[at])
	switch {
	case col.filled == 0 && kind.Typed():
		return 0
	case col.filled == 0:
		return 0.3 + named(cell)
	case kind == Integer && isYear(cell) && !isYear(col.any()):
		return 0
	case kind.Typed() && kind == col.kind:
		return -2
	case kind.Typed():
		return 0
	case col.values[cell] > 0:
		return -1
	case col.kind.Typed() && col.share >= 0.7:
		return col.share + named(cell)
	case col.kind == Code && kind != Code && col.share >= 0.8:
		return 0.6 + named(cell)
	}
	points := named(cell)
	if n := float64(utf8.RuneCountInString(cell)); col.length > 3*n || col.length > 40 && n < 30 {
		points += 0.3
	}
	return points
}

// isYear says whether a cell is a year of our time: those are names of columns
// more often than other numbers.
func isYear(cell string) bool { return len(cell) == 4 && cell >= "1900" && cell <= "2100" }

// any gives one of the values.
func (c column) any() string {
	for value := range c.values {
		return value
	}
	return ""
}

// extend takes the rows beside a header in that belong to it: those that are
// text above the same typed columns.
func (f *finder) extend(l *Layout) {
	for l.Headers < MaxHeaders && l.Body() < len(f.rows) && f.alsoHeader(l.Body(), l.First) {
		l.Headers++
	}
	for l.Headers < MaxHeaders && l.First > 0 && f.alsoHeader(l.First-1, l.First) {
		l.First--
		l.Headers++
	}
	if l.Headers > 1 {
		l.Reason = fmt.Sprintf("%d rows of text stand above the values", l.Headers)
	}
}

// alsoHeader says whether a row next to a header is another row of it: it has no
// typed cell, fills most columns, and is text where a typed column is.
func (f *finder) alsoHeader(at, header int) bool {
	if 2*f.filled[at] <= f.width || f.filled[at] < 2 {
		return false
	}
	if slices.EqualFunc(f.rows[at], f.rows[header], func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }) {
		return true
	}
	against := 0
	for c, kind := range f.kinds[at] {
		if kind.Typed() || kind == Code {
			return false
		}
		col := f.columnKind(c, max(at, header)+1, f.rows[header])
		if kind != Empty && col.kind.Typed() && col.share >= 0.8 {
			against++
		}
	}
	return against >= 2
}

// named gives points for words that are names of columns far more often than
// values.
func named(cell string) float64 {
	cell = strings.TrimRight(strings.ToLower(cell), ".:# ")
	if strings.Contains(headerWords, " "+cell+" ") {
		return 0.6
	}
	for word := range strings.FieldsFuncSeq(cell, func(r rune) bool { return strings.ContainsRune(" _-./()#", r) }) {
		if strings.Contains(headerWords, " "+word+" ") {
			return 0.4
		}
	}
	return 0
}

const headerWords = " id no nr num number name first last firstname lastname surname given family full title type date time datetime timestamp day month year " +
	"email e-mail mail phone telephone mobile fax address street city town state province region country zip postcode postal code " +
	"price amount total quantity qty unit units cost value currency tax vat net gross discount rate percent sum balance " +
	"description comment comments note notes remark status category group class kind label key url link website image " +
	"sku product productid item article order invoice customer client company organization department account user username " +
	"gender sex age birthday birthdate created updated modified start end begin from to latitude longitude lat lon lng language " +
	"vorname nachname datum zeit uhrzeit betrag preis menge anzahl straße strasse plz ort stadt land telefon kunde artikel bezeichnung beschreibung bemerkung währung nummer " +
	"nom prénom adresse ville pays montant quantité téléphone client référence libellé " +
	"nombre apellido apellidos fecha hora dirección ciudad país importe cantidad precio teléfono " +
	"nome cognome data ora indirizzo città paese importo quantità prezzo telefono " +
	"naam voornaam achternaam bedrag aantal prijs straat plaats " +
	"imię nazwisko kwota ilość cena ulica miasto kraj "
