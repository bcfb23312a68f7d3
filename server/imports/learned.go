package imports

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

// What is remembered for an import identifier at most; the oldest goes.
const (
	// MaxMemory is how many things.
	MaxMemory = 10_000
	// maxMemorySize is how many bytes of fields, texts and values together.
	maxMemorySize = 1 << 20
	// MaxMemoryText is how many bytes a header, the text of a cell or a value may
	// have. Where it has more nothing is remembered.
	MaxMemoryText = 1 << 10
)

// Memory gives what persons decided in imports of an identifier from offset on,
// newest first, and how many there are in all.
func (s *Service) Memory(ctx context.Context, org, identifier string, offset, limit int64) (list []model.LearnedMapping, total int64, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		list, total, err = tx.Memory.List(ctx, org, identifier, offset, limit)
		return err
	})
	return list, total, err
}

// ForgetMemory removes all of it, if there is any. Imports that have begun to run
// keep what they were offered.
func (s *Service) ForgetMemory(ctx context.Context, org, identifier string) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error { return tx.Memory.Forget(ctx, org, identifier) })
}

// recall gives an import that runs for the first time what is remembered. It
// keeps that, so that a further run has the same to go by.
func recall(ctx context.Context, tx model.Tx, imp *model.Import) error {
	if imp.Memory != nil {
		return nil
	}
	u, err := tx.Uploads.Get(ctx, imp.Org, imp.UploadID)
	if err != nil || u.ImportIdentifier == "" {
		return err
	}
	list, _, err := tx.Memory.List(ctx, imp.Org, u.ImportIdentifier, 0, MaxMemory)
	if err != nil {
		return err
	}
	imp.Memory = &intray.LearnedMappings{}
	for _, r := range list {
		if r.Kind == model.ColumnMemory {
			imp.Memory.Columns = append(imp.Memory.Columns, intray.LearnedColumn{Field: r.Field, Header: r.Text, On: r.On})
			continue
		}
		imp.Memory.Values = append(imp.Memory.Values, intray.LearnedValue{Field: r.Field, Text: r.Text, Value: r.Value, On: r.On})
	}
	return tx.Imports.UpdateIf(ctx, *imp, imp.Status, imp.Run)
}

// fitsMemory says whether a text can be remembered.
func fitsMemory(text string) bool { return text != "" && len(text) <= MaxMemoryText }

// learnedMappings is what the answers to the questions of an import teach for others.
type learnedMappings struct {
	identifier string
	// entries is what is to be remembered.
	entries []model.LearnedMapping
	// fields and headers are those that the answers decided on; present are the
	// headers of the file.
	fields, headers, inFile map[string]bool
}

// learnedFrom gives what is to be remembered of an import that ends; nil where it
// ends without a result or persons decided nothing. Answers about columns count
// where they had an effect, by the headers that tell the columns from all others
// of the file.
//
// That no column feeds a field is not remembered: it is true of one file, and
// in the next one it would leave out a column without a word.
func (s *Service) learnedFrom(imp model.Import, next model.Status) (*learnedMappings, error) {
	if next != model.Successful || len(imp.Answers) == 0 {
		return nil, nil
	}
	schema, err := schemas.Frozen(imp)
	if err != nil || schema.Settings.ImportIdentifier == "" {
		return nil, err
	}
	l := &learnedMappings{
		identifier: schema.Settings.ImportIdentifier,
		fields:     map[string]bool{}, headers: map[string]bool{}, inFile: map[string]bool{},
	}
	for _, header := range imp.Outcome.Headers {
		l.inFile[header] = true
	}
	for i, f := range schema.Fields {
		l.learnColumns(f.Key, imp.Outcome.Mapping.Fields[i].AllColumns(), imp)
		l.learnValues(f, imp.Answers)
	}
	l.learnUnused(imp)
	return l, nil
}

// learnColumns takes in that these columns feed the field, if persons said so.
func (l *learnedMappings) learnColumns(key string, columns []int, imp model.Import) {
	if !isDecided(imp.Answers, key, columns) {
		return
	}
	l.fields[key] = true
	for _, column := range columns {
		if header := imp.Outcome.Headers[column]; !l.headers[header] && headerStandsFor(imp.Outcome.Headers, header, columns) {
			l.headers[header] = true
			l.addEntry(model.LearnedMapping{Kind: model.ColumnMemory, Field: key, Text: header})
		}
	}
}

// isDecided says whether answers gave the field these columns.
func isDecided(answers intray.Answers, key string, columns []int) bool {
	if answer, asked := answers[intray.AnswerColumn+key]; asked {
		var list []int
		for one := range strings.SplitSeq(answer, ",") {
			if n, err := strconv.Atoi(one); err == nil {
				list = append(list, n)
			}
		}
		slices.Sort(list)
		return slices.Equal(list, slices.Sorted(slices.Values(columns))) && (len(list) > 0 || answer == intray.NoAnswer)
	}
	other := func(column int) bool { return answers[intray.AnswerField+strconv.Itoa(column)] != key }
	return len(columns) > 0 && !slices.ContainsFunc(columns, other)
}

// headerStandsFor says whether a header stands for these columns: all columns that have it
// are among them.
func headerStandsFor(headers []string, header string, columns []int) bool {
	for i, other := range headers {
		if other == header && !slices.Contains(columns, i) {
			return false
		}
	}
	return true
}

// learnUnused takes in that columns feed no field: what was remembered of them
// is wrong.
func (l *learnedMappings) learnUnused(imp model.Import) {
	for column, header := range imp.Outcome.Headers {
		answer := imp.Answers[intray.AnswerField+strconv.Itoa(column)]
		if answer == intray.NoAnswer && headerStandsFor(imp.Outcome.Headers, header, []int{column}) {
			l.headers[header] = true
		}
	}
}

// learnValues takes in which texts stand for which values of a field.
func (l *learnedMappings) learnValues(f intray.Field, answers intray.Answers) {
	if !HasChoices(f) {
		return
	}
	prefix := intray.AnswerValue + f.Key + ":"
	for id, value := range answers {
		if text, about := strings.CutPrefix(id, prefix); about {
			l.addEntry(model.LearnedMapping{Kind: model.ValueMemory, Field: f.Key, Text: text, Value: value})
		}
	}
}

func (l *learnedMappings) addEntry(r model.LearnedMapping) {
	if fitsMemory(r.Text) && len(r.Value) <= MaxMemoryText {
		l.entries = append(l.entries, r)
	}
}

// contradicts says whether something remembered does not hold any more: it is
// about a header that a person has now decided on, or gives a field that was
// decided on another column of the same file.
func (l *learnedMappings) contradicts(r model.LearnedMapping) bool {
	return r.Kind == model.ColumnMemory && (l.headers[r.Text] || l.fields[r.Field] && l.inFile[r.Text])
}

// saveLearned writes a lesson down, with the end of its import.
func (s *Service) saveLearned(ctx context.Context, tx model.Tx, imp model.Import, l *learnedMappings) error {
	if l == nil {
		return nil
	}
	before, _, err := tx.Memory.List(ctx, imp.Org, l.identifier, 0, MaxMemory)
	if err != nil {
		return err
	}
	for _, r := range before {
		if l.contradicts(r) {
			if err := tx.Memory.Remove(ctx, r); err != nil {
				return err
			}
		}
	}
	// In one order, so that two that end at once wait for each other in no circle.
	slices.SortFunc(l.entries, func(a, b model.LearnedMapping) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Text, b.Text))
	})
	for _, r := range l.entries {
		r.Org, r.ImportIdentifier, r.On = imp.Org, l.identifier, imp.Modified
		if err := tx.Memory.Upsert(ctx, r); err != nil {
			return err
		}
	}
	return tx.Memory.Trim(ctx, imp.Org, l.identifier, MaxMemory, maxMemorySize)
}

// choiceTypes are the types whose values are chosen from a list, so that a person can
// say what a text stands for.
var choiceTypes = []intray.TypeName{intray.TypeSelect, intray.TypeMultiSelect, intray.TypeCountry, intray.TypeState}

// HasChoices reports whether a person can say what a text in the field stands for.
func HasChoices(f intray.Field) bool { return !f.Hidden && slices.Contains(choiceTypes, f.Type.Name) }
