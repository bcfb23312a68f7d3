package mem_test

import (
	"testing"

	"github.com/intraydata/intray/internal/blob"
	"github.com/intraydata/intray/internal/blob/blobtest"
	"github.com/intraydata/intray/internal/blob/mem"
)

func TestStore(t *testing.T) {
	blobtest.Run(t, func(*testing.T) blob.Store { return mem.New() })
}
