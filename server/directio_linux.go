package server

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// alignedBlock returns an empty block whose memory starts at a multiple of align.
func alignedBlock(size, align int) []byte {
	b := make([]byte, size+align)
	skip := (align - int(uintptr(unsafe.Pointer(&b[0]))%uintptr(align))) % align
	return b[skip : skip : skip+size]
}

// setDirectIO sets whether writes to file bypass the page cache.
func setDirectIO(file *os.File, pass bool) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		if err == nil {
			flags &^= unix.O_DIRECT
			if pass {
				flags |= unix.O_DIRECT
			}
			_, err = unix.FcntlInt(fd, unix.F_SETFL, flags)
		}
		failed = err
	})
	if err != nil {
		return err
	}
	return failed
}
