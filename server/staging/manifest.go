package staging

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/server/blob"
)

// Version is the version of the format that this package writes. The package reads
// no other version.
const Version = 1

const (
	manifestName = "manifest.json"
	problemsName = "problems.parquet"
	bitmapsName  = "problems.roar"
)

// ErrDamaged means that a file of the stage has changed since it was written.
var ErrDamaged = errors.New("the stage is damaged")

// Manifest lists the contents of a stage and their locations.
type Manifest struct {
	Version int `json:"version"`
	// Codec is the compression of the pages.
	Codec Codec `json:"codec"`
	// Rows is the number of rows in the stage.
	Rows int64 `json:"rows"`
	// ErrorRows is the number of rows that have a problem of level error.
	ErrorRows int64 `json:"errorRows"`
	// Problems is the number of problems of all levels.
	Problems int64 `json:"problems"`
	// Fields and Unmapped describe the layout of the stage with its column names.
	Fields   []FieldColumns   `json:"fields"`
	Unmapped []UnmappedColumn `json:"unmapped,omitempty"`
	// Segments are in row order.
	Segments []Segment `json:"segments,omitempty"`
	// ProblemGroups are the row groups of problems.parquet.
	ProblemGroups []ProblemGroup `json:"problemGroups,omitempty"`
	// CrossRowGroups are the row groups of problems.parquet that follow ProblemGroups. They
	// contain the problems that were found after all rows were known, again in row order.
	CrossRowGroups []ProblemGroup `json:"lateGroups,omitempty"`
	// Kinds counts the problems of each kind, in the order of field, code and level.
	Kinds []ProblemKind `json:"kinds,omitempty"`
	// Errors locates the bitmap of the rows with a problem of level error.
	Errors Piece `json:"errors"`
}

// Piece is a range of bytes in a file.
type Piece struct {
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
	// CRC is the CRC-32C of the bytes.
	CRC uint32 `json:"crc"`
}

// Segment is a file that contains rows.
type Segment struct {
	// Name is the key of the file, relative to the prefix of the stage.
	Name string `json:"name"`
	// First is the index, in the stage, of the first row in the file.
	First int64 `json:"first"`
	Rows  int64 `json:"rows"`
	// Size is the size of the file in bytes.
	Size   int64      `json:"size"`
	Groups []RowGroup `json:"groups"`
}

// RowGroup is a row group of a segment. It contains the rows of one batch.
type RowGroup struct {
	First int64 `json:"first"`
	Rows  int64 `json:"rows"`
	Piece
}

// ProblemGroup is a row group of problems.parquet.
type ProblemGroup struct {
	// First and Last are the rows of the first and the last problem.
	First    int64 `json:"first"`
	Last     int64 `json:"last"`
	Problems int64 `json:"problems"`
	Piece
}

// ProblemKind counts the problems that have the same field, code and level.
type ProblemKind struct {
	// Field is the index of the field in the layout, or intray.NoField.
	Field int    `json:"field"`
	Code  string `json:"code"`
	// Level is error, warning or info.
	Level    string `json:"level"`
	Problems int64  `json:"problems"`
	Rows     int64  `json:"rows"`
	// Bitmap locates the bitmap of the rows that have such a problem.
	Bitmap Piece `json:"bitmap"`
}

// envelope is the content of the manifest file.
type envelope struct {
	CRC      uint32          `json:"crc"`
	Manifest json.RawMessage `json:"manifest"`
}

func (m *Manifest) encode() ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return envelope{checksum(body), body}.encode(), nil
}

func (e envelope) encode() []byte {
	return fmt.Appendf(nil, `{"crc":%d,"manifest":%s}`, e.CRC, e.Manifest)
}

func readManifest(r blob.Reader) (*Manifest, error) {
	text, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	if err != nil {
		return nil, err
	}
	return parseManifest(text)
}

func parseManifest(text []byte) (*Manifest, error) {
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if checksum(e.Manifest) != e.CRC {
		return nil, fmt.Errorf("%w: wrong checksum", ErrDamaged)
	}
	if !bytes.Equal(text, e.encode()) { // package json ignores the case of keys
		return nil, fmt.Errorf("%w: the text around the manifest has changed", ErrDamaged)
	}
	var m Manifest
	if err := json.Unmarshal(e.Manifest, &m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if m.Version != Version {
		return nil, fmt.Errorf("the stage has version %d, and this program reads version %d", m.Version, Version)
	}
	return &m, m.validate()
}

// validate returns an error unless the row groups contain all rows in order.
func (m *Manifest) validate() error {
	var next int64
	for _, s := range m.Segments {
		if s.First != next {
			return fmt.Errorf("%w: segment %s begins with row %d, not %d", ErrDamaged, s.Name, s.First, next)
		}
		for _, g := range s.Groups {
			if g.First != next || g.Rows <= 0 {
				return fmt.Errorf("%w: a row group of %s begins with row %d, not %d", ErrDamaged, s.Name, g.First, next)
			}
			next += g.Rows
		}
	}
	if next != m.Rows {
		return fmt.Errorf("%w: it has %d of %d rows", ErrDamaged, next, m.Rows)
	}
	return nil
}

const (
	rowColumn  = "_row"
	lineColumn = "_line"
	rawSuffix  = "__raw"
)

// Layout lists the fields and columns of the batches of a stage.
type Layout struct {
	// Fields are the keys of the fields, in the order of the schema. Keys may contain
	// any characters and need not be unique.
	Fields []string
	// Unmapped lists the indexes of the unmapped columns in the source file, in the order in
	// which a batch contains the columns.
	Unmapped []int
}

// FieldColumns lists the columns of a field in the segments.
type FieldColumns struct {
	// Key is the key of the field.
	Key string `json:"key"`
	// Value is the name of the column of values.
	Value string `json:"value"`
	// Raw is the name of the column of raw values. A raw value that equals the value
	// is stored as null.
	Raw string `json:"raw"`
	// Type is the type of the column of values. It is always "text".
	Type string `json:"type"`
}

const textType = "text"

// UnmappedColumn describes an unmapped column in the segments.
type UnmappedColumn struct {
	// Index is the index of the column in the source file.
	Index int `json:"index"`
	// Name is the name of the column in the segments.
	Name string `json:"name"`
}

// columnNames is the set of reserved column names.
type columnNames map[string]bool

func (n columnNames) isFree(name string) bool { return !n[strings.ToLower(name)] }
func (n columnNames) reserve(name string)     { n[strings.ToLower(name)] = true }

// assignNames returns the column names of all fields and unmapped columns.
func (l Layout) assignNames() ([]FieldColumns, []UnmappedColumn) {
	taken := columnNames{}
	taken.reserve(rowColumn)
	taken.reserve(lineColumn)
	unmapped := make([]UnmappedColumn, 0, len(l.Unmapped))
	for _, index := range l.Unmapped {
		name := "$unmapped_" + strconv.Itoa(index)
		taken.reserve(name)
		unmapped = append(unmapped, UnmappedColumn{index, name})
	}
	fields := make([]FieldColumns, 0, len(l.Fields))
	for _, key := range l.Fields {
		value := taken.reserveField(key)
		fields = append(fields, FieldColumns{key, value, value + rawSuffix, textType})
	}
	return fields, unmapped
}

// reserveField reserves an unused name for the values of a field, and the
// corresponding name for its raw values.
func (n columnNames) reserveField(key string) string {
	base := sanitizeName(key)
	name := base
	for i := 2; !n.isFree(name) || !n.isFree(name+rawSuffix); i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n.reserve(name)
	n.reserve(name + rawSuffix)
	return name
}

// sanitizeName converts a key to a valid column name. Readers require nonempty
// UTF-8, and C strings end at a NUL character.
func sanitizeName(key string) string {
	key = strings.ToValidUTF8(strings.ReplaceAll(key, "\x00", "_"), "_")
	if key == "" {
		return "field"
	}
	return key
}

// segmentColumns returns the columns of a segment in order.
func segmentColumns(fields []FieldColumns, unmapped []UnmappedColumn) [][]parquetio.Element {
	list := make([][]parquetio.Element, 0, 2*len(fields)+len(unmapped)+2)
	for _, f := range fields {
		list = append(list, textColumn(f.Value, format.Optional), textColumn(f.Raw, format.Optional))
	}
	for _, u := range unmapped {
		list = append(list, textColumn(u.Name, format.Required))
	}
	return append(list, intColumn(rowColumn), intColumn(lineColumn))
}
