package archive

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// found is a member before anything is known of what it holds.
type found struct {
	// what names it for errors, name for people; why is where the name is from.
	what  intray.Message
	name  string
	why   intray.Message
	inZip bool
}

// member is a file of the archive that holds a table.
type member struct {
	found
	in     source.Input
	format source.Format
	reason intray.Message
	sheets []source.Sheet
	// told is the evidence of its book.
	told []intray.Evidence
}

// formats lists what a member may be.
func (u *unpacking) formats() []string {
	names := make([]string, len(u.Inner))
	for i, f := range u.Inner {
		names[i] = f.Name()
	}
	return names
}

// only opens the member of an archive that has one.
func (u *unpacking) only(ctx context.Context, name string, from intray.Message, src io.Reader) error {
	what := u.kind.file()
	why, err := u.take(ctx, found{what: what, name: name, why: from}, src)
	switch {
	case err != nil:
		return err
	case why == whyEmpty:
		return source.ErrEmpty
	case !why.IsZero():
		return &source.UnreadableError{Reason: intray.NewMessage("archive.unknown_format", intray.Params{"what": what, "formats": u.formats()})}
	}
	return nil
}

// take inflates a member and opens it. why says why it was passed over, if it
// was.
func (u *unpacking) take(ctx context.Context, f found, src io.Reader) (why intray.Message, err error) {
	from := u.spool.size
	in, err := u.inflate(ctx, f.what, f.name, src)
	if err != nil {
		return why, err
	}
	m := member{found: f, in: in}
	if why, err = u.choose(&m); err == nil && why.IsZero() {
		why, err = u.list(ctx, &m)
	}
	if err != nil {
		return why, err
	}
	if !why.IsZero() {
		return why, u.spool.rewind(from)
	}
	u.members = append(u.members, m)
	return why, nil
}

// choose finds the inner format that is surest of the member.
func (u *unpacking) choose(m *member) (why intray.Message, err error) {
	head := make([]byte, min(m.in.Size, source.HeadBytes))
	if len(head) == 0 {
		return whyEmpty, nil
	}
	if _, err := m.in.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return why, fmt.Errorf("read inflated bytes from their temporary file: %w", err)
	}
	if kind := nested(m.in, head, u.Limits); kind != "" {
		return why, &source.UnreadableError{Reason: intray.NewMessage("archive.nested", intray.Params{"what": m.what, "format": kind})}
	}
	top := 0.0
	for _, f := range u.Inner {
		if score, reason := f.Detect(m.in, head); score > top {
			m.format, m.reason, top = f, reason, score
		}
	}
	if m.format == nil {
		return whyUnknown, nil
	}
	return why, nil
}

// nested names the kind of archive that a member is, "" where it is none.
func nested(in source.Input, head []byte, limits Limits) string {
	if k, office := recognize(&watched{Input: in}, head, limits); k != none && office == "" {
		return string(k)
	}
	return otherArchive(head)
}

// list opens the member to learn of its sheets. Only the book of a lone member
// stays open: a thousand would hold what a thousand files may cost.
func (u *unpacking) list(ctx context.Context, m *member) (why intray.Message, err error) {
	inner, err := m.format.Open(ctx, m.in, u.opt)
	if errors.Is(err, source.ErrEmpty) {
		return whyEmpty, nil
	}
	if err != nil {
		return why, m.named(err)
	}
	m.sheets, m.told = inner.Sheets(), inner.Evidence()
	if u.sheets += len(m.sheets); u.sheets > u.Limits.Sheets {
		return why, errors.Join(&source.LimitError{Reason: intray.NewMessage("archive.too_many_sheets", intray.Params{"limit": u.Limits.Sheets})}, inner.Close())
	}
	if len(u.members) == 0 {
		u.kept = inner
		return why, nil
	}
	err = inner.Close()
	if u.kept != nil {
		err = errors.Join(err, u.kept.Close())
		u.kept = nil
	}
	return why, err
}

// named puts the name of a zip file's member in front of what is wrong with it.
func (m *member) named(err error) error {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	switch {
	case !m.inZip:
		return err
	case errors.As(err, &unreadable):
		return &source.UnreadableError{Line: unreadable.Line, Reason: within(m.what, unreadable.Reason)}
	case errors.As(err, &limit):
		return &source.LimitError{Line: limit.Line, Reason: within(m.what, limit.Reason)}
	}
	return err
}

// within says where a problem is.
func within(what, problem intray.Message) intray.Message {
	return intray.NewMessage("archive.problem", intray.Params{"what": what, "problem": problem})
}

// sheetName is what a sheet of the member is called among those of the archive.
func (m *member) sheetName(sheet int) string {
	own := m.sheets[sheet].Name
	switch {
	case !m.inZip:
		return own
	case own == "":
		return m.name
	}
	return m.name + " / " + own
}

// evidence tells which member it is, and what was decided about it.
func (m *member) evidence() []intray.Evidence {
	list := []intray.Evidence{
		{Choice: "member", Value: m.name, Reason: m.why},
		{Choice: "format", Value: m.format.Name(), Reason: m.reason},
	}
	return append(list, m.told...)
}
