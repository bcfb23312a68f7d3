package engine

import (
	"bytes"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/mapping"
)

const (
	// missingSample is the maximum number of cells of a field that are examined to decide whether
	// it has markers of missing values, and missingBytes is their maximum total size.
	missingSample, missingBytes = 1000, 64 << 10
	// minValidShare is the minimum share of valid cells among the other cells of the sample.
	minValidShare = 0.9
	// plainRows is the number of rows that are examined if no column can be ambiguous.
	plainRows = 1000
)

// missingSniffer decides whether a field has markers of missing values.
type missingSniffer struct {
	field int
	// cells are the first cells that are neither empty nor markers.
	cells []celltype.Cell
	bytes int
	// markers are the texts of the first markers.
	markers []string
}

func (m *missingSniffer) observe(plan *rowplan.Plan, c celltype.Cell) {
	switch {
	case m.isFull() || celltype.IsBlank(c.Raw):
	case plan.IsMissingMarker(m.field, c):
		if text := strings.TrimSpace(string(c.Raw)); len(m.markers) < maxExamples && !slices.Contains(m.markers, text) {
			m.markers = append(m.markers, text)
		}
	default:
		m.bytes += len(c.Raw) + len(c.Typed)
		m.cells = append(m.cells, celltype.Cell{Raw: bytes.Clone(c.Raw), Kind: c.Kind, Typed: bytes.Clone(c.Typed)})
	}
}

func (m *missingSniffer) isFull() bool {
	return len(m.cells) == missingSample || m.bytes > missingBytes
}

// decide makes the field read markers as empty if most of its other cells are valid. It adds
// evidence if the sample has markers, and asks about numbers and dates that may be markers.
func (m *missingSniffer) decide(plan *rowplan.Plan, imp Import, out *Outcome) {
	valid := 0
	scratch := make([]byte, rowplan.ScratchBytes)
	f := &plan.Fields[m.field]
	var finder *sentinelFinder
	if field := imp.Schema.Fields[m.field]; canHaveSentinels(field, f.Headers[0]) {
		finder = &sentinelFinder{dates: field.Type.Name != intray.TypeNumber, sentinels: map[string]*sentinel{}}
	}
	for _, c := range m.cells {
		result := f.Parser.Parse(c, scratch[:0])
		if result.State != celltype.Invalid {
			valid++
		}
		if value, has := result.Canonical(c); has && finder != nil {
			finder.observe(strings.TrimSpace(string(c.Raw)), string(value))
		}
	}
	if finder != nil {
		out.askSentinels(plan, imp, m.field, finder)
	}
	if float64(valid) < minValidShare*float64(len(m.cells)) {
		return
	}
	plan.ReadMissingMarkers(m.field)
	out.ReadMissing = append(out.ReadMissing, plan.Keys[m.field])
	if len(m.markers) > 0 {
		out.Evidence = append(out.Evidence, intray.Evidence{
			Choice: missingOf + mapping.Shorten(plan.Keys[m.field]), Value: strings.Join(m.markers, ", "),
			Reason: intray.NewMessage("missing.other_cells_valid", intray.Params{"n": valid, "total": len(m.cells)}),
		})
	}
}

// missingOf, followed by the key of a field, is the value of Evidence.Choice for the markers of
// missing values in the field's columns.
const missingOf = "missing values of "

// maxMarkers is the maximum number of markers that are reported for a field.
const maxMarkers = 10

// reportMissing adds a notice for each marker that was read as empty.
func (o *Outcome) reportMissing(plan *rowplan.Plan) {
	for i, key := range plan.Keys {
		for n, one := range plan.MissingCells(i) {
			if n == maxMarkers {
				break
			}
			header := plan.Fields[i].Headers[0]
			o.addNotice(intray.Notice{Type: intray.ValueMapped, Level: intray.LevelInfo, Field: key, Header: header, Value: &one.Marker,
				Text: intray.NewMessage("missing.read_as_empty", intray.Params{"n": one.Cells, "marker": one.Marker, "field": mapping.Shorten(key)})})
		}
	}
}
