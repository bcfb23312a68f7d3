package csv

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/bench"
	"github.com/intraydata/intray/source"
)

func TestSpeed(t *testing.T) {
	if os.Getenv("SPEED") == "" {
		t.Skip()
	}
	path := "/tmp/rb/c2m.csv"
	if _, err := os.Stat(path); err != nil {
		f, _ := os.Create(path)
		if err := bench.Write(f, 2_000_000, 1); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	f, _ := os.Open(path)
	st, _ := f.Stat()
	for range 3 {
		var before, after syscall.Rusage
		syscall.Getrusage(0, &before)
		begin := time.Now()
		b, err := Format{}.Open(context.Background(), source.Input{Name: "x.csv", ReaderAt: f, Size: st.Size()}, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, _ := b.Open(context.Background(), 0)
		var batch intray.Records
		rows := 0
		for {
			err := r.Next(context.Background(), &batch)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			rows += batch.Len()
		}
		r.Close()
		wall := time.Since(begin)
		syscall.Getrusage(0, &after)
		cpu := time.Duration(after.Utime.Nano()+after.Stime.Nano()-before.Utime.Nano()-before.Stime.Nano())
		t.Logf("%d rows, wall %v, cpu %v, %d MB", rows, wall, cpu, st.Size()>>20)
	}
}
