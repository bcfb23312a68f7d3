package archive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

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
