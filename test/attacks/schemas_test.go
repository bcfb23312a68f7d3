package attacks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// object is a JSON object.
type object = map[string]any

// list joins what write returns for the numbers from 0 to n-1.
func list[T any](n int, write func(i int) T) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = write(i)
	}
	return out
}

// onColumn returns an attack with a schema of one field, which maps to the column name. The
// properties are those of the field.
func onColumn(name, target string, properties func() object, file func() string) attack {
	return withFields(name, target, func() []any {
		field := properties()
		field["key"], field["label"] = "name", "Name"
		return []any{field}
	}, file)
}

// withFields returns an attack with a schema of several fields.
func withFields(name, target string, fields func() []any, file func() string) attack {
	return withSettings(name, target, func() object { return object{"fields": fields()} }, file)
}

// withSettings returns an attack with a request that may contain settings. By default, the result
// contains all rows.
func withSettings(name, target string, request func() object, file func() string) attack {
	a := text(name, target, file)
	a.schema = func() any {
		all := request()
		if all["settings"] == nil {
			all["settings"] = object{"invalidDataBehavior": "INCLUDE_INVALID_ROWS_AND_VALUES"}
		}
		return all
	}
	return a
}

// typed returns the property type.
func typed(name string, options object) func() object {
	return func() object { return object{"type": []any{name, options}} }
}

// rule returns the property validators with n validators.
func rule(n int, write func(i int) object) func() object {
	return func() object { return object{"validators": list(n, write)} }
}

// column returns a file with one column. write returns the cell of each row.
func column(rows int, write func(i int) string) func() string {
	return func() string {
		return "name\n" + each(rows, func(i int) string { return write(i) + "\n" })
	}
}

// cells returns a write function for equal cells.
func cells(text string) func(i int) string { return func(int) string { return text } }

// letters returns a word of n letters that the number determines.
func letters(i, n int) string {
	word := make([]byte, n)
	for at, x := 0, uint64(i)*0x9E3779B97F4A7C15+0x1234567; at < n; at++ {
		x ^= x >> 12
		x ^= x << 25
		x ^= x >> 27
		word[at] = 'a' + byte(x*0x2545F4914F6CDD1D>>40%26)
	}
	return string(word)
}

// wideFile returns a file with many columns. header returns the name of each column.
func wideFile(columns, rows int, header, cell func(i int) string) func() string {
	return func() string {
		line := func(write func(i int) string) string {
			return strings.TrimSuffix(each(columns, func(i int) string { return write(i) + "," }), ",") + "\n"
		}
		return line(header) + strings.Repeat(line(cell), rows)
	}
}

// schemaAttacks returns all attacks that consist of a schema and a file.
func schemaAttacks() []attack {
	return slices.Concat(optionAttacks(), numberAttacks(), dateAttacks(), typeAttacks(), expressionAttacks(), ruleAttacks(), fieldAttacks(), settingAttacks())
}

// optionAttacks returns attacks on select and multi-select fields.
func optionAttacks() []attack {
	options := func(kind any, n int, label func(i int) string) func() object {
		return func() object {
			return object{"type": kind, "selectOptions": list(n, func(i int) object { return object{"label": label(i), "value": fmt.Sprint(i)} })}
		}
	}
	word := func(n int) func(i int) string { return func(i int) string { return letters(i, n) } }
	unknown := func(n int) func(i int) string { return func(i int) string { return letters(i+1_000_000, n) } }
	near := func(i int) string { return letters(i%5_000, 11) + "#" }
	custom := []any{"select", object{"allowCustom": true}}
	exact := []any{"select", object{"exactMatchOnly": true}}
	return []attack{
		onColumn("options.csv", "search for similar options", options("select", 25_000, word(12)), column(20_000, unknown(12))),
		onColumn("near-options.csv", "search for similar options", options("select", 20_000, word(12)), column(20_000, near)),
		onColumn("short-options.csv", "search for similar options", options("select", 27_000, word(5)), column(50_000, unknown(5))),
		onColumn("accented-alternates.csv", "normalization of options", func() object {
			return object{"type": "select", "selectOptions": list(10_000, func(i int) object {
				return object{"label": letters(i, 9), "value": fmt.Sprint(i), "alternateMatches": list(3, func(a int) string { return "ü" + letters(i*5+a, 9) })}
			})}
		}, column(20_000, unknown(6))),
		onColumn("options-with-prefix.csv", "search for similar options", options("select", 15_000, func(i int) string { return "common prefix " + letters(i, 8) }),
			column(20_000, func(i int) string { return "common prefix " + letters(i+1_000_000, 8) })),
		onColumn("long-options.csv", "search for similar options", options("select", 1_000, word(800)), column(3_000, unknown(800))),
		onColumn("accented-options.csv", "normalization of options", options("select", 26_000, func(i int) string { return "é" + letters(i, 6) }), column(20_000, unknown(6))),
		onColumn("expanding-options.csv", "normalization of options", options("select", 3_000, func(i int) string { return strings.Repeat("ﷺ", 60) + letters(i, 9) }), column(2_000, unknown(60))),
		onColumn("numbered-options.csv", "similar options", options("select", 25_000, format("%d")), column(50_000, format("%d0"))),
		onColumn("equal-options.csv", "duplicate options", options("select", 25_000, cells("same")), column(100, cells("same"))),
		onColumn("alternate-options.csv", "alternate matches", func() object {
			return object{"type": "select", "selectOptions": []any{object{"label": "A", "value": "a", "alternateMatches": list(50_000, word(12))}}}
		}, column(20_000, unknown(12))),
		onColumn("option-values.csv", "size of the result", func() object {
			return object{"type": "select", "selectOptions": list(200, func(i int) object { return object{"label": letters(i, 5), "value": repeat("x", 4_000) + fmt.Sprint(i)} })}
		}, column(100_000, func(i int) string { return letters(i%200, 5) })),
		onColumn("option-labels.csv", "messages of problems", options("select", 200, func(i int) string { return repeat("x", 4_000) + fmt.Sprint(i) }), column(50_000, unknown(9))),
		onColumn("custom-options.csv", "options and other values", options(custom, 20_000, word(12)), column(100_000, unknown(12))),
		onColumn("exact-options.csv", "options without similar ones", options(exact, 20_000, word(12)), column(100_000, unknown(12))),
		onColumn("multi-options-cell.csv", "values of a cell", options("multi-select", 20_000, word(12)), func() string {
			return "name;n\n\"" + each(30_000, func(i int) string { return letters(i+1_000_000, 12) + "," }) + "\";1\n"
		}),
		onColumn("multi-options-delimiters.csv", "values of a cell", options([]any{"multi-select", object{"delimiter": ";"}}, 10, word(5)), column(10, cells("\""+repeat(";", 2*mib)+"\",1"))),
		onColumn("multi-options-known.csv", "values of a cell", options([]any{"multi-select", object{"delimiter": ";"}}, 20_000, word(8)), column(20, func(int) string {
			return `"` + each(100_000, func(i int) string { return letters(i%20_000, 8) + ";" }) + `",1`
		})),
		withFields("fields-with-options.csv", "options of several fields", func() []any {
			return list(200, func(f int) object {
				field := options("select", 90, func(i int) string { return letters(f*100+i, 8) })()
				field["key"], field["label"] = fmt.Sprintf("f%d", f), fmt.Sprintf("Field %d", f)
				return field
			})
		}, wideFile(200, 1_000, format("Field %d"), unknown(8))),
	}
}

// numberAttacks returns attacks on number fields.
func numberAttacks() []attack {
	formatted := func(format object) func() object { return typed("number", object{"outputFormat": format}) }
	numbers := column(100_000, func(i int) string { return fmt.Sprintf("%d.%d", i*7_919, i%10) })
	return []attack{
		onColumn("mantissa.csv", "length of a formatted number", formatted(object{"mantissa": 2_000_000_000}), numbers),
		onColumn("long-mantissa.csv", "length of a formatted number", formatted(object{"mantissa": 100_000}), numbers),
		onColumn("characteristic.csv", "length of a formatted number", formatted(object{"characteristic": 2_000_000_000, "thousandSeparated": true}), numbers),
		onColumn("total-length.csv", "length of a formatted number", formatted(object{"totalLength": 2_000_000_000, "average": true}), numbers),
		onColumn("display-mantissa.csv", "length of a displayed number", typed("number", object{"displayFormat": object{"mantissa": 2_000_000_000, "characteristic": 2_000_000_000}}), numbers),
		onColumn("number-prefix.csv", "size of the result", formatted(object{"prefix": repeat("x", 900_000)}), numbers),
		onColumn("number-affixes.csv", "size of the result", formatted(object{"prefix": repeat("x", 250), "postfix": repeat("y", 250)}), numbers),
		onColumn("abbreviations.csv", "size of the result", formatted(object{"average": true, "abbreviations": object{"thousand": repeat("k", 200_000), "million": repeat("m", 200_000)}}), numbers),
		onColumn("round.csv", "rounding", typed("number", object{"round": 2_000_000_000}), numbers),
		onColumn("round-down.csv", "rounding", typed("number", object{"round": -2_000_000_000}), numbers),
		onColumn("bounds.csv", "comparison of numbers", func() object {
			return object{"type": []any{"number", object{"min": -1e300, "max": 1e300}}}
		}, column(50_000, func(i int) string { return fmt.Sprintf("1e%d", 1_000_000+i) })),
		onColumn("exponents.csv", "numbers with large exponents", formatted(object{"thousandSeparated": true, "mantissa": 2}), column(50_000, func(i int) string { return fmt.Sprintf("1e%d", 999_999_999-i) })),
		onColumn("small-exponents.csv", "numbers with large exponents", formatted(object{"mantissa": 20}), column(50_000, func(i int) string { return fmt.Sprintf("1e-%d", 999_999_999-i) })),
		onColumn("long-numbers.csv", "digits of a number", formatted(object{"thousandSeparated": true}), column(20, cells(repeat("9", mib)))),
		onColumn("many-long-numbers.csv", "digits of a number", typed("number", object{"round": 2}), column(5_000, func(i int) string { return repeat("9", 4_000) + fmt.Sprint(i) + "." + repeat("5", 4_000) })),
		onColumn("exponential.csv", "formatted numbers", formatted(object{"exponential": true, "mantissa": 1_000}), column(50_000, func(i int) string { return repeat("7", 300) })),
		onColumn("separators.csv", "detection of separators", typed("number", object{}), column(300_000, func(i int) string { return fmt.Sprintf("\"%d,%03d.%03d\"", i%999+1, i%1_000, i*7%1_000) })),
	}
}

// dateAttacks returns attacks on date, datetime and time fields.
func dateAttacks() []attack {
	dates := column(100_000, func(i int) string { return fmt.Sprintf("20%02d-%02d-%02d", i%100, i%12+1, i%28+1) })
	bad := column(100_000, func(i int) string { return fmt.Sprintf("%d Smarch 20%02d", i%40, i%100) })
	display := func(kind, format string) func() object {
		return typed(kind, object{"displayFormat": format, "locale": "ar"})
	}
	return []attack{
		withFields("date-fields.csv", "date formats", func() []any {
			return list(1_000, func(i int) object {
				return object{"key": fmt.Sprintf("d%d", i), "label": fmt.Sprintf("Day %d", i), "type": []any{"date", object{"displayFormat": "EEEE d MMMM yyyy", "locale": "ar"}}}
			})
		}, wideFile(1_000, 500, format("Day %d"), cells("2026-11-23"))),
		withFields("date-field-formats.csv", "date formats", func() []any {
			return list(1_000, func(i int) object {
				tokens := []string{"MMMM ", "EEEE ", "LLLL ", "cccc ", "a G ", "yyyy "}
				long := repeat(tokens[i%6]+tokens[i/6%6]+tokens[i/36%6], 230) + fmt.Sprintf("'%d'", i)
				return object{"key": fmt.Sprintf("d%d", i), "label": fmt.Sprintf("Day %d", i), "type": []any{"datetime", object{
					"displayFormat": long, "outputFormat": "yyyy " + long, "locale": []string{"ar", "ta", "vi", "ru", "ko", "fi", "th", "hi", "ka", "my"}[i%10]}}}
			})
		}, wideFile(1_000, 200, format("Day %d"), cells("2026-11-23"))),
		onColumn("date-tokens.csv", "length of a date format", display("date", repeat("yyyyMMdd", 900_000)), bad),
		onColumn("date-names.csv", "length of a date format", display("date", repeat("MMMM EEEE LLLL cccc ", 5_000)), bad),
		onColumn("date-literals.csv", "length of a date format", display("date", "'"+repeat("x''y", 900_000)+"'"), bad),
		onColumn("date-quotes.csv", "quotes of a date format", display("date", repeat("'", 900_000)), bad),
		onColumn("date-output.csv", "size of the result", typed("date", object{"outputFormat": "'" + repeat("x", 900_000) + "'"}), dates),
		onColumn("date-output-tokens.csv", "size of the result", typed("date", object{"outputFormat": repeat("EEEE MMMM", 900_000), "locale": "ta"}), dates),
		onColumn("datetime-tokens.csv", "length of a format", display("datetime", repeat("yyyy-MM-dd HH:mm:ss.SSS ZZZZ ", 20_000)), bad),
		onColumn("time-tokens.csv", "length of a format", display("time", repeat("h:mm a ", 50_000)), column(100_000, cells("25:61 XM"))),
		onColumn("date-cells.csv", "length of a cell", display("date", "EEEE d MMMM yyyy"), column(10, cells(repeat("1 January 2026 ", mib)))),
		onColumn("date-digits.csv", "length of a cell", typed("datetime", object{"withSeconds": true}), column(10, cells(repeat("1", mib)))),
		onColumn("date-locale.csv", "locales", typed("date", object{"locale": "x-" + repeat("a-", 500_000)}), dates),
		onColumn("date-orders.csv", "detection of date orders", typed("date", object{}), column(500_000, func(i int) string {
			return []string{"01/02/2020", "02.01.20", "1 2 2020", "2020/13/12", "12-31-99", "31-12-99"}[i%6]
		})),
		withFields("ambiguous-dates.csv", "questions about dates", func() []any {
			return list(1_000, func(i int) object {
				return object{"key": fmt.Sprintf("d%d", i), "label": fmt.Sprintf("Day %d", i), "type": "date"}
			})
		}, wideFile(1_000, 300, format("Day %d"), cells("03/04/2026"))),
	}
}

// typeAttacks returns attacks on the other types.
func typeAttacks() []attack {
	texts := func(kind, name, unit string) attack {
		return onColumn(kind+"-"+name+".csv", "length of a cell", typed(kind, object{}), column(8, cells(repeat(unit, mib))))
	}
	many := func(kind string, cell func(i int) string) attack {
		return onColumn("many-"+kind+".csv", "values of the type "+kind, typed(kind, object{}), column(300_000, cell))
	}
	return []attack{
		texts("phone-number", "digits", "1"), texts("phone-number", "signs", "+("), texts("email", "letters", "a"), texts("email", "signs", "@."), texts("email", "labels", "a."),
		texts("url", "steps", "http://a/../"), texts("url", "escapes", "%41"), texts("url", "hosts", "http://[::"), texts("domain", "dots", "a."), texts("domain", "punycode", "xn--"),
		texts("domain", "letters", "ß"), texts("uuid", "digits", "0"), texts("country", "words", "land "), texts("us-state-territory", "words", "new "), texts("us-zip-code", "digits", "1"),
		texts("ssn", "digits", "1"), texts("checkbox", "words", "no "), texts("time", "colons", "1:"),
		onColumn("domain-codes.csv", "internationalized names", typed("domain", object{}), column(2_000, func(i int) string { return "xn--" + letters(i, 59) + ".xn--" + letters(i+1, 59) + ".example" })),
		onColumn("accepted-domains.csv", "accepted domains", func() object {
			return object{"type": []any{"url", object{"acceptedDomains": list(40_000, func(i int) string { return letters(i, 12) + ".example" })}}}
		}, column(50_000, func(i int) string { return "https://" + letters(i, 10) + ".example/" })),
		onColumn("accepted-protocols.csv", "accepted protocols", func() object {
			return object{"type": []any{"url", object{"acceptedProtocols": list(60_000, func(i int) string { return letters(i, 10) })}}}
		}, column(50_000, func(i int) string { return letters(i, 10) + "://example.org/" })),
		many("country", func(i int) string { return letters(i, 14) }),
		many("us-state-territory", func(i int) string { return letters(i, 14) }),
		many("phone-number", func(i int) string { return fmt.Sprintf("+%d 1%09d", i%999, i) }),
		many("email", func(i int) string { return fmt.Sprintf("%s@%s.example", letters(i, 60), letters(i, 60)) }),
	}
}

// expressionAttacks returns attacks with regular expressions.
func expressionAttacks() []attack {
	match := func(name string, expression func() string, cell string, rows int) attack {
		return onColumn("expression-"+name+".csv", "regular expressions", rule(1, func(int) object { return object{"validate": "regex_match", "regex": expression()} }), column(rows, cells(cell)))
	}
	flagged := func(name, expression string, flags object, cell string) attack {
		return onColumn("expression-"+name+".csv", "regular expressions", rule(1, func(int) object {
			return object{"validate": "regex_exclude", "regex": expression, "regexOptions": flags}
		}), column(2_000, cells(cell)))
	}
	fixed := func(text string) func() string { return func() string { return text } }
	as := strings.Repeat("a", 5_000) + "!"
	return []attack{
		match("nested", fixed(`^(a+)+$`), as, 5_000),
		match("nested-lookahead", fixed(`^(?=(a+)+$)`), as, 5_000),
		match("nested-alternatives", fixed(`(?!x)^(a|a|aa)+$`), as, 5_000),
		match("backreference", fixed(`^(a*)*\1*b$`), as, 5_000),
		match("backreferences", fixed(`^(.*)(.*)(.*)(.*)\1\2\3\4!x$`), as, 5_000),
		match("lookbehind", fixed(`(?<=^(a+)+)b`), as, 5_000),
		match("many-lookaheads", func() string { return repeat(`(?=.*a)`, 900_000) }, as, 100),
		match("counted", fixed(`^((a{1,100}){1,100}){1,100}$`), as, 1_000),
		match("counted-often", func() string { return repeat(`[a-z]{900}`, 60_000) }, as, 1_000),
		match("alternatives", func() string { return each(70_000, func(i int) string { return letters(i, 12) + "|" }) + "x" }, as, 1_000),
		match("groups", func() string { return nested("(", "a", ")", 400_000) }, as, 100),
		match("open-groups", func() string { return repeat("(?:", 900_000) }, as, 100),
		match("dots", func() string { return repeat(".*", 400_000) + "b" }, as, 200),
		match("long-cells", fixed(`^(?=.*b)`), repeat("a", 4*mib), 6),
		match("classes", func() string { return repeat(`[\s\S]`, 900_000) }, as, 100),
		flagged("case-of-classes", repeat(`[À-￿]`, 200_000), object{"ignoreCase": true}, as),
		flagged("unicode-classes", repeat(`\p{L}\P{Lu}`, 300_000), object{"unicode": true, "ignoreCase": true}, as),
		flagged("negated-classes", repeat(`[^\W\D\s]`, 300_000), object{"unicode": true, "ignoreCase": true}, as),
		flagged("lines", `^(?!$)(.*\n)*b$`, object{"multiline": true, "dotAll": true}, as),
		onColumn("many-classes.csv", "regular expressions", rule(190, func(i int) object {
			return object{"validate": "regex_match", "regex": fmt.Sprintf(`^[\u%04x-\uffff]$`, 0x80+i), "regexOptions": object{"ignoreCase": true}}
		}), column(2_000, cells(as))),
		onColumn("many-large-classes.csv", "regular expressions", rule(190, func(i int) object {
			return object{"validate": "regex_match", "regex": repeat(fmt.Sprintf(`[\u%04x-\uffff]`, 0x80+i), 4_900), "regexOptions": object{"ignoreCase": true}}
		}), column(2_000, cells(as))),
		onColumn("many-unicode-classes.csv", "regular expressions", rule(190, func(i int) object {
			return object{"validate": "regex_match", "regex": fmt.Sprintf(`^[^\p{Lu}\u{%x}]$`, 0x80+i), "regexOptions": object{"ignoreCase": true, "unicode": true}}
		}), column(2_000, cells(as))),
		onColumn("many-lookaheads.csv", "regular expressions", rule(190, func(i int) object {
			return object{"validate": "regex_match", "regex": fmt.Sprintf(`(?=[^\W%d])\p{L}`, i), "regexOptions": object{"unicode": true}}
		}), column(2_000, cells(as))),
		onColumn("too-many-expressions.csv", "number of regular expressions", rule(9_000, func(i int) object {
			return object{"validate": "regex_match", "regex": fmt.Sprint(i)}
		}), column(5_000, cells("a"))),
		onColumn("many-expressions.csv", "regular expressions", rule(190, func(i int) object {
			return object{"validate": "regex_match", "regex": fmt.Sprintf(`^.*%d.*x$`, i), "level": "info"}
		}), column(200_000, cells(strings.Repeat("a1", 150)))),
		onColumn("many-slow-expressions.csv", "regular expressions", rule(190, func(i int) object {
			return object{"validate": "regex_match", "regex": fmt.Sprintf(`^(?=.*%d)(a+)+$`, i), "level": "info"}
		}), column(2_000, cells(as))),
	}
}

// ruleAttacks returns attacks with validators other than regular expressions.
func ruleAttacks() []attack {
	fields := func(n int, write func(i int) object) func() []any {
		return func() []any {
			return list(n, func(i int) object {
				return object{"key": fmt.Sprintf("f%d", i), "label": fmt.Sprintf("Field %d", i), "validators": []any{write(i)}}
			})
		}
	}
	keys := func(n int) []any { return list(n, format("f%d")) }
	values := func(n int) object {
		all := object{}
		for i := range n {
			all[fmt.Sprintf("f%d", i)] = letters(i, 4)
		}
		return all
	}
	wide := func(columns, rows int, cell string) func() string {
		return wideFile(columns, rows, format("Field %d"), cells(cell))
	}
	distinct := func(rows int) func() string { return column(rows, func(i int) string { return letters(i, 24) }) }
	required := func(name string, columns int, options func() object) attack {
		return withFields(strings.ReplaceAll(name, "_", "-")+".csv", "validators that compare fields", fields(columns, func(int) object {
			one := options()
			one["validate"] = name
			return one
		}), wide(columns, 2_000, ""))
	}
	message := repeat("x", 4_000)
	return []attack{
		onColumn("unique-rules.csv", "validators of a field", rule(18_000, func(i int) object {
			return object{"validate": "unique", "errorMessage": fmt.Sprint(i), "level": "info"}
		}), distinct(20_000)),
		onColumn("unique-rows.csv", "memory for unique values", rule(1, func(int) object { return object{"validate": "unique"} }), distinct(1_500_000)),
		onColumn("unique-long-cells.csv", "memory for unique values", rule(1, func(int) object { return object{"validate": "unique"} }), column(40, func(i int) string { return repeat("x", mib) + fmt.Sprint(i%2) })),
		onColumn("equal-rows.csv", "rows with the same value", rule(1, func(int) object { return object{"validate": "unique"} }), column(1_500_000, cells("x"))),
		onColumn("unique-case-insensitive.csv", "memory for unique values", rule(1, func(int) object { return object{"validate": "unique_case_insensitive"} }),
			column(300_000, func(i int) string { return "İﬃ" + letters(i, 20) })),
		withFields("unique-fields.csv", "memory for unique values", fields(1_000, func(int) object { return object{"validate": "unique"} }), wideFile(1_000, 1_000, format("Field %d"), func(i int) string { return letters(i, 6) })),
		withFields("unique-with.csv", "combinations of values", fields(1_000, func(int) object { return object{"validate": "unique_with", "uniqueKey": "k"} }), wide(1_000, 2_000, "x")),
		withFields("unique-with-keys.csv", "combinations of values", func() []any {
			return list(60, func(f int) object {
				return object{"key": fmt.Sprintf("f%d", f), "label": fmt.Sprintf("Field %d", f), "validators": list(300, func(i int) object {
					return object{"validate": "unique_with", "uniqueKey": fmt.Sprint(i)}
				})}
			})
		}, wide(60, 5_000, "x")),
		required("require_with", 300, func() object { return object{"fields": keys(300)} }),
		required("require_without", 300, func() object { return object{"fields": keys(300)} }),
		required("require_with_all", 300, func() object { return object{"fields": keys(300)} }),
		required("require_without_all", 300, func() object { return object{"fields": keys(300)} }),
		required("require_with_values", 230, func() object { return object{"fieldValues": values(230)} }),
		required("require_without_values", 230, func() object { return object{"fieldValues": values(230)} }),
		required("require_with_all_values", 230, func() object { return object{"fieldValues": values(230)} }),
		required("require_without_all_values", 230, func() object { return object{"fieldValues": values(230)} }),
		onColumn("lengths.csv", "validators of a field", rule(15_000, func(i int) object { return object{"validate": "length", "min": i + 1, "level": "info"} }), column(20_000, cells("xyz"))),
		onColumn("length-of-long-cells.csv", "length of a cell", rule(1, func(int) object { return object{"validate": "length", "max": 5} }), column(30, cells(repeat("é\u0301", mib)))),
		onColumn("alphabetical.csv", "length of a cell", rule(1, func(int) object { return object{"validate": "alphabetical"} }), column(30, cells(repeat("a", mib)))),
		onColumn("required.csv", "problems", rule(3, func(i int) object {
			return object{"validate": "required", "level": []string{"error", "warning", "info"}[i]}
		}), func() string { return "name,n\n" + repeat(",1\n", 20*mib) }),
		onColumn("long-messages.csv", "messages of problems", rule(1, func(int) object { return object{"validate": "length", "max": 1, "errorMessage": message} }), column(100_000, cells("xyz"))),
		onColumn("long-invalid-messages.csv", "messages of problems", func() object { return object{"type": "number", "invalidValueMessage": message} }, column(100_000, cells("xyz"))),
	}
}

// fieldAttacks returns attacks on the mapping of columns to fields.
func fieldAttacks() []attack {
	named := func(n int, label func(i int) string) func() []any {
		return func() []any {
			return list(n, func(i int) object { return object{"key": fmt.Sprintf("k%d", i), "label": label(i)} })
		}
	}
	many := func(name string, properties func() object) attack {
		return onColumn("many-to-one-"+name+".csv", "columns of a field", func() object {
			all := properties()
			all["manyToOne"] = true
			return all
		}, wideFile(16_384, 60, format("Name %d"), func(i int) string { return letters(i%500, 9) }))
	}
	return []attack{
		withFields("random-columns.csv", "mapping", named(1_000, func(i int) string { return letters(i, 10) }), wideFile(16_384, 50, func(i int) string { return letters(i+5_000, 10) }, cells("x"))),
		withFields("near-columns.csv", "mapping", named(1_000, func(i int) string { return letters(i, 10) }), wideFile(16_384, 50, func(i int) string { return letters(i%1_000, 10) + letters(i, 2) }, cells("x"))),
		withFields("long-labels.csv", "mapping", named(250, func(i int) string { return letters(0, 3_500) + letters(i, 4) }), wideFile(240, 50, func(i int) string { return letters(0, 3_500) + letters(i+1_000, 4) }, cells("x"))),
		withFields("labels-of-words.csv", "mapping", named(700, func(i int) string {
			return each(100, func(w int) string { return letters((i+w)%300, 8) + " " })
		}), wideFile(1_000, 50, func(i int) string { return each(100, func(w int) string { return letters((i*w)%300, 8) + " " }) }, cells("x"))),
		onColumn("alternate-columns.csv", "mapping", func() object {
			return object{"alternateMatches": list(60_000, func(i int) string { return letters(i, 12) })}
		},
			wideFile(16_384, 50, func(i int) string { return letters(i+1_000_000, 12) }, cells("x"))),
		withFields("alternates-of-fields.csv", "mapping", func() []any {
			return list(1_000, func(f int) object {
				return object{"key": fmt.Sprintf("k%d", f), "label": letters(f, 9), "alternateMatches": list(55, func(i int) string { return letters(f*100+i, 12) })}
			})
		}, wideFile(16_384, 50, func(i int) string { return letters(i+1_000_000, 12) }, cells("x"))),
		withFields("equal-labels.csv", "fields with the same name", named(1_000, cells("Name")), wideFile(1_000, 50, cells("Name"), cells("x"))),
		withFields("too-many-fields.csv", "fields", named(20_000, format("Field %d")), column(10, cells("x"))),
		withFields("hidden-fields.csv", "hidden fields", func() []any {
			return append(list(999, func(i int) object {
				return object{"key": fmt.Sprintf("k%d", i), "label": "x", "hidden": true}
			}), object{"key": "name", "label": "Name"})
		}, column(300_000, cells("x"))),
		onColumn("description.csv", "size of a property", func() object { return object{"description": repeat("d", 1_000_000)} }, column(10, cells("x"))),
		many("text", func() object { return object{} }),
		many("unique", func() object { return object{"validators": []any{object{"validate": "unique"}}} }),
		many("expression", func() object {
			return object{"validators": list(50, func(i int) object { return object{"validate": "regex_match", "regex": fmt.Sprintf("^.*%d$", i)} })}
		}),
		many("select", func() object {
			return object{"type": "select", "selectOptions": list(10_000, func(i int) object { return object{"label": letters(i+5_000, 9), "value": fmt.Sprint(i)} })}
		}),
		many("date", func() object { return object{"type": "date"} }),
	}
}

// settingAttacks returns attacks with settings and with the structure of the request.
func settingAttacks() []attack {
	request := func(settings object) func() object {
		return func() object {
			return object{"fields": []any{object{"key": "name", "label": "Name"}, object{"key": "n", "label": "N", "type": "number"}}, "settings": settings}
		}
	}
	rows := func() string { return "name,n\n" + repeat("a,x\n", 16*mib) }
	deep := func(n int) any {
		var inner any = 1
		for range n {
			inner = object{"a": inner}
		}
		return inner
	}
	return []attack{
		withSettings("one-record.csv", "maximum number of records", request(object{"maxRecords": 1}), rows),
		withSettings("blocked.csv", "problems under review", request(object{"invalidDataBehavior": "BLOCK_SUBMIT"}), rows),
		withSettings("removed.csv", "removed rows", request(object{"invalidDataBehavior": "REMOVE_INVALID_ROWS"}), rows),
		withSettings("all-invalid.csv", "invalid rows", request(object{"invalidDataBehavior": "INCLUDE_INVALID_ROWS"}), rows),
		withSettings("unmapped-columns.csv", "unmapped columns", request(object{"passThroughUnmappedColumns": true}), wideFile(16_384, 200, func(i int) string {
			return []string{"name", letters(i, 60)}[min(i, 1)]
		}, cells("x"))),
		withSettings("identifier.csv", "size of a setting", request(object{"importIdentifier": repeat("i", 1_000_000)}), rows),
		withSettings("title.csv", "size of a setting", request(object{"title": repeat("t", 1_000_000)}), rows),
		withSettings("styles.csv", "nesting of the request", request(object{"styleOverrides": deep(5_000)}), rows),
		withSettings("format-nesting.csv", "nesting of the request", func() object {
			return object{"fields": []any{object{"key": "name", "label": "Name", "type": []any{"number", object{"outputFormat": deep(5_000)}}}}}
		}, rows),
		withSettings("unknown-properties.csv", "errors of the request", func() object {
			field := object{"key": "name", "label": "Name"}
			for i := range 60_000 {
				field[fmt.Sprintf("p%d", i)] = 1
			}
			return object{"fields": []any{field}}
		}, rows),
		withSettings("errors-of-fields.csv", "errors of the request", func() object {
			return object{"fields": list(40_000, func(int) object { return object{"key": 1} })}
		}, rows),
		withSettings("initial-data.csv", "initial data", request(object{"initialData": list(50_000, func(i int) object { return object{"name": "a"} })}), rows),
	}
}

// TestLetters checks that different numbers result in different words, because equal options or
// columns would be no attack.
func TestLetters(t *testing.T) {
	words := map[string]int{}
	for i := range 100_000 {
		word := letters(i, 12)
		if other, ok := words[word]; ok {
			t.Fatalf("%d and %d both result in %q", other, i, word)
		}
		words[word] = i
	}
}
