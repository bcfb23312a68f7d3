package app

import (
	"errors"
	"os"
	"syscall"
)

const (
	// longBlock is how much is gathered before it is written.
	longBlock = 1 << 20
	// longAlign is what memory and places in a file must be a multiple of to
	// pass by the system's cache.
	longAlign = 4096
)

// longFile writes a file that is to be durable in the end. Where the system can,
// whole blocks go straight to the disk: a result is not read again soon, so that
// copying it into the system's cache would only cost time, and there is little
// left to wait for when the file is synced.
type longFile struct {
	file *os.File
	// block holds what was not written yet.
	block []byte
	// straight says that the file passes by the cache, cached that it cannot.
	straight, cached bool
}

func newLongFile(file *os.File) *longFile {
	return &longFile{file: file, block: alignedBlock(longBlock, longAlign)}
}

// Write writes to the file, a block at a time.
func (l *longFile) Write(b []byte) (int, error) {
	written := 0
	for len(b) > 0 {
		n := copy(l.block[len(l.block):cap(l.block)], b)
		l.block, b = l.block[:len(l.block)+n], b[n:]
		written += n
		if len(l.block) < cap(l.block) {
			continue
		}
		if err := l.put(); err != nil {
			return written, err
		}
	}
	return written, nil
}

// put writes a whole block.
func (l *longFile) put() error {
	if !l.straight && !l.cached {
		l.straight = passCache(l.file, true) == nil
		l.cached = !l.straight
	}
	n, err := l.file.Write(l.block)
	if l.straight && errors.Is(err, syscall.EINVAL) { // this file system cannot do it
		if err = l.endStraight(); err == nil {
			_, err = l.file.Write(l.block[n:])
		}
	}
	l.block = l.block[:0]
	return err
}

// endStraight lets what follows go through the cache.
func (l *longFile) endStraight() error {
	l.straight, l.cached = false, true
	return passCache(l.file, false)
}

// Flush writes what is left, which is no whole block.
func (l *longFile) Flush() error {
	if l.straight {
		if err := l.endStraight(); err != nil {
			return err
		}
	}
	_, err := l.file.Write(l.block)
	l.block = l.block[:0]
	return err
}
