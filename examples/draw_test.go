package examples_test

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding"
)

// draw generates random values. The same seed yields the same values.
type draw struct{ *rand.Rand }

func newDraw(seed uint64) draw { return draw{rand.New(rand.NewPCG(seed, 2026))} }

func (d draw) of(list ...string) string { return list[d.IntN(len(list))] }

func (d draw) between(least, most int) int { return least + d.IntN(most-least+1) }

// one returns true with probability 1/n.
func (d draw) one(n int) bool { return d.IntN(n) == 0 }

// digits returns n random digits. The first digit is not 0.
func (d draw) digits(n int) string {
	text := []byte{byte('1' + d.IntN(9))}
	for len(text) < n {
		text = append(text, byte('0'+d.IntN(10)))
	}
	return string(text)
}

// day returns a random date: end, or a date that is up to days-1 days earlier.
func (d draw) day(end time.Time, days int) time.Time { return end.AddDate(0, 0, -d.IntN(days)) }

func day(year int, month time.Month, n int) time.Time {
	return time.Date(year, month, n, 0, 0, 0, 0, time.UTC)
}

// slip is an intentional mistake in a cell.
type slip struct {
	row, column int
	text        string
}

func (s slip) spoil(rows [][]string) { rows[s.row][s.column] = s.text }

// delimited writes rows to b with a delimiter between the cells. It quotes all cells if all
// is set, and otherwise only cells that need quotes.
func delimited(b *bytes.Buffer, rows [][]string, delimiter string, all bool, end string) {
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteString(delimiter)
			}
			if all || strings.ContainsAny(cell, delimiter+"\"\n") {
				cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			b.WriteString(cell)
		}
		b.WriteString(end)
	}
}

func encode(t *testing.T, e encoding.Encoding, text []byte) []byte {
	t.Helper()
	encoded, err := e.NewEncoder().Bytes(text)
	if err != nil {
		t.Fatalf("the example has a character that its encoding has not: %v", err)
	}
	return encoded
}

// grouped formats a number of hundredths with a decimal comma and the given thousands separator.
func grouped(hundredths int, thousands string) string {
	whole := strconv.Itoa(hundredths / 100)
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + thousands + whole[at:]
	}
	return whole + "," + strconv.Itoa(100 + hundredths%100)[1:]
}

// ascii returns a name in the form used in a domain name.
func ascii(name string) string {
	name = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ç", "c", "å", "a", "ø", "o", "á", "a", "í", "i", "ó", "o", "ł", "l", "ń", "n").Replace(strings.ToLower(name))
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
}
