package sqlstore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// SQLite ends the recovery of a write-ahead log at the first frame that is missing or damaged,
// without an error. All later transactions are then lost, although they had been committed. After
// a crash of the process, the shared-memory file next to the log still describes the end of the
// log, so that the loss can be detected. The formats of both files are in
// https://sqlite.org/walformat.html.
const (
	walHeaderSize, frameHeaderSize = 32, 24
	// indexHeaderSize is the size of the header of the shared-memory file. Two copies are followed
	// by the number of frames that are also in the database file.
	indexHeaderSize = 48
	indexVersion    = 3007000
	walMagic        = 0x377f0682
)

// checkLog returns an error if the write-ahead log of the database at path lacks committed
// frames. It can be called while other processes write. If the system has been restarted since
// the log was last used, the shared-memory file may be stale, and checkLog checks nothing.
func checkLog(path string) error {
	for range 3 {
		before, err := readIndex(path)
		if err != nil || before.frames == 0 {
			return err
		}
		found, err := before.countFrames(path)
		if err != nil {
			return err
		}
		now, err := readIndex(path)
		switch {
		case err != nil:
			return err
		case now != before: // another process has written
			continue
		case found < before.frames && (found > 0 || before.backfilled < before.frames):
			return fmt.Errorf("the write-ahead log %[1]s-wal is damaged: %[2]d of the last %[3]d pages that were written to the database are missing, "+
				"and with them imports that were accepted; restore all files of the data folder from the same backup, "+
				"or, to start without these changes, delete %[1]s-shm", path, before.frames-found, before.frames)
		}
		return nil
	}
	return nil
}

// logIndex describes a write-ahead log.
type logIndex struct {
	// frames is the number of committed frames, and backfilled the number of those that are also
	// in the database file.
	frames, backfilled uint32
	pageSize           uint32
	salt               [8]byte
	// sum is the checksum of the last committed frame.
	sum [2]uint32
}

// readIndex reads the shared-memory file of a database. It returns the zero value if the file is
// missing, stale or incomplete.
func readIndex(path string) (logIndex, error) {
	file, err := os.Open(path + "-shm")
	if errors.Is(err, fs.ErrNotExist) {
		return logIndex{}, nil
	}
	if err != nil {
		return logIndex{}, fmt.Errorf("check the write-ahead log: %w", err)
	}
	defer func() { _ = file.Close() }()
	stat, err := file.Stat()
	if err != nil {
		return logIndex{}, fmt.Errorf("check the write-ahead log: %w", err)
	}
	if boot, known := bootTime(); !known || stat.ModTime().Before(boot) {
		return logIndex{}, nil
	}
	b := make([]byte, 2*indexHeaderSize+4)
	if _, err := io.ReadFull(file, b); err != nil {
		return logIndex{}, nil // the file is new and still empty
	}
	native := binary.NativeEndian
	if native.Uint32(b) != indexVersion || b[12] == 0 || !slices.Equal(b[:indexHeaderSize], b[indexHeaderSize:2*indexHeaderSize]) ||
		frameSum(native, [2]uint32{}, b[:40]) != [2]uint32{native.Uint32(b[40:]), native.Uint32(b[44:])} {
		return logIndex{}, nil // the process ended while it wrote the header
	}
	i := logIndex{
		frames: native.Uint32(b[16:]), backfilled: native.Uint32(b[2*indexHeaderSize:]), pageSize: uint32(native.Uint16(b[14:])),
		sum: [2]uint32{native.Uint32(b[24:]), native.Uint32(b[28:])}, salt: [8]byte(b[32:40]),
	}
	if i.pageSize == 1 {
		i.pageSize = 1 << 16
	}
	return i, nil
}

// countFrames returns the number of intact frames at the beginning of the log, up to i.frames.
func (i logIndex) countFrames(path string) (uint32, error) {
	file, err := os.Open(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("check the write-ahead log: %w", err)
	}
	defer func() { _ = file.Close() }()
	from := bufio.NewReaderSize(file, 1<<20)
	header := make([]byte, walHeaderSize)
	if _, err := io.ReadFull(from, header); err != nil {
		return 0, ignoreEnd(err)
	}
	big := binary.BigEndian
	var order binary.ByteOrder = binary.LittleEndian
	if big.Uint32(header)&1 != 0 {
		order = big
	}
	sum := frameSum(order, [2]uint32{}, header[:24])
	if big.Uint32(header)&^1 != walMagic || [8]byte(header[16:24]) != i.salt || sum != [2]uint32{big.Uint32(header[24:]), big.Uint32(header[28:])} {
		return 0, nil
	}
	frame := make([]byte, frameHeaderSize+i.pageSize)
	for n := range i.frames {
		if _, err := io.ReadFull(from, frame); err != nil {
			return n, ignoreEnd(err)
		}
		sum = frameSum(order, frameSum(order, sum, frame[:8]), frame[frameHeaderSize:])
		if [8]byte(frame[8:16]) != i.salt || sum != [2]uint32{big.Uint32(frame[16:]), big.Uint32(frame[20:])} {
			return n, nil
		}
	}
	if sum != i.sum {
		return i.frames - 1, nil
	}
	return i.frames, nil
}

// ignoreEnd returns nil if err means that a file is too short.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return fmt.Errorf("check the write-ahead log: %w", err)
}

// frameSum continues the checksum sum over b, whose length must be a multiple of 8.
func frameSum(order binary.ByteOrder, sum [2]uint32, b []byte) [2]uint32 {
	for ; len(b) >= 8; b = b[8:] {
		sum[0] += order.Uint32(b) + sum[1]
		sum[1] += order.Uint32(b[4:]) + sum[0]
	}
	return sum
}
