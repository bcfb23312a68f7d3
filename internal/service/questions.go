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

// AnswerQuestions keeps what a person decided, by the ids of the questions. An
// earlier answer is taken back by nil. Once no open question is without an
// answer, or one was taken back, the import runs again from its stored file.
func (s *Service) AnswerQuestions(ctx context.Context, org, id string, answers map[string]*string) (imp Import, err error) {
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		if imp, err = tx.Imports.Get(ctx, org, id); err != nil {
			return named(err, "import")
		}
		if imp.Status != NeedsReview {
			return refuse(Conflict, "not_in_review", "The import is %s; questions are answered while it is %s.", imp.Status, NeedsReview)
		}
		back, err := imp.take(answers)
		if err != nil {
			return err
		}
		if !back && !imp.settled() {
			imp.Modified = s.now()
			return tx.Imports.Move(ctx, imp, NeedsReview, imp.Run)
		}
		return s.runAgain(ctx, tx, &imp)
	})
	return imp, err
}

// take adds answers, and says whether one was taken back.
func (imp *Import) take(answers map[string]*string) (back bool, err error) {
	if len(answers) == 0 {
		return false, invalidField("answers", "must hold at least one answer")
	}
	kept := maps.Clone(imp.Answers)
	if kept == nil {
		kept = intray.Answers{}
	}
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		switch value := answers[id]; {
		case value == nil && imp.Answers[id] == "":
			return false, invalidField("answers", "%q has no answer that could be taken back", clip(id))
		case value == nil:
			delete(kept, id)
			back = true
		default:
			if err := imp.accepts(id, *value); err != nil {
				return false, err
			}
			kept[id] = *value
		}
	}
	imp.Answers = kept
	return back, nil
}

// accepts says what is wrong with an answer.
func (imp *Import) accepts(id, value string) error {
	at := slices.IndexFunc(imp.Open(), func(q intray.Question) bool { return q.ID == id })
	if at < 0 {
		return invalidField("answers", "%q is no open question of this import", clip(id))
	}
	if !imp.Open()[at].Takes(value, len(imp.Outcome.Headers)) {
		return invalidField("answers", "%q is not among the choices of %q", clip(value), clip(id))
	}
	return nil
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
	return !slices.ContainsFunc(imp.Open(), func(q intray.Question) bool { return imp.Answers[q.ID] == "" })
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
