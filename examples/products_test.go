package examples_test

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"
	"time"
)

// narrow is the space that French programs use between thousands and before a percent sign.
const narrow = "\u202f"

// products returns a price list with decimal commas, spaces between thousands, empty lines
// between product families, and one or two extra semicolons at the end of each line.
func products(*testing.T) []byte {
	d := newDraw(5)
	rows := priced(d, 160)
	for _, s := range []slip{
		{8, 4, "sur demande"}, {19, 0, rows[3][0]}, {33, 8, "31/02/2026"}, {47, 2, "4601234567"}, {62, 9, "à vérifier"},
		{75, 10, "voir catalogue p. 12"}, {98, 7, "env. 20"}, {120, 2, rows[100][2]}, {141, 1, ""},
	} {
		s.spoil(rows)
	}
	var b bytes.Buffer
	delimited(&b, [][]string{{"Référence", "Désignation", "Code EAN", "Famille", "Prix unitaire HT", "Taux TVA", "Remise", "Stock", "Date de création", "Statut", "Lien produit", ""}}, ";", false, "\n")
	family := ""
	for i, row := range rows {
		if row[3] != family && i > 0 {
			b.WriteString("\n")
		}
		family = row[3]
		if i%40 == 25 {
			row = append(row, "")
		}
		delimited(&b, [][]string{row}, ";", false, "\n")
	}
	return b.Bytes()
}

func priced(d draw, n int) (rows [][]string) {
	families := []string{"Confitures", "Miels", "Sirops", "Biscuits", "Tisanes"}
	things := map[string][]string{
		"Confitures": {"Confiture d'abricots", "Confiture de mûres", "Gelée de coings", "Crème de marrons"},
		"Miels":      {"Miel de châtaignier", "Miel d'acacia", "Miel de lavande", "Miel \"grande réserve\""},
		"Sirops":     {"Sirop de menthe", "Sirop de grenadine", "Sirop d'orgeat; sans colorant", "Sirop de violette"},
		"Biscuits":   {"Sablés au beurre", "Croquants aux amandes", "Palets à la fleur de sel", "Navettes à l'anis"},
		"Tisanes":    {"Tisane de tilleul", "Verveine coupée", "Thym citron", "Camomille entière"},
	}
	sizes := []string{"125 g", "250 g", "375 g", "500 g", "1 kg"}
	for i := range n {
		family := families[i*len(families)/n]
		name := d.of(things[family]...) + ", " + d.of(sizes...)
		discount := ""
		if d.one(4) {
			discount = "(" + strconv.Itoa(5*d.between(1, 4)) + ",00)"
		}
		status := d.of("actif", "actif", "actif", "actif", "inactif", "en rupture")
		reference := fmt.Sprintf("%s-%04d", family[:2], i+1)
		rows = append(rows, []string{
			reference, name, ean(fmt.Sprintf("00%03d%07d", d.between(1, 899), 31*i+7)), family,
			grouped(d.between(180, 2990)+100000*(d.IntN(40)/39), narrow) + " €", d.of("5,5", "5,5", "20") + narrow + "%", discount,
			thousands(d.between(0, 4200)), d.day(day(2026, time.March, 31), 800).Format("02/01/2006"), status,
			"https://www.maison-fontbrune.example/fiches/" + ascii(reference), "",
		})
	}
	return rows
}

func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return strconv.Itoa(n/1000) + narrow + fmt.Sprintf("%03d", n%1000)
}

// ean appends the check digit to the first 12 digits of an article number (GTIN-13).
func ean(digits string) string {
	sum := 0
	for i, c := range digits {
		sum += int(c-'0') * (1 + 2*(i%2))
	}
	return digits + strconv.Itoa((10-sum%10)%10)
}
