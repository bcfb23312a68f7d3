package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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

// mostNamed is how many members evidence names; the others are counted.
const mostNamed = 20

// listed tells of several members.
func listed(members []member) intray.Evidence {
	names := make([]string, 0, mostNamed)
	for _, m := range members[:min(len(members), mostNamed)] {
		names = append(names, m.name)
	}
	return intray.Evidence{
		Choice: "members", Value: shorten(names, len(members)),
		Reason: intray.NewMessage("archive.members", intray.Params{"n": len(members)}),
	}
}

// shorten joins the first of so many names.
func shorten(names []string, total int) string {
	text := strings.Join(names, ", ")
	if total > len(names) {
		text += fmt.Sprintf(" and %d more", total-len(names))
	}
	return text
}

// passedOver keeps account of the members that are no tables. The zero value is
// ready.
type passedOver struct {
	names []string
	total int
	// whys are the reasons in the order of their first member, counts how many
	// members each has.
	whys   []intray.Message
	counts map[intray.Message]int
}

func (p *passedOver) add(name string, why intray.Message) {
	if p.counts == nil {
		p.counts = map[intray.Message]int{}
	}
	if !slices.Contains(p.whys, why) {
		p.whys = append(p.whys, why)
	}
	p.counts[why]++
	if p.total++; p.total <= mostNamed {
		p.names = append(p.names, name)
	}
}

// reasons counts the members of each reason.
func (p *passedOver) reasons() []intray.Message {
	list := make([]intray.Message, len(p.whys))
	for i, why := range p.whys {
		list[i] = intray.NewMessage("archive.passed_count", intray.Params{"members": why, "count": p.counts[why]})
	}
	return list
}

func (p *passedOver) evidence() []intray.Evidence {
	if p.total == 0 {
		return nil
	}
	return []intray.Evidence{{Choice: "passed over", Value: shorten(p.names, p.total), Reason: intray.NewMessage("archive.passed_over", intray.Params{"reasons": p.reasons()})}}
}
