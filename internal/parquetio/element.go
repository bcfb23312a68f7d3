package parquetio

import "github.com/parquet-go/parquet-go/format"

// These are the kinds of logical types, with their numbers in the Parquet format.
// https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
const (
	LogicalNone      = 0
	LogicalString    = 1
	LogicalMap       = 2
	LogicalList      = 3
	LogicalEnum      = 4
	LogicalDecimal   = 5
	LogicalDate      = 6
	LogicalTime      = 7
	LogicalTimestamp = 8
	LogicalInterval  = 9 // not a logical type in the format, only a converted type
	LogicalInteger   = 10
	LogicalNull      = 11
	LogicalJSON      = 12
	LogicalBSON      = 13
	LogicalUUID      = 14
	LogicalFloat16   = 15
	LogicalVariant   = 16
	LogicalGeometry  = 17
	LogicalGeography = 18
)

// These are the units of time values. Each constant is the number of decimal places of a second.
// The Parquet format numbers them 1, 2 and 3.
const (
	Millis = 3
	Micros = 6
	Nanos  = 9
)

// LogicalType describes the meaning of the values of a leaf or of the members of a group.
type LogicalType struct {
	Kind int
	// Scale and Precision apply to decimals.
	Scale, Precision int
	// UTC reports whether a time is adjusted to UTC. Digits is its unit, or 0 if the unit is
	// unknown.
	UTC    bool
	Digits int
	// Bits and Signed apply to integers.
	Bits   int
	Signed bool
}

// NoType and NoRepetition mean that an [Element] has no type or no repetition type.
const (
	NoType       = format.Type(-1)
	NoRepetition = format.FieldRepetitionType(-1)
)

// Element is a group or a leaf of a schema.
type Element struct {
	Name []byte
	// Type is NoType for a group.
	Type format.Type
	// Length is the number of bytes per value of a FIXED_LEN_BYTE_ARRAY.
	Length     int
	Repetition format.FieldRepetitionType
	// Children is the number of members of a group. The members follow the group in the schema.
	Children int
	Logical  LogicalType
}

// convertedTypes lists the logical types that replace the older converted types, indexed by
// the number of the converted type. The times in this list are adjusted to UTC.
var convertedTypes = [...]LogicalType{
	{Kind: LogicalString}, {Kind: LogicalMap}, {Kind: LogicalMap}, {Kind: LogicalList},
	{Kind: LogicalEnum}, {Kind: LogicalDecimal}, {Kind: LogicalDate},
	{Kind: LogicalTime, UTC: true, Digits: Millis}, {Kind: LogicalTime, UTC: true, Digits: Micros},
	{Kind: LogicalTimestamp, UTC: true, Digits: Millis}, {Kind: LogicalTimestamp, UTC: true, Digits: Micros},
	{Kind: LogicalInteger, Bits: 8}, {Kind: LogicalInteger, Bits: 16},
	{Kind: LogicalInteger, Bits: 32}, {Kind: LogicalInteger, Bits: 64},
	{Kind: LogicalInteger, Bits: 8, Signed: true}, {Kind: LogicalInteger, Bits: 16, Signed: true},
	{Kind: LogicalInteger, Bits: 32, Signed: true}, {Kind: LogicalInteger, Bits: 64, Signed: true},
	{Kind: LogicalJSON}, {Kind: LogicalBSON}, {Kind: LogicalInterval},
}

func (e *Element) read(r *thriftReader, wire byte) {
	*e = Element{}
	physical, repetition := int(NoType), int(NoRepetition)
	converted, scale, precision := -1, 0, 0
	ints := [...]*int{&physical, &e.Length, &repetition, nil, &e.Children, &converted, &scale, &precision}
	r.readFields(wire, ints[:], func(id int16, wire byte) bool {
		switch id {
		case 4:
			e.Name = r.readBinary(wire)
		case 10:
			e.Logical.read(r, wire)
		default:
			return false
		}
		return true
	})
	e.Type, e.Repetition = format.Type(physical), format.FieldRepetitionType(repetition)
	if e.Logical.Kind == LogicalNone && converted >= 0 && converted < len(convertedTypes) {
		e.Logical = convertedTypes[converted]
		e.Logical.Scale, e.Logical.Precision = scale, precision
	}
}

// read reads a logical type, which the format stores as a union.
func (t *LogicalType) read(r *thriftReader, wire byte) {
	*t = LogicalType{}
	r.readFields(wire, nil, func(id int16, wire byte) bool {
		if id < LogicalString || id > LogicalGeography || wire != wireStruct {
			return false
		}
		t.Kind = int(id)
		var first, second int
		switch t.Kind {
		case LogicalDecimal:
			r.readFields(wire, []*int{&t.Scale, &t.Precision}, nil)
		case LogicalTime, LogicalTimestamp:
			r.readFields(wire, []*int{&first}, func(id int16, wire byte) bool {
				if id != 2 {
					return false
				}
				r.readFields(wire, nil, func(id int16, _ byte) bool {
					if id >= Millis/3 && id <= Nanos/3 {
						t.Digits = 3 * int(id)
					}
					return false
				})
				return true
			})
			t.UTC = first != 0
		case LogicalInteger:
			r.readFields(wire, []*int{&t.Bits, &second}, nil)
			t.Signed = second != 0
		default:
			return false
		}
		return true
	})
}

// append writes the element as a Thrift structure.
func (e *Element) append(w *thriftWriter) {
	w.appendStruct(func() {
		if e.Type != NoType {
			w.writeInts(1, int(e.Type))
		}
		if e.Repetition != NoRepetition {
			w.writeInts(3, int(e.Repetition))
		}
		w.writeBinary(4, e.Name)
		if e.Children > 0 {
			w.writeInts(5, e.Children)
		}
		if e.Logical.Kind != LogicalNone {
			e.Logical.write(w)
		}
	})
}

// write writes the logical type of an element, and the equivalent converted type if there is
// one. It supports only string, list, date, time, timestamp and decimal.
func (t *LogicalType) write(w *thriftWriter) {
	for converted, bare := range convertedTypes {
		bare.Scale, bare.Precision = t.Scale, t.Precision
		if bare == *t {
			w.writeInts(6, converted)
			break
		}
	}
	if t.Kind == LogicalDecimal {
		w.writeInts(7, t.Scale, t.Precision)
	}
	w.writeStruct(10, func() {
		w.writeStruct(int16(t.Kind), func() {
			switch t.Kind {
			case LogicalDecimal:
				w.writeInts(1, t.Scale, t.Precision)
			case LogicalTime, LogicalTimestamp:
				w.writeBool(1, t.UTC)
				w.writeStruct(2, func() { w.writeStruct(int16(t.Digits/3), func() {}) })
			}
		})
	})
}
