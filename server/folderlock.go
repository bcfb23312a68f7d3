package server

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/intraydata/intray/internal/filesys"
)

// folderLock is the lock on a data folder. Only the process that holds it serves from the folder.
// The operating system releases it when the process ends.
//
// The locked file contains the node of the process that last held the lock, and the identity of the
// file. In a copy of the file, the identity is wrong, so a process does not reclaim the imports of
// the process whose data folder was copied.
type folderLock struct{ file *os.File }

// lockName is the name of the locked file in the data folder.
const lockName = "serve.lock"

// lockFolder locks a data folder.
func lockFolder(folder string) (*folderLock, error) {
	file, err := lockFile(folder, lockName, fmt.Errorf("another intray serves from %s; stop it first, or use another --data folder", folder))
	if err != nil {
		return nil, err
	}
	return &folderLock{file}, nil
}

// lockFile opens and locks a file in the data folder. It creates the file if it does not exist, and returns
// busy if another process has locked it.
func lockFile(folder, name string, busy error) (*os.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	file, err := root.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	filesys.InheritFolderOwner(root, name)
	free, err := filesys.TryLock(file)
	if err == nil && !free {
		err = busy
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

func (l *folderLock) unlock() error { return l.file.Close() }

// endedNode returns the node of the process that last held the lock. That process has ended. If it is
// unknown, for example because the machine was restarted, endedNode returns "".
func (l *folderLock) endedNode() string {
	const most = 1 << 10
	content, err := io.ReadAll(io.NewSectionReader(l.file, 0, most))
	node, identity, found := strings.Cut(strings.TrimSpace(string(content)), " ")
	if err != nil || !found || identity != fileIdentity(l.file) {
		return ""
	}
	return node
}

// setNode stores the node of this process for the next one. If this fails, for example because the
// disk is full, the next process does not know it.
func (l *folderLock) setNode(node string) {
	if identity := fileIdentity(l.file); l.file.Truncate(0) == nil && identity != "" {
		_, _ = l.file.WriteAt([]byte(node+" "+identity+"\n"), 0)
	}
}
