package mapping

import "github.com/intraydata/intray"

// Recommendation is a column that the values alone suggest for a field. It is never a match,
// because columns can contain the same kind of values for different reasons.
type Recommendation struct {
	// Column is the index of the column.
	Column int
	// Reason states what distinguishes the values of the column.
	Reason intray.Message
}

// RecommendByValues returns recommendations by the key of the field, for fields whose column no
// header decides. It recommends a column if it is the only one with values of the kind that the
// field requires, such as dates or options of a select field, and the field is the only one that
// requires values of this kind. It considers at most 500 fields and 500 columns, and none if there
// are more.
func RecommendByValues(fields []intray.Field, columns []intray.Column) map[string]Recommendation {
	if len(fields) > maxGuess || len(columns) > maxGuess {
		return nil
	}
	profiles := make([]profile, len(columns))
	for i, c := range columns {
		profiles[i] = profileColumn(c)
	}
	all := map[string]Recommendation{}
	// claims counts the fields whose values a column contains.
	claims := make([]int, len(columns))
	for _, f := range fields {
		if f.Hidden {
			continue
		}
		var found []Recommendation
		options := optionNames(f)
		for i, c := range columns {
			if reason, ok := valuesOf(f, options, c, profiles[i]); ok {
				claims[i]++
				found = append(found, Recommendation{i, reason})
			}
		}
		if len(found) == 1 {
			all[f.Key] = found[0]
		}
	}
	for key, r := range all {
		if claims[r.Column] > 1 {
			delete(all, key)
			continue
		}
		r.Column = columns[r.Column].Index
		all[key] = r
	}
	return all
}

// valuesOf reports whether most values of a column are options of the field or of the kind of
// values that its type requires, with the reason.
func valuesOf(f intray.Field, options map[string]bool, c intray.Column, p profile) (intray.Message, bool) {
	if len(options) > 0 {
		share, ok := chosenFrom(options, c)
		return intray.NewMessage("mapping.only_options", intray.Params{"percent": percent(share)}), ok && share >= mostShare && p.total > 1
	}
	kind := kindOf(f.Type.Name)
	s, ok := kindShapes[kind]
	if share := p.share(s); ok && share >= mostShare && !p.rulesOut(kind) && (p.total > 1 || shapeRules[kind].distinctive) && (kind != "number" || !p.looksLikePhones()) {
		return intray.NewMessage("mapping.only_values", intray.Params{"percent": percent(share), "values": intray.NewMessage(shapeRules[kind].label, nil)}), true
	}
	return intray.Message{}, false
}

// kindShapes maps kinds of values to the shape that distinguishes them.
var kindShapes = map[string]shape{
	"email": shapeEmail, "url": shapeURL, "domain": shapeDomain, "date": shapeDate, "time": shapeTime, "phone": shapePhone, "uuid": shapeUUID,
	"number": shapeNumber, "flag": shapeFlag,
}

// looksLikePhones reports whether most cells are phone numbers and not all of them consist only of
// digits.
func (p profile) looksLikePhones() bool {
	return p.share(shapePhone) >= mostShare && p.share(shapeInteger) < mostShare
}
