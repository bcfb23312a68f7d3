package secrets

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/intraydata/intray/internal/filesys"
)

// keySize is the length of a master key and of every derived key, in bytes.
const keySize = 32

// maxMasterFile is the maximum size of a master key file, in bytes.
const maxMasterFile = 4096

// Master is a key from which other keys are derived: the master key of an installation, or one of
// the secrets in its [Keyring].
// The zero Master contains no key: Derive returns the zero Key, and Cipher returns an error.
type Master struct{ hidden }

// ParseMaster parses a master key: 32 bytes in base64, in the standard or the URL alphabet,
// with or without padding. It ignores surrounding space.
func ParseMaster(text string) (Master, error) {
	text = strings.TrimRight(strings.TrimSpace(text), "=")
	text = strings.NewReplacer("-", "+", "_", "/").Replace(text)
	content, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil || base64.RawStdEncoding.EncodeToString(content) != text {
		// The decoder's own error would quote the key.
		return Master{}, errors.New("the master key is not base64 text")
	}
	if len(content) != keySize {
		return Master{}, fmt.Errorf("the master key has %d bytes instead of %d", len(content), keySize)
	}
	return Master{newHidden(content)}, nil
}

// LoadOrCreate loads the master key from a file, as Load does. If the file does not exist, it
// creates one with a new key. The folder must exist. Processes that call it at the same time get
// the same key.
func LoadOrCreate(path string) (Master, error) {
	m, err := Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	if err := createKeyFile(path); err != nil {
		return Master{}, fmt.Errorf("create the master key %s: %w", path, err)
	}
	return Load(path)
}

// Load reads the master key from a file that contains one line of base64. It
// returns an error if other users can read or change the file, which it cannot
// determine on Windows, and an error that wraps fs.ErrNotExist if the file does not exist.
func Load(path string) (Master, error) {
	file, err := os.Open(path)
	if err != nil {
		return Master{}, fmt.Errorf("read the master key: %w", err)
	}
	defer func() { _ = file.Close() }()
	stat, err := file.Stat()
	if err != nil {
		return Master{}, fmt.Errorf("read the master key: %w", err)
	}
	if err := checkKeyFile(path, stat); err != nil {
		return Master{}, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxMasterFile))
	if err != nil {
		return Master{}, fmt.Errorf("read the master key: %w", err)
	}
	m, err := ParseMaster(string(text))
	if err != nil {
		return Master{}, fmt.Errorf("read %s: %w; restore the file from its copy", path, err)
	}
	return m, nil
}

func checkKeyFile(path string, stat fs.FileInfo) error {
	if !stat.Mode().IsRegular() || stat.Size() > maxMasterFile {
		return fmt.Errorf("%s is not a master key file: it must be a regular file with one line of base64", path)
	}
	// On Windows, files inherit their permissions from the folder, and Go reports a fixed mode.
	if mode := stat.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("the master key %s can be read or changed by others (mode %04o); run: chmod 600 %s", path, mode, path)
	}
	return nil
}

// createKeyFile writes a new key to path, unless another process has created the file first.
func createKeyFile(path string) error { return CreateMasterFile(path, randomSecret()) }

// CreateMasterFile writes a master key to a file that only its owner can read. If the file exists,
// CreateMasterFile does nothing. The folder must exist.
func CreateMasterFile(path string, m Master) error {
	folder := filepath.Dir(path)
	temp, err := os.CreateTemp(folder, ".master-key-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	filesys.InheritOwner(temp, folder)
	_, err = temp.WriteString(base64.StdEncoding.EncodeToString(m.bytes()) + "\n")
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, never replaces an existing key.
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return filesys.SyncFolder(folder)
}

// ReplaceMasterFile replaces the master key file path with the file next, which gets its owner and
// mode, and preserves the replaced file under the name former. If the file next does not exist, ReplaceMasterFile does
// nothing. All files must be in the same folder.
func ReplaceMasterFile(path, next, former string) error {
	if _, err := os.Lstat(next); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.Link(path, former); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("preserve the old master key: %w", err)
	}
	if err := copyOwnerAndMode(next, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace the master key: %w", err)
	}
	// Another process may have replaced the file in the meantime.
	if err := os.Rename(next, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace the master key: %w", err)
	}
	return filesys.SyncFolder(filepath.Dir(path))
}

// copyOwnerAndMode changes the owner and mode of the file next to those of the file path.
func copyOwnerAndMode(next, path string) error {
	replaced, err := os.Lstat(path)
	if err != nil {
		return err
	}
	file, err := os.Open(next)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	filesys.InheritOwner(file, path)
	return file.Chmod(replaced.Mode().Perm())
}

// ID returns an identifier of the master key, 16 hexadecimal digits that do not reveal the key.
// An installation uses it to detect that its key was replaced. ID returns "" for the zero Master.
func (m Master) ID() string {
	if m.IsZero() {
		return ""
	}
	return hex.EncodeToString(m.Derive("name of the master key").MAC()[:8])
}

// Derive returns the key for the purpose named by the label. The same label yields
// the same key. Keys with different labels are independent.
func (m Master) Derive(label string) Key {
	if m.IsZero() {
		return Key{}
	}
	return Key{hidden: newHidden(m.deriveBytes("key", label))}
}

// deriveBytes derives 32 bytes from the master key for a use and a label.
func (m Master) deriveBytes(use, label string) []byte {
	out, err := hkdf.Key(sha256.New, m.bytes(), nil, "intray 1 "+use+": "+label, keySize)
	if err != nil {
		// This error occurs only for more than 8,160 bytes.
		panic(fmt.Sprintf("secrets: derive a key: %v", err))
	}
	return out
}

// ErrToken reports that a token was not signed with this key or was altered.
var ErrToken = errors.New("the token is invalid")

// Every HMAC covers one of these numbers, so that a result of MAC is never a valid signature of
// a token.
const (
	forMAC   = 1
	forToken = 2
)

// Key is a 32-byte key that Master.Derive or a method of a Keyring returned. The zero Key verifies
// nothing, and signing with it panics.
type Key struct {
	hidden
	// former are the older keys whose tokens Verify accepts.
	former []Key
}

// MAC returns the 32-byte HMAC-SHA256 of the parts. Parts are length-prefixed:
// ("ab", "c") and ("a", "bc") have different MACs.
func (k Key) MAC(parts ...[]byte) []byte { return k.computeMAC(forMAC, parts...) }

// Equal reports in constant time whether mac is the MAC of the parts.
func (k Key) Equal(mac []byte, parts ...[]byte) bool {
	return !k.IsZero() && constantTimeEqual(mac, k.MAC(parts...))
}

// Sign returns a token with the payload and its signature, as text for URLs and headers:
// base64url(payload).base64url(HMAC-SHA256). The payload is not encrypted.
func (k Key) Sign(payload []byte) string {
	return tokenEncoding.EncodeToString(payload) + "." + tokenEncoding.EncodeToString(k.computeMAC(forToken, payload))
}

// Verify returns the payload of a token that Sign made with this key or with an older key of the
// same Keyring. For any other token, including one that is not canonically encoded, it returns ErrToken.
func (k Key) Verify(token string) ([]byte, error) {
	head, tail, ok := strings.Cut(token, ".")
	if !ok || k.IsZero() {
		return nil, ErrToken
	}
	payload, okPayload := decodeToken(head)
	code, okCode := decodeToken(tail)
	if !okPayload || !okCode {
		return nil, ErrToken
	}
	if constantTimeEqual(code, k.computeMAC(forToken, payload)) {
		return payload, nil
	}
	for _, f := range k.former {
		if constantTimeEqual(code, f.computeMAC(forToken, payload)) {
			return payload, nil
		}
	}
	return nil, ErrToken
}

var tokenEncoding = base64.RawURLEncoding

// decodeToken decodes base64url. It refuses text with unused bits set at the end or
// with line breaks, which the decoder ignores.
func decodeToken(text string) ([]byte, bool) {
	content, err := tokenEncoding.DecodeString(text)
	return content, err == nil && tokenEncoding.EncodeToString(content) == text
}

func (k Key) computeMAC(use byte, parts ...[]byte) []byte {
	if k.IsZero() {
		panic("secrets: a zero key was used")
	}
	mac := hmac.New(sha256.New, k.bytes())
	mac.Write([]byte{use})
	mac.Write(lengthPrefixed(parts...))
	return mac.Sum(nil)
}

// lengthPrefixed concatenates the parts and puts the length of each one before it.
func lengthPrefixed(parts ...[]byte) []byte {
	var out []byte
	for _, part := range parts {
		out = binary.BigEndian.AppendUint64(out, uint64(len(part)))
		out = append(out, part...)
	}
	return out
}

func constantTimeEqual(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }
