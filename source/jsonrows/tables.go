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
	// MaxSheets is the maximum number of tables in one object.
	MaxSheets = 1024
	// maxSkippedNames is the maximum number of skipped members that are reported.
	maxSkippedNames = 10
)

// findTables returns the tables in a file. first is the first character that is not white
// space, and start is its offset. skipped holds the paths of members that are not tables.
func findTables(ctx context.Context, in source.Input, limits source.Limits, start int64, first byte) (tables []tableLocation, skipped []string, err error) {
	switch {
	case first == '{' && !hasLinesExtension(in.Name):
		return findTablesInObject(ctx, in, limits, start)
	case first != '[':
		return []tableLocation{{start: start}}, nil, nil
	}
	second, _, err := firstNonSpace(ctx, in, start+1)
	if err != nil && !errors.Is(err, source.ErrEmpty) {
		return nil, nil, err
	}
	p := tableLocation{start: start, inArray: true, arrayElements: second == '['}
	if second != '{' && (second != '[' || hasLinesExtension(in.Name)) {
		lines := tableLocation{start: start, arrayElements: true}
		if alone, read := isAlone(in, limits, lines); read && (!alone || hasLinesExtension(in.Name) && second != '[') {
			p = lines
		}
	}
	return []tableLocation{p}, nil, nil
}

// hasLinesExtension reports whether a file name has the extension .ndjson or .jsonl, which
// require one value per line.
func hasLinesExtension(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".ndjson") || strings.HasSuffix(name, ".jsonl")
}

// isAlone reports whether the first array in a file is not followed by a second array on a
// later line. read is false if the first array cannot be read as one element, for example
// because it is too long.
func isAlone(in source.Input, limits source.Limits, p tableLocation) (alone, read bool) {
	e := newElementReader(in, limits, p)
	if _, err := e.next(); err != nil {
		return false, false
	}
	if e.dec.PeekKind() != '[' {
		return true, true
	}
	between := make([]byte, min(4<<10, in.Size-e.endOffset()))
	if err := readFullAt(in, between, e.endOffset()); err != nil {
		return false, false
	}
	return bytes.IndexByte(between[:skipSpace(between, 0)], '\n') < 0, true
}

// tableFinder searches an object for tables.
type tableFinder struct {
	*elementReader
	limits  source.Limits
	tables  []tableLocation
	skipped []string
	steps   int
	// names is the number of names read so far in the objects that are open.
	names int
}

// findTablesInObject returns the tables in a file that starts with an object. If the file has
// several objects, or its only object contains no tables, the objects are the elements of one
// table.
func findTablesInObject(ctx context.Context, in source.Input, limits source.Limits, start int64) (tables []tableLocation, skipped []string, err error) {
	lines := []tableLocation{{start: start}}
	l := &tableFinder{elementReader: newElementReader(in, limits, lines[0]), limits: limits}
	l.count = 1
	_, err = l.dec.ReadToken()
	if err == nil {
		err = l.scanObject(ctx, "", 1)
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if len(l.tables) == 0 {
		return lines, nil, nil
	}
	if err != nil {
		return nil, nil, l.userError(err)
	}
	if _, err := l.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return lines, nil, nil
	}
	return l.tables, l.skipped, nil
}

// userError converts an error to an error for the person who uploaded the file.
func (l *tableFinder) userError(err error) error {
	if f := (*fault)(nil); errors.As(err, &f) {
		return l.locate(f)
	}
	return l.explain(err)
}

// scanObject reads the members of an object after its opening brace. path and depth are the
// path and the nesting depth of the object.
func (l *tableFinder) scanObject(ctx context.Context, path string, depth int) error {
	if depth > MaxDepth {
		return errDeep
	}
	outer := l.names
	for {
		if l.steps++; l.steps%contextCheckInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		token, err := l.dec.ReadToken()
		if err == nil && token.Kind() == '}' {
			l.names = outer
			return nil
		}
		if err != nil {
			return err
		}
		if l.names++; l.names > maxOpenNames {
			return beyond(tooManyNames())
		}
		name := token.String()
		if path != "" {
			name = path + "." + name
		}
		if err := l.scanMember(ctx, name, depth); err != nil {
			return err
		}
	}
}

// scanMember reads the value of a member.
func (l *tableFinder) scanMember(ctx context.Context, path string, depth int) error {
	kind := l.dec.PeekKind()
	if kind != '{' && kind != '[' {
		l.addSkipped(path)
		return l.dec.SkipValue()
	}
	if _, err := l.dec.ReadToken(); err != nil {
		return err
	}
	if kind == '{' {
		return l.scanObject(ctx, path, depth+1)
	}
	at := l.endOffset() - 1
	switch inner := l.dec.PeekKind(); inner {
	case '{', '[':
		if err := l.addTable(tableLocation{name: path, start: at, inArray: true, arrayElements: inner == '[', enclosingObjects: depth}); err != nil {
			return err
		}
		return l.skipArray(ctx, true)
	}
	l.addSkipped(path)
	return l.skipArray(ctx, false)
}

func (l *tableFinder) addSkipped(path string) {
	if len(l.skipped) < maxSkippedNames && len(path) <= l.limits.HeaderBytes {
		l.skipped = append(l.skipped, path)
	}
}

// addTable adds a table. It returns an error if there are too many tables or if another table
// has the same name.
func (l *tableFinder) addTable(p tableLocation) error {
	for _, other := range l.tables {
		if other.name == p.name {
			return &fault{problem: intray.NewMessage("json_file.ambiguous_array", intray.Params{"name": source.Excerpt(p.name)})}
		}
	}
	if len(l.tables) == MaxSheets {
		return beyond(intray.NewMessage("json_file.too_many_tables", intray.Params{"limit": MaxSheets}))
	}
	if len(p.name) > l.limits.HeaderBytes {
		return beyond(intray.NewMessage("json_file.path_too_long", intray.Params{"limit": l.limits.HeaderBytes}))
	}
	l.tables = append(l.tables, p)
	return nil
}

// skipArray skips the values of an array after its opening bracket. table reports whether the
// array is a table, in which the size limit applies to each value separately.
func (l *tableFinder) skipArray(ctx context.Context, table bool) error {
	others, from := l.guard.from, l.dec.InputOffset()
	for kind := l.dec.PeekKind(); kind != ']'; kind = l.dec.PeekKind() {
		if l.steps++; l.steps%contextCheckInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		l.guard.value = l.dec.InputOffset()
		if table {
			l.guard.from = l.guard.value
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
		l.guard.from = others + l.dec.InputOffset() - from
	}
	_, err := l.dec.ReadToken()
	return err
}

// tableLocation is the location of the elements of one sheet in the file.
type tableLocation struct {
	// name is the path of the array in the enclosing objects, joined by dots.
	name string
	// start is the file offset of the array, or of the first line if inArray is false.
	start int64
	// inArray reports whether the elements are in one array. Otherwise there is one element
	// per line.
	inArray bool
	// arrayElements reports whether the elements are arrays.
	arrayElements bool
	// enclosingObjects is the number of objects that enclose the array.
	enclosingObjects int
}

// elementKind returns the JSON kind of the elements.
func (p tableLocation) elementKind() jsontext.Kind {
	if p.arrayElements {
		return '['
	}
	return '{'
}

// outerDepth returns the nesting depth around an element.
func (p tableLocation) outerDepth() int {
	if p.inArray {
		return p.enclosingObjects + 1
	}
	return 0
}

// formName returns the name of the arrangement of elements in the file.
func (p tableLocation) formName() string {
	switch {
	case p.inArray && p.arrayElements:
		return "array of arrays"
	case p.inArray:
		return "array of objects"
	case p.arrayElements:
		return "one array per line"
	}
	return "one object per line"
}

// unexpected returns the problem for an element of the wrong kind.
func (p tableLocation) unexpected(kind jsontext.Kind) intray.Message {
	params := intray.Params{"found": kindName(kind)}
	if p.arrayElements {
		return intray.NewMessage("json_file.array_expected", params)
	}
	return intray.NewMessage("json_file.object_expected", params)
}
