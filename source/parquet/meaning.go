package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

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
