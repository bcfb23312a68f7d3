package archive

import (
	"context"
	"errors"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// place is one sheet of one member.
type place struct{ member, sheet int }

// book is an opened archive.
type book struct {
	opt     source.Options
	members []member
	places  []place
	// kept is the opened book of the only member; nil where there are several.
	kept     source.Book
	spool    *spool
	evidence []intray.Evidence
}

func (b *book) Evidence() []intray.Evidence { return b.evidence }

func (b *book) Sheets() []source.Sheet {
	list := make([]source.Sheet, len(b.places))
	for i, p := range b.places {
		m := &b.members[p.member]
		list[i] = m.sheets[p.sheet]
		list[i].Name = m.sheetName(p.sheet)
	}
	return list
}

// Open opens the member of the sheet anew where there are several.
func (b *book) Open(ctx context.Context, sheet int) (source.Reader, error) {
	if sheet < 0 || sheet >= len(b.places) {
		return nil, fmt.Errorf("open sheet %d of an archive with %d", sheet, len(b.places))
	}
	p := b.places[sheet]
	m := &b.members[p.member]
	if b.kept != nil {
		inner, err := b.kept.Open(ctx, p.sheet)
		if err != nil {
			return nil, m.named(err)
		}
		return &reader{Reader: inner, member: m}, nil
	}
	own, err := m.format.Open(ctx, m.in, b.opt)
	if err != nil {
		return nil, m.named(err)
	}
	inner, err := own.Open(ctx, p.sheet)
	if err != nil {
		return nil, errors.Join(m.named(err), own.Close())
	}
	return &reader{Reader: inner, member: m, own: own}, nil
}

// Close removes the inflated bytes. It works twice.
func (b *book) Close() error {
	var err error
	if b.kept != nil {
		err = b.kept.Close()
	}
	return errors.Join(err, b.spool.Close())
}

// reader reads a sheet of a member.
type reader struct {
	source.Reader
	member *member
	// own is the book that was opened for this reader alone, or nil.
	own source.Book
}

// Evidence tells of the member where the book does not.
func (r *reader) Evidence() []intray.Evidence {
	if r.own == nil {
		return r.Reader.Evidence()
	}
	return append(r.member.evidence(), r.Reader.Evidence()...)
}

func (r *reader) Next(ctx context.Context, batch *intray.Records) error {
	return r.member.named(r.Reader.Next(ctx, batch))
}

func (r *reader) Close() error {
	err := r.Reader.Close()
	if r.own != nil {
		err = errors.Join(err, r.own.Close())
	}
	return err
}
