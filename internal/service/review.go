package service

import (
	"cmp"
	"context"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schemajson"
)

// Reviewed opens the import that a review token was made for.
func (s *Service) Reviewed(ctx context.Context, id, token string) (Import, error) {
	g, err := s.verify(s.keys.review, token, "review link")
	if err != nil {
		return Import{}, err
	}
	if g.ID != id {
		return Import{}, refuse(Denied, "bad_signature", "This review link is not one that was given out. Use it exactly as it was given.")
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

// ReviewTitle is what the person who reviews knows the import by: the title of
// its settings, else its identifier, else "".
func (s *Service) ReviewTitle(imp Import) (string, error) {
	schema, err := s.FrozenSchema(imp)
	if err != nil {
		return "", err
	}
	return cmp.Or(schema.Settings.Title, schema.Settings.ImportIdentifier), nil
}
