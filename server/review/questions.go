package review

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

// AnswerQuestions keeps what a person decided, by the ids of the questions. What
// a text of the file stands for can be said without a question: "value:", the
// key of a field, a colon and the text. Two answers that contradict each other are
// refused. An earlier answer is taken back by nil.
// Once no open question is without an answer, or one was taken back, the import
// runs again from its stored file. Where that would lose changes of rows it is refused,
// unless they are to be discarded.
func (s *Service) AnswerQuestions(ctx context.Context, org, id string, answers map[string]*string, discard bool) (imp model.Import, err error) {
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
		back, err := addAnswers(&imp, newValueAnswers(schema.Fields), answers)
		if err != nil {
			return err
		}
		if !back && !allAnswered(&imp) {
			imp.Modified = s.env.Now()
			return tx.Imports.UpdateIf(ctx, imp, model.NeedsReview, imp.Run)
		}
		changes, err := countChanges(ctx, tx, imp)
		switch {
		case err != nil:
			return err
		case changes > 0 && !discard:
			return discardError(changes)
		}
		return s.imports.RunAgain(ctx, tx, &imp)
	})
	return imp, err
}

// discardError refuses what would lose so many changes of rows.
func discardError(changes int) error {
	e := model.NewError(model.Conflict, "discards_changes", intray.NewMessage("question.discards_changes", intray.Params{"n": changes}))
	e.Changes = changes
	return e
}

// addAnswers adds answers, and says whether one was taken back.
func addAnswers(imp *model.Import, texts *valueAnswers, answers map[string]*string) (back bool, err error) {
	if len(answers) == 0 {
		return false, model.InvalidField("answers", intray.NewMessage("answer.none", nil))
	}
	kept := maps.Clone(imp.Answers)
	if kept == nil {
		kept = intray.Answers{}
	}
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		_, given := imp.Answers[id]
		switch value := answers[id]; {
		case value == nil && !given:
			return false, model.InvalidField("answers", intray.NewMessage("answer.not_given", intray.Params{"question": model.Truncate(id)}))
		case value == nil:
			delete(kept, id)
			back = true
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
	return back, nil
}

// maxAnswersSize is the most bytes of all answers about an import, with their ids.
const maxAnswersSize = 1 << 20

func answersSize(answers intray.Answers) (n int) {
	for id, value := range answers {
		n += len(id) + len(value)
	}
	return n
}

// normalizeAnswer gives an answer as it is kept, or says what is wrong with it.
func normalizeAnswer(imp *model.Import, texts *valueAnswers, id, value string) (kept string, err error) {
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

// allAnswered says whether every open question has an answer.
func allAnswered(imp *model.Import) bool {
	return !slices.ContainsFunc(imp.OpenQuestions(), func(q intray.Question) bool {
		_, given := imp.Answers[q.ID]
		return !given
	})
}

// fileAnswers are the answers about the reading of a file: with another one the
// columns are others.
var fileAnswers = []string{intray.AnswerSheet, intray.AnswerEncoding, intray.AnswerDelimiter, intray.AnswerHeaderRow}

// columnAnswerPrefixes are the beginnings of the answers about columns.
var columnAnswerPrefixes = []string{intray.AnswerColumn, intray.AnswerField, intray.AnswerFormat}

// UpdateLayout decides anew how the file of an import under review is read and which
// columns feed which fields, also where no question asked for it, and lets the
// import run again. nil takes an answer back. Where the reading of the file
// changes, earlier answers about its columns go, unless they are given again.
// Changes of rows are dropped.
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
		return s.imports.RunAgain(ctx, tx, &imp)
	})
	return imp, err
}

// updatedAnswers are the answers about an import with those that are given anew.
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
		columns = len(imp.Outcome.Headers)
	}
	if slices.ContainsFunc(fileAnswers, func(id string) bool { _, given := answers[id]; return given }) {
		columns = -1
		maps.DeleteFunc(kept, func(id, _ string) bool { return isColumnAnswer(id) })
	}
	fresh := intray.Answers{}
	for id, value := range answers {
		delete(kept, id)
		if value == nil {
			continue
		}
		if !isReadableAs(imp, id, *value) {
			return nil, invalidChoice(id, *value)
		}
		fresh[id] = *value
	}
	releaseColumns(kept, fresh)
	maps.Copy(kept, fresh)
	if len(kept) > imports.MaxMemory || answersSize(kept) > maxAnswersSize {
		return nil, model.InvalidField("answers", intray.NewMessage("answer.too_many", intray.Params{"n": imports.MaxMemory, "size": maxAnswersSize}))
	}
	judged, err := CheckAnswers(fields, columns, kept)
	if err != nil {
		return nil, model.InvalidField("answers", intray.MessageOf(err))
	}
	return judged, nil
}

// readable says whether a file can be read as an answer wants it. Of what it was
// found to hold, such as its sheets, one must be named.
func isReadableAs(imp model.Import, id, value string) bool {
	if id == intray.AnswerHeaderRow || !slices.Contains(fileAnswers, id) || imp.Outcome == nil {
		return true
	}
	takes := func(q intray.Question) bool { return q.ID == id && q.Accepts(value, 0) }
	found := func(e intray.Evidence) bool {
		is := func(c intray.Choice) bool { return c.Value == value }
		return e.Choice == id && (e.Value == value || slices.ContainsFunc(e.Alternatives, is))
	}
	return slices.ContainsFunc(imp.Outcome.Questions, takes) || slices.ContainsFunc(imp.Outcome.Evidence, found)
}

func isColumnAnswer(id string) bool {
	return slices.ContainsFunc(columnAnswerPrefixes, func(start string) bool { return strings.HasPrefix(id, start) })
}

// releaseColumns takes from earlier answers the columns that new ones give to other
// fields: what was said last holds.
func releaseColumns(kept, fresh intray.Answers) {
	given := map[string]bool{}
	for id, value := range fresh {
		if strings.HasPrefix(id, intray.AnswerColumn) {
			for one := range strings.SplitSeq(value, ",") {
				given[one] = true
			}
			continue
		}
		if index, about := strings.CutPrefix(id, intray.AnswerField); about {
			given[index] = true
		}
	}
	for id, value := range kept {
		if index, about := strings.CutPrefix(id, intray.AnswerField); about && given[index] {
			delete(kept, id)
			continue
		}
		if !strings.HasPrefix(id, intray.AnswerColumn) {
			continue
		}
		left := slices.DeleteFunc(strings.Split(value, ","), func(one string) bool { return given[one] })
		switch text := strings.Join(left, ","); {
		case text == "":
			delete(kept, id)
		case text != value:
			kept[id] = text
		}
	}
}

// CountChanges are how many changes of rows were made and not undone since the import
// was read last.
func (s *Service) CountChanges(ctx context.Context, imp model.Import) (n int, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		n, err = countChanges(ctx, tx, imp)
		return err
	})
	return n, err
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
