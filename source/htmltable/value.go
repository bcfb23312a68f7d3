package htmltable

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/numfmt"
)

// typedValue is the value of a cell that is stored in addition to its text.
type typedValue struct {
	isNumber, isBool, isError bool
	value                     string
	format                    *numfmt.Format
}

// readTypedValue returns the value that Excel stores in the attributes x:num, x:bool
// and x:err. It is empty if the text is the value.
func (w *tableWalker) readTypedValue(t *tokenizer) (v typedValue) {
	for _, a := range t.allAttributes() {
		switch string(a.key) {
		case "x:num":
			v.isNumber, v.value = true, string(a.value)
		case "x:bool":
			v.isBool, v.value = true, string(a.value)
		case "x:err":
			v.isError, v.value = true, string(a.value)
		}
	}
	if v.isNumber {
		v.format = w.formats.lookup(t.attrValue("class"), t.attrValue("style"))
	}
	return v
}

// appendValue appends the value of a cell and returns its kind. If the value does not
// match its type, it appends the text instead.
func (v typedValue) appendValue(dst, text []byte, epoch1904 bool) ([]byte, intray.CellKind) {
	value := v.value
	if value == "" && (v.isNumber || v.isBool || v.isError) {
		value = string(bytes.TrimSpace(text))
	}
	switch {
	case v.isNumber && (v.format == nil || v.format.Kind() != intray.CellText):
		n, ok := parseNumber(value)
		if !ok {
			break
		}
		if v.format == nil {
			return generalFormat.AppendValue(dst, n, epoch1904)
		}
		return v.format.AppendValue(dst, n, epoch1904)
	case v.isBool && (strings.EqualFold(value, "true") || value == "1"):
		return append(dst, "true"...), intray.CellBool
	case v.isBool && (strings.EqualFold(value, "false") || value == "0"):
		return append(dst, "false"...), intray.CellBool
	case v.isError && strings.HasPrefix(value, "#"):
		return append(dst, value...), intray.CellError
	}
	return append(dst, text...), intray.CellText
}

// generalFormat is the default number format.
var generalFormat = compileFormat("General")

// parseNumber parses a decimal number. Inf and other bases are invalid.
func parseNumber(text string) (float64, bool) {
	if strings.Trim(text, "0123456789.+-eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// maxClasses is the maximum number of classes with number formats.
const maxClasses = 1 << 16

// maxCodeBytes is the maximum length of a number format code in a style, in bytes.
const maxCodeBytes = 1 << 10

// maxCodesBytes is the maximum total length of the number format codes of a page, in bytes. Further
// codes are ignored, because a compiled format takes many times the memory of its code.
const maxCodesBytes = 2 << 20

// styleHas reports whether a style sets property to value.
func styleHas(style, property, value string) bool {
	if style == "" {
		return false
	}
	got, found := styleValue(style, property)
	got, _, _ = strings.Cut(got, "!")
	return found && strings.EqualFold(strings.TrimSpace(got), value)
}

// styleValue returns the raw value of a property of a style.
func styleValue(style, property string) (string, bool) {
	for style != "" {
		end := unquotedIndex(style, ';')
		declaration := style[:end]
		style = style[min(end+1, len(style)):]
		name, value, found := strings.Cut(declaration, ":")
		if found && strings.EqualFold(strings.TrimSpace(name), property) {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

// unquotedIndex returns the index of the first mark outside quotes, or the length of
// text if there is none.
func unquotedIndex(text string, mark byte) int {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == mark:
			return i
		}
	}
	return len(text)
}

// formatCode returns the number format code of a style, or "".
func formatCode(style string) string {
	for _, property := range []string{"mso-number-format", "vnd.ms-excel.numberformat"} {
		if value, found := styleValue(style, property); found && len(value) <= maxCodeBytes {
			return unescapeCSS(strings.Trim(value, `"'`))
		}
	}
	return ""
}

// unescapeCSS resolves the escapes in a style sheet: a backslash with a hexadecimal
// character code, or a backslash with the character itself.
func unescapeCSS(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		end := i + 1
		for end < len(text) && end < i+7 && strings.IndexByte("0123456789abcdefABCDEF", text[end]) >= 0 {
			end++
		}
		n, err := strconv.ParseUint(text[i+1:end], 16, 32)
		switch {
		case end > i+1 && (err != nil || !utf8.ValidRune(rune(n))):
			i = end - 1
		case end > i+1:
			out.WriteRune(rune(n))
			if end < len(text) && text[end] == ' ' {
				end++
			}
			i = end - 1
		default: // an escaped character
			i++
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// formats holds the number formats of the classes of a page.
type formats struct {
	classes  map[string]string
	compiled map[string]*numfmt.Format
	// codeBytes is the total length of the number format codes in bytes.
	codeBytes int
}

// read adds the number formats in a style sheet.
func (f *formats) read(sheet string) {
	for sheet != "" && len(f.classes) < maxClasses {
		begin := strings.IndexByte(sheet, '{')
		if begin < 0 {
			return
		}
		selectors := sheet[:begin]
		sheet = sheet[begin+1:]
		end := unquotedIndex(sheet, '}')
		rule := sheet[:end]
		sheet = sheet[min(end+1, len(sheet)):]
		code := formatCode(rule)
		if code == "" {
			continue
		}
		for selector := range strings.SplitSeq(selectors, ",") {
			if _, class, found := strings.Cut(selector, "."); found {
				f.addClass(strings.TrimSpace(class), code)
			}
		}
	}
}

func (f *formats) addClass(class, code string) {
	if f.classes == nil {
		f.classes, f.compiled = map[string]string{}, map[string]*numfmt.Format{}
	}
	f.codeBytes += len(code)
	if len(f.classes) >= maxClasses || f.codeBytes > maxCodesBytes || class == "" || len(class) > maxCodeBytes {
		return
	}
	f.classes[class] = code
	if f.compiled[code] == nil {
		f.compiled[code] = compileFormat(code)
	}
}

// lookup returns the number format of a cell with the given class and style attributes,
// or nil if they specify none.
func (f *formats) lookup(class, style string) *numfmt.Format {
	if code := formatCode(style); code != "" {
		return compileFormat(code)
	}
	for name := range strings.FieldsSeq(class) {
		if code := f.classes[name]; code != "" {
			return f.compiled[code]
		}
	}
	return nil
}

// compileFormat compiles a code or one of Excel's named date formats. Only the kind of
// the format matters, because the page contains the displayed text.
func compileFormat(code string) *numfmt.Format {
	switch strings.ToLower(code) {
	case "general date":
		code = numfmt.Builtin(22)
	case "long date", "medium date", "short date":
		code = numfmt.Builtin(14)
	case "long time", "medium time", "short time":
		code = numfmt.Builtin(21)
	}
	format, _ := numfmt.Compile(code) // an invalid code counts as General
	return format
}
