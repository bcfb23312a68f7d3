package mapping

import (
	"strings"

	"github.com/intraydata/intray"
)

// fit is what the cells of a column say to a meaning.
type fit int

const (
	// fitVeto says that they cannot be it.
	fitVeto fit = iota - 1
	fitOpen
	// fitSure says that they are hardly anything else.
	fitSure
)

// Shares from which on cells count as being something, and below which they
// count as not being it.
const (
	most = 0.8
	few  = 0.25
)

// demand is what the cells of a kind of values must look like.
type demand struct {
	// any of these shapes must be seen in some cells.
	any []shape
	// none of these may be seen in most.
	none []shape
	// telling says that the shapes are of this kind alone, and word is the code of
	// the message that names them for people.
	telling bool
	word    string
}

// demands are those of the kinds of values of the lexicon. A kind that is not
// here may look like anything.
var demands = map[string]demand{
	"email":    {any: []shape{shapeEmail}, telling: true, word: "values.email_addresses"},
	"url":      {any: []shape{shapeURL, shapeDomain}, none: []shape{shapeEmail}, telling: true, word: "values.web_addresses"},
	"domain":   {any: []shape{shapeDomain, shapeURL}, none: []shape{shapeEmail}, telling: true, word: "values.domains"},
	"date":     {any: []shape{shapeDate, shapeInteger}, word: "values.dates"},
	"time":     {any: []shape{shapeTime, shapeDate}, word: "values.times"},
	"amount":   {any: []shape{shapeNumber}, none: []shape{shapeDate, shapeEmail}, word: "values.numbers"},
	"number":   {any: []shape{shapeNumber, shapeDigit}, none: []shape{shapeDate, shapeEmail}, word: "values.numbers"},
	"percent":  {any: []shape{shapeNumber}, none: []shape{shapeDate, shapeEmail}, word: "values.numbers"},
	"phone":    {any: []shape{shapePhone}, none: []shape{shapeEmail, shapeDate, shapeURL}, word: "values.phone_numbers"},
	"uuid":     {any: []shape{shapeUUID}, telling: true, word: "values.uuids"},
	"currency": {any: []shape{shapeCurrency, shapeLetter}, none: []shape{shapeDigit, shapeProse}, word: "values.currencies"},
	"country":  {any: []shape{shapeLetter}, none: []shape{shapeDigit, shapeEmail, shapeProse}, word: "values.countries"},
	"postal":   {any: []shape{shapeDigit}, none: []shape{shapeDate, shapeEmail}, word: "values.postal_codes"},
	"iban":     {any: []shape{shapeIBAN, shapeDigit, shapeLetter}, none: []shape{shapeDate, shapeProse}, word: "values.account_numbers"},
	"name":     {any: []shape{shapeLetter}, none: []shape{shapeDate, shapeURL, shapeEmail, shapeNumber, shapeUUID, shapeIBAN}, word: "values.names"},
	"text":     {any: []shape{shapeLetter}, none: []shape{shapeDate, shapeNumber}, word: "values.texts"},
	"id":       {any: []shape{shapeDigit, shapeLetter}, none: []shape{shapeProse, shapeURL}, word: "values.numbers_or_codes"},
	"flag":     {none: []shape{shapeProse, shapeDate, shapeEmail, shapeURL}, word: "values.yes_or_no"},
	"prose":    {none: []shape{shapeUUID, shapeURL}, word: "values.texts"},
}

// kindOf is the kind of values that a type takes, or "" where it takes many.
func kindOf(t intray.TypeName) string {
	switch t {
	case intray.TypeNumber:
		return "number"
	case intray.TypeDate, intray.TypeDatetime:
		return "date"
	case intray.TypeTime:
		return "time"
	case intray.TypeEmail:
		return "email"
	case intray.TypePhone:
		return "phone"
	case intray.TypeURL:
		return "url"
	case intray.TypeDomain:
		return "domain"
	case intray.TypeZIP:
		return "postal"
	case intray.TypeCountry:
		return "country"
	case intray.TypeUUID:
		return "uuid"
	case intray.TypeCheckbox:
		return "flag"
	}
	return ""
}

// judge says how the samples fit a kind of values, and why; the reason is nil where
// they leave it open.
func (p profile) judge(kind string) (fit, reason) {
	d, known := demands[kind]
	if !known || p.total == 0 {
		return fitOpen, nil
	}
	for _, s := range d.none {
		if share := p.share(s); share >= most && (p.total > 1 || s&(shapeDate|shapeEmail|shapeURL|shapeUUID) != 0) {
			return fitVeto, func(string) intray.Message {
				return intray.NewMessage("mapping.values_look_like", intray.Params{"percent": percent(share), "values": intray.NewMessage(shapeWords[s], nil)})
			}
		}
	}
	if len(d.any) == 0 {
		return fitOpen, nil
	}
	share := p.share(d.any...)
	switch {
	case share < few:
		return fitVeto, valuesAre(share, d.word)
	case share >= most && d.telling:
		return fitSure, valuesAre(share, d.word)
	case kind == "iban" && p.share(shapeIBAN) >= most:
		return fitSure, valuesAre(p.share(shapeIBAN), "values.ibans")
	case share >= most && (kind == "date" || kind == "time"):
		if p.share(d.any[0]) < most {
			return fitOpen, nil
		}
		return fitSure, valuesAre(share, d.word)
	}
	return fitOpen, nil
}

// valuesAre is the reason that so many values are what a code of a message calls them.
func valuesAre(share float64, word string) reason {
	return func(string) intray.Message {
		values := intray.NewMessage(word, nil)
		if share == 0 {
			return intray.NewMessage("mapping.no_values_are", intray.Params{"values": values})
		}
		return intray.NewMessage("mapping.values_are", intray.Params{"percent": percent(share), "values": values})
	}
}

// shapeWords are the codes of the messages that name values of a shape.
var shapeWords = map[shape]string{
	shapeEmail: "values.email_addresses", shapeURL: "values.web_addresses", shapeDate: "values.dates", shapeNumber: "values.numbers",
	shapeUUID: "values.uuids", shapeIBAN: "values.account_numbers", shapeProse: "values.sentences", shapeDigit: "values.with_digits",
}

// maxOptions is the most options of a field that values are compared with.
const maxOptions = 1000

// optionNames are the spellings of the options of a select field; none where it
// has none, or too many.
func optionNames(f intray.Field) map[string]bool {
	if len(f.SelectOptions) > maxOptions {
		return nil
	}
	known := map[string]bool{}
	for _, o := range f.SelectOptions {
		known[normalize(o.Label)], known[normalize(o.Value)] = true, true
		for _, other := range o.AlternateMatches {
			known[normalize(other)] = true
		}
	}
	delete(known, "")
	return known
}

// chosenFrom says how many of the samples are among the options; it is false
// where there are no options or no samples.
func chosenFrom(known map[string]bool, c intray.Column) (float64, bool) {
	if len(known) == 0 {
		return 0, false
	}
	hits, total := 0, 0
	for _, cell := range c.Samples {
		if cell = strings.TrimSpace(cell); cell == "" || len(cell) > maxCell {
			continue
		}
		total++
		if known[normalize(cell)] {
			hits++
		}
	}
	if total == 0 {
		return 0, false
	}
	return float64(hits) / float64(total), true
}
