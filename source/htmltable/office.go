package htmltable

import (
	"bytes"
	"context"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// longestName is how many characters of a sheet's name or a title are kept.
const longestName = 100

// clip makes one short line of a text.
func clip(text string) string {
	if len(text) > 16*longestName {
		text = strings.ToValidUTF8(text[:16*longestName], "")
	}
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "\uFFFD")
	if utf8.RuneCountInString(text) <= longestName {
		return text
	}
	return string([]rune(text)[:longestName-1]) + "…"
}

// listed is a sheet as Excel lists it in a page.
type listed struct {
	name, href string
	hidden     bool
}

// office is what Excel, and whoever writes as it does, says of the workbook in
// the head of a page: the element x:ExcelWorkbook, mostly in a comment.
type office struct {
	sheets    []listed
	epoch1904 bool
	// inSheet says that a sheet is being described, field which of its elements
	// is open.
	inSheet bool
	field   string
}

// comment looks into a comment that only Excel reads.
func (o *office) comment(text []byte) {
	if !bytes.Contains(text, []byte("ExcelWorkbook")) {
		return
	}
	t := newTokens(context.Background(), bytes.NewReader(text), len(text)+1)
	for t.next() == nil {
		o.take(t)
	}
}

// take looks at one token.
func (o *office) take(t *tokens) {
	last := len(o.sheets) - 1
	if t.kind == html.TextToken && o.inSheet && o.field != "" {
		text := strings.TrimSpace(string(t.text()))
		switch {
		case o.field == "x:name" && o.sheets[last].name == "":
			o.sheets[last].name = clip(text)
		case o.field == "x:visible":
			o.sheets[last].hidden = text != "SheetVisible"
		}
		return
	}
	if !t.starts && !t.ends {
		return
	}
	o.field = ""
	switch name := string(t.name); {
	case name == "x:excelworksheet":
		o.inSheet = t.starts && len(o.sheets) < mostSheets
		if o.inSheet {
			o.sheets = append(o.sheets, listed{})
		}
	case name == "x:date1904" && t.starts:
		o.epoch1904 = true
	case o.inSheet && t.starts && name == "x:worksheetsource":
		o.sheets[last].href = t.attr("href")
	case o.inSheet && t.starts:
		o.field = name
	}
}

// nameSheets gives the sheets their names: outer is that of the page. Where
// Excel lists as many sheets as there are tables, theirs are those.
func (s *survey) nameSheets(outer string) {
	for i := range s.places {
		p := &s.places[i]
		switch {
		case outer != "" && len(s.places) == 1:
			p.name = outer
		case len(s.office.sheets) == len(s.places) && s.office.sheets[i].name != "":
			p.name, p.hidden = s.office.sheets[i].name, p.hidden || s.office.sheets[i].hidden
		}
	}
}

// lastOf gives the last part of a reference, without escapes and in small
// letters.
func lastOf(reference string) string {
	if plain, err := url.PathUnescape(reference); err == nil {
		reference = plain
	}
	reference = strings.ToLower(strings.ReplaceAll(reference, "\\", "/"))
	return strings.TrimPrefix(path.Base(reference), "cid:")
}

// isErrorTitle says whether a page is titled as error pages are.
func isErrorTitle(title string) bool {
	title = strings.ToLower(title)
	for _, word := range []string{"error", "not found", "forbidden", "denied", "unauthorized", "unavailable", "timeout", "timed out", "expired", "maintenance", "404", "403", "401", "500", "502", "503", "504"} {
		if strings.Contains(title, word) {
			return true
		}
	}
	return false
}
