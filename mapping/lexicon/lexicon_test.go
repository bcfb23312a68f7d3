package lexicon_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/mapping/lexicon"
)

func standard(t testing.TB) *lexicon.Lexicon {
	t.Helper()
	l, err := lexicon.Standard()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// parse parses a lexicon that consists of one file.
func parse(text string) (*lexicon.Lexicon, error) {
	return lexicon.Parse(fstest.MapFS{"words.txt": {Data: []byte(text)}, "notes.md": {Data: []byte("no words")}})
}

// TestConcepts checks the number of concepts and the number of languages of each. A concept
// with few languages must explain why.
func TestConcepts(t *testing.T) {
	l := standard(t)
	wide := 0
	for _, name := range l.Concepts() {
		c := l.Concept(name)
		switch {
		case c.Languages() >= 20:
			wide++
		case c.Few == "":
			t.Errorf("%s has names in %d languages and does not say why so few", name, c.Languages())
		}
		if c.Head() != name && slices.Contains(c.Not, c.Head()) {
			t.Errorf("%s is a case of %s and not %s", name, c.Head(), c.Head())
		}
		if c.Languages() >= 20 && c.Few != "" {
			t.Errorf("%s has names in %d languages, which are not few", name, c.Languages())
		}
	}
	if wide < 120 || len(l.Concepts()) < 150 {
		t.Errorf("%d concepts, %d of them in 20 languages; want 150 and 120", len(l.Concepts()), wide)
	}
}

// reading is a meaning without its cost.
type reading struct {
	Head  string
	Marks string
}

func TestRead(t *testing.T) {
	l := standard(t)
	for text, want := range map[string]reading{
		"First name": {"first_name", ""}, "firstName": {"first_name", ""}, "FIRST_NAME": {"first_name", ""}, "Vorname": {"first_name", ""},
		"Postleitzahl": {"postal_code", ""}, "郵便番号": {"postal_code", ""}, "〒": {"postal_code", ""}, "Código Postal": {"postal_code", ""}, "codigo-postal": {"postal_code", ""},
		"Billing Address Line 1": {"street", "billing"}, "Postcode (Shipping)": {"postal_code", "recipient"},
		"Empfänger PLZ": {"postal_code", "recipient"}, "Lieferadresse Straße": {"street", "addressed recipient"},
		"Rechnungsnummer": {"id", "invoice"}, "送付先郵便番号": {"postal_code", "recipient"}, "Ship To City": {"city", "recipient"},
		"Date of birth": {"date", "birth"}, "Geburtsdatum": {"date", "birth"}, "Wertstellung": {"date", "value"},
		"Parent's e-mail": {"email", "guardian"}, "E-mail status": {"status", "~email"},
		"Straße": {"street", ""}, "Strasse": {"street", ""}, "STRAßE": {"street", ""},
	} {
		all := l.Read(text)
		if len(all) == 0 {
			t.Errorf("%q means nothing", text)
			continue
		}
		got := reading{all[0].Head, strings.Join(all[0].Qualifiers, " ")}
		if text == "E-mail status" && got.Head == "email" {
			got = reading{all[1].Head, strings.Join(all[1].Qualifiers, " ")}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{"", " - ", "Xyzzy", "of the", strings.Repeat("é", 5000), "\xff\xfe"} {
		if all := l.Read(text); len(all) > 0 {
			t.Errorf("%.20q means %+v", text, all)
		}
	}
}

func TestGuess(t *testing.T) {
	l := standard(t)
	for text, want := range map[string]string{"Custommer": "name", "Telefone numbr": "phone", "Quanttity": "quantity"} {
		if all := l.ReadFuzzy(text); len(all) == 0 || all[0].Head != want || all[0].Cost == 0 {
			t.Errorf("%q is guessed to mean %+v, want %s at a cost", text, all, want)
		}
	}
	if all := l.Read("Quanttity"); len(all) > 0 {
		t.Errorf("a misspelled word is read as %+v", all)
	}
}

// TestConceptAndQualifier checks that a name of both a concept and qualifiers means the concept
// or the first qualifier.
func TestConceptAndQualifier(t *testing.T) {
	l, err := parse("concept a: text\n  en both\nconcept b: text\n  en Bbb\nqualifier q: role\n  alone b\n  en both\nqualifier r: place\n  alone c\n  en both\nconcept c: text\n  en Ccc\n")
	if err != nil {
		t.Fatal(err)
	}
	var meanings []string
	for _, r := range l.Read("both") {
		meanings = append(meanings, r.Head+" "+strings.Join(r.Qualifiers, " "))
	}
	slices.Sort(meanings)
	if diff := cmp.Diff([]string{"a ", "b q"}, meanings); diff != "" {
		t.Errorf("meanings (-want +got):\n%s", diff)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"firstName": "first name", "Parent's": "parent", "XMLFile": "xml file", "address1": "address 1", "Amount %": "amount %", "E-Mail": "e mail",
		"Số điện thoại": "so dien thoai", "N° client": "no client", "L'adresse": "ladresse", "№ 7": "no 7", "Öl/Gas": "ol gas", "#": "#", "#Datum": "datum",
	} {
		if got := strings.Join(lexicon.SplitWords(text), " "); got != want {
			t.Errorf("%q has the words %q, want %q", text, got, want)
		}
	}
}

func TestNear(t *testing.T) {
	l, err := parse("concept a: text\n  near b 7\n  en Aaa\nconcept b: text\n  near a never\n  en Bbb\nqualifier q: role\n  near r 12\n  en qqq\nqualifier r: role\n  en rrr\n")
	if err != nil {
		t.Fatal(err)
	}
	a, b, q := l.Concept("a"), l.Concept("b"), l.Qualifier("q")
	if a.SubstituteCost("b") != 0.07 || a.SubstituteCost("a") != 0 || b.SubstituteCost("a") != lexicon.Never || b.SubstituteCost("c") != lexicon.Never || q.SubstituteCost("r") != 0.12 || q.SubstituteCost("q") != 0 {
		t.Error("the costs are not those of the file")
	}
	if diff := cmp.Diff([]string{"b"}, a.Substitutes()); diff != "" || b.Substitutes() != nil || l.Concept("c") != nil || l.Qualifier("a") != nil {
		t.Error(diff)
	}
}

func TestLanguages(t *testing.T) {
	l, err := parse("# words\nconcept a: text\n  en Aaa, Aab?\n  de Aaa\nnoise\n  en of\n")
	if err != nil {
		t.Fatal(err)
	}
	if r := l.Read("Aaa of"); len(r) != 1 || l.Languages(r[0].Languages) != "en, de" || r[0].Doubtful {
		t.Errorf("%+v", r)
	}
	if r := l.Read("Aab"); len(r) != 1 || !r[0].Doubtful || r[0].Cost != lexicon.CostDoubtful {
		t.Errorf("%+v", r)
	}
}

// TestParseErrors checks the errors for various mistakes in a lexicon. Most of these errors name
// the file and the line.
func TestParseErrors(t *testing.T) {
	const a = "concept a: text\n  en Aaa\n"
	for text, want := range map[string]string{
		"concept a\n":                                            "words.txt:1: \"concept a\" begins no block",
		"thing a: b\n":                                           "words.txt:1: \"thing a: b\" begins no block",
		"  en A\n":                                               "words.txt:1: the line belongs to no block",
		"concept a: stone\n":                                     "words.txt:1: \"stone\" is not a kind",
		a + a:                                                    "words.txt:3: the concept a is there already",
		a + "concept b: text\n  en aaa\n":                        "words.txt:4: \"aaa\" is a name of b and of a",
		a + "concept b: text\n  is c\n":                          "words.txt:4: there is no concept c",
		a + "concept b: text\n  is a q\n":                        "words.txt:4: there is no qualifier q",
		a + "concept b: text\n  near c 5\n":                      "words.txt:4: there is no concept c",
		"concept a: text\n  near a x\n":                          "words.txt:2: \"x\" is not a cost",
		"concept a: text\n  near a 100\n":                        "words.txt:2: \"100\" is not a cost",
		"concept a: text\n  bare x\n":                            "words.txt:2: \"x\" is not a cost",
		"concept a: text\n  english A\n":                         "words.txt:2: \"english\" is neither",
		"concept a: text\n  en\n":                                "words.txt:2: \"en\" says nothing",
		"concept a: text\n  en B, -\n":                           "words.txt:2: the name \"-\" has no letters",
		"concept a: text\n  alone a\n":                           "words.txt:2: \"alone\" belongs to a qualifier",
		"qualifier a: role\n  not a\n":                           "words.txt:2: \"not\" belongs to a concept",
		"qualifier a: role\n  few words\n":                       "words.txt:2: \"few\" belongs to a concept",
		"qualifier a: role\n  values odd\n":                      "words.txt:2: \"odd\": write values same or values differ",
		"qualifier a: role\n  alone b\n":                         "words.txt:2: there is no concept b",
		"concept a: text\n  with a\n":                            "words.txt:2: \"a\": write with and two concepts",
		"concept a: text\n  claims a\n":                          "words.txt:2: \"a\": write claims and two concepts",
		"concept a: text\n  next a b\n":                          "words.txt:2: there is no concept b",
		"qualifier a: role\n  next b c\n":                        "words.txt:2: \"next\" belongs to a concept",
		"concept a: text\n  with a b\n":                          "words.txt:2: there is no concept b",
		"noise\n  near a 5\n":                                    "words.txt:2: noise is near nothing",
		"noise\n  extra 5\n":                                     "words.txt:2: noise costs nothing",
		"concept \xff: text\n":                                   "words.txt:0: the file is no UTF-8",
		a + "concept b: text\n  is a\nconcept c: text\n  is b\n": "the concept c is a case of b, which is itself",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"Billing Address Line 1", "送付先郵便番号", "Rechnungsnummer/Beleg (Nr.)", "((", "\xff"} {
		f.Add(text)
	}
	l := standard(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range l.ReadFuzzy(text) {
			if l.Concept(r.Head) == nil || l.Concept(r.Named) == nil || r.Cost < 0 {
				t.Errorf("%+v", r)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("concept a: text\n  en Aaa\nqualifier b: role\n  unsaid 5\n")
	f.Fuzz(func(t *testing.T, text string) {
		if l, err := parse(text); err == nil {
			l.ReadFuzzy(text)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	l := standard(b)
	for b.Loop() {
		l.Read("Billing Address Line 1")
	}
}

func TestOpposed(t *testing.T) {
	l, err := parse("apart\n  en old, former | new\napart\n  en in, opt in, both | out, opt out, both\napart\n  en first, last first | last\nconcept a: text\n  en Aaa\n")
	if err != nil {
		t.Fatal(err)
	}
	for pair, want := range map[string]bool{
		"Old price/New price": true, "former/NEW": true, "oldPrice/newPrice": true, "Opt-in/Opt-out": true,
		"last first/last": true, "first/last first": false,
		"old/former": false, "old/price": false, "old and new/new": false, "old/older": false, "opt/out": false,
		"old/out": false, "both/out": false, "both/both": false, "/new": false,
	} {
		a, b, _ := strings.Cut(pair, "/")
		if l.Sides(a).Opposed(l.Sides(b)) != want || l.Sides(b).Opposed(l.Sides(a)) != want {
			t.Errorf("%q and %q: want %v", a, b, want)
		}
	}
	for _, text := range []string{"apart\n  en old\n", "apart\n  english old | new\n", "apart\n  en old | -\n", "apart\n  en\n"} {
		if _, err := parse(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
