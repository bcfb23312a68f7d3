package htmltable

import (
	"context"
	"errors"
	"io"

	"golang.org/x/net/html"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// tag is the role of a tag in a table.
type tag uint8

const (
	tagOther tag = iota
	tagTable
	tagCaption
	tagHead
	tagBody
	tagFoot
	tagRow
	tagCell
	tagBreak // br
	tagBlock // starts a new line
	tagPre
	tagSpan
	tagHidden // its content is not displayed
	tagVoid   // has no end tag
)

// parseTag returns the role of the tag with the given name, which must be in lower case.
func parseTag(name []byte) tag {
	switch string(name) {
	case "table":
		return tagTable
	case "caption":
		return tagCaption
	case "thead":
		return tagHead
	case "tbody":
		return tagBody
	case "tfoot":
		return tagFoot
	case "tr":
		return tagRow
	case "td", "th":
		return tagCell
	case "br":
		return tagBreak
	case "pre", "listing", "xmp":
		return tagPre
	case "span":
		return tagSpan
	}
	return parseOtherTag(name)
}

func parseOtherTag(name []byte) tag {
	switch string(name) {
	case "p", "div", "li", "ul", "ol", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "address", "article", "aside", "blockquote",
		"center", "fieldset", "figure", "footer", "form", "header", "hr", "main", "nav", "section", "details", "summary", "option":
		return tagBlock
	case "script", "style", "noscript", "noembed", "noframes", "iframe", "title", "template", "head", "xml", "object", "audio", "video", "canvas", "datalist":
		return tagHidden
	case "img", "input", "col", "link", "meta", "area", "base", "embed", "param", "source", "track", "wbr":
		return tagVoid
	}
	return tagOther
}

// attribute is an attribute with its entities resolved.
type attribute struct{ key, value []byte }

// maxAttributes is the maximum number of attributes of a tag that are read.
const maxAttributes = 64

// pollTokens is the number of tokens to read between two checks of the context.
const pollTokens = 1024

// tokenizer reads the tokens of a page and tracks their offsets.
type tokenizer struct {
	checkContext func() error
	z            *html.Tokenizer
	maxToken     int
	// offset and end are the offsets of the first byte of the current token and of the
	// byte after it.
	offset, end int64
	count       int

	kind html.TokenType
	// partial is true if the text ends within a tag.
	partial bool
	// isStart is true for a start tag, and isEnd for an end tag.
	isStart, isEnd bool
	tag            tag
	name           []byte

	moreAttrs  bool
	attributes []attribute
	// cachedText is the text of the token after the first call to text.
	cachedText []byte
	textCached bool
}

// newTokenizer returns a tokenizer. If a token has more bytes than the limit most, next returns
// a *source.LimitError.
func newTokenizer(ctx context.Context, text io.Reader, most int) *tokenizer {
	t := &tokenizer{checkContext: ctx.Err, z: html.NewTokenizer(text), maxToken: most}
	t.z.SetMaxBuf(most)
	return t
}

// next moves to the next token. It returns io.EOF at the end of the text.
func (t *tokenizer) next() error {
	if t.count++; t.count%pollTokens == 0 {
		if err := t.checkContext(); err != nil {
			return err
		}
	}
	t.offset = t.end
	t.kind = t.z.Next()
	t.end += int64(len(t.z.Raw()))
	t.isStart, t.isEnd, t.tag, t.name, t.moreAttrs, t.attributes, t.textCached = false, false, tagOther, nil, false, t.attributes[:0], false
	switch t.kind {
	case html.ErrorToken:
		t.partial = len(t.z.Raw()) > 0
		if err := t.z.Err(); !errors.Is(err, html.ErrBufferExceeded) {
			return err
		}
		return &source.LimitError{Reason: intray.NewMessage("html.text_too_long", intray.Params{"limit": t.maxToken})}
	case html.StartTagToken, html.SelfClosingTagToken:
		t.isStart = true
		t.name, t.moreAttrs = t.z.TagName()
		t.tag = parseTag(t.name)
	case html.EndTagToken:
		t.isEnd = true
		t.name, _ = t.z.TagName()
		t.tag = parseTag(t.name)
	}
	return nil
}

// text returns the content of a text token or a comment.
func (t *tokenizer) text() []byte {
	if !t.textCached {
		t.cachedText, t.textCached = t.z.Text(), true
	}
	return t.cachedText
}

// allAttributes returns the attributes of the current start tag.
func (t *tokenizer) allAttributes() []attribute {
	for t.moreAttrs && len(t.attributes) < maxAttributes {
		var key, value []byte
		key, value, t.moreAttrs = t.z.TagAttr()
		t.attributes = append(t.attributes, attribute{key, value})
	}
	return t.attributes
}

// attrValue returns the value of an attribute, or "" if the tag does not have it.
func (t *tokenizer) attrValue(key string) string {
	for _, a := range t.allAttributes() {
		if string(a.key) == key {
			return string(a.value)
		}
	}
	return ""
}

// hasAttr reports whether the tag has an attribute with the given key.
func (t *tokenizer) hasAttr(key string) bool {
	for _, a := range t.allAttributes() {
		if string(a.key) == key {
			return true
		}
	}
	return false
}

// isHidden reports whether the attributes of the tag hide its element.
func (t *tokenizer) isHidden() bool {
	if !t.moreAttrs && len(t.attributes) == 0 {
		return false
	}
	return t.hasAttr("hidden") || styleHas(t.attrValue("style"), "display", "none")
}
