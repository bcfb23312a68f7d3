package app

import (
	"fmt"
	"os"
	"path/filepath"
)

// lockFolder makes this process the only one that serves from the folder. The
// system drops the lock when the process ends, however it ends.
func lockFolder(folder string) (unlock func() error, err error) {
	file, err := os.OpenFile(filepath.Join(folder, "serve.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	free, err := tryLock(file)
	if err == nil && !free {
		err = fmt.Errorf("another intray serves from %s; stop it first, or give this one another --data folder", folder)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file.Close, nil
}
