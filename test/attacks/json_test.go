package attacks

import (
	"fmt"
	"strings"
)

// jsonAttacks returns attacks with JSON and NDJSON.
func jsonAttacks() []attack {
	object := func(n int) string { return "{" + strings.TrimSuffix(each(n, format(`"k%d":1,`)), ",") + "}" }
	return []attack{
		text("names-of-an-element.json", "names of an element", func() string { return `[{"name":"a"},` + object(2_600_000) + "]" }),
		text("names-of-a-line.ndjson", "names of an element", func() string { return `{"name":"a"}` + "\n" + object(2_600_000) + "\n" }),
		text("distinct-names.json", "columns", func() string {
			return `[{"name":"a"}` + each(1_500_000, format(`,{"k%d":1}`)) + "]"
		}),
		text("wide-objects.json", "cells of a table", func() string { return `[{"name":"a"}` + strings.Repeat(","+object(16_000), 100) + "]" }),
		text("long-names.json", "size of names", func() string { return `[{"name":"a"},{"` + repeat("n", 30*mib) + `":1}]` }),
		text("many-long-names.json", "size of names", func() string {
			return `[{"name":"a"}` + each(8_000, func(i int) string { return fmt.Sprintf(`,{"%s%d":1}`, repeat("n", 4_000), i) }) + "]"
		}),
		text("nested-names.json", "names of nested objects", func() string {
			return `[{"name":"a"},` + nested(`{"`+repeat("n", 2_000)+`":`, "1", "}", 60) + "]"
		}),
		text("nested-wide-objects.json", "columns of nested objects", func() string {
			return `[{"name":"a"},{` + strings.TrimSuffix(each(300, func(i int) string { return fmt.Sprintf(`"o%d":%s,`, i, object(300)) }), ",") + "}]"
		}),
		text("duplicate-names.json", "duplicate names", func() string { return `[{"name":"a"` + repeat(`,"k":1`, 30*mib) + "}]" }),
		text("deep-arrays.json", "nesting", func() string { return `[{"name":` + nested("[", "", "]", 5_000_000) + "}]" }),
		text("deep-objects.json", "nesting", func() string { return `[{"name":` + nested(`{"a":`, "1", "}", 2_000_000) + "}]" }),
		text("deep-root.json", "nesting", func() string { return nested("[", "", "]", 10_000_000) }),
		text("open-arrays.json", "nesting", func() string { return repeat("[", 30*mib) }),
		text("open-objects.json", "nesting", func() string { return repeat(`{"a":`, 30*mib) }),
		text("row-of-numbers.json", "cells of a record", func() string { return `[["name"],[` + repeat("1,", 30*mib) + "1]]" }),
		text("row-of-empty-texts.ndjson", "cells of a record", func() string { return `["name"]` + "\n[" + repeat(`"",`, 30*mib) + "1]\n" }),
		text("numbers.json", "elements", func() string { return "[" + repeat("1,", 40*mib) + "1]" }),
		text("long-number.json", "numbers", func() string { return `[{"name":1` + repeat("0", 15*mib) + "}]" }),
		text("large-exponent.json", "numbers", func() string {
			return `[{"name":"a"}` + repeat(`,{"name":1e999999999},{"name":-1e-999999999}`, 20*mib) + "]"
		}),
		text("long-text.json", "text of a cell", func() string { return `[{"name":"` + repeat("x", 40*mib) + `"}]` }),
		text("open-text.json", "text of a cell", func() string { return `[{"name":"` + repeat("x", 40*mib) }),
		text("escapes.json", "escapes", func() string { return `[{"name":"` + repeat(`\u00e9\ud83d\ude00\"`, 30*mib) + `"}]` }),
		text("lone-surrogates.json", "escapes", func() string { return `[{"name":"` + repeat(`\ud800`, 30*mib) + `"}]` }),
		text("long-array-as-text.json", "arrays as text", func() string { return `[{"name":"a","n":[` + repeat("1,", 14*mib) + "1]}]" }),
		text("spread-white-space.json", "arrays as text", func() string { return `[{"name":"a","n":[` + repeat("1 \n\t,", 28*mib) + "1]}]" }),
		text("white-space.json", "white space", func() string { return repeat(" \n", 50*mib) + `[{"name":"a"}]` }),
		text("empty-objects.json", "rows", func() string { return `[{"name":"a"}` + repeat(",{}", 40*mib) + "]" }),
		text("empty-arrays.json", "rows", func() string { return `[["name"]` + repeat(",[]", 40*mib) + "]" }),
		text("short-lines.ndjson", "rows", func() string { return `{"name":"a"}` + "\n" + repeat("{}\n", 40*mib) }),
		text("empty-lines.ndjson", "rows", func() string { return `{"name":"a"}` + repeat("\n", 40*mib) }),
		text("many-arrays.json", "sheets", func() string { return "{" + each(200_000, format(`"t%d":[{"name":"a"}],`)) + `"z":1}` }),
		text("arrays-at-depth.json", "search for tables", func() string { return nested(`{"a":[{"name":1}],"b":`, "1", "}", 60) }),
		text("values-before-table.json", "search for tables", func() string { return "{" + each(1_500_000, format(`"t%d":1,`)) + `"rows":[{"name":"a"}]}` }),
		text("mixed-elements.json", "structure", func() string { return `[{"name":"a"}` + repeat(`,[1],{"name":2},null`, 24*mib) + "]" }),
		text("literals.json", "literals", func() string { return `[{"name":"a"}` + repeat(`,{"name":tru}`, 24*mib) + "]" }),
		text("comments.json", "comments", func() string { return repeat("/* */", 20*mib) + `[{"name":"a"}]` }),
		text("changing-types.json", "types of columns", func() string {
			return `[{"name":"a"}` + repeat(`,{"name":1},{"name":{"a":1}},{"name":[1]},{"name":null}`, 24*mib) + "]"
		}),
	}
}
