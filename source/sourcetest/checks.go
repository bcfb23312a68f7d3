package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

func checkDetect(_ context.Context, format source.Format, s Sample) error {
	head := s.Text[:min(len(s.Text), source.HeadBytes)]
	score, reason := format.Detect(NewInput(s.Name, s.Text), head)
	if score <= 0 || score > 1 || reason.IsZero() {
		return fmt.Errorf("score %v, reason %q", score, reason)
	}
	if score, _ := format.Detect(NewInput("", nil), nil); score < 0 || score > 1 {
		return fmt.Errorf("score of an empty file: %v", score)
	}
	return nil
}

func checkRecords(ctx context.Context, format source.Format, s Sample) error {
	sheets, err := ReadAll(ctx, format, NewInput(s.Name, s.Text), s.Options)
	if err != nil {
		return err
	}
	return compareSheets(s.Sheets, sheets)
}

func compareSheets(want, got []Sheet) error {
	if len(want) != len(got) {
		return fmt.Errorf("%d sheets, want %d", len(got), len(want))
	}
	for i := range want {
		if err := want[i].compare(got[i]); err != nil {
			return fmt.Errorf("sheet %d: %w", i, err)
		}
	}
	return nil
}

// compare returns an error that describes the first difference between s and got.
func (s Sheet) compare(got Sheet) error {
	if s.Name != got.Name || !slices.Equal(s.Headers, got.Headers) {
		return fmt.Errorf("name and headers %q %.500q, want %q %.500q", got.Name, got.Headers, s.Name, s.Headers)
	}
	for i := range min(len(s.Records), len(got.Records)) {
		if !slices.Equal(s.Records[i], got.Records[i]) {
			return fmt.Errorf("record %d: %.500q, want %.500q", i, got.Records[i], s.Records[i])
		}
		if s.Lines != nil && s.Lines[i] != got.Lines[i] {
			return fmt.Errorf("record %d: line %d, want %d", i, got.Lines[i], s.Lines[i])
		}
	}
	if len(s.Records) != len(got.Records) {
		return fmt.Errorf("%d records, want %d", len(got.Records), len(s.Records))
	}
	return nil
}

// withBook calls check with the book of a sample.
func withBook(ctx context.Context, format source.Format, s Sample, check func(book source.Book) error) (err error) {
	book, err := format.Open(ctx, NewInput(s.Name, s.Text), s.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	return check(book)
}

func checkReopen(ctx context.Context, format source.Format, s Sample) error {
	return withBook(ctx, format, s, func(book source.Book) error {
		for range 2 {
			for i := range s.Sheets {
				if err := checkSheet(ctx, book, s, i); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func checkSheet(ctx context.Context, book source.Book, s Sample, i int) error {
	sheet, err := readSheet(ctx, book, i)
	if err != nil {
		return err
	}
	return compareSheets(s.Sheets[i:i+1], []Sheet{sheet})
}

func checkConcurrentReaders(ctx context.Context, format source.Format, s Sample) error {
	return withBook(ctx, format, s, func(book source.Book) error {
		errs := make([]error, 2*len(s.Sheets))
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { errs[i] = checkSheet(ctx, book, s, i%len(s.Sheets)) })
		}
		all.Wait()
		return errors.Join(errs...)
	})
}

func checkMissingSheet(ctx context.Context, format source.Format, s Sample) error {
	return withBook(ctx, format, s, func(book source.Book) error {
		for _, i := range []int{-1, len(book.Sheets())} {
			if _, err := book.Open(ctx, i); err == nil {
				return fmt.Errorf("sheet %d: no error", i)
			}
		}
		return nil
	})
}

// checkCancel checks that Next returns no records once its context is canceled, and that ReadAll
// fails if its context is already canceled.
func checkCancel(ctx context.Context, format source.Format, s Sample) error {
	return withReader(ctx, format, s, func(reader source.Reader) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		batch := dirtyBatch()
		if err := reader.Next(ctx, batch); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		cancel()
		err := reader.Next(ctx, batch)
		if !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) || batch.Len() > 0 {
			return fmt.Errorf("Next returns %d records and error %w", batch.Len(), err)
		}
		_, err = ReadAll(ctx, format, NewInput(s.Name, s.Text), s.Options)
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("reading everything returns error %w", err)
		}
		return nil
	})
}

// withReader calls check with a reader of the first sheet of a sample.
func withReader(ctx context.Context, format source.Format, s Sample, check func(reader source.Reader) error) error {
	return withBook(ctx, format, s, func(book source.Book) (err error) {
		reader, err := book.Open(ctx, 0)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, reader.Close()) }()
		return check(reader)
	})
}

// checkBatchStaysValid checks that a batch does not change when the same file is opened and read
// again.
func checkBatchStaysValid(ctx context.Context, format source.Format, s Sample) error {
	return withReader(ctx, format, s, func(reader source.Reader) error {
		batch := &intray.Records{}
		if err := reader.Next(ctx, batch); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if _, err := ReadAll(ctx, format, NewInput(s.Name, s.Text), s.Options); err != nil {
			return err
		}
		var held Sheet
		if err := held.addRecords(batch); err != nil {
			return err
		}
		want := s.Sheets[0].Records
		if len(want) < batch.Len() || !slices.EqualFunc(want[:batch.Len()], held.Records, slices.Equal) {
			return errors.New("the records of the batch have changed")
		}
		return nil
	})
}

func checkClose(ctx context.Context, format source.Format, s Sample) error {
	return withBook(ctx, format, s, func(book source.Book) error {
		reader, err := book.Open(ctx, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(reader.Close(), reader.Close()); err != nil {
			return err
		}
		batch := dirtyBatch()
		if err := reader.Next(ctx, batch); err == nil || errors.Is(err, io.EOF) || batch.Len() > 0 {
			return fmt.Errorf("Next of a closed reader returns %d records and error %w", batch.Len(), err)
		}
		return book.Close()
	})
}

// maxFullyCutBytes is the maximum size of a sample that is truncated at every byte, in bytes.
// Larger samples are truncated at a few bytes. In short mode, samples up to this size are
// truncated at every 16th byte, and larger samples at the beginning and in the middle.
const maxFullyCutBytes = 4 << 10

// checkTruncation checks that truncated samples return either records or a typed error.
func checkTruncation(ctx context.Context, format source.Format, s Sample) error {
	step := 1
	switch {
	case len(s.Text) > maxFullyCutBytes && testing.Short():
		step = len(s.Text)/2 + 1
	case len(s.Text) > maxFullyCutBytes:
		step = len(s.Text)/7 + 1
	case testing.Short():
		step = 16
	}
	for end := 0; end < len(s.Text); end += step {
		_, err := ReadAll(ctx, format, NewInput(s.Name, s.Text[:end:end]), s.Options)
		if err != nil && !IsTyped(err) {
			return fmt.Errorf("truncated to %d bytes: %w", end, err)
		}
	}
	return nil
}

// checkStoreFailure reads a sample from stores that fail at its first, middle or last byte. They
// either return an error or end before their declared size. If a failing byte is requested,
// reading must return an error of the store. In short mode, the stores of large samples fail
// only in the middle.
func checkStoreFailure(ctx context.Context, format source.Format, s Sample) error {
	offsets := []int{0, len(s.Text) / 2, len(s.Text) - 1}
	if len(s.Text) > maxFullyCutBytes && testing.Short() {
		offsets = offsets[1:2]
	}
	for _, from := range offsets {
		for _, fault := range []error{ErrStore, io.EOF} {
			in := NewInput(s.Name, s.Text)
			store := &FailingStore{ReaderAt: in.ReaderAt, From: int64(from), Err: fault}
			in.ReaderAt = store
			_, err := ReadAll(ctx, format, in, s.Options)
			if store.Reached.Load() && (err == nil || IsTyped(err)) {
				return fmt.Errorf("%w at byte %d of %d: error %w", fault, from, in.Size, err)
			}
		}
	}
	return nil
}
