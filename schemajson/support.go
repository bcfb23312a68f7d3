package schemajson

import "github.com/intraydata/intray"

// checkSupport refuses what the shapes allow and this version of Intray does not
// support.
func (p *parser) checkSupport(at string, f intray.Field) {
	if f.ManyToOne {
		p.issue(at+".manyToOne", "is not supported by this version of Intray; map one column to the field")
	}
}
