package blobtest_test

import (
	"testing"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
)

func TestMemory(t *testing.T) {
	blobtest.Run(t, func(*testing.T) blob.Store { return blobtest.NewMemory() })
}

func TestMemoryPresigner(t *testing.T) {
	s := blobtest.NewMemory()
	blobtest.RunPresigner(t, s, s.SendPresigned)
}
