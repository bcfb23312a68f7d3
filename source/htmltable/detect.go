package htmltable

import (
	"bytes"
	"io"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/charset"
)

// detect says how sure it is of a file by its name and its first bytes.
func detect(name string, head []byte) (float64, intray.Message) {
	text := bytes.ToLower(plainHead(head))
	if isMHTML(text) {
		return 0.97, intray.NewMessage("html.mhtml", nil)
	}
	first := firstTag(text)
	table := bytes.Contains(text, []byte("<table")) && bytes.Contains(text, []byte("<t"))
	switch {
	case isPageTag(first) && (table || first == "!doctype" || first == "html"):
		return 0.95, intray.NewMessage("html.page", intray.Params{"tag": first})
	case isPageTag(first):
		return 0.6, intray.NewMessage("html.page", intray.Params{"tag": first})
	case !table || !isTag(first):
		return 0, intray.Message{}
	case namedAsPage(name):
		return 0.95, intray.NewMessage("html.named_page", intray.Params{"tag": first})
	}
	return 0.5, intray.NewMessage("html.table", intray.Params{"tag": first})
}

// plainHead gives the beginning of a file as UTF-8, without a byte order mark.
func plainHead(head []byte) []byte {
	wide := len(head) > 1 && (head[0] == 0 || head[1] == 0 || head[0] >= 0xFE)
	if !wide {
		return bytes.TrimPrefix(head, []byte("\uFEFF"))
	}
	guess := charset.Detect(head, false)
	text, err := io.ReadAll(charset.NewReader(bytes.NewReader(head[guess.BOM:]), guess.Encoding))
	if err != nil {
		return nil
	}
	return text
}

// firstTag gives the name of the tag that a text begins with, behind comments,
// declarations and white space; "" where it begins with anything else.
func firstTag(text []byte) string {
	for {
		text = bytes.TrimLeft(text, " \t\r\n\f")
		switch {
		case bytes.HasPrefix(text, []byte("<!doctype html")):
			return "!doctype"
		case bytes.HasPrefix(text, []byte("<!--")):
			end := bytes.Index(text, []byte("-->"))
			if end < 0 {
				return ""
			}
			text = text[end+len("-->"):]
		case bytes.HasPrefix(text, []byte("<!")), bytes.HasPrefix(text, []byte("<?")):
			end := bytes.IndexByte(text, '>')
			if end < 0 {
				return ""
			}
			text = text[end+1:]
		case len(text) > 1 && text[0] == '<':
			end := bytes.IndexAny(text, " \t\r\n\f/>")
			return string(text[1:max(end, 1)])
		default:
			return ""
		}
	}
}

// isPageTag says whether a tag begins pages and hardly anything else.
func isPageTag(name string) bool {
	switch name {
	case "!doctype", "html", "head", "body", "table", "meta", "title", "style", "script", "link", "base", "xml":
		return true
	}
	return false
}

// isTag says whether a tag is one of web pages at all.
func isTag(name string) bool {
	switch name {
	case "b", "i", "u", "a", "em", "strong", "font", "big", "small", "label":
		return true
	}
	return tagOf([]byte(name)) != tagOther
}

func namedAsPage(name string) bool {
	name = strings.ToLower(name)
	for _, ending := range []string{".html", ".htm", ".xhtml", ".xls", ".mht", ".mhtml"} {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// isMHTML says whether a text, in small letters, begins with the head of a
// message of several related parts.
func isMHTML(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	version, related, inType := false, false, false
	for row := range bytes.Lines(text) {
		row = bytes.TrimRight(row, "\r\n")
		if len(row) == 0 {
			break
		}
		folded := row[0] == ' ' || row[0] == '\t'
		if name, _, found := bytes.Cut(row, []byte(":")); !folded && (!found || bytes.ContainsAny(name, " \t,;<\"")) {
			return false
		}
		version = version || bytes.HasPrefix(row, []byte("mime-version:"))
		inType = bytes.HasPrefix(row, []byte("content-type:")) || inType && folded
		related = related || inType && bytes.Contains(row, []byte("multipart/related"))
	}
	return version && related
}
