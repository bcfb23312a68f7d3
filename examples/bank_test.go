package examples_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"
)

// payer is a person or company that sends money to, or receives money from, the account in the
// example.
type payer struct {
	name, iban, kind, text string
	// least and most are the minimum and maximum amounts in cents. Outgoing payments are
	// negative.
	least, most int
}

func payers() []payer {
	return []payer{
		{"Stadtwerke Kirchau GmbH", german("99070024", 1834), "Lastschrift", "Abschlag Strom {month}; Vertrag 20{number}", -48900, -48900},
		{"Papierhaus Quandt; Inh. Käthe Quandt", german("99050101", 77120), "Überweisung", "Rechnung {number} aus {month}", -89000, -4200},
		{"Löffelholz & Söhne Holzhandel KG", german("99020500", 400551), "Überweisung", "RE-NR {number}; abzgl. 2 % Skonto", -865000, -120000},
		{"Gemeinde Kirchau, Steueramt", german("99055500", 10006), "Lastschrift", "Gewerbesteuer; Kassenzeichen 7.0{number}.3", -312000, -312000},
		{"Bürobedarf Nägele e.K.", german("99090100", 551902), "Kartenzahlung", "Girocard-Zahlung {month}; Kirchau", -19900, -650},
		{"Bootswerft Ahrens GmbH", german("99040033", 220415), "Gutschrift", "Auftrag {number}; Tauwerk \"Nordlicht\" 24 mm", 95000, 680000},
		{"Seilpark Hohenfels eG", german("99061104", 9350), "Gutschrift", "Rechnung {number}; Kundennr. 20188", 42000, 280000},
		{"Schützenverein Großmühl 1902 e.V.", german("99066020", 31), "Gutschrift", "Fahnenseil; Danke für die schnelle Lieferung", 3900, 45000},
		{"Brouwer Touwwerk B.V.", "NL" + checkDigits("NL", "QUAY0417164300") + "QUAY0417164300", "Auslandsgutschrift", "Invoice {number}; order 88-{number}", 150000, 590000},
		{"", "", "Entgelt", "Entgelt Kontoführung {month}", -1490, -1490},
	}
}

// german returns a German IBAN for a bank code that no bank has.
func german(bank string, account int) string {
	number := bank + fmt.Sprintf("%010d", account)
	return "DE" + checkDigits("DE", number) + number
}

// checkDigits returns the two check digits of an IBAN (ISO 13616), which make the remainder
// modulo 97 equal to 1.
func checkDigits(country, number string) string {
	rest := 0
	for _, c := range number + country + "00" {
		n, wide := int(c-'0'), 10
		if c >= 'A' {
			n, wide = int(c-'A')+10, 100
		}
		rest = (rest*wide + n) % 97
	}
	return fmt.Sprintf("%02d", 98-rest)
}

// bank returns an account export in the encoding windows-1252, with the newest day first
// and the sign after each amount.
func bank(t *testing.T) []byte {
	d := newDraw(1)
	rows, opening, closing := bookings(d, 240)
	for _, s := range []slip{
		{11, 0, "31.02.2026"}, {37, 7, "1.25O,00-"}, {64, 6, rows[60][6]}, {90, 3, "DE12 3456"},
		{121, 10, "in Klärung"}, {150, 8, "EURO"}, {171, 7, ""}, {203, 1, "45.01.2026"},
	} {
		s.spoil(rows)
	}
	var b bytes.Buffer
	delimited(&b, [][]string{
		{"Umsatzübersicht Geschäftskonto", "", "erstellt am 04.05.2026 um 08:15 Uhr"},
		{},
		{"Kontoinhaber:", "Seilerei Hagedorn GmbH & Co. KG"},
		{"IBAN:", german("99010003", 4711206)},
		{"Zeitraum:", "01.01.2026 - 30.04.2026"},
		{"Alter Kontostand:", signed(opening) + " EUR"},
		{},
		{"Buchungstag", "Wertstellung", "Auftraggeber/Empfänger", "IBAN Zahlungsbeteiligter", "Umsatzart", "Verwendungszweck",
			"Kundenreferenz", "Betrag", "Währung", "Saldo nach Buchung", "Buchungsstatus"},
	}, ";", false, "\r\n")
	delimited(&b, rows, ";", false, "\r\n")
	delimited(&b, [][]string{{"Endsaldo", "30.04.2026", "", "", "", "", "", "", "EUR", signed(closing), ""}}, ";", false, "\r\n")
	return encode(t, charmap.Windows1252, b.Bytes())
}

// bookings returns n account transactions as rows, newest first, and the balances before and
// after all of them.
func bookings(d draw, n int) (rows [][]string, opening, closing int) {
	const written = "02.01.2006"
	balance := 11818455
	opening = balance
	const days = 120
	rows = make([][]string, n)
	list := payers()
	for i := range n {
		date := day(2026, time.January, 1).AddDate(0, 0, i*days/n)
		p := list[d.IntN(len(list))]
		cents := p.least + d.IntN(p.most-p.least+1)
		balance += cents
		text := strings.NewReplacer("{number}", d.digits(5), "{month}", date.Format("01/2006")).Replace(p.text)
		reference := ""
		if p.name != "" {
			reference = "KR-" + strconv.Itoa(26000000+i*137)
		}
		status := "gebucht"
		if i > n-6 {
			status = "vorgemerkt"
		}
		rows[n-1-i] = []string{
			date.Format(written), date.AddDate(0, 0, d.IntN(3)).Format(written), p.name, p.iban, p.kind, text,
			reference, signed(cents), "EUR", signed(balance), status,
		}
	}
	return rows, opening, balance
}

// signed formats an amount, given in cents, with the sign at the end, as some German banks do.
func signed(cents int) string {
	if cents < 0 {
		return grouped(-cents, ".") + "-"
	}
	return grouped(cents, ".")
}
