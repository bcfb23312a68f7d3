package table

import "strings"

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
