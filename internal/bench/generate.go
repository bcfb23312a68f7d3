// Package bench makes large files for measurements: the same rows for the same
// seed, on every machine. It knows nothing of imports.
package bench

import (
	"bufio"
	"io"
	"math/rand/v2"
	"strconv"
)

// Header names the columns of a generated file.
var Header = []string{"id", "first_name", "last_name", "email", "phone", "signed_up", "amount", "country", "notes", "url"}

var (
	firstNames = []string{"Anna", "Ben", "Chloé", "Dieter", "Elif", "Fatima", "Giulia", "Hugo", "Ines", "Jan", "Karol", "Lena", "Mateusz", "Nadia", "Olga", "Pedro", "Quentin", "Rosa", "Søren", "Tomás"}
	lastNames  = []string{"Almeida", "Becker", "Çelik", "Dubois", "Eriksson", "Fischer", "García", "Hansen", "Ivanova", "Jansen", "Kowalski", "Larsen", "Müller", "Nowak", "O'Brien", "Petrov", "Quispe", "Rossi", "Schmidt", "Tanaka"}
	countries  = []string{"DE", "NL", "FR", "IT", "GB", "PL", "DK", "JP", "PT", "CH", "SE", "ES", "AT", "BE", "US", "CA", "BR", "IN", "AU", "NO"}
	words      = []string{"met", "at", "the", "fair", "prefers", "mail", "asked", "for", "an", "offer", "invoice", "differs", "call", "after", "noon", "second", "order", "pending", "new", "address"}
)

// Write writes a CSV file with a header and rows of 10 columns, about 145 bytes
// a row. One e-mail address in 50 is malformed; about one note in six has a
// comma, a quote or a line break.
func Write(to io.Writer, rows int, seed uint64) error {
	g := &generator{w: bufio.NewWriterSize(to, 1<<20), random: rand.New(rand.NewPCG(seed, seed))}
	for i, name := range Header {
		g.cell(i, name)
	}
	for id := range rows {
		g.row(id)
	}
	g.text("\n")
	if g.err != nil {
		return g.err
	}
	return g.w.Flush()
}

type generator struct {
	w      *bufio.Writer
	random *rand.Rand
	err    error
}

func (g *generator) text(s string) {
	if _, err := g.w.WriteString(s); err != nil && g.err == nil {
		g.err = err
	}
}

func (g *generator) cell(column int, s string) {
	if column > 0 {
		g.text(",")
	}
	g.text(s)
}

func (g *generator) pick(list []string) string { return list[g.random.IntN(len(list))] }

func (g *generator) row(id int) {
	g.text("\n")
	number := strconv.Itoa(id + 1)
	g.cell(0, number)
	g.cell(1, g.pick(firstNames))
	g.cell(2, g.pick(lastNames))
	g.cell(3, g.email(number))
	g.cell(4, "+49 30 "+strconv.Itoa(1000000+g.random.IntN(9000000)))
	g.cell(5, g.date())
	g.cell(6, strconv.Itoa(g.random.IntN(10000))+"."+strconv.Itoa(10+g.random.IntN(90)))
	g.cell(7, g.pick(countries))
	g.cell(8, g.notes())
	g.cell(9, "https://shop.example.org/customers/"+number)
}

func (g *generator) email(number string) string {
	if g.random.IntN(50) == 0 {
		return "user" + number + " at example.org"
	}
	return "user" + number + "@mail" + strconv.Itoa(g.random.IntN(40)) + ".example.org"
}

func (g *generator) date() string {
	two := func(n int) string { return strconv.Itoa(100 + n)[1:] }
	return strconv.Itoa(1990+g.random.IntN(36)) + "-" + two(1+g.random.IntN(12)) + "-" + two(1+g.random.IntN(28))
}

func (g *generator) notes() string {
	note := ""
	for i := range 1 + g.random.IntN(4) {
		if i > 0 {
			note += " "
		}
		note += g.pick(words)
	}
	switch g.random.IntN(18) {
	case 0:
		return `"` + note + `, and ` + note + `"`
	case 1:
		return `"` + note + ` ""now"""`
	case 2:
		return "\"" + note + "\n" + note + "\""
	}
	return note
}
