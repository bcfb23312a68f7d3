package archive

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	// chunkBytes is how much is inflated between two looks at the context.
	chunkBytes = 128 << 10
	// ratioFrom is how much a member may give before its ratio matters: small
	// files of one repeated row are honest.
	ratioFrom = 10 << 20
)

// inflate writes src to the spool and gives it as a file of its own. what names
// it for errors.
func (u *unpacking) inflate(ctx context.Context, what, name string, src io.Reader) (source.Input, error) {
	from, before := u.spool.size, u.in.read
	chunk := make([]byte, chunkBytes)
	for {
		if err := ctx.Err(); err != nil {
			return source.Input{}, err
		}
		n, end := src.Read(chunk)
		u.inflated += int64(n)
		if why := u.over(what, u.spool.size-from+int64(n), u.in.read-before); why != "" {
			return source.Input{}, &source.LimitError{Reason: intray.Literal(why)}
		}
		if err := u.spool.add(chunk[:n]); err != nil {
			return source.Input{}, err
		}
		if errors.Is(end, io.EOF) {
			size := u.spool.size - from
			return source.Input{Name: name, ReaderAt: io.NewSectionReader(u.spool.file, from, size), Size: size}, nil
		}
		if end != nil {
			return source.Input{}, u.in.explain(what, end)
		}
	}
}

// over says which limit a member goes beyond that has given so many bytes for
// so many compressed ones; "" while it stays within them.
func (u *unpacking) over(what string, inflated, compressed int64) string {
	l := u.Limits
	switch {
	case inflated > l.MemberBytes:
		return fmt.Sprintf("%s inflates to more than %d bytes", what, l.MemberBytes)
	case u.inflated > l.InflatedBytes:
		return fmt.Sprintf("the archive inflates to more than %d bytes", l.InflatedBytes)
	case inflated > ratioFrom && inflated/l.Ratio > compressed:
		return fmt.Sprintf("%s inflates to more than %d times its size, as files do that are made to fill a disk", what, l.Ratio)
	}
	return ""
}
