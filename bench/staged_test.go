package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

const stagePrefix = "stage"

// stageInFolder imports a file into a stage in a new folder and returns the blob store in that
// folder. args are the arguments of a child process: a schema, the folder and the file.
func stageInFolder(ctx context.Context, args []string) (*disk.Store, error) {
	if len(args) != 3 {
		return nil, errors.New("want a schema, a folder and a file")
	}
	blobs, err := disk.Open(args[1], disk.Config{})
	if err != nil {
		return nil, err
	}
	if _, err := stageFile(ctx, blobs, args[0], args[2]); err != nil {
		return nil, errors.Join(err, blobs.Close())
	}
	return blobs, nil
}

// stageFile imports a file into a stage, as intray run does, and returns its outcome.
func stageFile(ctx context.Context, blobs *disk.Store, schemaFile, name string) (*engine.Outcome, error) {
	text, err := os.Open(schemaFile)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	schema, err := schema.Read(text)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	state, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var w *staging.Writer
	open := func(fields []string, unmapped []int) (engine.Sink, error) {
		w = staging.NewWriter(ctx, blobs, stagePrefix, staging.Layout{Fields: fields, Unmapped: unmapped}, staging.Config{})
		return w, nil
	}
	in := source.Input{Name: filepath.Base(name), ReaderAt: file, Size: state.Size()}
	out, err := engine.New(engine.Config{Formats: formats.Formats("")}).Run(ctx, engine.Import{Input: in, Schema: schema}, open)
	if err != nil {
		return nil, err
	}
	if out.Verdict != engine.Done || w == nil {
		return nil, fmt.Errorf("the import ended with verdict %d: %+v", out.Verdict, out.Questions)
	}
	_, err = w.Close(ctx)
	return out, err
}

// stagedCounts contains figures that DuckDB also computes.
type stagedCounts struct {
	Rows int64 `json:"rows"`
	// Cents is the sum of the amounts, in cents.
	Cents int64 `json:"cents"`
	// Nulls is the number of cells of each field without a value. Raws is the number of
	// cells of each field whose raw text differs from the value.
	Nulls map[string]int64 `json:"nulls"`
	Raws  map[string]int64 `json:"raws"`
	// Lines is the sum of the line numbers of all rows.
	Lines int64 `json:"lines"`
	// Problems is the number of problems by field and code.
	Problems map[string]int64 `json:"problems"`
}

// countStaged computes the figures of a stage.
func countStaged(ctx context.Context, s *staging.Stage) (stagedCounts, error) {
	c := stagedCounts{Nulls: map[string]int64{}, Raws: map[string]int64{}, Problems: map[string]int64{}}
	fields := s.Manifest().Fields
	for b, err := range s.Batches(ctx) {
		if err != nil {
			return c, err
		}
		c.Rows += int64(b.Rows())
		for _, line := range b.Lines {
			c.Lines += line
		}
		for i, f := range fields {
			cells := &b.Fields[i]
			c.Nulls[f.Key] += int64(len(cells.Nulls))
			c.Raws[f.Key] += int64(len(cells.RawRows))
			for row := 0; f.Key == "amount" && row < b.Rows(); row++ {
				c.Cents += cents(cells.Values.At(row))
			}
		}
		for _, p := range b.Problems {
			c.Problems[fields[p.Field].Key+"."+p.Code]++
		}
	}
	return c, nil
}

// cents parses an amount with at most two decimal places and returns it in cents.
func cents(text []byte) (n int64) {
	whole, part, _ := bytes.Cut(text, []byte("."))
	for _, c := range append(append(slices.Clone(whole), part...), "00"[len(part):]...) {
		n = 10*n + int64(c-'0')
	}
	return n
}

func TestCents(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "7": 700, "12.5": 1250, "9999.99": 999999, "0.05": 5} {
		if got := cents([]byte(text)); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}
