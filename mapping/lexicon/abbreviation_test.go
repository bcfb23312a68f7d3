package lexicon_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/mapping/lexicon"
)

// TestAbbreviations checks the meaning of abbreviated headers next to headers in the same language.
func TestAbbreviations(t *testing.T) {
	l := standard(t)
	others := map[string][]string{
		"en": {"First name", "Last name", "Postal code", "Due date"}, "de": {"Vorname", "Nachname", "Ort", "Bemerkung"},
		"es": {"Apellidos", "Correo electrónico", "Población"}, "cs": {"Příjmení", "Jméno", "Ulice"},
		"nl": {"Voornaam", "Achternaam", "Woonplaats"}, "tr": {"Soyadı", "Cep telefonu", "Posta kodu"}, "": {},
	}
	for _, c := range []struct{ language, text, want string }{
		{"en", "Descr.", "description"}, {"en", "Manufctr", "brand"},
		{"de", "Bemerk.", "notes"}, {"de", "Vorn.", "first_name"},
		{"es", "Observ.", "notes"}, {"es", "Provinc.", "state"},
		{"cs", "Poznám.", "notes"}, {"nl", "Voorn.", "first_name"}, {"nl", "Postc.", "postal_code"},
		{"tr", "Doğum T.", "date birth"}, {"", "Descr.", "description"},
	} {
		var sets []uint64
		for _, header := range others[c.language] {
			sets = append(sets, l.Read(header)[0].Languages)
		}
		all := l.ReadAbbreviated(c.text, l.CommonLanguages(sets))
		if len(all) == 0 {
			t.Errorf("%q means nothing", c.text)
			continue
		}
		if got := strings.Join(append([]string{all[0].Head}, all[0].Qualifiers...), " "); got != c.want {
			t.Errorf("%q means %q, want %q", c.text, got, c.want)
		}
		if all[0].Cost == 0 {
			t.Errorf("%q costs nothing", c.text)
		}
	}
	for _, text := range []string{"X.", "Q. Z.", "Gizm."} {
		if all := l.ReadAbbreviated(text, 0); len(all) > 0 {
			t.Errorf("%q means %+v", text, all)
		}
	}
}

// TestAmbiguousAbbreviations checks that an abbreviation of several names is doubtful.
func TestAmbiguousAbbreviations(t *testing.T) {
	l, err := parse("concept a: text\n  en Production\n  de Produktion\nconcept b: text\n  en Product\nqualifier q: role\n  en primary\n") //nolint:misspell // German
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range l.ReadAbbreviated("Prod.", 0) {
		if !r.Doubtful {
			t.Errorf("%+v is not doubtful", r)
		}
		got = append(got, r.Head)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
		t.Errorf("meanings (-want +got):\n%s", diff)
	}
	german := l.CommonLanguages([]uint64{l.Read("Produktion")[0].Languages}) //nolint:misspell // German
	if r := l.ReadAbbreviated("Prod.", german); len(r) != 1 || r[0].Head != "a" || r[0].Doubtful {
		t.Errorf("in German: %+v", r)
	}
}

func TestAbbreviates(t *testing.T) {
	for pair, want := range map[string]bool{
		"cust customer": true, "nbr number": true, "dpto departamento": true, "mfr manufacturer": true, "ctry country": true,
		"cus customer": false, "custemer customer": false, "nbx number": false, "customer customer": false, "customers customer": false,
		"dpta departamento": false, "tomer customer": false, "ab abbreviation": false,
	} {
		short, long, _ := strings.Cut(pair, " ")
		if lexicon.Abbreviates(short, long) != want {
			t.Errorf("%s abbreviates %s: want %v", short, long, want)
		}
	}
}

// TestGeneralWords checks words that do not change the meaning of a name.
func TestGeneralWords(t *testing.T) {
	l := standard(t)
	for text, want := range map[string]string{
		"Fax No.": "fax", "Phone #": "phone", "Mobile Nr": "mobile", "Account number": "account", "Tel. č.": "phone",
		"Payee account or IBAN": "account counterparty", "contact.phone.mobile": "mobile", "Job Title Description": "job_title", "Str. u. Hausnr.": "street",
	} {
		r := l.Read(text)
		if len(r) == 0 {
			t.Errorf("%q means nothing", text)
			continue
		}
		if got := strings.Join(append([]string{r[0].Head}, r[0].Qualifiers...), " "); got != want || r[0].Cost > 0.02 {
			t.Errorf("%q means %q at %.2f, want %q", text, got, r[0].Cost, want)
		}
	}
}
