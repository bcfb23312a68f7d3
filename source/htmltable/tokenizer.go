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
	tagUnseen // what stands in it is not shown
	tagVoid   // has no end
)

// tagOf knows a tag by its name in small letters.
func tagOf(name []byte) tag {
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
	return otherTag(name)
}

func otherTag(name []byte) tag {
	switch string(name) {
	case "p", "div", "li", "ul", "ol", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "address", "article", "aside", "blockquote",
		"center", "fieldset", "figure", "footer", "form", "header", "hr", "main", "nav", "section", "details", "summary", "option":
		return tagBlock
	case "script", "style", "noscript", "noembed", "noframes", "iframe", "title", "template", "head", "xml", "object", "audio", "video", "canvas", "datalist":
		return tagUnseen
	case "img", "input", "col", "link", "meta", "area", "base", "embed", "param", "source", "track", "wbr":
		return tagVoid
	}
	return tagOther
}

// attribute is one of a tag, its value with entities resolved.
type attribute struct{ key, value []byte }

// mostAttributes is how many of a tag are looked at.
const mostAttributes = 64

// pollTokens is how many tokens are read between two looks at the context.
const pollTokens = 1024

// tokens goes through the text of a page and knows where in it it is.
type tokens struct {
	ctx  func() error
	z    *html.Tokenizer
	most int
	// at is where the token at hand begins, end where it ends.
	at, end int64
	count   int

	kind html.TokenType
	// partial says that the text ends in the middle of a tag.
	partial bool
	// starts says that the token is the beginning of an element, ends that it is
	// the end of one.
	starts, ends bool
	tag          tag
	name         []byte

	more       bool
	attributes []attribute
	// words is the text of the token once it was asked for.
	words []byte
	asked bool
}

// newTokens begins to read. A token of more bytes than most is a
// source.LimitError.
func newTokens(ctx context.Context, text io.Reader, most int) *tokens {
	t := &tokens{ctx: ctx.Err, z: html.NewTokenizer(text), most: most}
	t.z.SetMaxBuf(most)
	return t
}

// next moves to the next token. It gives io.EOF at the end of the text.
func (t *tokens) next() error {
	if t.count++; t.count%pollTokens == 0 {
		if err := t.ctx(); err != nil {
			return err
		}
	}
	t.at = t.end
	t.kind = t.z.Next()
	t.end += int64(len(t.z.Raw()))
	t.starts, t.ends, t.tag, t.name, t.more, t.attributes, t.asked = false, false, tagOther, nil, false, t.attributes[:0], false
	switch t.kind {
	case html.ErrorToken:
		t.partial = len(t.z.Raw()) > 0
		return t.failure()
	case html.StartTagToken, html.SelfClosingTagToken:
		t.starts = true
		t.name, t.more = t.z.TagName()
		t.tag = tagOf(t.name)
	case html.EndTagToken:
		t.ends = true
		t.name, _ = t.z.TagName()
		t.tag = tagOf(t.name)
	}
	return nil
}

func (t *tokens) failure() error {
	if err := t.z.Err(); !errors.Is(err, html.ErrBufferExceeded) {
		return err
	}
	return &source.LimitError{Reason: intray.NewMessage("html.text_too_long", intray.Params{"limit": t.most})}
}

// text gives the text of a text or comment.
func (t *tokens) text() []byte {
	if !t.asked {
		t.words, t.asked = t.z.Text(), true
	}
	return t.words
}

// all gives the attributes of a tag that begins an element.
func (t *tokens) all() []attribute {
	for t.more && len(t.attributes) < mostAttributes {
		var key, value []byte
		key, value, t.more = t.z.TagAttr()
		t.attributes = append(t.attributes, attribute{key, value})
	}
	return t.attributes
}

// attr gives the value of an attribute, "" where there is none.
func (t *tokens) attr(key string) string {
	for _, a := range t.all() {
		if string(a.key) == key {
			return string(a.value)
		}
	}
	return ""
}

// has says whether there is an attribute.
func (t *tokens) has(key string) bool {
	for _, a := range t.all() {
		if string(a.key) == key {
			return true
		}
	}
	return false
}

// hidden says whether a tag says that its element is not shown.
func (t *tokens) hidden() bool {
	if !t.more && len(t.attributes) == 0 {
		return false
	}
	return t.has("hidden") || styleHas(t.attr("style"), "display", "none")
}
