package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
)

// maxNewFields is the maximum number of fields that people can create in an import.
const maxNewFields = 200

// createFields adds the fields that people create for columns that map to none. A column whose name is
// not a possible key, or the key of another field, stays unmapped.
func (p *importRun) createFields(columns []intray.Column) {
	if !p.imp.Schema.Settings.AllowCustomFields {
		return
	}
	m := &p.out.Mapping
	created := 0
	for _, c := range columns {
		name, wanted := p.imp.Answers[intray.AnswerNewField+strconv.Itoa(c.Index)]
		if !wanted && p.imp.Answers[intray.AnswerNewFields] == intray.AllColumns && p.imp.Answers[intray.AnswerField+strconv.Itoa(c.Index)] != intray.NoAnswer {
			name = c.Header
		}
		name = strings.TrimSpace(name)
		at := slices.Index(m.Unmapped, c.Index)
		if !intray.IsNewFieldKey(name) || at < 0 || created == maxNewFields || p.imp.Schema.FieldIndex(name) >= 0 {
			continue
		}
		created++
		m.Unmapped = slices.Delete(m.Unmapped, at, at+1)
		m.Fields = append(m.Fields, chosenMatch(intray.Field{}, []int{c.Index}, columns))
		s := p.cloneSchema()
		s.Fields = append(s.Fields, intray.Field{Key: name, Label: name, Type: intray.FieldType{Name: intray.TypeString}})
		p.out.Fields = s.Fields
	}
}
