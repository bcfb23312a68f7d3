package app

import "os"

// writeBackBytes is how much of a file is written before the system is asked to
// bring it to the disk.
const writeBackBytes = 8 << 20

// writeBack writes a file that is to be durable in the end. What was written goes
// to the disk while more is on its way, so that little is left to wait for.
type writeBack struct {
	file *os.File
	// asked is up to where the system was asked, end where the file ends.
	asked, end int64
}

// Write writes to the file.
func (w *writeBack) Write(b []byte) (int, error) {
	n, err := w.file.Write(b)
	if w.end += int64(n); w.end-w.asked >= writeBackBytes {
		beginWriteBack(w.file, w.asked, w.end-w.asked)
		w.asked = w.end
	}
	return n, err
}
