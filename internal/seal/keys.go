package seal

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// keySize is the length of a master key and of every derived key, in bytes.
const keySize = 32

// maxMasterFile is what a master key file may hold, in bytes. A longer file is
// something else.
const maxMasterFile = 4096

// Master is the secret from which all keys of an installation are derived. The
// zero Master holds none: its keys are zero, and its Box is an error.
type Master struct{ hidden }

// ParseMaster reads a master key: 32 bytes in base64, standard or URL alphabet,
// with or without padding. Space around it is ignored.
func ParseMaster(text string) (Master, error) {
	text = strings.TrimRight(strings.TrimSpace(text), "=")
	text = strings.NewReplacer("-", "+", "_", "/").Replace(text)
	content, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil || base64.RawStdEncoding.EncodeToString(content) != text {
		// The decoder's own error would quote the key.
		return Master{}, errors.New("the master key is not base64 text; make one with: openssl rand -base64 32")
	}
	if len(content) != keySize {
		return Master{}, fmt.Errorf("the master key holds %d bytes, it must hold %d; make one with: openssl rand -base64 32", len(content), keySize)
	}
	return Master{hide(content)}, nil
}

// LoadOrCreate is Load, but makes file and key where there is no file. The
// folder must be there. Of several processes that start at once all get the
// same key.
func LoadOrCreate(path string) (Master, error) {
	m, err := Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	if err := create(path); err != nil {
		return Master{}, fmt.Errorf("making the master key %s: %w", path, err)
	}
	return Load(path)
}

// Load reads the master key from a file: one line of base64, for its owner
// only. A file that others can read is an error; where there is none the error
// is fs.ErrNotExist.
func Load(path string) (Master, error) {
	file, err := os.Open(path)
	if err != nil {
		return Master{}, fmt.Errorf("reading the master key: %w", err)
	}
	defer func() { _ = file.Close() }()
	stat, err := file.Stat()
	if err != nil {
		return Master{}, fmt.Errorf("reading the master key: %w", err)
	}
	if err := fitFile(path, stat); err != nil {
		return Master{}, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxMasterFile))
	if err != nil {
		return Master{}, fmt.Errorf("reading the master key: %w", err)
	}
	m, err := ParseMaster(string(text))
	if err != nil {
		return Master{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return m, nil
}

func fitFile(path string, stat fs.FileInfo) error {
	if !stat.Mode().IsRegular() || stat.Size() > maxMasterFile {
		return fmt.Errorf("%s is not a master key file: it must be an ordinary file with one line of base64", path)
	}
	if mode := stat.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("the master key %s can be read or changed by others (mode %04o); run: chmod 600 %s", path, mode, path)
	}
	return nil
}

// create puts a new key under path, unless somebody else was faster.
func create(path string) error {
	folder := filepath.Dir(path)
	temp, err := os.CreateTemp(folder, ".master-key-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	var key [keySize]byte
	_, _ = rand.Read(key[:]) // It never fails: the process ends first.
	_, err = temp.WriteString(base64.StdEncoding.EncodeToString(key[:]) + "\n")
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, never replaces a key that is there already.
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(folder)
}

func syncFolder(folder string) error {
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// ID names the master key without telling it: 16 hexadecimal digits. Two
// masters with one ID are the same, so that an installation can notice that its
// key was exchanged.
func (m Master) ID() string {
	if m.IsZero() {
		return ""
	}
	return hex.EncodeToString(m.Derive("name of the master key").MAC()[:8])
}

// Derive gives the key for one purpose, which the label names. One master and
// one label always give the same key; keys of different labels tell nothing of
// each other.
func (m Master) Derive(label string) Key {
	if m.IsZero() {
		return Key{}
	}
	return Key{hide(m.expand("key", label))}
}

// expand keeps the uses of the master apart by name.
func (m Master) expand(use, label string) []byte {
	out, err := hkdf.Key(sha256.New, m.bytes(), nil, "intray 1 "+use+": "+label, keySize)
	if err != nil {
		// Only a length beyond 8160 bytes can bring it about.
		panic(fmt.Sprintf("seal: deriving a key: %v", err))
	}
	return out
}
