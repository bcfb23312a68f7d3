package schemajson

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// gaps is what the shapes allow and this version of Intray does not support.
// A feature that arrives is taken out of this table and nowhere else.
type gaps struct {
	types     []intray.TypeName
	rules     []string
	manyToOne bool
}

func unsupported() gaps {
	return gaps{
		types: nil,
		rules: []string{
			"regex_match", "regex_exclude",
		},
		manyToOne: true,
	}
}

// otherTypes are the types that are supported, in words.
func (g gaps) otherTypes() string {
	var names []string
	for _, t := range fieldTypes() {
		if !slices.Contains(g.types, t.name) {
			names = append(names, string(t.name))
		}
	}
	return strings.Join(names, ", ")
}

// otherRules are the validators that are supported, in words.
func (g gaps) otherRules() string {
	var names []string
	for _, r := range rules() {
		if !slices.Contains(g.rules, r.name) {
			names = append(names, r.name)
		}
	}
	return strings.Join(names, ", ")
}

func (p *parser) checkSupport(at string, f intray.Field) {
	g := p.gaps
	if slices.Contains(g.types, f.Type.Name) {
		p.issue(at+".type", "%s is not supported by this version of Intray; supported are %s", f.Type.Name, g.otherTypes())
	}
	for i, v := range f.Validators {
		if slices.Contains(g.rules, v.Rule) {
			p.issue(at+"."+indexed("validators", i)+".validate", "%s is not supported by this version of Intray; supported are %s", v.Rule, g.otherRules())
		}
	}
	if f.ManyToOne && g.manyToOne {
		p.issue(at+".manyToOne", "is not supported by this version of Intray; map one column to the field")
	}
}
