package phone

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// maxText is the maximum length of a cell in bytes, as in libphonenumber.
const maxText = 250

// cleanAndScan reads a cell that is not a plain number. It converts other
// scripts to ASCII, removes what people and programs add to a number, and scans
// the rest. It returns Read, or the reason why the cell cannot be read.
func (w *scannedCell) cleanAndScan(raw []byte) Code {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return Blank
	case len(raw) > maxText:
		return TooLong
	}
	var space [2 * maxText]byte
	text := trimWrapping(foldText(space[:0], raw))
	switch {
	case len(text) == 0:
		return NotNumber
	case isScientific(text):
		return DigitsLost
	}
	text = cutContext(cutLabel(text))
	text, extension := cutExtension(text)
	if hasSeveralNumbers(text) {
		return SeveralNumbers
	}
	*w = scannedCell{extension: extension}
	if w.scan(text) {
		return Read
	}
	return w.rejectReason(text)
}

// rejectReason returns why text is not a phone number.
func (w *scannedCell) rejectReason(text []byte) Code {
	digits := 0
	for _, c := range text {
		if isDigit(c) {
			digits++
		}
	}
	switch {
	case bytes.ContainsFunc(text, unicode.IsLetter):
		return Letters
	case w.endsInBrackets():
		return SeveralNumbers
	case digits > maxDigits:
		return TooLong
	}
	return NotNumber
}

// foldText appends digits, punctuation and letters in any script as lower-case
// ASCII, if there is an equivalent. It drops invisible characters.
func foldText(dst, raw []byte) []byte {
	for len(raw) > 0 {
		c, size := utf8.DecodeRune(raw)
		switch {
		case c < utf8.RuneSelf:
			dst = append(dst, foldByte(byte(c)))
		case c == utf8.RuneError && size == 1:
			dst = append(dst, '?')
		default:
			dst = foldRune(dst, c)
		}
		raw = raw[size:]
	}
	return dst
}

func foldByte(c byte) byte {
	switch {
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	case c == '\t' || c == '\v' || c == '\f':
		return ' '
	case c == '[' || c == '{':
		return '('
	case c == ']' || c == '}':
		return ')'
	}
	return c
}

func foldRune(dst []byte, c rune) []byte {
	switch {
	case c >= 0xFF01 && c <= 0xFF5E: // full-width ASCII
		return append(dst, foldByte(byte(c-0xFF01+'!')))
	case unicode.Is(unicode.Nd, c):
		return append(dst, '0'+digitOf(c))
	case unicode.Is(unicode.Pd, c), c == 0x2212, c == 0x30FC:
		return append(dst, '-')
	case unicode.Is(unicode.Cf, c), c == 0xFE0F:
		return dst
	case c == 0x2028, c == 0x2029, c == 0x85:
		return append(dst, '\n')
	case unicode.IsSpace(c):
		return append(dst, ' ')
	case c == 0x2019, c == 0x2018:
		return append(dst, '\'')
	case c == 0x201C, c == 0x201D:
		return append(dst, '"')
	}
	return utf8.AppendRune(dst, unicode.ToLower(c))
}

// digitOf returns the value of a decimal digit in any script. It relies on Unicode: the digits
// of a script are consecutive and start at the beginning of a range in unicode.Nd.
func digitOf(c rune) byte {
	for _, r := range unicode.Nd.R16 {
		if rune(r.Lo) <= c && c <= rune(r.Hi) {
			return byte((c - rune(r.Lo)) % 10)
		}
	}
	for _, r := range unicode.Nd.R32 {
		if rune(r.Lo) <= c && c <= rune(r.Hi) {
			return byte((c - rune(r.Lo)) % 10)
		}
	}
	return 0
}

// trimWrapping removes the characters that keep a spreadsheet from converting a
// number: an apostrophe before it, quotes around it, or the formula ="…".
func trimWrapping(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if len(text) > 1 && text[0] == '=' {
		text = text[1:]
	}
	for len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		text = bytes.TrimSpace(text[1 : len(text)-1])
	}
	return bytes.TrimRight(bytes.TrimPrefix(text, []byte("'")), " ,;:")
}

// isScientific reports whether text is in scientific notation, such as
// 4.98912e+11.
func isScientific(text []byte) bool {
	before, after, found := bytes.Cut(text, []byte("e"))
	before = bytes.TrimLeft(before, "+-")
	after = bytes.TrimLeft(after, "+-")
	return found && len(before) > 0 && len(after) > 0 && len(after) <= 3 && isDigit(before[0]) &&
		!bytes.ContainsFunc(before, func(c rune) bool { return c != '.' && c != ',' && (c < '0' || c > '9') }) &&
		!bytes.ContainsFunc(after, func(c rune) bool { return c < '0' || c > '9' })
}

// cutLabel removes a word for telephone, or the scheme of a link, from the
// start of the text. It does not remove other words.
func cutLabel(text []byte) []byte {
	at := bytes.IndexFunc(text, func(c rune) bool { return '0' <= c && c <= '9' || c == '+' || c == '(' })
	if at <= 0 {
		return text
	}
	word := bytes.Trim(text[:at], " .:-#/")
	if len(word) == 0 {
		return text[at:]
	}
	for _, label := range phoneLabels {
		if string(word) == label {
			return text[at:]
		}
	}
	return text
}

// maxContext is the maximum length, in bytes, of a phone-context that is a
// calling code with or without an area code.
const maxContext = 12

// cutContext applies the parameters of a tel URI (RFC 3966). It puts a phone-context with a
// calling code before the number, and drops any other context and a subaddress.
func cutContext(text []byte) []byte {
	at := bytes.Index(text, []byte(";phone-context="))
	if at < 0 {
		text, _, _ = bytes.Cut(text, []byte(";isub="))
		return text
	}
	local, _, _ := bytes.Cut(text[:at], []byte(";isub="))
	context, _, _ := bytes.Cut(text[at+len(";phone-context="):], []byte(";"))
	if len(context) == 0 || context[0] != '+' || len(context) > maxContext {
		return local
	}
	var code [maxContext]byte
	n := copy(code[:], context)
	copy(text[n:], local)
	copy(text, code[:n])
	return text[:n+len(local)]
}

// minBeforeExtension is the minimum number of digits before an extension.
const minBeforeExtension = 5

// cutExtension removes an extension: digits at the end, after a word or sign for an extension.
func cutExtension(text []byte) ([]byte, bool) {
	rest := bytes.TrimRight(text, " #)")
	digits := len(rest)
	for digits > 0 && isDigit(rest[digits-1]) {
		digits--
	}
	if digits == len(rest) {
		return text, false
	}
	rest = bytes.TrimRight(rest[:digits], " .:-")
	for _, mark := range extensionMarks {
		if before := bytes.TrimSuffix(rest, []byte(mark)); len(before) < len(rest) {
			before = bytes.TrimRight(before, " ,;.-(")
			if last, _ := utf8.DecodeLastRune(before); !unicode.IsLetter(last) && countDigits(before) >= minBeforeExtension {
				return before, true
			}
		}
	}
	return text, false
}

func countDigits(text []byte) (n int) {
	for _, c := range text {
		if isDigit(c) {
			n++
		}
	}
	return n
}

// hasSeveralNumbers reports whether the text has numbers on both sides of a separator, or more
// than one plus sign.
func hasSeveralNumbers(text []byte) bool {
	if at := bytes.LastIndexByte(text, '+'); at > 0 && countDigits(text[:at]) > 0 {
		return true
	}
	for _, mark := range numberSeparators {
		before, after, found := bytes.Cut(text, []byte(mark))
		if found && countDigits(before) >= minBeforeExtension && countDigits(after) > 0 {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// phoneLabels are the words, in lower case, that may precede a number. They
// describe the kind of line and are not part of the number.
var phoneLabels = []string{
	"tel", "tel.nr", "tel.-nr", "tel nr", "tel no", "telnr", "telephone", "telephone number", "telefon", "telefonnummer", "telefono", "téléphone", "telefone",
	"teléfono", "telefoon", "tél", "fon", "phone", "phone number", "phone no", "phone nr", "ph", "p", "t", "m", "f", "h", "w", "o", "c",
	"mobile", "mobile phone", "mobile number", "mobil", "mob", "mobiel", "móvil", "movil", "celular", "cel", "cell", "cell phone", "cellphone", "handy",
	"portable", "gsm", "sms", "whatsapp", "fax", "telefax", "office", "work", "home", "number", "no", "nr", "n°", "№",
	"тел", "телефон", "моб", "факс", "電話", "电话", "callto",
}

// extensionMarks precede an extension. A mark must come before the marks that are its suffixes.
var extensionMarks = []string{
	";ext=", "ext=", "extension", "extensión", "extensions", "extn", "ext", "xtn", "durchwahl", "nebenstelle", "apparat", "app", "dw",
	"poste", "interno", "int", "anexo", "ramal", "toestel", "lokal", "linka", "klapka", "wew", "доб", "внутр", "分機", "内線",
	"x", "#", "~", ",,",
}

// numberSeparators separate two numbers.
var numberSeparators = []string{",", ";", "|", "&", "\n", "\r", "\\", " or ", " and ", " oder ", " und ", " ou ", " et ", " y ", " o ", " e ", " или ", " и "}
