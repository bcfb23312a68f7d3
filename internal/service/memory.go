package service

import (
	"context"

	"github.com/intraydata/intray"
)

// What is remembered for an import identifier at most; the oldest goes.
const (
	// MaxMemory is how many things.
	MaxMemory = 10_000
	// maxMemorySize is how many bytes of fields, texts and values together.
	maxMemorySize = 1 << 20
	// maxMemoryText is how many bytes a header, the text of a cell or a value may
	// have. Where it has more nothing is remembered.
	maxMemoryText = 1 << 10
)

// Memory gives what persons decided in imports of an identifier from offset on,
// newest first, and how many there are in all.
func (s *Service) Memory(ctx context.Context, org, identifier string, offset, limit int64) (list []Remembered, total int64, err error) {
	err = s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		list, total, err = tx.Memory.List(ctx, org, identifier, offset, limit)
		return err
	})
	return list, total, err
}

// ForgetMemory removes all of it, if there is any. Imports that have begun to run
// keep what they were offered.
func (s *Service) ForgetMemory(ctx context.Context, org, identifier string) error {
	return s.cfg.Store.Update(ctx, func(tx Tx) error { return tx.Memory.Forget(ctx, org, identifier) })
}

// recall gives an import that runs for the first time what is remembered. It
// keeps that, so that a further run has the same to go by.
func recall(ctx context.Context, tx Tx, imp *Import) error {
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
	imp.Memory = &intray.Memory{}
	for _, r := range list {
		if r.Kind == ColumnMemory {
			imp.Memory.Columns = append(imp.Memory.Columns, intray.RememberedColumn{Field: r.Field, Header: r.Text, On: r.On})
			continue
		}
		imp.Memory.Values = append(imp.Memory.Values, intray.RememberedValue{Field: r.Field, Text: r.Text, Value: r.Value, On: r.On})
	}
	return tx.Imports.Move(ctx, *imp, imp.Status, imp.Run)
}

// recalled is what a run is offered.
func (imp Import) recalled() intray.Memory {
	if imp.Memory == nil {
		return intray.Memory{}
	}
	return *imp.Memory
}

// memorable says whether a text can be remembered.
func memorable(text string) bool { return text != "" && len(text) <= maxMemoryText }
