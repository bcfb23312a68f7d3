package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray/internal/parquetio"
)

const (
	// maxPrecision is the number of digits that a decimal may have.
	maxPrecision = 1000
	uuidBytes    = 16
	float16Bytes = 2
	// intervalBytes holds months, days and milliseconds.
	intervalBytes = 12
)

// effectiveType returns the logical type of a leaf. It is LogicalNull if it does not
// fit the physical type, which then determines the text of values.
func effectiveType(e parquetio.Element) parquetio.LogicalType {
	fits := false
	switch e.Type {
	case format.Int32, format.Int64:
		fits = fitsInts(e)
	case format.ByteArray, format.FixedLenByteArray:
		fits = fitsBytes(e)
	}
	if !fits && e.Logical.Kind != parquetio.LogicalNull {
		return parquetio.LogicalType{}
	}
	return e.Logical
}

func fitsInts(e parquetio.Element) bool {
	t, wide := e.Logical, e.Type == format.Int64
	switch t.Kind {
	case parquetio.LogicalDecimal:
		return true
	case parquetio.LogicalDate:
		return !wide
	case parquetio.LogicalTime, parquetio.LogicalTimestamp:
		return t.Digits > 0 && wide == (t.Kind == parquetio.LogicalTimestamp || t.Digits != parquetio.Millis)
	case parquetio.LogicalInteger:
		return wide && t.Bits == 64 || !wide && (t.Bits == 8 || t.Bits == 16 || t.Bits == 32)
	}
	return false
}

func fitsBytes(e parquetio.Element) bool {
	switch e.Logical.Kind {
	case parquetio.LogicalString, parquetio.LogicalEnum, parquetio.LogicalJSON, parquetio.LogicalBSON,
		parquetio.LogicalGeometry, parquetio.LogicalGeography, parquetio.LogicalDecimal:
		return true
	case parquetio.LogicalUUID:
		return e.Type == format.FixedLenByteArray && e.Length == uuidBytes
	case parquetio.LogicalFloat16:
		return e.Type == format.FixedLenByteArray && e.Length == float16Bytes
	case parquetio.LogicalInterval:
		return e.Type == format.FixedLenByteArray && e.Length == intervalBytes
	}
	return false
}

// isInvalidDecimal reports whether the digits of a decimal are impossible.
func isInvalidDecimal(t parquetio.LogicalType) bool {
	return t.Kind == parquetio.LogicalDecimal && (t.Precision <= 0 || t.Precision > maxPrecision || t.Scale < 0 || t.Scale > t.Precision)
}

// typeName returns the name of the type for people.
func (l *leaf) typeName() string {
	t := l.logical
	switch t.Kind {
	case parquetio.LogicalDecimal:
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)
	case parquetio.LogicalTime, parquetio.LogicalTimestamp:
		name := map[int]string{parquetio.LogicalTime: "time", parquetio.LogicalTimestamp: "timestamp"}[t.Kind]
		unit := map[int]string{parquetio.Millis: "ms", parquetio.Micros: "us", parquetio.Nanos: "ns"}[t.Digits]
		if t.UTC {
			return name + "(" + unit + ", UTC)"
		}
		return name + "(" + unit + ")"
	case parquetio.LogicalInteger:
		if t.Signed {
			return fmt.Sprintf("int%d", t.Bits)
		}
		return fmt.Sprintf("uint%d", t.Bits)
	case parquetio.LogicalNone:
		return l.TypeName()
	}
	return map[int]string{
		parquetio.LogicalString: "string", parquetio.LogicalEnum: "enum", parquetio.LogicalDate: "date", parquetio.LogicalInterval: "interval",
		parquetio.LogicalNull: "null", parquetio.LogicalJSON: "JSON", parquetio.LogicalBSON: "BSON", parquetio.LogicalUUID: "UUID",
		parquetio.LogicalFloat16: "float16", parquetio.LogicalGeometry: "geometry", parquetio.LogicalGeography: "geography",
	}[t.Kind]
}
