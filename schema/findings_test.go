package schema

import (
	"fmt"
	"strings"
	"testing"
)

// TestFindingS5IdenticalRules checks that a validator that repeats another one of its field is
// rejected, except in a schema that an earlier version accepted.
func TestFindingS5IdenticalRules(t *testing.T) {
	for _, c := range []struct{ first, second, want string }{
		{`{"validate":"unique"}`, `{"validate":"unique"}`, "fields[0].validators[1]: is the same rule as validators[0], at the same level; remove one of them"},
		{`{"validate":"unique"}`, `{"validate":"unique","errorMessage":"Twice."}`, "fields[0].validators[1]"},
		{`{"validate":"required","level":"error"}`, `{"validate":"required"}`, "fields[0].validators[1]"},
		{`{"validate":"length","min":1,"max":2}`, `{"validate":"length","max":2,"min":1}`, "fields[0].validators[1]"},
		{`{"validate":"regex_match","regex":"x"}`, `{"validate":"regex_match","regex":"x","regexOptions":{"dotAll":false}}`, "fields[0].validators[1]"},
		{`{"validate":"require_with","fields":["a"]}`, `{"validate":"require_with","fields":["a"]}`, "fields[0].validators[1]"},
		{`{"validate":"required"}`, `{"validate":"required","level":"warning"}`, ""},
		{`{"validate":"unique"}`, `{"validate":"unique_case_insensitive"}`, ""},
		{`{"validate":"length","min":1}`, `{"validate":"length","max":1}`, ""},
		{`{"validate":"regex_match","regex":"x"}`, `{"validate":"regex_exclude","regex":"x"}`, ""},
		{`{"validate":"regex_match","regex":"x"}`, `{"validate":"regex_match","regex":"x","regexOptions":{"dotAll":true}}`, ""},
		{`{"validate":"unique_with","uniqueKey":"k"}`, `{"validate":"unique_with","uniqueKey":"l"}`, ""},
	} {
		given := doc(t, field(`,"validators":[`+c.first+","+c.second+`]`))
		if _, issues := Parse(given); c.want == "" && len(issues) > 0 || !strings.HasPrefix(join(issues), c.want) {
			t.Errorf("%s and %s: issues %q, want %q", c.first, c.second, join(issues), c.want)
		}
		if _, issues := ParseSaved(given); len(issues) > 0 {
			t.Errorf("%s and %s in a saved schema: %q", c.first, c.second, join(issues))
		}
	}
}

// manyOptions returns a document of about 1 MiB with select options.
func manyOptions(t testing.TB, n int) Doc {
	options := make([]string, n)
	for i := range options {
		options[i] = fmt.Sprintf(`{"label":"Option %d","value":"o%d"}`, i, i)
	}
	return doc(t, field(`,"type":"select","selectOptions":[`+strings.Join(options, ",")+`]`))
}

// TestFindingS5OptionsAreNotPrepared checks that Parse does not prepare the options of a select
// for matching. The allocations include those that read the options.
func TestFindingS5OptionsAreNotPrepared(t *testing.T) {
	const n = 20_000
	given := manyOptions(t, n)
	allocs := testing.AllocsPerRun(1, func() {
		if _, issues := Parse(given); len(issues) > 0 {
			t.Fatal(join(issues))
		}
	})
	if allocs > 5*n {
		t.Errorf("%.0f allocations for %d options", allocs, n)
	}
}

// TestFindingS5ExpressionsWithLargeClasses checks that a schema whose expressions take too many
// steps to check is rejected, and that 199 usual expressions with large classes are accepted.
func TestFindingS5ExpressionsWithLargeClasses(t *testing.T) {
	given := func(classes int) Doc {
		rules := make([]string, 199)
		for i := range rules {
			source := strings.Repeat(`[^\\p{L}a]`, classes) + fmt.Sprint(i)
			rules[i] = `{"validate":"regex_match","regex":"` + source + `","regexOptions":{"ignoreCase":true,"unicode":true}}`
		}
		return doc(t, field(`,"validators":[`+strings.Join(rules, ",")+`]`))
	}
	if _, issues := Parse(given(1)); len(issues) > 0 {
		t.Errorf("usual expressions: %s", join(issues))
	}
	if _, issues := Parse(given(200)); !strings.Contains(join(issues), "regex") {
		t.Errorf("expressions with 200 large classes are accepted")
	}
}

func BenchmarkParse(b *testing.B) {
	lengths, sources := make([]string, 30_000), make([]string, 199)
	for i := range lengths {
		lengths[i] = fmt.Sprintf(`{"validate":"length","min":%d}`, i)
	}
	for i := range sources {
		sources[i] = fmt.Sprintf(`{"validate":"regex_match","regex":"(%s)%d"}`, strings.Repeat(`a|bc*d|[^x]y{2,3}|`, 280), i)
	}
	dates := make([]string, 1000)
	for i := range dates {
		dates[i] = fmt.Sprintf(`{"key":"%d","label":"D","type":["date",{"displayFormat":"dd. MMMM yyyy EEEE","locale":"ar"}]}`, i)
	}
	for name, given := range map[string]Doc{
		"options":     manyOptions(b, 25_000),
		"rules":       doc(b, field(`,"validators":[`+strings.Join(lengths, ",")+`]`)),
		"expressions": doc(b, field(`,"validators":[`+strings.Join(sources, ",")+`]`)),
		"dates":       doc(b, `{"fields":[`+strings.Join(dates, ",")+`]}`),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, issues := Parse(given); len(issues) > 0 {
					b.Fatal(join(issues))
				}
			}
		})
	}
}
