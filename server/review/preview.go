package review

import (
	"context"
	"errors"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/source"
)

// PreviewFile returns at most limit rows from the top of the received file of an import under review,
// as its answers say how to read it. sheet is the index of a sheet, or negative for the chosen one.
func (s *Service) PreviewFile(ctx context.Context, imp model.Import, sheet, limit int) (preview engine.Preview, err error) {
	err = s.previewing(ctx, imp, func(run engine.Import) (err error) {
		preview, err = s.engine.Preview(ctx, run, sheet, limit)
		return err
	})
	return preview, err
}

// PreviewDerived returns the cells that added columns would have in the first rows of the table of an import under
// review, at most limit rows. columns is an answer with the id AnswerDerived.
func (s *Service) PreviewDerived(ctx context.Context, imp model.Import, columns string, limit int) (rows [][]string, err error) {
	err = s.previewing(ctx, imp, func(run engine.Import) error {
		found, ok, err := s.engine.PreviewDerived(ctx, run, columns, limit)
		if rows = found; err == nil && !ok {
			err = invalidChoice(intray.AnswerDerived, columns)
		}
		return err
	})
	return rows, err
}

// previewing calls preview with an import under review and its open file.
func (s *Service) previewing(ctx context.Context, imp model.Import, preview func(engine.Import) error) (err error) {
	if imp.Status != model.NeedsReview {
		return notInReviewError(imp)
	}
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return err
	}
	raw, err := s.env.OpenFile(ctx, imp.Raw)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	err = preview(engine.Import{Input: source.Input{Name: imp.SourceName(), ReaderAt: raw, Size: raw.Size()}, Schema: schema, Answers: imp.Answers})
	var unreadable *source.UnreadableError
	var limited *source.LimitError
	switch { // an answer can make the file unreadable
	case errors.As(err, &unreadable):
		err = model.NewError(model.Conflict, "no_preview", unreadable.Describe())
	case errors.As(err, &limited):
		err = model.NewError(model.Conflict, "no_preview", limited.Describe())
	}
	return err
}

// PreviewText returns the beginning of the text of a cell, of at most limit bytes.
func PreviewText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := 0
	for i := range text {
		if i > limit {
			break
		}
		end = i
	}
	return text[:end] + "…"
}
