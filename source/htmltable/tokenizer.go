package htmltable

import (
	"context"
	"errors"
	"io"

	"golang.org/x/net/html"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// tag is what a tag means to a table.
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
	tagBlock // begins a line of its own
	tagPre
	tagSpan
	tagHidden // what stands in it is not shown
	tagVoid   // has no end
)

// parseTag knows a tag by its name in small letters.
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

// attribute is one of a tag, its value with entities resolved.
type attribute struct{ key, value []byte }

// maxAttributes is how many of a tag are looked at.
const maxAttributes = 64

// pollTokens is how many tokens are read between two looks at the context.
const pollTokens = 1024

// tokenizer goes through the text of a page and knows where in it it is.
type tokenizer struct {
	checkContext func() error
	z            *html.Tokenizer
	maxToken     int
	// offset is where the token at hand begins, end where it ends.
	offset, end int64
	count       int

	kind html.TokenType
	// partial says that the text ends in the middle of a tag.
	partial bool
	// starts says that the token is the beginning of an element, ends that it is
	// the end of one.
	isStart, isEnd bool
	tag            tag
	name           []byte

	moreAttrs  bool
	attributes []attribute
	// cachedText is the text of the token once it was asked for.
	cachedText []byte
	textCached bool
}

// newTokenizer begins to read. A token of more bytes than most is a
// source.LimitError.
func newTokenizer(ctx context.Context, text io.Reader, most int) *tokenizer {
	t := &tokenizer{checkContext: ctx.Err, z: html.NewTokenizer(text), maxToken: most}
	t.z.SetMaxBuf(most)
	return t
}

// next moves to the next token. It gives io.EOF at the end of the text.
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
		return t.failure()
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

func (t *tokenizer) failure() error {
	if err := t.z.Err(); !errors.Is(err, html.ErrBufferExceeded) {
		return err
	}
	return &source.LimitError{Reason: intray.NewMessage("html.text_too_long", intray.Params{"limit": t.maxToken})}
}

// text gives the text of a text or comment.
func (t *tokenizer) text() []byte {
	if !t.textCached {
		t.cachedText, t.textCached = t.z.Text(), true
	}
	return t.cachedText
}

// allAttributes gives the attributes of a tag that begins an element.
func (t *tokenizer) allAttributes() []attribute {
	for t.moreAttrs && len(t.attributes) < maxAttributes {
		var key, value []byte
		key, value, t.moreAttrs = t.z.TagAttr()
		t.attributes = append(t.attributes, attribute{key, value})
	}
	return t.attributes
}

// attrValue gives the value of an attribute, "" where there is none.
func (t *tokenizer) attrValue(key string) string {
	for _, a := range t.allAttributes() {
		if string(a.key) == key {
			return string(a.value)
		}
	}
	return ""
}

// hasAttr says whether there is an attribute.
func (t *tokenizer) hasAttr(key string) bool {
	for _, a := range t.allAttributes() {
		if string(a.key) == key {
			return true
		}
	}
	return false
}

// isHidden says whether a tag says that its element is not shown.
func (t *tokenizer) isHidden() bool {
	if !t.moreAttrs && len(t.attributes) == 0 {
		return false
	}
	return t.hasAttr("hidden") || styleHas(t.attrValue("style"), "display", "none")
}
