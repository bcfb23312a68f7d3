package jsonrows

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	// MaxSheets is the most tables that one object holds.
	MaxSheets = 1024
	// mostBeside is how many names beside the tables are told.
	mostBeside = 10
)

// find says where the tables of a file are. start is the place of its first
// character that is not white space, which is first. beside are names of what
// stands beside the tables of an object.
func find(ctx context.Context, in source.Input, limits source.Limits, start int64, first byte) (parts []part, beside []string, err error) {
	switch {
	case first == '{' && !namesLines(in.Name):
		return lookInside(ctx, in, limits, start)
	case first != '[':
		return []part{{start: start}}, nil, nil
	}
	second, _, err := firstByte(ctx, in, start+1)
	if err != nil && !errors.Is(err, source.ErrEmpty) {
		return nil, nil, err
	}
	p := part{start: start, array: true, rows: second == '['}
	if second != '{' && (second != '[' || namesLines(in.Name)) {
		lines := part{start: start, rows: true}
		if alone, read := isAlone(in, limits, lines); read && (!alone || namesLines(in.Name) && second != '[') {
			p = lines
		}
	}
	return []part{p}, nil, nil
}

// namesLines says whether the name of a file promises one value per line.
func namesLines(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".ndjson") || strings.HasSuffix(name, ".jsonl")
}

// isAlone says whether the first array of a file is not followed by another one
// on a line below; read is false where it is too long to be one of several.
func isAlone(in source.Input, limits source.Limits, p part) (alone, read bool) {
	e := newElements(in, limits, p)
	if _, err := e.next(); err != nil {
		return false, false
	}
	if e.dec.PeekKind() != '[' {
		return true, true
	}
	between := make([]byte, min(4<<10, in.Size-e.end()))
	if err := readAt(in, between, e.end()); err != nil {
		return false, false
	}
	return bytes.IndexByte(between[:skipSpace(between, 0)], '\n') < 0, true
}

// look goes through an object that may hold tables.
type look struct {
	*elements
	limits source.Limits
	parts  []part
	beside []string
	steps  int
}

// lookInside takes a file for an object with tables in it where it is one
// object and has some. Else its objects are elements.
func lookInside(ctx context.Context, in source.Input, limits source.Limits, start int64) (parts []part, beside []string, err error) {
	lines := []part{{start: start}}
	l := &look{elements: newElements(in, limits, lines[0]), limits: limits}
	l.count = 1
	_, err = l.dec.ReadToken()
	if err == nil {
		err = l.object(ctx, "", 1)
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if len(l.parts) == 0 {
		return lines, nil, nil
	}
	if err != nil {
		return nil, nil, l.tell(err)
	}
	if _, err := l.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return lines, nil, nil
	}
	return l.parts, l.beside, nil
}

// tell turns an error of any kind into one for the person who sent the file.
func (l *look) tell(err error) error {
	if f := (*fault)(nil); errors.As(err, &f) {
		return l.locate(f)
	}
	return l.explain(err)
}

// object goes through the members of an object whose brace is read. way leads
// to it, depth counts it.
func (l *look) object(ctx context.Context, way string, depth int) error {
	if depth > MaxDepth {
		return errDeep
	}
	for {
		if l.steps++; l.steps%askEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		token, err := l.dec.ReadToken()
		if err != nil || token.Kind() == '}' {
			return err
		}
		name := token.String()
		if way != "" {
			name = way + "." + name
		}
		if err := l.member(ctx, name, depth); err != nil {
			return err
		}
	}
}

// member goes through the value of a member.
func (l *look) member(ctx context.Context, way string, depth int) error {
	kind := l.dec.PeekKind()
	if kind != '{' && kind != '[' {
		l.passOver(way)
		return l.dec.SkipValue()
	}
	if _, err := l.dec.ReadToken(); err != nil {
		return err
	}
	if kind == '{' {
		return l.object(ctx, way, depth+1)
	}
	at := l.end() - 1
	switch inner := l.dec.PeekKind(); inner {
	case '{', '[':
		if err := l.add(part{name: way, start: at, array: true, rows: inner == '[', inside: depth}); err != nil {
			return err
		}
		return l.array(ctx, true)
	}
	l.passOver(way)
	return l.array(ctx, false)
}

func (l *look) passOver(way string) {
	if len(l.beside) < mostBeside && len(way) <= l.limits.HeaderBytes {
		l.beside = append(l.beside, way)
	}
}

// add notes a table.
func (l *look) add(p part) error {
	for _, other := range l.parts {
		if other.name == p.name {
			return &fault{problem: intray.NewMessage("json_file.ambiguous_array", intray.Params{"name": source.Excerpt(p.name)})}
		}
	}
	if len(l.parts) == MaxSheets {
		return beyond(intray.NewMessage("json_file.too_many_tables", intray.Params{"limit": MaxSheets}))
	}
	if len(p.name) > l.limits.HeaderBytes {
		return beyond(intray.NewMessage("json_file.path_too_long", intray.Params{"limit": l.limits.HeaderBytes}))
	}
	l.parts = append(l.parts, p)
	return nil
}

// array passes over the values of an array whose bracket is read. Those of a
// table do not count for what stands beside it.
func (l *look) array(ctx context.Context, table bool) error {
	beside, from := l.guard.from, l.dec.InputOffset()
	for kind := l.dec.PeekKind(); kind != ']'; kind = l.dec.PeekKind() {
		if l.steps++; l.steps%askEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if table {
			l.guard.from = l.dec.InputOffset()
		}
		if kind == jsontext.KindInvalid {
			_, err := l.dec.ReadToken()
			return err
		}
		if err := l.dec.SkipValue(); err != nil {
			return err
		}
	}
	if table {
		l.guard.from = beside + l.dec.InputOffset() - from
	}
	_, err := l.dec.ReadToken()
	return err
}

// A part is where the elements of one sheet stand in a file.
type part struct {
	// name is the way to the array through the objects around it, joined by
	// dots.
	name string
	// start is the place of the array in the file, or of the first line.
	start int64
	// array says that the elements stand in one array, rather than one per line.
	array bool
	// rows says that the elements are arrays.
	rows bool
	// inside is the number of objects around the array.
	inside int
}

// kind is what each element is.
func (p part) kind() jsontext.Kind {
	if p.rows {
		return '['
	}
	return '{'
}

// outer is the number of levels around an element.
func (p part) outer() int {
	if p.array {
		return p.inside + 1
	}
	return 0
}

// form says how the elements stand in the file.
func (p part) form() string {
	switch {
	case p.array && p.rows:
		return "array of arrays"
	case p.array:
		return "array of objects"
	case p.rows:
		return "one array per line"
	}
	return "one object per line"
}

// unexpected says that an element is of another kind than every element has to
// be.
func (p part) unexpected(kind jsontext.Kind) intray.Message {
	params := intray.Params{"found": kindName(kind)}
	if p.rows {
		return intray.NewMessage("json_file.array_expected", params)
	}
	return intray.NewMessage("json_file.object_expected", params)
}
