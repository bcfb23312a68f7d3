// Package benchdata generates large files for measurements, as CSV, NDJSON and workbooks. The
// same seed generates the same rows on every machine. A row is ten strings, which each format
// encodes differently. Customer files have different columns, and some of their rows contain
// faults. CustomerSchema returns a schema that detects the faults.
//
// The package depends on no other package of the module and measures nothing.
package benchdata

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Header contains the column names of a generated file.
var Header = []string{"id", "first_name", "last_name", "email", "phone", "signed_up", "amount", "country", "notes", "url"}

// These are the indexes of the columns that the generators treat specially.
const (
	columnID       = 0
	columnEmail    = 3
	columnSignedUp = 5
	columnAmount   = 6
	columnURL      = 9
)

var (
	firstNames = []string{"Anna", "Ben", "Chloé", "Dieter", "Elif", "Fatima", "Giulia", "Hugo", "Ines", "Jan", "Karol", "Lena", "Mateusz", "Nadia", "Olga", "Pedro", "Quentin", "Rosa", "Søren", "Tomás"}
	lastNames  = []string{"Almeida", "Becker", "Çelik", "Dubois", "Eriksson", "Fischer", "García", "Hansen", "Ivanova", "Jansen", "Kowalski", "Larsen", "Müller", "Nowak", "O'Brien", "Petrov", "Quispe", "Rossi", "Schmidt", "Tanaka"}
	countries  = []string{"DE", "NL", "FR", "IT", "GB", "PL", "DK", "JP", "PT", "CH", "SE", "ES", "AT", "BE", "US", "CA", "BR", "IN", "AU", "NO"}
	words      = []string{"met", "at", "the", "fair", "prefers", "mail", "asked", "for", "an", "offer", "invoice", "differs", "call", "after", "noon", "second", "order", "pending", "new", "address"}
)

// Write writes a CSV file with a header and rows of 10 columns, about 145 bytes per row.
// One email address in 50 is malformed. About one note in six contains a comma, a quote or
// a line break.
func Write(to io.Writer, rows int, seed uint64) error {
	w := bufio.NewWriterSize(to, 1<<20)
	line := []byte(strings.Join(Header, ",") + "\n")
	made := newRowGenerator(seed)
	for range rows {
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = appendCSV(line[:0], made.next())
	}
	if _, err := w.Write(line); err != nil {
		return err
	}
	return w.Flush()
}

func appendCSV(line []byte, row *[10]string) []byte {
	for i, cell := range row {
		if i > 0 {
			line = append(line, ',')
		}
		if strings.ContainsAny(cell, ",\"\n") {
			line = append(line, '"')
			line = append(line, strings.ReplaceAll(cell, `"`, `""`)...)
			line = append(line, '"')
			continue
		}
		line = append(line, cell...)
	}
	return append(line, '\n')
}

// rowGenerator generates rows in order. A seed always generates the same rows.
type rowGenerator struct {
	random *rand.Rand
	made   int
	row    [10]string
}

func newRowGenerator(seed uint64) *rowGenerator {
	return &rowGenerator{random: rand.New(rand.NewPCG(seed, seed))} //nolint:gosec // the rows must be reproducible
}

// next returns a row. The next call overwrites it.
func (r *rowGenerator) next() *[10]string {
	r.made++
	number := strconv.Itoa(r.made)
	r.row = [10]string{
		number, r.pickRandom(firstNames), r.pickRandom(lastNames), r.randomEmail(number),
		"+49 30 " + strconv.Itoa(1000000+r.random.IntN(9000000)), r.randomDate(),
		strconv.Itoa(r.random.IntN(10000)) + "." + strconv.Itoa(10+r.random.IntN(90)),
		r.pickRandom(countries), r.randomNotes(), "https://shop.example.org/customers/" + number,
	}
	return &r.row
}

func (r *rowGenerator) pickRandom(list []string) string { return list[r.random.IntN(len(list))] }

func (r *rowGenerator) randomEmail(number string) string {
	if r.random.IntN(50) == 0 {
		return "user" + number + " at example.org"
	}
	return "user" + number + "@mail" + strconv.Itoa(r.random.IntN(40)) + ".example.org"
}

func (r *rowGenerator) randomDate() string {
	two := func(n int) string { return strconv.Itoa(100 + n)[1:] }
	return strconv.Itoa(1990+r.random.IntN(36)) + "-" + two(1+r.random.IntN(12)) + "-" + two(1+r.random.IntN(28))
}

func (r *rowGenerator) randomNotes() string {
	note := ""
	for i := range 1 + r.random.IntN(4) {
		if i > 0 {
			note += " "
		}
		note += r.pickRandom(words)
	}
	switch r.random.IntN(18) {
	case 0:
		return note + ", and " + note
	case 1:
		return note + ` "now"`
	case 2:
		return note + "\n" + note
	}
	return note
}

// WriteNDJSON writes the rows of Write as NDJSON, about 240 bytes per row. id and amount
// are numbers, and all other values are strings.
func WriteNDJSON(to io.Writer, rows int, seed uint64) error {
	w := bufio.NewWriterSize(to, 1<<20)
	made := newRowGenerator(seed)
	var line []byte
	for range rows {
		var err error
		if line, err = appendObject(line[:0], made.next()); err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Flush()
}

func appendObject(line []byte, row *[10]string) ([]byte, error) {
	for i, cell := range row {
		between := byte(',')
		if i == 0 {
			between = '{'
		}
		line = append(append(line, between, '"'), Header[i]...)
		line = append(line, `":`...)
		if i == columnID || i == columnAmount {
			line = append(line, cell...)
			continue
		}
		text, err := json.Marshal(cell)
		if err != nil {
			return nil, fmt.Errorf("write %q as JSON: %w", cell, err)
		}
		line = append(line, text...)
	}
	return append(line, "}\n"...), nil
}
