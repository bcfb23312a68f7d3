package headerdetect

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// grounds holds the evidence for and against a row as the header.
type grounds struct {
	// names reports whether the row can consist of column names.
	names bool
	// differs is the number of cells in the row that have values of a different kind below them.
	// same is the number of cells that look like the values below them.
	differs, same int
}

// reason returns a message that describes the evidence. width is the number of columns in the
// table.
func (g grounds) reason(width int) intray.Message {
	if !g.names {
		return intray.NewMessage("header.usual", nil)
	}
	reason := intray.NewMessage("header.names_columns", nil)
	if g.differs > 0 {
		reason = intray.NewMessage("header.text_above_values", intray.Params{"count": g.differs, "total": width})
	}
	if g.same > 0 {
		reason = intray.JoinMessages(reason, intray.NewMessage("header.cells_like_below", intray.Params{"n": g.same}))
	}
	return reason
}

// headerScore returns a score for a row as the header of the rows below it, and the evidence.
// The score depends on the columns whose content differs from the row, and on known column
// names. Higher is more likely.
func (f *layoutFinder) headerScore(at int) (score float64, why grounds) {
	row, filled := f.rows[at], f.filled[at]
	if filled == 0 || 2*filled < f.used || f.width > 1 && filledWidth(row) > 2*f.width || f.isWideTitle(at) {
		return 0, grounds{}
	}
	sequence, grouped, matrix := f.isSequence(at, at+1), at > 0 && f.isGroupOfValues(at-1), f.isMatrixHeader(at)
	seen := map[string]bool{}
	// differing holds the texts above values of a different kind, and gained is their score.
	differing, gained := map[string]bool{}, 0.0
	why.names = true
	from := f.belowHeader(at)
	for c, cell := range row {
		cell = strings.ToLower(strings.TrimSpace(cell))
		if cell == "" {
			continue
		}
		if seen[cell] && !grouped {
			score -= 0.5
		}
		seen[cell] = true
		points := f.cellPoints(at, columnBody{c, from, f.firstEqual[at]}, cell, sequence, matrix)
		score += points
		switch {
		case points >= 1:
			why.differs++
			differing[cell] = true
			gained += points
		case points < 0 && at < f.last:
			why.same++
		}
	}
	if why.differs > 1 && len(differing) == 1 { // one text in several columns may mark missing values
		score -= gained * float64(why.differs-1) / float64(why.differs)
		why.differs = 1
	}
	// Having more cells than the table has columns is no evidence, because titles can.
	score += 0.4 * min(0, float64(filled)-float64(f.used))
	return score - f.penaltyForRowsAbove(at, grouped), why
}

// belowHeader returns the index of the first row below a header that neither repeats it nor belongs to
// it.
func (f *layoutFinder) belowHeader(at int) int {
	from := at + 1
	for from < len(f.rows) && f.firstEqual[from] == f.firstEqual[at] {
		from++
	}
	return max(from, f.bodyStart(at, possible))
}

// cellPoints returns the score of a cell of a header. sequence reports whether the cells of the header
// are a sequence of years or dates, and matrix whether they repeat the texts of the first column.
func (f *layoutFinder) cellPoints(at int, body columnBody, cell string, sequence, matrix bool) float64 {
	points := f.cellScore(at, body, cell)
	if sequence && (f.cells[at][body.column].kind.IsTyped() || isYear(cell)) && points < 1 {
		points = f.sequenceScore(body, cell)
	}
	if matrix {
		points = max(points, 1)
	}
	return points
}

// penaltyForRowsAbove returns the penalty for a later header, because choosing it would drop the rows
// above it, which may be records. grouped reports whether the row above names groups of columns.
func (f *layoutFinder) penaltyForRowsAbove(at int, grouped bool) (penalty float64) {
	for i := f.first; i < at; i++ {
		if grouped && i == at-1 || 2*f.filled[i] <= f.width || f.isSideBySideText(i) || f.isLabeledValues(i) {
			continue
		}
		penalty += 0.75 * float64(f.width)
	}
	return penalty
}

// yearScore is the score of a year above numbers that are not years.
const yearScore = 0.3

// cellScore returns a score for a cell of the given row as the name of the column below it.
func (f *layoutFinder) cellScore(at int, below columnBody, cell string) float64 {
	l := f.cells[at][below.column]
	col := f.columnStats(below)
	switch {
	case l.kind.IsTyped():
		return f.typedScore(at, l.kind, col, cell)
	case l.kind == Empty: // a marker of a missing value
		return 0
	case col.filled == 0:
		return 0.3 + headerWordScore(cell)
	case f.containsText(below, l, cell):
		return -1
	case col.kind.IsTyped() && col.share >= 0.7:
		return col.share + headerWordScore(cell)
	case col.kind == Code && l.kind != Code && col.share >= 0.8:
		return 0.6 + headerWordScore(cell)
	}
	points := headerWordScore(cell)
	if n := float64(utf8.RuneCountInString(cell)); col.length > 3*n || col.length > 40 && n < 30 {
		points += 0.3
	}
	// The values below do not include this cell.
	if at == f.first && l.kind != Empty && f.repeatsFewValues(below) {
		points += 0.5
	}
	return min(points, 0.9) // less than for a column of a different kind
}

// typedScore is cellScore for a cell of a typed kind, which is rarely a name.
func (f *layoutFinder) typedScore(at int, kind Kind, col columnStats, cell string) float64 {
	switch {
	case col.filled == 0 && at >= f.last && f.width > 1 && !isYear(cell):
		return -1 // there are no rows below that could support a header
	case col.filled == 0:
		return 0
	case isYear(cell) && !isYear(col.any):
		return yearScore
	case kind == col.kind:
		return -2
	}
	return 0
}

// isYear reports whether a cell is a year from 1900 to 2100, possibly with a mark of a footnote such as
// (r) or 1). Years are column names more often than other numbers are.
func isYear(cell string) bool {
	if len(cell) < 4 || cell[:4] < "1900" || cell[:4] > "2100" || !allDigits(cell[:4]) {
		return false
	}
	mark := cell[4:]
	return mark == "" || mark == "*" || len(mark) <= 4 && strings.HasSuffix(mark, ")")
}

// cellInfo holds the properties of a cell.
type cellInfo struct {
	kind Kind
	// sum is a checksum of the text in lower case, and runes is the length of the text in
	// characters.
	sum, runes uint32
}

// columnBody is the part of a column that starts at a given row, without rows that repeat the
// header.
type columnBody struct {
	column, from int
	// header is the value of firstEqual for the header row, or noRow.
	header int
}

// noRow is the value of columnBody.header if there is no header.
const noRow = -1

// columnStats summarizes the cells of a columnBody.
type columnStats struct {
	kind   Kind
	share  float64
	filled int
	length float64
	// any is the text of the first nonempty cell, in lower case.
	any string
}

// maxBodyRows is the maximum number of rows examined below a header.
const maxBodyRows = 200

// filledRows iterates over the indexes of the rows in which a body has a cell that is not empty.
func (f *layoutFinder) filledRows(b columnBody) iter.Seq[int] {
	return func(yield func(int) bool) {
		repeated := f.repetitions(b.header)
		for i := b.from; i < min(len(f.rows), b.from+maxBodyRows); i++ {
			if b.column >= len(f.cells[i]) || f.cells[i][b.column].kind == Empty || repeated[i] {
				continue
			}
			if !yield(i) {
				return
			}
		}
	}
}

func (f *layoutFinder) columnStats(b columnBody) (col columnStats) {
	var counts [Kinds]int
	total := uint64(0)
	for i := range f.filledRows(b) {
		l := f.cells[i][b.column]
		if col.filled == 0 {
			col.any = f.cellText(i, b.column)
		}
		counts[l.kind]++
		col.filled++
		total += uint64(l.runes)
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

// containsText reports whether a cell of a body has the given text, ignoring case. l holds the
// properties of that text.
func (f *layoutFinder) containsText(b columnBody, l cellInfo, text string) bool {
	for i := range f.filledRows(b) {
		if f.cells[i][b.column].sum == l.sum && f.cellText(i, b.column) == text {
			return true
		}
	}
	return false
}

// minRepeatedCells is the minimum number of cells in a column for repeated values to be
// significant.
const minRepeatedCells = 4

// repeatsFewValues reports whether the values of a body occur at least twice on average.
func (f *layoutFinder) repeatsFewValues(b columnBody) bool {
	values := map[uint32]bool{}
	filled := 0
	for i := range f.filledRows(b) {
		values[f.cells[i][b.column].sum] = true
		filled++
	}
	return filled >= minRepeatedCells && 2*len(values) <= filled
}

// cellText returns the text of a cell in lower case, without surrounding white space.
func (f *layoutFinder) cellText(row, column int) string {
	return strings.ToLower(strings.TrimSpace(f.rows[row][column]))
}

// headerWordScore returns a score for words that are far more often column names than values.
func headerWordScore(cell string) float64 {
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
