package secrets

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
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
	return Master{newHidden(content)}, nil
}

// LoadOrCreate is Load, but makes file and key where there is no file. The
// folder must be there. Of several processes that start at once all get the
// same key.
func LoadOrCreate(path string) (Master, error) {
	m, err := Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	if err := createKeyFile(path); err != nil {
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
	if err := checkKeyFile(path, stat); err != nil {
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

func checkKeyFile(path string, stat fs.FileInfo) error {
	if !stat.Mode().IsRegular() || stat.Size() > maxMasterFile {
		return fmt.Errorf("%s is not a master key file: it must be an ordinary file with one line of base64", path)
	}
	if mode := stat.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("the master key %s can be read or changed by others (mode %04o); run: chmod 600 %s", path, mode, path)
	}
	return nil
}

// createKeyFile puts a new key under path, unless somebody else was faster.
func createKeyFile(path string) error {
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
	return Key{newHidden(m.deriveBytes("key", label))}
}

// deriveBytes keeps the uses of the master apart by name.
func (m Master) deriveBytes(use, label string) []byte {
	out, err := hkdf.Key(sha256.New, m.bytes(), nil, "intray 1 "+use+": "+label, keySize)
	if err != nil {
		// Only a length beyond 8160 bytes can bring it about.
		panic(fmt.Sprintf("seal: deriving a key: %v", err))
	}
	return out
}

// ErrToken says that a token was not signed with this key, or was altered.
var ErrToken = errors.New("the token is not valid")

// What a key is used for goes into every code, so that a MAC never doubles as
// the signature of a token.
const (
	forMAC   = 1
	forToken = 2
)

// Key is a derived key of 32 bytes. Master.Derive makes it. The zero Key
// verifies nothing, and panics where it should make a code.
type Key struct{ hidden }

// MAC gives the HMAC-SHA256 of the parts, 32 bytes. Parts are told apart:
// ("ab", "c") and ("a", "bc") give different codes.
func (k Key) MAC(parts ...[]byte) []byte { return k.computeMAC(forMAC, parts...) }

// Equal says whether mac is the MAC of the parts, in constant time.
func (k Key) Equal(mac []byte, parts ...[]byte) bool {
	return !k.IsZero() && constantTimeEqual(mac, k.MAC(parts...))
}

// Sign gives the payload with its signature as text for addresses and headers:
// base64url(payload).base64url(HMAC-SHA256). The payload can be read by anybody.
func (k Key) Sign(payload []byte) string {
	return tokenEncoding.EncodeToString(payload) + "." + tokenEncoding.EncodeToString(k.computeMAC(forToken, payload))
}

// Verify gives the payload of a token that Sign made with this key, or ErrToken.
// There is one spelling for each token: every other one is refused.
func (k Key) Verify(token string) ([]byte, error) {
	head, tail, ok := strings.Cut(token, ".")
	if !ok || k.IsZero() {
		return nil, ErrToken
	}
	payload, okPayload := decodeToken(head)
	code, okCode := decodeToken(tail)
	if !okPayload || !okCode || !constantTimeEqual(code, k.computeMAC(forToken, payload)) {
		return nil, ErrToken
	}
	return payload, nil
}

var tokenEncoding = base64.RawURLEncoding

// decodeToken refuses what encodes back to another text: loose bits at the end, and
// the line ends that the decoder overlooks.
func decodeToken(text string) ([]byte, bool) {
	content, err := tokenEncoding.DecodeString(text)
	return content, err == nil && tokenEncoding.EncodeToString(content) == text
}

func (k Key) computeMAC(use byte, parts ...[]byte) []byte {
	if k.IsZero() {
		panic("seal: a key that was never derived is used")
	}
	mac := hmac.New(sha256.New, k.bytes())
	mac.Write([]byte{use})
	mac.Write(lengthPrefixed(parts...))
	return mac.Sum(nil)
}

// lengthPrefixed puts the length before each part, so that parts cannot run together.
func lengthPrefixed(parts ...[]byte) []byte {
	var out []byte
	for _, part := range parts {
		out = binary.BigEndian.AppendUint64(out, uint64(len(part)))
		out = append(out, part...)
	}
	return out
}

func constantTimeEqual(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }
