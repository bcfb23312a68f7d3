package number

import (
	"encoding/json"
	"math/big"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func layout(t testing.TB, options string) Layout {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(options))
	dec.UseNumber()
	var o map[string]any
	if err := dec.Decode(&o); err != nil {
		t.Fatal(err)
	}
	l, err := CompileLayout(o)
	if err != nil {
		t.Fatalf("%s: %v", options, err)
	}
	return l
}

func lines(t *testing.T, file string) (all [][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		all = append(all, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return all
}

// differences maps each reason in differences.tsv to the number of lines that differ from Numbro
// for that reason.
var differences = map[string]int{
	"half":          27, // Numbro rounds half up, which is toward zero for negative numbers
	"double":        12, // a float64 does not hold all digits, or adds digits
	"exponent":      12, // a float64 beyond 1e21 or below 1e-6 prints with an exponent
	"zero sign":     8,  // Numbro keeps a sign, or drops a digit for it
	"zero":          1,  // Numbro writes nothing for 0
	"abbreviations": 15, // Numbro documents the option but does not implement it (its issue 675)
	"time":          6,  // Numbro counts hours below zero down, and seconds up to 60
}

// TestLayoutsAgainstNumbro compares the output of layouts with that of Numbro
// 2.5.0.
func TestLayoutsAgainstNumbro(t *testing.T) {
	other, seen := map[string]string{}, map[string]int{}
	for _, line := range lines(t, "testdata/differences.tsv") {
		other[line[1]+" "+line[2]] = line[3]
		seen[line[0]]++
	}
	for reason, n := range differences {
		if seen[reason] != n {
			t.Errorf("%d differences by %s, want %d", seen[reason], reason, n)
		}
	}
	cases := lines(t, "testdata/numbro.tsv")
	for _, line := range cases {
		l := layout(t, line[0])
		want, differs := other[line[0]+" "+line[1]]
		if !differs {
			want = line[2]
		}
		if got := string(l.Append(nil, []byte(line[1]))); got != want || differs && got == line[2] {
			t.Errorf("%s %s: %q, want %q (Numbro: %q)", line[0], line[1], got, want, line[2])
		}
	}
	if len(cases) < 1200 || len(seen) != len(differences) {
		t.Errorf("%d cases, %d kinds of differences", len(cases), len(seen))
	}
}

func TestLayoutsBeyondNumbro(t *testing.T) {
	for _, c := range []struct{ options, number, want string }{
		{`{"thousandSeparated":true}`, "123456789012345678901234567890.12345678901234567890", "123,456,789,012,345,678,901,234,567,890.1234567890123456789"},
		{`{}`, "1e50", "1" + strings.Repeat("0", 50)}, {`{"mantissa":2}`, "1e-50", "0.00"}, {`{"mantissa":0}`, "0.5", "1"}, {`{"mantissa":0}`, "-0.4", "0"},
		{`{"output":"byte"}`, "1024", "1KiB"}, {`{"output":"byte","base":"general"}`, "1536", "1.5KB"}, {`{"output":"byte","mantissa":1}`, "1e30", "827180.6YiB"}, {`{"output":"byte","base":"decimal"}`, "-1e27", "-1000YB"},
		{`{"output":"byte","base":"decimal"}`, "0", "0B"}, {`{"output":"byte","base":"binary"}`, "0.5", "0.5B"},
		{`{"output":"time"}`, "59.6", "0:01:00"}, {`{"output":"time"}`, "-0.4", "0:00:00"}, {`{"output":"time"}`, "-3599.5", "-1:00:00"},
		{`{"output":"ordinal"}`, "101", "101st"}, {`{"output":"ordinal"}`, "112", "112th"}, {`{"output":"ordinal"}`, "3.5", "3.5th"}, {`{"output":"ordinal"}`, "1e21", "1000000000000000000000th"},
		{`{"average":true,"abbreviations":{"thousand":""}}`, "2000", "2"}, {`{"optionalCharacteristic":true,"mantissa":0}`, "-0.2", "0"}, {`{"optionalCharacteristic":true}`, "-0.2", "-.2"},
		{`{"output":"currency","currencyPosition":"infix","mantissa":2}`, "-0.001", "0$00"}, {`{"exponential":true}`, "0", "0e+0"}, {`{"exponential":true,"characteristic":3}`, "12345", "123.45e+2"},
		{`{"prefix":"<","postfix":">"}`, "abc", "abc"}, {`{}`, "", ""}, {`{"mantissa":2}`, "1e9999", "1e9999"},
	} {
		l := layout(t, c.options)
		if got := string(l.Append([]byte("x"), []byte(c.number))); got != "x"+c.want {
			t.Errorf("%s %s: %q, want %q", c.options, c.number, got[1:], c.want)
		}
	}
}

func TestLayoutsAreRefused(t *testing.T) {
	for _, options := range []string{
		`{"output":"money"}`, `{"output":1}`, `{"base":"octal"}`, `{"forceAverage":"zillion"}`, `{"negative":"red"}`, `{"currencyPosition":"left"}`,
		`{"mantissa":-1}`, `{"mantissa":1.5}`, `{"mantissa":"2"}`, `{"mantissa":401}`, `{"characteristic":1e9}`, `{"totalLength":1e99999999}`, `{"totalLength":3,"exponential":true}`,
		`{"average":1}`, `{"average":null}`, `{"prefix":null}`, `{"abbreviations":"k"}`, `{"abbreviations":{"thousand":1}}`, `{"abbreviations":{"dozen":"d"}}`, `{"colour":"red"}`, `{"":true}`,
	} {
		dec := json.NewDecoder(strings.NewReader(options))
		dec.UseNumber()
		var o map[string]any
		if err := dec.Decode(&o); err != nil {
			t.Fatal(err)
		}
		if l, err := CompileLayout(o); err == nil {
			t.Errorf("%s is read as %+v", options, l)
		}
	}
	var zero Layout
	if got := string(zero.Append(nil, []byte("-1234.5"))); got != "-1234.5" {
		t.Errorf("the zero layout writes %s", got)
	}
}

// TestLayoutsKeepTheValue checks that the output of layouts that do not round
// has the same value as the number.
func TestLayoutsKeepTheValue(t *testing.T) {
	layouts := []Layout{layout(t, `{}`), layout(t, `{"thousandSeparated":true}`), layout(t, `{"exponential":true}`), layout(t, `{"negative":"parenthesis"}`), layout(t, `{"output":"percent"}`),
		layout(t, `{"output":"currency","currencySymbol":"€","spaceSeparated":true}`), layout(t, `{"characteristic":7}`), layout(t, `{"forceSign":true}`), layout(t, `{"optionalCharacteristic":true}`)}
	rapid.Check(t, func(t *rapid.T) {
		number := canonical(t, numbers().Draw(t, "number"))
		l := rapid.SampledFrom(layouts).Draw(t, "layout")
		text := l.Append(nil, []byte(number))
		if back, r := english.Append(nil, text); string(back) != number {
			t.Fatalf("%s is shown as %s, which is %s (%s)", number, text, back, r.Reason.Code())
		}
	})
}

// TestBinaryBytesAgainstBig checks with exact fractions that a size in a binary unit equals the
// formatted number of bytes.
func TestBinaryBytesAgainstBig(t *testing.T) {
	l := layout(t, `{"output":"byte","base":"binary"}`)
	rapid.Check(t, func(t *rapid.T) {
		number := canonical(t, rapid.StringMatching(`[1-9][0-9]{0,30}(\.[0-9]{0,9}[1-9])?`).Draw(t, "number"))
		text := string(l.Append(nil, []byte(number)))
		size := rat(t, "1")
		for i := 1; i < len(binaryUnits); i++ {
			if strings.HasSuffix(text, binaryUnits[i]) {
				size = rat(t, binarySizes[i])
				text = strings.TrimSuffix(text, binaryUnits[i])
			}
		}
		got := rat(t, strings.TrimSuffix(text, "B"))
		if got.Cmp(big.NewRat(1, 1)) < 0 || got.Mul(got, size).Cmp(rat(t, number)) != 0 {
			t.Fatalf("%s is %s times %s", number, text, size)
		}
	})
}

func FuzzLayout(f *testing.F) {
	f.Add([]byte(`{"output":"currency","totalLength":3}`), "1234.5")
	f.Add([]byte(`{"output":"byte","base":"binary","mantissa":1}`), "1e30")
	f.Add([]byte(`{"exponential":true,"characteristic":3}`), "-0.00123")
	f.Fuzz(func(t *testing.T, options []byte, number string) {
		var o map[string]any
		if json.Unmarshal(options, &o) != nil {
			return
		}
		l, err := CompileLayout(o)
		if err != nil {
			return
		}
		if text := l.Append([]byte("x"), []byte(number)); text[0] != 'x' || len(text) > 4000+len(options)+len(number) {
			t.Fatalf("%s %s: %d bytes", options, number, len(text))
		}
	})
}

// TestLongTexts checks that a format cannot contain long texts, because each number of the result
// repeats them.
func TestLongTexts(t *testing.T) {
	short, long := strings.Repeat("x", maxText), strings.Repeat("x", maxText+1)
	for _, name := range []string{"prefix", "postfix", "currencySymbol"} {
		if _, err := CompileLayout(map[string]any{name: short}); err != nil {
			t.Errorf("%s of %d bytes: %v", name, len(short), err)
		}
		if _, err := CompileLayout(map[string]any{name: long}); err == nil || len(err.Error()) > 200 {
			t.Errorf("%s of %d bytes: error %.300v", name, len(long), err)
		}
	}
	for _, text := range []string{short, long} {
		_, err := CompileLayout(map[string]any{"abbreviations": map[string]any{"million": text}})
		if (err == nil) != (text == short) {
			t.Errorf("an abbreviation of %d bytes: error %.300v", len(text), err)
		}
	}
}
