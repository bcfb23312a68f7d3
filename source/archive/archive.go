// Package archive reads compressed tables: gzip, zstd and zip.
//
// An archive is the received file, and a member is a file inside of it. A gzip or zstd
// file has one member, made of one or more consecutive compressed streams. A zip file
// has many. Each member is opened by the inner format that recognizes it, and the
// archive has the sheets of all members.
//
// Opening an archive inflates all members into one temporary file. A truncated or
// damaged stream is therefore found before its first record is returned. Bytes are
// counted as they inflate; sizes that an archive declares are not trusted.
//
// The package knows no table formats, does not read archives inside of archives, asks
// for no passwords, and never uses a name as a path. Office documents are zip files
// too, but belong to their own formats.
package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
)

// Format is the format "archive".
type Format struct {
	// Inner are the formats that a member may have. They must not include this one.
	Inner []source.Format
	// Temp is the folder of the temporary file. Default os.TempDir.
	Temp string
	// Limits bound what a hostile archive costs.
	Limits Limits
}

// Limits bound what opening one archive may cost. A zero field means its default.
// Beyond a limit, Open returns a *source.LimitError.
type Limits struct {
	// InflatedBytes is the most bytes that all members may inflate to, including
	// members without a table. Default 4 GiB.
	InflatedBytes int64
	// MemberBytes is the most bytes that one member may inflate to. Default
	// InflatedBytes.
	MemberBytes int64
	// Ratio is the most inflated bytes per compressed byte. It applies to members of
	// more than 10 MiB. Default 1,000.
	Ratio int64
	// Members is the most entries of a zip file, including folders and files without a
	// table. Default 1,000.
	Members int
	// NameBytes is the most bytes of the name of a member. Default 1 KiB.
	NameBytes int
	// Sheets is the most sheets of all members. Default 4,096.
	Sheets int
}

// WithDefaults fills the fields that are zero.
func (l Limits) WithDefaults() Limits {
	l.InflatedBytes = cmp.Or(l.InflatedBytes, 4<<30)
	l.MemberBytes = cmp.Or(l.MemberBytes, l.InflatedBytes)
	l.Ratio = cmp.Or(l.Ratio, 1000)
	l.Members = cmp.Or(l.Members, 1000)
	l.NameBytes = cmp.Or(l.NameBytes, 1<<10)
	l.Sheets = cmp.Or(l.Sheets, 4096)
	return l
}

// Name returns "archive".
func (Format) Name() string { return "archive" }

// Detect returns 1 for a file that begins like gzip, zstd or zip and is not an office
// document, and 0 for all others.
func (f Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	k, office := detectKind(zipfile.NewInput(in), head, f.Limits.WithDefaults())
	if k == noArchive || office != "" {
		return 0, intray.Message{}
	}
	return 1, k.reason()
}

// Open inflates all members and opens those that have a table. Sheets of a gzip or zstd
// file keep their names. A sheet of a zip file is named "member", or "member / sheet"
// if it has a name. The input is not needed after Open returns.
func (f Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	f.Limits = f.Limits.WithDefaults()
	u := &unpacker{Format: f, in: zipfile.NewInput(in), opt: opt}
	b, err := u.open(ctx)
	if err != nil {
		if left := u.cleanUp(); left != nil {
			err = errors.Join(err, left)
		}
		return nil, err
	}
	return b, nil
}

// unpacker opens one archive.
type unpacker struct {
	Format
	in    *zipfile.Input
	opt   source.Options
	kind  kind
	spool *spool
	// inflated counts the bytes of all members.
	inflated int64
	members  []member
	// openBook is the opened book of the only member. It is nil if there are several.
	openBook source.Book
	sheets   int
	skipped  skippedMembers
	// remarks are the notes about the archive as a whole.
	remarks []intray.Message
}

func (u *unpacker) open(ctx context.Context) (source.Book, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if u.in.Size == 0 {
		return nil, source.ErrEmpty
	}
	if err := u.detectKind(); err != nil {
		return nil, err
	}
	var err error
	if u.spool, err = newSpool(u.Temp); err != nil {
		return nil, err
	}
	switch u.kind {
	case gzipKind:
		err = u.openGzip(ctx)
	case zstdKind:
		err = u.openZstd(ctx)
	default:
		err = u.openZip(ctx)
	}
	if err != nil {
		return nil, err
	}
	return u.newBook(), nil
}

func (u *unpacker) detectKind() error {
	head := make([]byte, min(u.in.Size, source.HeadBytes))
	if _, err := u.in.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the beginning of the archive: %w", err)
	}
	k, office := detectKind(u.in, head, u.Limits)
	switch {
	case u.in.Failure() != nil:
		return fmt.Errorf("read the directory of the archive: %w", u.in.Failure())
	case k == noArchive:
		return &source.UnreadableError{Reason: intray.NewMessage("archive.not_archive", nil)}
	case office != "":
		return &source.UnreadableError{Reason: intray.NewMessage("archive.office_document", intray.Params{"entry": source.Excerpt(office)})}
	}
	u.kind = k
	return nil
}

// newBook returns the book of what was opened.
func (u *unpacker) newBook() *book {
	b := &book{opt: u.opt, members: u.members, openBook: u.openBook, spool: u.spool, evidence: u.evidence()}
	for i, m := range u.members {
		for s := range m.sheets {
			b.sheets = append(b.sheets, sheetRef{i, s})
		}
	}
	return b
}

// cleanUp closes what was opened so far.
func (u *unpacker) cleanUp() error {
	var err error
	if u.openBook != nil {
		err = u.openBook.Close()
	}
	if u.spool != nil {
		err = errors.Join(err, u.spool.Close())
	}
	return err
}

// evidence returns the evidence of the archive and its members. With a single member,
// it includes the choices made about it.
func (u *unpacker) evidence() []intray.Evidence {
	why := intray.JoinMessages(append([]intray.Message{u.kind.reason()}, u.remarks...)...)
	list := []intray.Evidence{{Choice: "archive", Value: string(u.kind), Reason: why}}
	if len(u.members) == 1 {
		list = append(list, u.members[0].evidence()...)
	} else {
		list = append(list, membersEvidence(u.members))
	}
	return append(list, u.skipped.evidence()...)
}

// sheetRef is one sheet of one member.
type sheetRef struct{ member, sheet int }

// book is an opened archive.
type book struct {
	opt     source.Options
	members []member
	sheets  []sheetRef
	// openBook is the opened book of the only member. It is nil if there are several.
	openBook source.Book
	spool    *spool
	evidence []intray.Evidence
}

func (b *book) Evidence() []intray.Evidence { return b.evidence }

func (b *book) Sheets() []source.Sheet {
	list := make([]source.Sheet, len(b.sheets))
	for i, p := range b.sheets {
		m := &b.members[p.member]
		list[i] = m.sheets[p.sheet]
		list[i].Name = m.sheetName(p.sheet)
	}
	return list
}

// Open opens the sheet. If there are several members, it opens a book for this reader.
func (b *book) Open(ctx context.Context, sheet int) (source.Reader, error) {
	if sheet < 0 || sheet >= len(b.sheets) {
		return nil, fmt.Errorf("open sheet %d of an archive with %d", sheet, len(b.sheets))
	}
	p := b.sheets[sheet]
	m := &b.members[p.member]
	if b.openBook != nil {
		inner, err := b.openBook.Open(ctx, p.sheet)
		if err != nil {
			return nil, m.wrapError(err)
		}
		return &reader{Reader: inner, member: m}, nil
	}
	own, err := m.format.Open(ctx, m.in, b.opt)
	if err != nil {
		return nil, m.wrapError(err)
	}
	inner, err := own.Open(ctx, p.sheet)
	if err != nil {
		return nil, errors.Join(m.wrapError(err), own.Close())
	}
	return &reader{Reader: inner, member: m, ownBook: own}, nil
}

// Close removes the inflated bytes. It may be called twice.
func (b *book) Close() error {
	var err error
	if b.openBook != nil {
		err = b.openBook.Close()
	}
	return errors.Join(err, b.spool.Close())
}

// reader reads a sheet of a member.
type reader struct {
	source.Reader
	member *member
	// ownBook is the book that was opened for this reader, or nil.
	ownBook source.Book
}

// Evidence returns the evidence of the member, unless the book has reported it.
func (r *reader) Evidence() []intray.Evidence {
	if r.ownBook == nil {
		return r.Reader.Evidence()
	}
	return append(r.member.evidence(), r.Reader.Evidence()...)
}

func (r *reader) Next(ctx context.Context, batch *intray.Records) error {
	return r.member.wrapError(r.Reader.Next(ctx, batch))
}

func (r *reader) Close() error {
	err := r.Reader.Close()
	if r.ownBook != nil {
		err = errors.Join(err, r.ownBook.Close())
	}
	return err
}
