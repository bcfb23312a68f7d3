// Package archive reads tables that arrive compressed: gzip, zstd and zip.
//
// An archive is the file that arrives; a member is a file inside of it. A gzip
// or zstd file has one member, made of one or several compressed streams in a
// row; a zip file has many. Each member that one of the inner formats
// recognizes is opened by it, and the sheets of all members are those of the
// archive.
//
// All members are inflated when the archive is opened, into one temporary file:
// a stream that is cut short or damaged is known before its first record is
// handed on. Bytes are counted as they come; what an archive declares about
// itself is not believed.
//
// The package knows no format of tables, does not read archives inside of
// archives, asks for no passwords, and never uses a name as a path. Documents
// of office programs are zip files too, and are left to their own formats.
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
	// Inner are the formats that a member may have. It must not hold this one.
	Inner []source.Format
	// Temp is the folder of the temporary file. Default os.TempDir.
	Temp string
	// Limits bound what a hostile archive costs.
	Limits Limits
}

// Limits bound what opening one archive may cost. A zero field means its
// default. Beyond one of them, Open gives a *source.LimitError.
type Limits struct {
	// InflatedBytes is the most bytes that all members together may inflate
	// to, with those that hold no table. Default 4 GiB.
	InflatedBytes int64
	// MemberBytes is the most bytes that one member may inflate to. Default
	// InflatedBytes.
	MemberBytes int64
	// Ratio is how many bytes may come of one compressed byte, looked at as
	// soon as a member has given 10 MiB. Default 1,000.
	Ratio int64
	// Members is the most entries of a zip file, folders and files that hold
	// no table counted. Default 1,000.
	Members int
	// NameBytes is the most bytes of the name of a member. Default 1 KiB.
	NameBytes int
	// Sheets is the most sheets of all members together. Default 4,096.
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

// Name is "archive".
func (Format) Name() string { return "archive" }

// Detect is sure of a file that begins as gzip, zstd or zip does, unless it is
// the document of an office program.
func (f Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	k, office := detectKind(zipfile.NewInput(in), head, f.Limits.WithDefaults())
	if k == noArchive || office != "" {
		return 0, intray.Message{}
	}
	return 1, k.reason()
}

// Open inflates all members and opens those that hold a table. The sheets of a
// gzip or zstd file are called as its member calls them; those of a zip file
// are called "member", or "member / sheet" where the sheet has a name itself.
// The input is not needed anymore when Open returns.
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

// unpacker is the work of opening one archive.
type unpacker struct {
	Format
	in    *zipfile.Input
	opt   source.Options
	kind  kind
	spool *spool
	// inflated counts the bytes of all members.
	inflated int64
	members  []member
	// openBook is the opened book of the only member; nil where there are several.
	openBook source.Book
	sheets   int
	skipped  skippedMembers
	// remarks are what is to be told about the archive as a whole.
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

// newBook is what was opened.
func (u *unpacker) newBook() *book {
	b := &book{opt: u.opt, members: u.members, openBook: u.openBook, spool: u.spool, evidence: u.evidence()}
	for i, m := range u.members {
		for s := range m.sheets {
			b.sheets = append(b.sheets, sheetRef{i, s})
		}
	}
	return b
}

// cleanUp gives back what was opened so far.
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

// evidence tells of the archive and its members; where there is one member
// only, of what was decided about it.
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
	// openBook is the opened book of the only member; nil where there are several.
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

// Open opens the member of the sheet anew where there are several.
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

// Close removes the inflated bytes. It works twice.
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
	// ownBook is the book that was opened for this reader alone, or nil.
	ownBook source.Book
}

// Evidence tells of the member where the book does not.
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
