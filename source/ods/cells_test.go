package ods

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source/numfmt"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

// cell returns a cell with the given attributes and content.
func cell(attributes, inside string) string {
	return `<table:table-cell ` + attributes + `>` + inside + `</table:table-cell>`
}

func TestCells(t *testing.T) {
	for name, tc := range map[string]struct {
		cell string
		want string
	}{
		"text":                      {text("Ada"), "A1 text Ada"},
		"no kind":                   {cell("", "<text:p>Ada</text:p>"), "A1 text Ada"},
		"heading":                   {cell("", "<text:h>Ada</text:h>"), "A1 text Ada"},
		"text and string":           {cell(`office:value-type="string" office:string-value="a &amp; b"`, "<text:p>shown</text:p>"), "A1 text a & b [shown]"},
		"string alone":              {cell(`office:value-type="string" office:string-value="a"`, ""), "A1 text a"},
		"empty string value":        {cell(`office:value-type="string" office:string-value=""`, "<text:p>a</text:p>"), "A1 text a"},
		"string displayed as empty": {cell(`office:value-type="string" office:string-value="a"`, "<text:p/>"), "A1 text a []"},

		"number":            {number("12.50"), "A1 number 12.50"},
		"number, displayed": {cell(`office:value-type="float" office:value="1234.5"`, "<text:p>1.234,50</text:p>"), "A1 number 1234.5 [1.234,50]"},
		"zeros in front":    {cell(`office:value-type="float" office:value="501"`, "<text:p>00501</text:p>"), "A1 number 501 [00501]"},
		"all digits":        {cell(`office:value-type="float" office:value="0.1234567890123456789"`, "<text:p>0.12</text:p>"), "A1 number 0.1234567890123456789 [0.12]"},
		"exponent":          {cell(`office:value-type="float" office:value="1.5E+300"`, "<text:p>1.5E+300</text:p>"), "A1 number 1.5e300 [1.5E+300]"},
		"number, no text":   {cell(`office:value-type="float" office:value="7"`, ""), "A1 number 7"},
		"number, hidden":    {cell(`office:value-type="float" office:value="7"`, "<text:p/>"), "A1 number 7 []"},
		"percentage":        {cell(`office:value-type="percentage" office:value="0.4223"`, "<text:p>42%</text:p>"), "A1 number 0.4223 [42%]"},
		"money":             {cell(`office:value-type="currency" office:currency="EUR" office:value="-4.99"`, "<text:p>-4,99 €</text:p>"), "A1 number -4.99 [-4,99 €]"},
		"invalid number":    {cell(`office:value-type="float" office:value="NaN"`, "<text:p>not</text:p>"), "A1 text NaN [not]"},
		"number lost":       {cell(`office:value-type="float"`, "<text:p>5</text:p>"), "A1 text 5"},
		"another prefix":    {cell(`office:value-type="float" office:value="5" calcext:value="6" value="7" xlink:value="8"`, ""), "A1 number 5"},

		"date":            {cell(`office:value-type="date" office:date-value="2024-02-29"`, "<text:p>29.02.24</text:p>"), "A1 date 2024-02-29 [29.02.24]"},
		"date, no text":   {cell(`office:value-type="date" office:date-value="2024-02-29"`, ""), "A1 date 2024-02-29"},
		"date and time":   {cell(`office:value-type="date" office:date-value="2024-02-29T13:45:00"`, "<text:p>29.2. 13:45</text:p>"), "A1 datetime 2024-02-29T13:45:00 [29.2. 13:45]"},
		"invalid date":    {cell(`office:value-type="date" office:date-value="2023-02-29"`, "<text:p>odd</text:p>"), "A1 text 2023-02-29 [odd]"},
		"year before 0":   {cell(`office:value-type="date" office:date-value="-0044-03-15"`, "<text:p>Ides</text:p>"), "A1 text -0044-03-15 [Ides]"},
		"time":            {cell(`office:value-type="time" office:time-value="PT19H03M00S"`, "<text:p>7:03 PM</text:p>"), "A1 time 19:03:00 [7:03 PM]"},
		"time, displayed": {cell(`office:value-type="time" office:time-value="PT19H03M00S"`, "<text:p>19:03:00</text:p>"), "A1 time 19:03:00"},
		"invalid time":    {cell(`office:value-type="time" office:time-value="P1Y"`, "<text:p>year</text:p>"), "A1 text P1Y [year]"},

		"true":             {cell(`office:value-type="boolean" office:boolean-value="true"`, "<text:p>WAHR</text:p>"), "A1 bool true [WAHR]"},
		"false, no text":   {cell(`office:value-type="boolean" office:boolean-value="false"`, ""), "A1 bool false [FALSE]"},
		"invalid boolean":  {cell(`office:value-type="boolean" office:boolean-value="maybe"`, ""), "A1 text maybe"},
		"formula":          {cell(`table:formula="of:=[.A2]*2" office:value-type="float" office:value="4"`, "<text:p>4</text:p>"), "A1 number 4"},
		"formula, no text": {cell(`table:formula="of:=1" office:value-type="string" office:string-value=""`, "<text:p/>"), ""},

		"error":                {cell(`table:formula="of:=NA()" office:value-type="string" office:string-value="" calcext:value-type="error"`, "<text:p>#N/A</text:p>"), "A1 error #N/A"},
		"error, German":        {cell(`table:formula="of:=NA()" office:value-type="string" office:string-value="" calcext:value-type="error"`, "<text:p>#NV</text:p>"), "A1 error #NV"},
		"error, older":         {cell(`table:formula="of:=1/0" office:value-type="float" office:value="0"`, "<text:p>#DIV/0!</text:p>"), "A1 error #DIV/0!"},
		"error by number":      {cell(`table:formula="of:=a" office:value-type="float" office:value="0"`, "<text:p>Err:502</text:p>"), "A1 error Err:502"},
		"error, not marked":    {cell(`office:value-type="string" office:string-value="#REF!" calcext:value-type="error"`, ""), "A1 error #REF!"},
		"marked as text":       {cell(`table:formula="of:=&quot;#N/A&quot;" office:value-type="string" calcext:value-type="string"`, "<text:p>#N/A</text:p>"), "A1 text #N/A"},
		"text like an error":   {text("#N/A"), "A1 text #N/A"},
		"longer than an error": {cell(`table:formula="of:=a" office:value-type="string"`, "<text:p>Err:502b</text:p>"), "A1 text Err:502b"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readFile(t.Context(), workbookFile(t, table("One", row(tc.cell))), Limits{})
			if err != nil || strings.Join(got, "; ") != tc.want {
				t.Errorf("got %q, want %q, error %v", got, tc.want, err)
			}
		})
	}
}

func TestTexts(t *testing.T) {
	for name, tc := range map[string]struct{ inside, want string }{
		"paragraphs":           {"<text:p>a</text:p><text:p/><text:p>b</text:p>", "a\n\nb"},
		"first is empty":       {"<text:p/><text:p>b</text:p>", "\nb"},
		"spaces":               {`<text:p>a<text:s/>b<text:s text:c="3"/>c</text:p>`, "a b   c"},
		"tab and break":        {"<text:p>a<text:tab/>b<text:line-break/>c</text:p>", "a\tb\nc"},
		"spans":                {`<text:p><text:span text:style-name="T1">a<text:span>b</text:span></text:span>c</text:p>`, "abc"},
		"a link":               {`<text:p>see <text:a xlink:href="http://example.org">there</text:a></text:p>`, "see there"},
		"a field":              {"<text:p>on <text:sheet-name>One</text:sheet-name></text:p>", "on One"},
		"readings":             {"<text:p><text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>kan</text:ruby-text></text:ruby></text:p>", "漢"},
		"another space":        {`<text:p>a<x:y xmlns:x="http://example.org">b</x:y></text:p>`, "ab"},
		"an annotation":        {`<office:annotation><dc:creator>Ada</dc:creator><text:p>note</text:p></office:annotation><text:p>a</text:p>`, "a"},
		"an annotation inside": {`<text:p>a<office:annotation><text:p>note</text:p></office:annotation>b<text:note><text:note-body><text:p>c</text:p></text:note-body></text:note></text:p>`, "ab"},
		"a drawing":            {`<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame><text:p>a</text:p>`, "a"},
		"a table within":       {`<table:table><table:table-row><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table><text:p>a</text:p>`, "a"},
		"a list":               {`<text:list><text:list-item><text:p>a</text:p></text:list-item><text:list-item><text:p>b</text:p></text:list-item></text:list>`, "a\nb"},
		"entities":             {`<text:p>&lt;a&gt; &amp; &quot;b&quot; &apos;c&#39; &#x1F600;&#10;</text:p>`, "<a> & \"b\" 'c' \U0001F600\n"},
		"literal":              {`<text:p>a<![CDATA[<&amp;>]]>b</text:p>`, "a<&amp;>b"},
		"a comment":            {`<text:p>a<!-- <b> -->c<?pi d?></text:p>`, "ac"},
		"plain spaces":         {"<text:p> a  b </text:p>", " a  b "},
		"layout":               {"\n  <text:p>\n    a\n    <text:span>b</text:span>\n  c\r\n  </text:p>\n", "a b c"},
		"layout, literal":      {"<text:p>a <![CDATA[ \n b]]></text:p>", "a  b"},
		"a carriage":           {"<text:p>a\rb</text:p>", "a b"},
		"only layout":          {"<text:p>\n \n</text:p>", ""},
		"quotes":               {`<text:p>"a" 'b' ></text:p>`, `"a" 'b' >`},
	} {
		t.Run(name, func(t *testing.T) {
			want := []string{"A1 text " + tc.want, "B1 text z"}
			if tc.want == "" {
				want = want[1:]
			}
			got, err := readFile(t.Context(), workbookFile(t, table("One", row(cell(`office:value-type="string"`, tc.inside), text("z")))), Limits{})
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestAppendNumber(t *testing.T) {
	for raw, want := range map[string]string{
		"0": "0", "-12.5": "-12.5", "+7": "7", ".5": "0.5", "-.5": "-0.5", "5.": "5", " 5 ": "5", "007": "007",
		"1E5": "1e5", "1.5e-07": "1.5e-07", "1e+5": "1e5", "123456789012345678901234567890": "123456789012345678901234567890",
		"": "", "-": "", ".": "", "1e": "", "1e-": "", "1x": "", "1e5x": "", "INF": "", "NaN": "", "1,5": "", "--1": "", "+-1": "", "0x10": "", "1 2": "", "1.2.3": "", "١": "",
	} {
		got, k := appendValue([]byte("before "), typeNumber, []byte(raw))
		if string(got) != "before "+want || (workbooktest.KindName(k) == "number") != (want != "") {
			t.Errorf("%q: %s %q, want %q", raw, workbooktest.KindName(k), got, want)
		}
	}
}

func TestAppendDate(t *testing.T) {
	for raw, want := range map[string]string{
		"2024-02-29": "date 2024-02-29", "0001-01-01": "date 0001-01-01",
		"2024-02-29T00:00:00":           "datetime 2024-02-29T00:00:00",
		"2024-02-29T01:02:03.5":         "datetime 2024-02-29T01:02:03.5",
		"2024-02-29T01:02:03.123456789": "datetime 2024-02-29T01:02:03.123",
		"2024-02-28T23:59:59.999999999": "datetime 2024-02-29T00:00:00",
		"2024-02-29T01:02:03Z":          "datetime 2024-02-29T01:02:03",
		"2024-02-29T01:02":              "datetime 2024-02-29T01:02:00",
		"9999-12-31T23:59:59.9999":      "text ", "2024-02-29T01:02:03+02:00": "text ", "2024-2-9": "text ", "2024-02-30": "text ",
		"24-02-01": "text ", "12024-01-01": "text ", "2024-02-29T25:00:00": "text ", "today": "text ", "": "text ",
		"2024-02-29T01:02:03." + strings.Repeat("0", 100): "text ",
	} {
		got, k := appendValue(nil, typeDate, []byte(raw))
		if line := workbooktest.KindName(k) + " " + string(got); line != want {
			t.Errorf("%q: %q, want %q", raw, line, want)
		}
	}
}

func TestAppendDuration(t *testing.T) {
	for raw, want := range map[string]string{
		"PT19H03M00S": "19:03:00", "PT0S": "00:00:00", "PT27H30M00.5S": "27:30:00.5", "-PT1H": "-01:00:00", "P1DT2H": "26:00:00",
		"P2W": "336:00:00", "PT90M": "01:30:00", "PT3600S": "01:00:00", "PT00H00M00.0625S": "00:00:00.063", "PT11H59M59.999999999S": "12:00:00",
		"PT1.0H": "01:00:00", "P0Y0M1D": "24:00:00", "PT9999999999H": "9999999999:00:00", "-PT0.001S": "-00:00:00.001", "PT1M1.1S": "00:01:01.1",
		"": "", "P": "", "PT": "", "P1": "", "PT1": "", "1H": "", "P1H": "", "PT1D": "", "P1DT": "", "P1Y": "", "P1M": "", "PT1.5H": "", "PT1S1H": "",
		"PT1H1H": "", "PT99999999999H": "", "PT-1H": "", "12:30": "", "PTT1H": "", "PTH": "", "PT.5S": "",
	} {
		got, k := appendValue(nil, typeTime, []byte(raw))
		if string(got) != want || (workbooktest.KindName(k) == "time") != (want != "") {
			t.Errorf("%q: %s %q, want %q", raw, workbooktest.KindName(k), got, want)
		}
	}
}

// TestTimeFormatOfOtherWorkbooks checks that times have the same format as in other
// kinds of workbooks.
func TestTimeFormatOfOtherWorkbooks(t *testing.T) {
	format, ok := numfmt.Compile("[h]:mm:ss.000")
	if !ok {
		t.Fatal("invalid number format")
	}
	for _, millis := range []int64{0, 1, 999, 1000, 59_999, 3_600_000, 86_399_999, 86_400_000, 100 * 86_400_000, 1_234_567_890} {
		want, kind := format.AppendValue(nil, float64(millis)/86_400_000, false)
		if got := appendTime(nil, millis); string(got) != string(want) || workbooktest.KindName(kind) != "time" {
			t.Errorf("%d ms: %q, other workbooks: %s %q", millis, got, workbooktest.KindName(kind), want)
		}
	}
}
