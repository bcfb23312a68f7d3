package numfmt

// shortDate is the short date in the built-in formats 14 and 22. Excel displays it in
// the format of the user's region: m/d/yyyy on Windows in the United States, and m/d/yy
// on a Macintosh. The latter is closest to the mm-dd-yy of ECMA-376.
const shortDate = "m/d/yy"

// Builtin returns the code of the built-in format with the given number, as Excel displays it
// in the United States. It returns "" for other numbers. The formats 27 to 36 and 50 to 58 are
// date and time formats that Excel displays differently in East Asian languages. Builtin
// returns them as Excel displays them in other languages.
func Builtin(id int) string {
	if id < 0 || id >= len(builtins) {
		return ""
	}
	return builtins[id]
}

var builtins = [...]string{
	0:  "General",
	1:  "0",
	2:  "0.00",
	3:  "#,##0",
	4:  "#,##0.00",
	5:  `"$"#,##0_);\("$"#,##0\)`,
	6:  `"$"#,##0_);[Red]\("$"#,##0\)`,
	7:  `"$"#,##0.00_);\("$"#,##0.00\)`,
	8:  `"$"#,##0.00_);[Red]\("$"#,##0.00\)`,
	9:  "0%",
	10: "0.00%",
	11: "0.00E+00",
	12: "# ?/?",
	13: "# ??/??",
	14: shortDate,
	15: "d-mmm-yy",
	16: "d-mmm",
	17: "mmm-yy",
	18: "h:mm AM/PM",
	19: "h:mm:ss AM/PM",
	20: "h:mm",
	21: "h:mm:ss",
	22: shortDate + " h:mm",
	27: shortDate,
	28: shortDate,
	29: shortDate,
	30: shortDate,
	31: shortDate,
	32: "h:mm:ss",
	33: "h:mm:ss",
	34: "h:mm:ss",
	35: "h:mm:ss",
	36: shortDate,
	37: "#,##0_);(#,##0)",
	38: "#,##0_);[Red](#,##0)",
	39: "#,##0.00_);(#,##0.00)",
	40: "#,##0.00_);[Red](#,##0.00)",
	41: `_(* #,##0_);_(* \(#,##0\);_(* "-"_);_(@_)`,
	42: `_("$"* #,##0_);_("$"* \(#,##0\);_("$"* "-"_);_(@_)`,
	43: `_(* #,##0.00_);_(* \(#,##0.00\);_(* "-"??_);_(@_)`,
	44: `_("$"* #,##0.00_);_("$"* \(#,##0.00\);_("$"* "-"??_);_(@_)`,
	45: "mm:ss",
	46: "[h]:mm:ss",
	47: "mm:ss.0",
	48: "##0.0E+0",
	49: "@",
	50: shortDate,
	51: shortDate,
	52: shortDate,
	53: shortDate,
	54: shortDate,
	55: shortDate,
	56: shortDate,
	57: shortDate,
	58: shortDate,
}
