package celltype_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// localeNames are the names of months and weekdays that people write in dates.
// They are independent of the tables of the program.
type localeNames struct{ code, months, short, days string }

var localeNameTable = []localeNames{
	{"en-US", "January February March April May June July August September October November December", "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", "Sun Mon Tue Wed Thu Fri Sat"},
	{"de", "Januar Februar März April Mai Juni Juli August September Oktober November Dezember", "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.", "So Mo Di Mi Do Fr Sa"},
	{"fr", "janvier février mars avril mai juin juillet août septembre octobre novembre décembre", "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.", "dim. lun. mar. mer. jeu. ven. sam."},
	{"pl", "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia", "sty lut mar kwi maj cze lip sie wrz paź lis gru", "niedz. pon. wt. śr. czw. pt. sob."},
	{"hr", "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca", "sij velj ožu tra svi lip srp kol ruj lis stu pro", "ned pon uto sri čet pet sub"},
	{"es", "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", "ene feb mar abr may jun jul ago sept oct nov dic", "dom lun mar mié jue vie sáb"},
}

// dayFormat is a format of dates. open reports whether day and month are
// ambiguous if no day is after the 12th.
type dayFormat struct {
	name string
	open bool
	// write formats a day with the names of a language.
	write func(d time.Time, in localeNames) string
}

func plainDays(layout string, open bool) dayFormat {
	return dayFormat{layout, open, func(d time.Time, _ localeNames) string { return d.Format(layout) }}
}

var dayFormats = []dayFormat{
	plainDays("2006-01-02", false), plainDays("02/01/2006", true), plainDays("01/02/2006", true), plainDays("2.1.2006", false),
	plainDays("02-01-2006", true), plainDays("1/2/06", true), plainDays("02/01/06", true), plainDays("06-01-02", false),
	plainDays("20060102", false),
	{"weekday 02/01/2006", false, func(d time.Time, in localeNames) string {
		return strings.Fields(in.days)[d.Weekday()] + " " + d.Format("02/01/2006")
	}},
	{"2 month 2006", false, func(d time.Time, in localeNames) string {
		return fmt.Sprintf("%d %s %d", d.Day(), strings.Fields(in.months)[d.Month()-1], d.Year())
	}},
	{"mon 2, 2006", false, func(d time.Time, in localeNames) string {
		return fmt.Sprintf("%s %d, %d", strings.Fields(in.short)[d.Month()-1], d.Day(), d.Year())
	}},
}

// dayColumn is a column of dates with known values.
type dayColumn struct {
	title     string
	ambiguous bool
	cells     []celltype.Cell
	days      []string
}

// makeDays returns a column. If it is ambiguous, every day is at most the 12th, and most days
// differ from their month. Otherwise, at least every fifth day is after the 12th.
func makeDays(rnd *rand.Rand, f dayFormat, in localeNames, ambiguous bool) dayColumn {
	c := dayColumn{title: fmt.Sprintf("%s in %s", f.name, in.code), ambiguous: ambiguous}
	first := time.Date(1995+rnd.IntN(25), 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 20 + rnd.IntN(200) {
		d := first.AddDate(0, 0, rnd.IntN(3*365))
		switch {
		case ambiguous:
			d = time.Date(d.Year(), d.Month(), 1+rnd.IntN(12), 0, 0, 0, 0, time.UTC)
		case i%5 == 2 && d.Day() <= 12:
			d = d.AddDate(0, 0, 13-d.Day()+rnd.IntN(14))
		}
		c.cells = append(c.cells, celltype.Cell{Raw: []byte(f.write(d, in))})
		c.days = append(c.days, d.Format(time.DateOnly))
	}
	return c
}

const columnsAltogether, columnsAmbiguous = 200, 30

// makeDayColumns returns the columns. The ambiguous ones come first, in formats that do not show
// the order. The other columns are in all formats and languages.
func makeDayColumns(rnd *rand.Rand) (columns []dayColumn) {
	var open []dayFormat
	for _, f := range dayFormats {
		if f.open {
			open = append(open, f)
		}
	}
	for i := range columnsAltogether {
		in := localeNameTable[i/len(dayFormats)%len(localeNameTable)]
		if i < columnsAmbiguous {
			columns = append(columns, makeDays(rnd, open[i%len(open)], localeNameTable[i%len(localeNameTable)], true))
			continue
		}
		columns = append(columns, makeDays(rnd, dayFormats[i%len(dayFormats)], in, false))
	}
	return columns
}

// decided returns the decision about a column of a date field.
func decided(t *testing.T, c dayColumn, answers map[string]string) celltype.Decision {
	t.Helper()
	parser, err := celltype.Compile(typed(intray.TypeDate, nil))
	if err != nil {
		t.Fatal(err)
	}
	survey := parser.(celltype.SniffingParser).NewSniffer()
	for _, cell := range c.cells {
		survey.Observe(cell)
	}
	return survey.Decide(answers, nil)
}

// readDays reads a column. It counts the cells that are read as the right day,
// as a different day, and not at all.
func readDays(p celltype.Parser, c dayColumn) (right, other, none int) {
	for i, cell := range c.cells {
		switch r := p.Parse(cell, nil); {
		case r.State == celltype.Unchanged && string(cell.Raw) == c.days[i], r.State == celltype.Parsed && string(r.Value) == c.days[i]:
			right++
		case r.State == celltype.Invalid:
			none++
		default:
			other++
		}
	}
	return right, other, none
}

// TestTwoHundredColumns checks that exactly 30 of 200 columns of dates lead to
// a question: the ambiguous ones. The columns are in 12 formats and 6
// languages. No cell may be read as a different day.
func TestTwoHundredColumns(t *testing.T) {
	for seed := range uint64(3) {
		columns := makeDayColumns(rand.New(rand.NewPCG(seed, 1)))
		titles := map[string]bool{}
		wrong, asked, needless, cells := 0, 0, 0, 0
		for _, c := range columns {
			titles[c.title] = true
			cells += len(c.cells)
			d := decided(t, c, nil)
			right, other, none := readDays(d.Parser, c)
			if c.ambiguous && len(d.Ambiguities) == 1 {
				asked++
			} else if len(d.Ambiguities) > 0 {
				needless++
				t.Errorf("%s: asked %q of %s", c.title, d.Ambiguities[0].Text, c.cells[0].Raw)
			}
			if other > 0 || !c.ambiguous && right < len(c.cells) || c.ambiguous && none*2 < len(c.cells) {
				wrong++
				t.Errorf("%s, ambiguous %v: of %d cells such as %s %d are right, %d another day, %d none", c.title, c.ambiguous, len(c.cells), c.cells[0].Raw, right, other, none)
			}
			if c.ambiguous {
				answerDays(t, c, d)
			}
		}
		t.Logf("%d columns of %d cells, %d pairs of format and language: %d wrong, %d of %d ambiguous ones asked about, %d of the others", len(columns), cells, len(titles), wrong, asked, columnsAmbiguous, needless)
		if len(columns) != 200 || asked != 30 || wrong+needless != 0 || len(titles) < len(dayFormats)*len(localeNameTable) || len(dayFormats) != 12 || len(localeNameTable) != 6 || cells < 200*20 {
			t.Errorf("the corpus has unexpected columns, or some were read incorrectly")
		}
	}
}

// answerDays tries each answer to the question about a column. Exactly one must parse
// every cell as the expected day.
func answerDays(t *testing.T, c dayColumn, d celltype.Decision) {
	t.Helper()
	if len(d.Ambiguities) != 1 || len(d.Ambiguities[0].Choices) < 2 {
		t.Errorf("%s: the questions are %+v", c.title, d.Ambiguities)
		return
	}
	fitting := 0
	for _, choice := range d.Ambiguities[0].Choices {
		after := decided(t, c, map[string]string{d.Ambiguities[0].Key: choice.Value})
		if right, _, _ := readDays(after.Parser, c); right == len(c.cells) && len(after.Ambiguities) == 0 {
			fitting++
		}
	}
	if fitting != 1 {
		t.Errorf("%s: %d answers of %d yield the expected days", c.title, fitting, len(d.Ambiguities[0].Choices))
	}
}
