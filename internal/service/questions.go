package service

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/intraydata/intray"
)

// Open are the questions of an import that only a person can answer.
func (imp Import) Open() []intray.Question {
	if imp.Outcome == nil || imp.Status != NeedsReview {
		return nil
	}
	return imp.Outcome.Questions
}

// AnswerQuestions keeps what a person decided, by the ids of the questions. What
// a text of the file stands for can be said without a question: "value:", the
// key of a field, a colon and the text. Two answers that contradict each other are
// refused. An earlier answer is taken back by nil.
// Once no open question is without an answer, or one was taken back, the import
// runs again from its stored file. Where that would lose changes of rows it is refused,
// unless they are to be discarded.
func (s *Service) AnswerQuestions(ctx context.Context, org, id string, answers map[string]*string, discard bool) (imp Import, err error) {
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		if imp, err = tx.Imports.Get(ctx, org, id); err != nil {
			return named(err, importMissing)
		}
		if imp.Status != NeedsReview {
			return refuse(Conflict, "not_in_review", intray.NewMessage("question.not_in_review", intray.Params{"status": string(imp.Status), "wanted": string(NeedsReview)}))
		}
		schema, err := s.FrozenSchema(imp)
		if err != nil {
			return err
		}
		back, err := imp.take(newTexts(schema.Fields), answers)
		if err != nil {
			return err
		}
		if !back && !imp.settled() {
			imp.Modified = s.now()
			return tx.Imports.Move(ctx, imp, NeedsReview, imp.Run)
		}
		changes, err := changesOf(ctx, tx, imp)
		switch {
		case err != nil:
			return err
		case changes > 0 && !discard:
			return wouldDiscard(changes)
		}
		return s.runAgain(ctx, tx, &imp)
	})
	return imp, err
}

// wouldDiscard refuses what would lose so many changes of rows.
func wouldDiscard(changes int) error {
	e := refuse(Conflict, "discards_changes", intray.NewMessage("question.discards_changes", intray.Params{"n": changes}))
	e.Changes = changes
	return e
}

// take adds answers, and says whether one was taken back.
func (imp *Import) take(texts *texts, answers map[string]*string) (back bool, err error) {
	if len(answers) == 0 {
		return false, invalidField("answers", intray.NewMessage("answer.none", nil))
	}
	kept := maps.Clone(imp.Answers)
	if kept == nil {
		kept = intray.Answers{}
	}
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		_, given := imp.Answers[id]
		switch value := answers[id]; {
		case value == nil && !given:
			return false, invalidField("answers", intray.NewMessage("answer.not_given", intray.Params{"question": clip(id)}))
		case value == nil:
			delete(kept, id)
			back = true
		default:
			if kept[id], err = imp.accept(texts, id, *value); err != nil {
				return false, err
			}
		}
	}
	if len(kept) > MaxMemory || size(kept) > maxAnswersSize {
		return false, invalidField("answers", intray.NewMessage("answer.too_many_with_earlier", intray.Params{"n": MaxMemory, "size": maxAnswersSize}))
	}
	if err := clash(texts.fields, kept); err != nil {
		return false, err
	}
	imp.Answers = kept
	return back, nil
}

// maxAnswersSize is the most bytes of all answers about an import, with their ids.
const maxAnswersSize = 1 << 20

func size(answers intray.Answers) (n int) {
	for id, value := range answers {
		n += len(id) + len(value)
	}
	return n
}

// accept gives an answer as it is kept, or says what is wrong with it.
func (imp *Import) accept(texts *texts, id, value string) (kept string, err error) {
	if aboutText(id) {
		return texts.accept(id, value)
	}
	at := slices.IndexFunc(imp.Open(), func(q intray.Question) bool { return q.ID == id })
	if at < 0 {
		return "", invalidField("answers", intray.NewMessage("answer.no_open_question", intray.Params{"question": clip(id)}))
	}
	if !imp.Open()[at].Takes(value, len(imp.Outcome.Headers)) {
		return "", notAmong(id, value)
	}
	return value, nil
}

// clip shortens what a request holds for a sentence about it.
func clip(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// settled says whether every open question has an answer.
func (imp *Import) settled() bool {
	return !slices.ContainsFunc(imp.Open(), func(q intray.Question) bool {
		_, given := imp.Answers[q.ID]
		return !given
	})
}

// runAgain queues an import anew. What its last run staged goes.
func (s *Service) runAgain(ctx context.Context, tx Tx, imp *Import) error {
	if err := s.discard(ctx, tx, *imp); err != nil {
		return fmt.Errorf("discard the last run: %w", err)
	}
	imp.Outcome, imp.Stage, imp.Lost = nil, "", 0
	if err := s.move(ctx, tx, imp, Pending); err != nil {
		return err
	}
	return wake(ctx, tx)
}
