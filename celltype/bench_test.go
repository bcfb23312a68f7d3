package celltype_test

import (
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// everyday holds a field of each type and the cells of a typical column. All cells are valid.
var everyday = []struct {
	field intray.Field
	cells []string
}{
	{typed(intray.TypeString, nil), []string{"Ada Lovelace", "", "00042", "12 St James's Square, London", "n/a", "Zoë"}},
	{typed(intray.TypeNumber, nil), []string{"12", "1234.50", "-7", "0.25", "1,250.00", "98765"}},
	{typed(intray.TypeDate, nil), []string{"25/12/2021", "03/04/2021", "31/01/2022", "1/7/2022", "09/11/1989", "28/02/2023"}},
	{typed(intray.TypeDatetime, nil), []string{"2022-03-27T15:20:07", "2022-03-27 15:20", "2022-03-27T15:20:07Z", "2022-03-27", "2022-03-27T15:20:07.123Z", "2022-12-31 23:59:59"}},
	{typed(intray.TypeTime, nil), []string{"15:20", "3:20 PM", "07:05:09", "9:00", "23:59", "12:00 AM"}},
	{typed(intray.TypeCheckbox, nil), []string{"true", "no", "Yes", "1", "0", "FALSE"}},
	{picking(intray.TypeSelect), []string{"High", "Low", "vh", "high", "Very High", "In progress"}},
	{picking(intray.TypeMultiSelect), []string{"High", "High, Low", "vh,l", "High,Low,In progress", "Urgent", "low, high"}},
	{typed(intray.TypeEmail, nil), []string{"ada.lovelace@example.org", "g.hopper@navy.mil", "x@y.io", "Anna-Maria.Schmidt@mail.example-firma.de", "info+list@example.co.uk", " ken@bell-labs.com"}},
	{typed(intray.TypePhone, map[string]any{"country": "US"}), []string{"(201) 555-0123", "201-555-0124", "2015550125", "1 201 555 0126", "212.555.0127", "+1 415 555 0128"}},
	{typed(intray.TypeURL, nil), []string{"https://example.org/", "https://www.example.com/a/b?c=d&e=f#g", "https://example.org", "http://shop.example.net/p/12345.html", "HTTPS://WWW.Example.COM/About", "https://example.org:443/x"}},
	{typed(intray.TypeDomain, nil), []string{"example.org", "www.example.co.uk", "Example.COM", "mail.firma-schmidt.de", "a.io", "sub.domain.example.net"}},
	{typed(intray.TypeZIP, nil), []string{"10001", "90210-1234", "501", "02134", "1234", "606061234"}},
	{typed(intray.TypeState, nil), []string{"CA", "ny", "Texas", "US-WA", "New York", "DC"}},
	{typed(intray.TypeSSN, nil), []string{"123-45-6789", "123456789", "012-34-5678", "987-65-4321", "001010001", "219-09-9999"}},
	{typed(intray.TypeCountry, nil), []string{"DE", "usa", "Germany", "FRA", "United Kingdom", "Österreich"}},
	{typed(intray.TypeUUID, nil), []string{"123e4567-e89b-42d3-a456-426614174000", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "00000000-0000-0000-0000-000000000000", "320c3d4d-cc00-475b-8ec9-32d5f69181c0", "886313e1-3b8a-4372-9b90-0c9aee199e5d"}},
}

func typed(name intray.TypeName, options map[string]any) intray.Field {
	return intray.Field{Key: string(name), Type: intray.FieldType{Name: name, Options: options}}
}

// picking returns a field with options to choose from.
func picking(name intray.TypeName) intray.Field {
	f := typed(name, nil)
	f.SelectOptions = []intray.SelectOption{
		{Label: "Very High", Value: "vh", AlternateMatches: []string{"Urgent"}}, {Label: "High", Value: "h"},
		{Label: "Low", Value: "l"}, {Label: "In progress", Value: "in_progress"},
	}
	return f
}

// sniffedParser returns the parser of a field after sniffing the column, like an import.
func sniffedParser(t testing.TB, f intray.Field, cells []celltype.Cell) celltype.Parser {
	t.Helper()
	p, err := celltype.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	s, looks := p.(celltype.SniffingParser)
	if !looks {
		return p
	}
	survey := s.NewSniffer()
	for _, c := range cells {
		survey.Observe(c)
	}
	d := survey.Decide(nil, nil)
	if len(d.Ambiguities) > 0 {
		t.Fatalf("%s: the column leaves open: %s", f.Key, d.Ambiguities[0].Text)
	}
	return d.Parser
}

func texts(list []string) []celltype.Cell {
	cells := make([]celltype.Cell, len(list))
	for i, text := range list {
		cells[i].Raw = []byte(text)
	}
	return cells
}

// scratchBytes is the size, in bytes, of the scratch buffer that an import passes to parsers.
const scratchBytes = 256

// TestGoodCellsCostNoMemory checks that typical cells of every type are parsed
// without an allocation.
func TestGoodCellsCostNoMemory(t *testing.T) {
	for _, column := range everyday {
		cells := texts(column.cells)
		parser := sniffedParser(t, column.field, cells)
		scratch := make([]byte, 0, scratchBytes)
		for _, c := range cells {
			if got := parser.Parse(c, scratch); got.State == celltype.Invalid {
				t.Errorf("%s: %q is wrong: %s", column.field.Key, c.Raw, got.Problem)
			}
			if n := testing.AllocsPerRun(10, func() { parser.Parse(c, scratch) }); n > 0 {
				t.Errorf("%s: %q costs %g allocations", column.field.Key, c.Raw, n)
			}
		}
	}
}

// BenchmarkParse measures parsing one cell.
func BenchmarkParse(b *testing.B) {
	for _, column := range everyday {
		b.Run(column.field.Key, func(b *testing.B) {
			cells := texts(column.cells)
			parser := sniffedParser(b, column.field, cells)
			scratch := make([]byte, 0, scratchBytes)
			b.ReportAllocs()
			b.ResetTimer()
			for n := b.N; n > 0; n -= len(cells) {
				for _, c := range cells[:min(n, len(cells))] {
					parser.Parse(c, scratch)
				}
			}
		})
	}
}
