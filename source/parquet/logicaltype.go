package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// What a logical type is, by its number in the format. logicalNone is none.
// https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
const (
	logicalNone      = 0
	logicalString    = 1
	logicalMap       = 2
	logicalList      = 3
	logicalEnum      = 4
	logicalDecimal   = 5
	logicalDate      = 6
	logicalTime      = 7
	logicalTimestamp = 8
	logicalInterval  = 9 // only in the older annotations
	logicalInteger   = 10
	logicalNull      = 11
	logicalJSON      = 12
	logicalBSON      = 13
	logicalUUID      = 14
	logicalFloat16   = 15
	logicalVariant   = 16
	logicalGeometry  = 17
	logicalGeography = 18
)

// What an element may lack.
const (
	noPhysical   = format.Type(-1)
	noRepetition = format.FieldRepetitionType(-1)
	noConverted  = -1
)

// The units of times, by their number in the format and by their digits.
const (
	unitMillis = 1
	unitNanos  = 3
	millis     = 3
	micros     = 6
	nanos      = 9
)

// logicalType is what an annotation says about the values of a leaf, or the shape of
// a group.
type logicalType struct {
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
	logical    logicalType
}

func readElement(c *thriftReader, wire byte) element {
	e := element{physical: noPhysical, repetition: noRepetition}
	older, scale, precision := noConverted, 0, 0
	c.readFields(wire, func(id int16, wire byte) bool {
		switch id {
		case 1:
			e.physical = format.Type(c.readInt32(wire))
		case 2:
			e.length = c.readInt32(wire)
		case 3:
			e.repetition = format.FieldRepetitionType(c.readInt32(wire))
		case 4:
			e.name = c.readBinary(wire)
		case 5:
			e.children = c.readInt32(wire)
		case 6:
			older = c.readInt32(wire)
		case 7:
			scale = c.readInt32(wire)
		case 8:
			precision = c.readInt32(wire)
		case 10:
			e.logical = readLogicalType(c, wire)
		default:
			return false
		}
		return true
	})
	if e.logical.kind == logicalNone && older != noConverted {
		e.logical = logicalFromConverted(deprecated.ConvertedType(older))
		e.logical.scale, e.logical.precision = scale, precision
	}
	return e
}

// readLogicalType reads the union of the logical types.
func readLogicalType(c *thriftReader, wire byte) logicalType {
	var m logicalType
	c.readFields(wire, func(id int16, wire byte) bool {
		if id < logicalString || id > logicalGeography || wire != wireStruct {
			return false
		}
		m.kind = int(id)
		c.readFields(wire, func(id int16, wire byte) bool { return m.readDetail(c, id, wire) })
		return true
	})
	return m
}

func (m *logicalType) readDetail(c *thriftReader, id int16, wire byte) bool {
	switch [2]int{m.kind, int(id)} {
	case [2]int{logicalDecimal, 1}:
		m.scale = c.readInt32(wire)
	case [2]int{logicalDecimal, 2}:
		m.precision = c.readInt32(wire)
	case [2]int{logicalTime, 1}, [2]int{logicalTimestamp, 1}:
		m.utc = wire == wireTrue
	case [2]int{logicalTime, 2}, [2]int{logicalTimestamp, 2}:
		c.readFields(wire, func(id int16, _ byte) bool {
			if id >= unitMillis && id <= unitNanos {
				m.digits = 3 * int(id)
			}
			return false
		})
	case [2]int{logicalInteger, 1}:
		m.bits = c.readInt32(wire)
	case [2]int{logicalInteger, 2}:
		m.signed = wire == wireTrue
	default:
		return false
	}
	return true
}

// logicalFromConverted gives the logical type that an annotation of older files stands
// for. Their times are adjusted to UTC.
func logicalFromConverted(kind deprecated.ConvertedType) logicalType {
	switch kind {
	case deprecated.UTF8:
		return logicalType{kind: logicalString}
	case deprecated.Map, deprecated.MapKeyValue:
		return logicalType{kind: logicalMap}
	case deprecated.List:
		return logicalType{kind: logicalList}
	case deprecated.Enum:
		return logicalType{kind: logicalEnum}
	case deprecated.Decimal:
		return logicalType{kind: logicalDecimal}
	case deprecated.Date:
		return logicalType{kind: logicalDate}
	case deprecated.TimeMillis:
		return logicalType{kind: logicalTime, utc: true, digits: millis}
	case deprecated.TimeMicros:
		return logicalType{kind: logicalTime, utc: true, digits: micros}
	case deprecated.TimestampMillis:
		return logicalType{kind: logicalTimestamp, utc: true, digits: millis}
	case deprecated.TimestampMicros:
		return logicalType{kind: logicalTimestamp, utc: true, digits: micros}
	case deprecated.Json:
		return logicalType{kind: logicalJSON}
	case deprecated.Bson:
		return logicalType{kind: logicalBSON}
	case deprecated.Interval:
		return logicalType{kind: logicalInterval}
	}
	return integerFromConverted(kind)
}

// integerFromConverted reads the annotations from UINT_8 to INT_64, which double.
func integerFromConverted(kind deprecated.ConvertedType) logicalType {
	switch {
	case kind >= deprecated.Uint8 && kind <= deprecated.Uint64:
		return logicalType{kind: logicalInteger, bits: 8 << (kind - deprecated.Uint8)}
	case kind >= deprecated.Int8 && kind <= deprecated.Int64:
		return logicalType{kind: logicalInteger, bits: 8 << (kind - deprecated.Int8), signed: true}
	}
	return logicalType{}
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

// effectiveType gives the meaning of a leaf, none where it does not fit the physical
// type: the value itself is what is left then.
func effectiveType(e element) logicalType {
	fits := false
	switch e.physical {
	case format.Int32, format.Int64:
		fits = fitsInts(e)
	case format.ByteArray, format.FixedLenByteArray:
		fits = fitsBytes(e)
	}
	if !fits && e.logical.kind != logicalNull {
		return logicalType{}
	}
	return e.logical
}

func fitsInts(e element) bool {
	m, wide := e.logical, e.physical == format.Int64
	switch m.kind {
	case logicalDecimal:
		return true
	case logicalDate:
		return !wide
	case logicalTime, logicalTimestamp:
		return m.digits > 0 && wide == (m.kind == logicalTimestamp || m.digits != millis)
	case logicalInteger:
		return wide && m.bits == 64 || !wide && (m.bits == 8 || m.bits == 16 || m.bits == 32)
	}
	return false
}

func fitsBytes(e element) bool {
	switch e.logical.kind {
	case logicalString, logicalEnum, logicalJSON, logicalBSON, logicalGeometry, logicalGeography, logicalDecimal:
		return true
	case logicalUUID:
		return e.physical == format.FixedLenByteArray && e.length == uuidBytes
	case logicalFloat16:
		return e.physical == format.FixedLenByteArray && e.length == halfBytes
	case logicalInterval:
		return e.physical == format.FixedLenByteArray && e.length == intervalBytes
	}
	return false
}

// isInvalid says that the digits of a decimal cannot be.
func (m logicalType) isInvalid() bool {
	return m.kind == logicalDecimal && (m.precision <= 0 || m.precision > maxPrecision || m.scale < 0 || m.scale > m.precision)
}

// typeName names the type of a leaf for a person.
func (l *leaf) typeName() string {
	m := l.logical
	switch m.kind {
	case logicalDecimal:
		return fmt.Sprintf("decimal(%d,%d)", m.precision, m.scale)
	case logicalTime, logicalTimestamp:
		name := map[int]string{logicalTime: "time", logicalTimestamp: "timestamp"}[m.kind]
		unit := map[int]string{millis: "ms", micros: "us", nanos: "ns"}[m.digits]
		if m.utc {
			return name + "(" + unit + ", UTC)"
		}
		return name + "(" + unit + ")"
	case logicalInteger:
		if m.signed {
			return fmt.Sprintf("int%d", m.bits)
		}
		return fmt.Sprintf("uint%d", m.bits)
	case logicalNone:
		return l.physicalName()
	}
	return map[int]string{
		logicalString: "string", logicalEnum: "enum", logicalDate: "date", logicalInterval: "interval", logicalNull: "null", logicalJSON: "JSON",
		logicalBSON: "BSON", logicalUUID: "UUID", logicalFloat16: "float16", logicalGeometry: "geometry", logicalGeography: "geography",
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
