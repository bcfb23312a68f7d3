package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/blob"
	"github.com/intraydata/intray/internal/stage"
	"github.com/intraydata/intray/output"
)

// MaxUploads is the most uploads that one list holds.
const MaxUploads = 10000

// Upload gives an upload, whatever its status.
func (s *Service) Upload(ctx context.Context, org, id string) (u Upload, err error) {
	err = s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		u, err = tx.Uploads.Get(ctx, org, id)
		return err
	})
	return u, named(err, uploadMissing)
}

// Uploads shows the processed uploads to use: how many the filter leaves, and
// those from place start up to, not including, end. They are read as they are
// used, and are gone when use returns.
func (s *Service) Uploads(ctx context.Context, org string, f UploadFilter, start, end int64, use func(total int64, list iter.Seq2[Upload, error]) error) error {
	return s.cfg.Store.View(ctx, func(tx Tx) error {
		total, err := tx.Uploads.Count(ctx, org, f)
		if err != nil {
			return err
		}
		return use(total, tx.Uploads.Processed(ctx, org, f, start, end))
	})
}

// ProcessedUpload gives an upload that has a result; before it has one it is a
// Conflict.
func (s *Service) ProcessedUpload(ctx context.Context, org, id string) (Upload, error) {
	u, err := s.Upload(ctx, org, id)
	if err == nil && u.Status != UploadProcessed {
		err = refuse(Conflict, "not_finished", intray.NewMessage("upload.not_finished", intray.Params{"status": string(u.Status), "wanted": string(UploadProcessed)}))
	}
	return u, err
}

// DeleteUpload removes an upload, the file that was received and the result.
// The import stays as a record without them. While the import is under way it
// is a Conflict.
func (s *Service) DeleteUpload(ctx context.Context, org, id string) error {
	var imp Import
	err := s.cfg.Store.Update(ctx, func(tx Tx) error {
		u, err := tx.Uploads.Get(ctx, org, id)
		if err != nil {
			return named(err, uploadMissing)
		}
		if imp, err = tx.Imports.Get(ctx, org, u.ImportID); err != nil {
			return err
		}
		if imp.Status != Successful && imp.Status != Failed {
			return refuse(Conflict, "not_finished", intray.NewMessage("upload.import_not_finished", intray.Params{"status": string(imp.Status)}))
		}
		if err := tx.Uploads.Delete(ctx, org, id); err != nil {
			return err
		}
		if err := s.receipt(ctx, tx, imp, askedFor, imp.parts()...); err != nil {
			return err
		}
		return tx.Trash.Add(ctx, Trash{Prefix: imp.prefix(), Due: s.now()})
	})
	if err != nil {
		return err
	}
	s.empty(ctx, imp.prefix())
	return nil
}

// Download is a file that a download token opens.
type Download struct {
	Upload Upload
	// What is RawFile, or the output format of the result.
	What string
	// Stored is the file where it is stored as it is; nil where it is made on
	// the way.
	Stored blob.Reader

	write func(w io.Writer) error
	close func() error
}

// Close closes what the file is read from.
func (d *Download) Close() error {
	if d.Stored != nil {
		return d.Stored.Close()
	}
	return d.close()
}

// Write makes the file that is not stored, and closes what it is read from.
func (d *Download) Write(w io.Writer) error {
	return errors.Join(d.write(w), d.Close())
}

// Download opens the address that DownloadToken signed.
func (s *Service) Download(ctx context.Context, id, token string) (*Download, error) {
	g, err := s.verify(s.keys.download, token, downloadLink)
	if err != nil {
		return nil, err
	}
	if g.ID != id {
		return nil, altered(downloadLink)
	}
	u, err := s.Upload(ctx, g.Org, id)
	if err != nil {
		return nil, err
	}
	d := &Download{Upload: u, What: g.What}
	switch g.What {
	case RawFile:
		d.Stored, err = s.openFile(ctx, u.Raw.Key)
	case string(output.JSON):
		d.Stored, err = s.openFile(ctx, u.Result.Key)
	default:
		err = s.remake(ctx, d)
	}
	return d, err
}

// remake opens what the result is made from in another format than the stored
// one.
func (s *Service) remake(ctx context.Context, d *Download) error {
	imp, err := s.Import(ctx, d.Upload.Org, d.Upload.ImportID)
	if err != nil {
		return err
	}
	schema, err := s.FrozenSchema(imp)
	if err != nil {
		return err
	}
	if imp.Stage == "" {
		return missing(fileMissing)
	}
	staged, err := stage.Open(ctx, s.cfg.Blobs, imp.Stage)
	if errors.Is(err, blob.ErrNotFound) {
		return missing(fileMissing)
	}
	if err != nil {
		return fmt.Errorf("open the staged rows: %w", err)
	}
	d.close = staged.Close
	d.write = func(w io.Writer) error {
		_, err := output.Write(ctx, w, output.Format(d.What), schema, staged.Batches(ctx))
		return err
	}
	return nil
}
