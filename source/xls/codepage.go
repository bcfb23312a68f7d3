package xls

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/charset"
)

// fonts holds what the fonts of a workbook say about its code page.
type fonts struct {
	// codepages are the code pages of the fonts, without duplicates.
	codepages []int
	// western is true if a font declares the Western character set.
	western bool
}

// add adds a font. set is its character set, or -1 if its version has none.
func (f *fonts) add(set int, name string) {
	number := codepageOfCharset(set)
	if number == 0 {
		number = codepageOfFontName(name)
	}
	f.western = f.western || set == 0
	if number != 0 && !slices.Contains(f.codepages, number) {
		f.codepages = append(f.codepages, number)
	}
}

// codepageOfCharset returns the code page of a character set of Windows, or 0 if the set does not
// determine one: the Western set, because programs also write it if they do not know the set, the
// default, symbols and OEM.
func codepageOfCharset(set int) int {
	switch set {
	case 77:
		return 10000
	case 128:
		return 932
	case 129:
		return 949
	case 134:
		return 936
	case 136:
		return 950
	case 161:
		return 1253
	case 162:
		return 1254
	case 163:
		return 1258
	case 177:
		return 1255
	case 178:
		return 1256
	case 186:
		return 1257
	case 204:
		return 1251
	case 222:
		return 874
	case 238:
		return 1250
	}
	return 0
}

// codepageOfFontName returns the code page of a font such as Arial CE, or 0.
func codepageOfFontName(name string) int {
	name = strings.ToUpper(strings.TrimSpace(name))
	for _, script := range []struct {
		suffix string
		number int
	}{
		{" CE", 1250}, {" CYR", 1251}, {" GREEK", 1253}, {" TUR", 1254}, {" (HEBREW)", 1255}, {" (ARABIC)", 1256}, {" BALTIC", 1257}, {" (VIETNAMESE)", 1258}, {" (THAI)", 874},
	} {
		if strings.HasSuffix(name, script.suffix) {
			return script.number
		}
	}
	return 0
}

// readFont reads a FONT record. Only versions from 5 on store a character set.
func (b *book) readFont(rec record) {
	set, at := -1, 6
	switch {
	case b.version >= 5:
		at = 14
	case b.version == 2:
		at = 4
	}
	if len(rec.body) <= at {
		return
	}
	if b.version >= 5 {
		set = int(rec.body[12])
	}
	name := rec.body[at+1:]
	b.fonts.add(set, string(name[:min(len(name), int(rec.body[at]))]))
}

// chooseCodepage sets the code page of a workbook older than BIFF8: the requested one, the
// declared one, or the only one of its fonts. If there is none of them, and the workbook has text
// that is not ASCII, a person must decide. It reports whether the globals must be read again.
func (b *book) chooseCodepage(ctx context.Context, requested string) (again bool, err error) {
	if b.version >= 8 || requested == "" && b.declared {
		return false, nil
	}
	if requested != "" {
		name, known := requested, false
		if e, ok := charset.Lookup(requested); ok {
			name = e.Name()
		}
		if b.codepage, known = codepageNamed(name); !known {
			return false, unreadable(intray.NewMessage("encoding.unknown", intray.Params{"encoding": source.Excerpt(requested)}))
		}
		b.codepage.reason = intray.NewMessage("option.requested", nil)
		return true, nil
	}
	if len(b.fonts.codepages) == 1 {
		b.setCodepage(b.fonts.codepages[0], intray.NewMessage("encoding.fonts", nil))
		return true, nil
	}
	texts, err := b.sampleTexts(ctx)
	switch {
	case err != nil:
		return false, err
	case len(texts) == 0:
		b.setCodepage(defaultCodepageNumber, intray.NewMessage("encoding.codepage_irrelevant", nil))
		return false, nil
	}
	guess := charset.Detect(bytes.Join(texts, []byte("\n")), true)
	found, known := codepageNamed(guess.Encoding.Name())
	if b.fonts.western && len(b.fonts.codepages) == 0 && known && found.name == b.codepage.name && !guess.Unsure() {
		b.codepage.reason = intray.JoinMessages(intray.NewMessage("encoding.fonts", nil), guess.Explain())
		return false, nil
	}
	b.askCodepage(found, known, texts)
	return true, nil
}

func (b *book) setCodepage(number int, reason intray.Message) {
	name, enc := lookupCodepage(number)
	b.codepage = codepage{number, name, enc, reason}
}

// askCodepage makes the code page a question, with examples of the text in each code page. The
// code page of the fonts comes first, then the one that the text suggests.
func (b *book) askCodepage(guess codepage, known bool, texts [][]byte) {
	numbers := slices.Concat(b.fonts.codepages, codepageNumbers[:])
	if known && !slices.ContainsFunc(b.fonts.codepages, func(number int) bool { name, _ := lookupCodepage(number); return name == guess.name }) {
		numbers = slices.Insert(numbers, len(b.fonts.codepages), guess.number)
	}
	reason := intray.NewMessage("encoding.codepage_unsure", nil)
	b.setCodepage(numbers[0], reason)
	for _, number := range numbers {
		name, enc := lookupCodepage(number)
		if slices.ContainsFunc(b.alternatives, func(c intray.Choice) bool { return c.Value == name }) {
			continue
		}
		choice := intray.Choice{Value: name, Reason: reason}
		for _, text := range texts[:min(len(texts), maxExamples)] {
			choice.Examples = append(choice.Examples, source.Excerpt(string(codepage{encoding: enc}.appendText(nil, text))))
		}
		b.alternatives = append(b.alternatives, choice)
	}
}

const (
	// maxExamples is the maximum number of texts that a question about the code page shows.
	maxExamples = 3
	// maxSampleBytes is the length of the text after which no more text is examined, in bytes.
	maxSampleBytes = 64 << 10
)

// sampleTexts returns texts of the workbook that are not ASCII, without duplicates.
func (b *book) sampleTexts(ctx context.Context) (texts [][]byte, err error) {
	reader := &recordReader{from: b.stream}
	if b.key != nil {
		reader.key = b.key.clone()
	}
	seen := map[string]bool{}
	for n, size := 0, 0; size < maxSampleBytes; n++ {
		if n%pollRecords == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		rec, err := reader.next()
		if errors.Is(err, io.EOF) || isDamage(err) {
			break // reading the sheet reports the damage
		}
		if err != nil {
			return nil, err
		}
		text := recordText(rec)
		if !slices.ContainsFunc(text, func(c byte) bool { return c >= 0x80 }) || seen[string(text)] {
			continue
		}
		seen[string(text)] = true
		texts, size = append(texts, bytes.Clone(text)), size+len(text)
	}
	return texts, nil
}

// recordText returns the text of a cell or the name of a sheet in a workbook older than BIFF8, or
// nil if the record has neither.
func recordText(rec record) []byte {
	body := rec.body
	skip, short := 0, false
	switch rec.id {
	case 0x0004:
		skip, short = 7, true
	case 0x0204, recRString:
		skip = 6
	case 0x0007:
		short = true
	case 0x0207:
	case recBoundSheet:
		skip, short = 6, true
	default:
		return nil
	}
	switch {
	case short && len(body) > skip:
		return body[skip+1:][:min(int(body[skip]), len(body)-skip-1)]
	case !short && len(body) >= skip+2:
		return body[skip+2:][:min(int(little.Uint16(body[skip:])), len(body)-skip-2)]
	}
	return nil
}

// codepageNumbers are the code pages that can be chosen, the most frequent ones first.
var codepageNumbers = [...]int{1252, 1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258, 874, 932, 936, 949, 950, 437, 850, 852, 855, 858, 860, 862, 863, 865, 866, 10000, 10007}

// codepageNamed returns the code page with the given name.
func codepageNamed(name string) (codepage, bool) {
	if strings.EqualFold(name, "ISO-8859-1") || strings.EqualFold(name, "US-ASCII") {
		name = "windows-1252"
	}
	for _, number := range codepageNumbers {
		if own, enc := lookupCodepage(number); strings.EqualFold(own, name) {
			return codepage{number: number, name: own, encoding: enc}, true
		}
	}
	return codepage{}, false
}
