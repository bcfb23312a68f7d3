package rowplan

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// missingParser reads markers of missing values as empty cells. It parses all other cells with the
// embedded Parser. A cell that is valid is never a marker, such as an option named "None".
type missingParser struct {
	celltype.Parser
	// dash reports whether a single dash is a marker.
	dash bool
}

// Parse parses a cell.
func (m missingParser) Parse(c celltype.Cell, scratch []byte) celltype.Result {
	result := m.Parser.Parse(c, scratch)
	if result.State != celltype.Invalid {
		return result
	}
	return m.readInvalid(c, result)
}

// readInvalid returns the result for a cell that the embedded Parser rejected.
func (m missingParser) readInvalid(c celltype.Cell, result celltype.Result) celltype.Result {
	if !isMarker(bytes.TrimSpace(c.Raw), m.dash) {
		return result
	}
	return celltype.Result{State: celltype.Empty, Missing: true}
}

// isMarker reports whether text marks a missing value. dash reports whether a single dash does.
func isMarker(text []byte, dash bool) bool {
	return celltype.IsMissingMarker(text) && (dash || string(text) != "-")
}

// markerCount counts the cells that were read as empty, by their text. It is safe for concurrent
// use.
type markerCount struct {
	mu    sync.Mutex
	cells map[string]int64
}

// add adds cells with the same raw text.
func (m *markerCount) add(raw []byte, cells int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cells[string(bytes.TrimSpace(raw))] += cells
}

// typesWithDash are the types in which a single dash marks a missing value.
var typesWithDash = []intray.TypeName{intray.TypeNumber, intray.TypeDate, intray.TypeDatetime, intray.TypeTime}

// HasMissingMarkers reports whether a column of a field can have markers of missing values. In
// text, a marker is a value. A checkbox always reads markers as empty. A field that lists its own
// markers has no others.
func (p *Plan) HasMissingMarkers(field int) bool {
	f := &p.Fields[field]
	return len(f.Columns) > 0 && f.field.MissingValues == nil && f.field.Type.Name != intray.TypeString && f.field.Type.Name != intray.TypeCheckbox
}

// IsMissingMarker reports whether a cell of a field would be read as empty after
// ReadMissingMarkers.
func (p *Plan) IsMissingMarker(field int, c celltype.Cell) bool {
	return isMarker(bytes.TrimSpace(c.Raw), slices.Contains(typesWithDash, p.Fields[field].field.Type.Name))
}

// ReadMissingMarkers makes the parser of a field read markers of missing values as empty.
func (p *Plan) ReadMissingMarkers(field int) {
	f := &p.Fields[field]
	f.missing = &markerCount{cells: map[string]int64{}}
	f.Parser = missingParser{f.Parser, slices.Contains(typesWithDash, f.field.Type.Name)}
}

// listedParser reads the texts that a field lists as empty cells. It parses all other cells with the
// embedded Parser.
type listedParser struct {
	celltype.Parser
	// markers holds the texts in lower case.
	markers map[string]bool
}

// Parse parses a cell.
func (l listedParser) Parse(c celltype.Cell, scratch []byte) celltype.Result {
	if text := bytes.TrimSpace(c.Raw); len(text) > 0 && l.markers[strings.ToLower(string(text))] {
		return celltype.Result{State: celltype.Empty, Missing: true}
	}
	return l.Parser.Parse(c, scratch)
}

// ReadListedMarkers makes the parsers of fields that list markers of missing values read them as
// empty.
func (p *Plan) ReadListedMarkers() {
	for i := range p.Fields {
		f := &p.Fields[i]
		if len(f.field.MissingValues) == 0 {
			continue
		}
		f.missing, f.plain = &markerCount{cells: map[string]int64{}}, false
		listed := listedParser{f.Parser, map[string]bool{}}
		for _, marker := range f.field.MissingValues {
			listed.markers[strings.ToLower(marker)] = true
		}
		f.Parser = listed
	}
}

// MarkerCount is the number of cells that were read as empty because of a marker.
type MarkerCount struct {
	Marker string
	Cells  int64
}

// MissingCells returns the markers in the columns of a field and the number of cells with each, most
// frequent first.
func (p *Plan) MissingCells(field int) (list []MarkerCount) {
	m := p.Fields[field].missing
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for marker, n := range m.cells {
		list = append(list, MarkerCount{marker, n})
	}
	slices.SortFunc(list, func(a, b MarkerCount) int {
		return cmp.Or(cmp.Compare(b.Cells, a.Cells), strings.Compare(a.Marker, b.Marker))
	})
	return list
}
