package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// What a logical type is, by its number in the format. noMeaning is none.
// https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
const (
	noMeaning      = 0
	meansString    = 1
	meansMap       = 2
	meansList      = 3
	meansEnum      = 4
	meansDecimal   = 5
	meansDate      = 6
	meansTime      = 7
	meansTimestamp = 8
	meansInterval  = 9 // only in the older annotations
	meansInteger   = 10
	meansNull      = 11
	meansJSON      = 12
	meansBSON      = 13
	meansUUID      = 14
	meansFloat16   = 15
	meansVariant   = 16
	meansGeometry  = 17
	meansGeography = 18
)

// What an element may lack.
const (
	noPhysical   = format.Type(-1)
	noRepetition = format.FieldRepetitionType(-1)
	noOlder      = -1
)

// The units of times, by their number in the format and by their digits.
const (
	unitMillis = 1
	unitNanos  = 3
	millis     = 3
	micros     = 6
	nanos      = 9
)

// meaning is what an annotation says about the values of a leaf, or the shape of
// a group.
type meaning struct {
	kind int
	// scale and precision are those of a decimal.
	scale, precision int
	// utc says that a time is adjusted to UTC, digits how many digits of a
	// second it counts.
	utc    bool
	digits int
	// bits and signed are those of an integer.
	bits   int
	signed bool
}

// element is one entry of the schema: a group or a leaf.
type element struct {
	name       []byte
	physical   format.Type
	length     int
	repetition format.FieldRepetitionType
	children   int
	meaning    meaning
}

func readElement(c *compact, wire byte) element {
	e := element{physical: noPhysical, repetition: noRepetition}
	older, scale, precision := noOlder, 0, 0
	c.fields(wire, func(id int16, wire byte) bool {
		switch id {
		case 1:
			e.physical = format.Type(c.small(wire))
		case 2:
			e.length = c.small(wire)
		case 3:
			e.repetition = format.FieldRepetitionType(c.small(wire))
		case 4:
			e.name = c.bytes(wire)
		case 5:
			e.children = c.small(wire)
		case 6:
			older = c.small(wire)
		case 7:
			scale = c.small(wire)
		case 8:
			precision = c.small(wire)
		case 10:
			e.meaning = readMeaning(c, wire)
		default:
			return false
		}
		return true
	})
	if e.meaning.kind == noMeaning && older != noOlder {
		e.meaning = olderMeaning(deprecated.ConvertedType(older))
		e.meaning.scale, e.meaning.precision = scale, precision
	}
	return e
}

// readMeaning reads the union of the logical types.
func readMeaning(c *compact, wire byte) meaning {
	var m meaning
	c.fields(wire, func(id int16, wire byte) bool {
		if id < meansString || id > meansGeography || wire != wireStruct {
			return false
		}
		m.kind = int(id)
		c.fields(wire, func(id int16, wire byte) bool { return m.readDetail(c, id, wire) })
		return true
	})
	return m
}

func (m *meaning) readDetail(c *compact, id int16, wire byte) bool {
	switch [2]int{m.kind, int(id)} {
	case [2]int{meansDecimal, 1}:
		m.scale = c.small(wire)
	case [2]int{meansDecimal, 2}:
		m.precision = c.small(wire)
	case [2]int{meansTime, 1}, [2]int{meansTimestamp, 1}:
		m.utc = wire == wireTrue
	case [2]int{meansTime, 2}, [2]int{meansTimestamp, 2}:
		c.fields(wire, func(id int16, _ byte) bool {
			if id >= unitMillis && id <= unitNanos {
				m.digits = 3 * int(id)
			}
			return false
		})
	case [2]int{meansInteger, 1}:
		m.bits = c.small(wire)
	case [2]int{meansInteger, 2}:
		m.signed = wire == wireTrue
	default:
		return false
	}
	return true
}

// olderMeaning gives the logical type that an annotation of older files stands
// for. Their times are adjusted to UTC.
func olderMeaning(kind deprecated.ConvertedType) meaning {
	switch kind {
	case deprecated.UTF8:
		return meaning{kind: meansString}
	case deprecated.Map, deprecated.MapKeyValue:
		return meaning{kind: meansMap}
	case deprecated.List:
		return meaning{kind: meansList}
	case deprecated.Enum:
		return meaning{kind: meansEnum}
	case deprecated.Decimal:
		return meaning{kind: meansDecimal}
	case deprecated.Date:
		return meaning{kind: meansDate}
	case deprecated.TimeMillis:
		return meaning{kind: meansTime, utc: true, digits: millis}
	case deprecated.TimeMicros:
		return meaning{kind: meansTime, utc: true, digits: micros}
	case deprecated.TimestampMillis:
		return meaning{kind: meansTimestamp, utc: true, digits: millis}
	case deprecated.TimestampMicros:
		return meaning{kind: meansTimestamp, utc: true, digits: micros}
	case deprecated.Json:
		return meaning{kind: meansJSON}
	case deprecated.Bson:
		return meaning{kind: meansBSON}
	case deprecated.Interval:
		return meaning{kind: meansInterval}
	}
	return olderInteger(kind)
}

// olderInteger reads the annotations from UINT_8 to INT_64, which double.
func olderInteger(kind deprecated.ConvertedType) meaning {
	switch {
	case kind >= deprecated.Uint8 && kind <= deprecated.Uint64:
		return meaning{kind: meansInteger, bits: 8 << (kind - deprecated.Uint8)}
	case kind >= deprecated.Int8 && kind <= deprecated.Int64:
		return meaning{kind: meansInteger, bits: 8 << (kind - deprecated.Int8), signed: true}
	}
	return meaning{}
}

const (
	// maxPrecision is the most digits of a decimal.
	maxPrecision = 1000
	uuidBytes    = 16
	halfBytes    = 2
	// intervalBytes are months, days and milliseconds.
	intervalBytes = 12
	int96Bytes    = 12
)

// fitting gives the meaning of a leaf, none where it does not fit the physical
// type: the value itself is what is left then.
func fitting(e element) meaning {
	fits := false
	switch e.physical {
	case format.Int32, format.Int64:
		fits = fitsInts(e)
	case format.ByteArray, format.FixedLenByteArray:
		fits = fitsBytes(e)
	}
	if !fits && e.meaning.kind != meansNull {
		return meaning{}
	}
	return e.meaning
}

func fitsInts(e element) bool {
	m, wide := e.meaning, e.physical == format.Int64
	switch m.kind {
	case meansDecimal:
		return true
	case meansDate:
		return !wide
	case meansTime, meansTimestamp:
		return m.digits > 0 && wide == (m.kind == meansTimestamp || m.digits != millis)
	case meansInteger:
		return wide && m.bits == 64 || !wide && (m.bits == 8 || m.bits == 16 || m.bits == 32)
	}
	return false
}

func fitsBytes(e element) bool {
	switch e.meaning.kind {
	case meansString, meansEnum, meansJSON, meansBSON, meansGeometry, meansGeography, meansDecimal:
		return true
	case meansUUID:
		return e.physical == format.FixedLenByteArray && e.length == uuidBytes
	case meansFloat16:
		return e.physical == format.FixedLenByteArray && e.length == halfBytes
	case meansInterval:
		return e.physical == format.FixedLenByteArray && e.length == intervalBytes
	}
	return false
}

// impossible says that the digits of a decimal cannot be.
func (m meaning) impossible() bool {
	return m.kind == meansDecimal && (m.precision <= 0 || m.precision > maxPrecision || m.scale < 0 || m.scale > m.precision)
}

// typeName names the type of a leaf for a person.
func (l *leaf) typeName() string {
	m := l.meaning
	switch m.kind {
	case meansDecimal:
		return fmt.Sprintf("decimal(%d,%d)", m.precision, m.scale)
	case meansTime, meansTimestamp:
		name := map[int]string{meansTime: "time", meansTimestamp: "timestamp"}[m.kind]
		unit := map[int]string{millis: "ms", micros: "us", nanos: "ns"}[m.digits]
		if m.utc {
			return name + "(" + unit + ", UTC)"
		}
		return name + "(" + unit + ")"
	case meansInteger:
		if m.signed {
			return fmt.Sprintf("int%d", m.bits)
		}
		return fmt.Sprintf("uint%d", m.bits)
	case noMeaning:
		return l.physicalName()
	}
	return map[int]string{
		meansString: "string", meansEnum: "enum", meansDate: "date", meansInterval: "interval", meansNull: "null", meansJSON: "JSON",
		meansBSON: "BSON", meansUUID: "UUID", meansFloat16: "float16", meansGeometry: "geometry", meansGeography: "geography",
	}[m.kind]
}

func (l *leaf) physicalName() string {
	switch l.physical {
	case format.Boolean:
		return "boolean"
	case format.Int32:
		return "int32"
	case format.Int64:
		return "int64"
	case format.Int96:
		return "timestamp(int96)"
	case format.Float:
		return "float"
	case format.Double:
		return "double"
	case format.ByteArray:
		return "bytes"
	}
	return fmt.Sprintf("bytes(%d)", l.length)
}
