package service

import (
	"cmp"
	"context"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/seal"
	"github.com/intraydata/intray/schemajson"
)

// VisitLife is how long a person may go on reviewing before the link must be
// opened again.
const VisitLife = 12 * time.Hour

// Visit exchanges the review token of an import for one of a visit, which lasts
// VisitLife.
func (s *Service) Visit(ctx context.Context, id, token string) (Import, string, error) {
	imp, err := s.opened(ctx, s.keys.review, id, token, reviewLink)
	if err != nil {
		return Import{}, "", err
	}
	visit, err := s.sign(s.keys.visit, grant{Org: imp.Org, ID: imp.ID, Expires: until(s.now().Add(VisitLife))})
	return imp, visit, err
}

// Reviewed opens the import that a visit is for.
func (s *Service) Reviewed(ctx context.Context, id, visit string) (Import, error) {
	return s.opened(ctx, s.keys.visit, id, visit, visitLink)
}

// opened gives the import that a token of the key was made for.
func (s *Service) opened(ctx context.Context, key seal.Key, id, token string, link intray.Message) (Import, error) {
	g, err := s.verify(key, token, link)
	if err != nil {
		return Import{}, err
	}
	if g.ID != id {
		return Import{}, altered(link)
	}
	return s.Import(ctx, g.Org, id)
}

// FrozenSchema gives the schema that an import was made with, once it has ended
// with the fields that hooks added or removed.
func (s *Service) FrozenSchema(imp Import) (*intray.Schema, error) {
	doc, err := decode("", imp.Schema)
	if err != nil {
		return nil, err
	}
	schema := schemajson.Accepted(doc)
	if imp.Outcome != nil {
		schema = imp.Outcome.Schema(schema)
	}
	return schema, nil
}

// ReviewFace is how the review page of an import is to look and what it is to say
// of its end.
type ReviewFace struct {
	// Title is what the person knows the import by: the title of its settings, else
	// its identifier, else "".
	Title string
	// Invalid is what becomes of rows with an error.
	Invalid intray.InvalidDataBehavior
	// Styles are the styleOverrides of the settings, as they were sent; nil where
	// there are none.
	Styles map[string]any
}

// ReviewFace gives that of an import.
func (s *Service) ReviewFace(imp Import) (ReviewFace, error) {
	schema, err := s.FrozenSchema(imp)
	if err != nil {
		return ReviewFace{}, err
	}
	face := ReviewFace{Title: cmp.Or(schema.Settings.Title, schema.Settings.ImportIdentifier), Invalid: schema.Settings.InvalidDataBehavior}
	doc, err := decode("", imp.Schema)
	if settings, are := doc.Settings.(map[string]any); are {
		face.Styles, _ = settings["styleOverrides"].(map[string]any)
	}
	return face, err
}
