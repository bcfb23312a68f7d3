package archive

import (
	"context"
	"errors"
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
func (u *unpacking) inflate(ctx context.Context, what intray.Message, name string, src io.Reader) (source.Input, error) {
	from, before := u.spool.size, u.in.read
	chunk := make([]byte, chunkBytes)
	for {
		if err := ctx.Err(); err != nil {
			return source.Input{}, err
		}
		n, end := src.Read(chunk)
		u.inflated += int64(n)
		if why := u.over(what, u.spool.size-from+int64(n), u.in.read-before); !why.IsZero() {
			return source.Input{}, &source.LimitError{Reason: why}
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
// so many compressed ones, if it does.
func (u *unpacking) over(what intray.Message, inflated, compressed int64) intray.Message {
	l := u.Limits
	switch {
	case inflated > l.MemberBytes:
		return intray.NewMessage("archive.inflates_too_large", intray.Params{"what": what, "limit": l.MemberBytes})
	case u.inflated > l.InflatedBytes:
		return intray.NewMessage("archive.too_large", intray.Params{"limit": l.InflatedBytes})
	case inflated > ratioFrom && inflated/l.Ratio > compressed:
		return intray.NewMessage("archive.ratio_too_high", intray.Params{"what": what, "limit": l.Ratio})
	}
	return intray.Message{}
}
