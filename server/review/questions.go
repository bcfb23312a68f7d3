package review

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

// AnswerQuestions saves answers, keyed by the ids of their questions. An answer that selects the
// value for a raw value does not need a question. Its id consists of "value:", the key of the
// field, a colon and the raw value. A nil answer withdraws an earlier one. AnswerQuestions
// returns an Invalid error if answers contradict each other.
//
// If all open questions are then answered, or if an answer was withdrawn, the import
// runs again. If that would discard changes to rows, AnswerQuestions returns a
// Conflict unless discard is set.
func (s *Service) AnswerQuestions(ctx context.Context, org, id string, answers map[string]*string, discard bool) (model.Import, error) {
	return s.answer(ctx, org, id, answers, discard, false)
}

// AnswerQuestionsOnPage is like AnswerQuestions, for a person on the review page. The import does
// not end before the person submits it, so that a wrong answer can be noticed.
func (s *Service) AnswerQuestionsOnPage(ctx context.Context, org, id string, answers map[string]*string, discard bool) (model.Import, error) {
	return s.answer(ctx, org, id, answers, discard, true)
}

func (s *Service) answer(ctx context.Context, org, id string, answers map[string]*string, discard, confirm bool) (imp model.Import, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if imp, err = tx.Imports.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		if imp.Status != model.NeedsReview {
			return model.NewError(model.Conflict, "not_in_review", intray.NewMessage("question.not_in_review", intray.Params{"status": string(imp.Status), "wanted": string(model.NeedsReview)}))
		}
		schema, err := schemas.Frozen(imp)
		if err != nil {
			return err
		}
		imp.Confirm = imp.Confirm || confirm
		withdrawn, err := addAnswers(&imp, newValueAnswers(schema.Fields), answers)
		if err != nil {
			return err
		}
		if !withdrawn && !allAnswered(&imp) {
			imp.Modified = s.env.Now()
			return tx.Imports.UpdateIf(ctx, imp, model.NeedsReview, imp.Run)
		}
		changes, err := countChanges(ctx, tx, imp)
		switch {
		case err != nil:
			return err
		case changes > 0 && !discard:
			e := model.NewError(model.Conflict, "discards_changes", intray.NewMessage("question.discards_changes", intray.Params{"n": changes}))
			e.Changes = changes
			return e
		}
		return s.imports.RunAgain(ctx, tx, &imp)
	})
	return imp, err
}

// addAnswers adds answers to an import. It reports whether an earlier answer was withdrawn.
func addAnswers(imp *model.Import, texts *valueAnswers, answers map[string]*string) (withdrawn bool, err error) {
	if len(answers) == 0 {
		return false, model.InvalidField("answers", intray.NewMessage("answer.none", nil))
	}
	kept := maps.Clone(imp.Answers)
	if kept == nil {
		kept = intray.Answers{}
	}
	if slices.ContainsFunc(fileAnswers, func(id string) bool { _, given := answers[id]; return given }) {
		delete(kept, intray.AnswerDerived) // the file may have other columns now
	}
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		_, given := imp.Answers[id]
		switch value := answers[id]; {
		case value == nil && !given:
			return false, model.InvalidField("answers", intray.NewMessage("answer.not_given", intray.Params{"question": model.Truncate(id)}))
		case value == nil:
			delete(kept, id)
			withdrawn = true
		default:
			if kept[id], err = normalizeAnswer(imp, texts, id, *value); err != nil {
				return false, err
			}
		}
	}
	if len(kept) > imports.MaxMemory || answersSize(kept) > maxAnswersSize {
		return false, model.InvalidField("answers", intray.NewMessage("answer.too_many_with_earlier", intray.Params{"n": imports.MaxMemory, "size": maxAnswersSize}))
	}
	if err := checkContradictions(texts.fields, kept); err != nil {
		return false, err
	}
	imp.Answers = kept
	return withdrawn, nil
}

// maxAnswersSize is the maximum total size of the answers of an import and their ids, in bytes.
const maxAnswersSize = 1 << 20

func answersSize(answers intray.Answers) (n int) {
	for id, value := range answers {
		n += len(id) + len(value)
	}
	return n
}

// normalizeAnswer validates an answer and returns its normalized form.
func normalizeAnswer(imp *model.Import, texts *valueAnswers, id, value string) (string, error) {
	if isValueAnswer(id) {
		return texts.normalize(id, value)
	}
	at := slices.IndexFunc(imp.OpenQuestions(), func(q intray.Question) bool { return q.ID == id })
	if at < 0 {
		return "", model.InvalidField("answers", intray.NewMessage("answer.no_open_question", intray.Params{"question": model.Truncate(id)}))
	}
	if !imp.OpenQuestions()[at].Accepts(value, len(imp.Outcome.Headers)) {
		return "", invalidChoice(id, value)
	}
	return value, nil
}

// allAnswered reports whether every open question has an answer.
func allAnswered(imp *model.Import) bool {
	return !slices.ContainsFunc(imp.OpenQuestions(), func(q intray.Question) bool {
		_, given := imp.Answers[q.ID]
		return !given
	})
}

// fileAnswers are the ids of the answers about how to read a file. These answers
// determine the columns.
var fileAnswers = []string{intray.AnswerSheet, intray.AnswerEncoding, intray.AnswerDelimiter, intray.AnswerColumnStarts, intray.AnswerHeaderRow, intray.AnswerMisplacedQuotes}

// columnAnswerPrefixes are the prefixes of the ids of answers about columns and formats.
var columnAnswerPrefixes = []string{intray.AnswerColumn, intray.AnswerField, intray.AnswerNewField, intray.AnswerFormat}

// UpdateLayout changes how the file of an import under review is read and mapped,
// and queues the import for another run. It does not require open questions. A nil
// answer withdraws an earlier one. An answer about how to read the file discards
// earlier answers about columns. Changes to rows are discarded. The import does not end before a
// person submits it.
func (s *Service) UpdateLayout(ctx context.Context, org, id string, answers map[string]*string) (imp model.Import, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if imp, err = tx.Imports.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		if imp.Status != model.NeedsReview {
			return model.NewError(model.Conflict, "not_in_review", intray.NewMessage("layout.not_in_review", intray.Params{"status": string(imp.Status), "wanted": string(model.NeedsReview)}))
		}
		schema, err := schemas.Frozen(imp)
		if err != nil {
			return err
		}
		if imp.Answers, err = updatedAnswers(schema.Fields, imp, answers); err != nil {
			return err
		}
		imp.Confirm = true
		return s.imports.RunAgain(ctx, tx, &imp)
	})
	return imp, err
}

// updatedAnswers returns the answers of an import after an update with the given answers.
func updatedAnswers(fields []intray.Field, imp model.Import, answers map[string]*string) (intray.Answers, error) {
	if len(answers) == 0 {
		return nil, model.InvalidField("answers", intray.NewMessage("answer.none", nil))
	}
	kept := maps.Clone(imp.Answers)
	if kept == nil {
		kept = intray.Answers{}
	}
	columns := -1
	if imp.Outcome != nil && len(imp.Outcome.Headers) > 0 {
		columns = len(imp.Outcome.Headers) - imp.Outcome.Derived
	}
	if slices.ContainsFunc(fileAnswers, func(id string) bool { _, given := answers[id]; return given }) {
		columns = -1
		maps.DeleteFunc(kept, func(id, _ string) bool {
			return id == intray.AnswerDerived || slices.ContainsFunc(columnAnswerPrefixes, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
		})
	}
	fresh := intray.Answers{}
	for id, value := range answers {
		delete(kept, id)
		if value == nil {
			continue
		}
		if !isPossibleReading(imp, id, *value) {
			return nil, invalidChoice(id, *value)
		}
		fresh[id] = *value
	}
	if _, changes := answers[intray.AnswerDerived]; changes && columns >= 0 {
		releaseDerived(kept, columns+keptDerived(imp.Answers[intray.AnswerDerived], fresh[intray.AnswerDerived]))
	}
	releaseColumns(kept, fresh)
	if err := releaseCreated(fields, imp, kept, fresh); err != nil {
		return nil, err
	}
	maps.Copy(kept, fresh)
	if len(kept) > imports.MaxMemory || answersSize(kept) > maxAnswersSize {
		return nil, model.InvalidField("answers", intray.NewMessage("answer.too_many", intray.Params{"n": imports.MaxMemory, "size": maxAnswersSize}))
	}
	checked, err := CheckAnswers(fields, columns, kept)
	if err != nil {
		return nil, model.InvalidField("answers", intray.MessageOf(err))
	}
	return checked, nil
}

// keptDerived returns how many columns at the beginning of a list of derived columns remain the same.
func keptDerived(before, now string) (n int) {
	old, _ := intray.ParseDerivedColumns(before, -1)
	list, _ := intray.ParseDerivedColumns(now, -1)
	for n < min(len(old), len(list)) && reflect.DeepEqual(old[n], list[n]) {
		n++
	}
	return n
}

// releaseDerived removes answers that refer to columns from the given one on, because other columns
// may have these indexes now.
func releaseDerived(kept intray.Answers, first int) {
	isGone := func(text string) bool {
		column, err := strconv.Atoi(text)
		return err == nil && column >= first
	}
	maps.DeleteFunc(kept, func(id, value string) bool {
		if column, is := columnOfAnswer(id); is {
			return isGone(column)
		}
		return strings.HasPrefix(id, intray.AnswerColumn) && slices.ContainsFunc(strings.Split(value, ","), isGone)
	})
}

// CreatedFields returns the keys of the fields that people have created for columns of an import.
func CreatedFields(imp model.Import) (map[string]bool, error) {
	created := map[string]bool{}
	for id, name := range imp.Answers {
		if strings.HasPrefix(id, intray.AnswerNewField) {
			created[strings.TrimSpace(name)] = true
		}
	}
	if imp.Answers[intray.AnswerNewFields] == intray.AllColumns && imp.Outcome != nil {
		for _, header := range imp.Outcome.Headers {
			created[strings.TrimSpace(header)] = true
		}
	}
	if len(created) == 0 {
		return nil, nil
	}
	before := imp
	before.Outcome = nil
	schema, err := schemas.Frozen(before)
	if err != nil {
		return nil, err
	}
	for _, f := range schema.Fields {
		delete(created, f.Key)
	}
	return created, nil
}

// releaseCreated removes earlier answers about fields that do not exist, or that exist only because a person
// created them. The answers that create them are the only ones that can assign columns to them, so it refuses
// new answers that do so.
func releaseCreated(fields []intray.Field, imp model.Import, kept, fresh intray.Answers) error {
	created, err := CreatedFields(imp)
	if err != nil {
		return err
	}
	for id, value := range fresh {
		if key, is := strings.CutPrefix(id, intray.AnswerColumn); is && created[key] || strings.HasPrefix(id, intray.AnswerField) && created[value] {
			return invalidChoice(id, value)
		}
	}
	exists := map[string]bool{}
	for _, f := range fields {
		exists[f.Key] = !created[f.Key]
	}
	maps.DeleteFunc(kept, func(id, value string) bool {
		if key, is := strings.CutPrefix(id, intray.AnswerColumn); is {
			return !exists[key]
		}
		return strings.HasPrefix(id, intray.AnswerField) && value != intray.NoAnswer && !exists[value]
	})
	return nil
}

// columnOfAnswer returns the index of the column whose field an answer selects or creates.
func columnOfAnswer(id string) (column string, is bool) {
	if column, is = strings.CutPrefix(id, intray.AnswerField); is {
		return column, true
	}
	return strings.CutPrefix(id, intray.AnswerNewField)
}

// isPossibleReading reports whether an answer about how to read the file selects a
// known alternative, such as one of the sheets of the file.
func isPossibleReading(imp model.Import, id, value string) bool {
	if id == intray.AnswerHeaderRow || id == intray.AnswerColumnStarts || id == intray.AnswerMisplacedQuotes || !slices.Contains(fileAnswers, id) || imp.Outcome == nil {
		return true
	}
	accepts := func(q intray.Question) bool { return q.ID == id && q.Accepts(value, 0) }
	found := func(e intray.Evidence) bool {
		return e.Choice == id && (e.Value == value || slices.ContainsFunc(e.Alternatives, func(c intray.Choice) bool { return c.Value == value }))
	}
	return slices.ContainsFunc(imp.Outcome.Questions, accepts) || slices.ContainsFunc(imp.Outcome.Evidence, found)
}

// releaseColumns removes from the earlier answers the columns that new answers use.
func releaseColumns(kept, fresh intray.Answers) {
	mapped := map[string]bool{}
	for id, value := range fresh {
		if strings.HasPrefix(id, intray.AnswerColumn) {
			for column := range strings.SplitSeq(value, ",") {
				mapped[column] = true
			}
			continue
		}
		if column, isField := columnOfAnswer(id); isField {
			mapped[column] = true
		}
	}
	for id, value := range kept {
		if column, isField := columnOfAnswer(id); isField && mapped[column] {
			delete(kept, id)
			continue
		}
		if !strings.HasPrefix(id, intray.AnswerColumn) {
			continue
		}
		columns := slices.DeleteFunc(strings.Split(value, ","), func(column string) bool { return mapped[column] })
		switch text := strings.Join(columns, ","); {
		case text == "":
			delete(kept, id)
		case text != value:
			kept[id] = text
		}
	}
}

// CountChanges returns the number of changes in the current run that are not undone.
func (s *Service) CountChanges(ctx context.Context, imp model.Import) (int, error) {
	return model.View(ctx, s.env.Store, func(tx model.Tx) (int, error) { return countChanges(ctx, tx, imp) })
}

func countChanges(ctx context.Context, tx model.Tx, imp model.Import) (int, error) {
	if imp.Stage == "" || imp.Status != model.NeedsReview {
		return 0, nil
	}
	log, err := readLog(ctx, tx, imp)
	if err != nil {
		return 0, err
	}
	return len(log.revisions) - log.undone, nil
}
