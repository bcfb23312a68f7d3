package staging

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

// Codec is the compression of the pages of a stage. The zero value is Zstd.
type Codec string

// The codecs.
const (
	// Zstd makes small files.
	Zstd Codec = "zstd"
	// Snappy writes in a quarter of the time and reads faster, but its files are
	// 1.5 times as large. Use it for stages that are deleted soon.
	Snappy Codec = "snappy"
)

// resolve returns the name of the codec and its number in Parquet.
func (c Codec) resolve() (Codec, format.CompressionCodec, error) {
	switch c {
	case "", Zstd:
		return Zstd, format.Zstd, nil
	case Snappy:
		return Snappy, format.Snappy, nil
	}
	return c, 0, fmt.Errorf("the codec %q is not supported", string(c))
}
