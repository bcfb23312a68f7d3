package ooxml

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1" //nolint:gosec // the format prescribes it
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"strconv"
	"unicode/utf16"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/cfb"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
)

// These streams of an encrypted workbook hold the archive and its encryption settings.
const (
	packageStream  = "EncryptedPackage"
	settingsStream = "EncryptionInfo"
)

// decryptIfNeeded returns the archive, after decrypting it if the file is encrypted.
func decryptIfNeeded(in *zipfile.Input) (*zipfile.Input, error) {
	head := make([]byte, min(in.Size, int64(len(cfb.Magic))))
	if _, err := in.ReadAt(head, 0); err != nil && in.Failure() != nil {
		return nil, in.Explain("read the beginning of the workbook", err, intray.Message{})
	}
	if in.Size == 0 {
		return nil, source.ErrEmpty
	}
	if string(head) != cfb.Magic {
		return in, nil
	}
	plain, err := decrypt(in)
	if err != nil {
		return nil, in.Explain("read the encrypted workbook", err, intray.NewMessage("workbook.encrypted_damaged", nil))
	}
	return plain, nil
}

// hasEncryptedPackage reports whether a file is a container with an encrypted workbook.
func hasEncryptedPackage(in *zipfile.Input) bool {
	c, err := cfb.Open(in, in.Size)
	if err != nil {
		return false
	}
	found, err := c.Find(packageStream)
	return err == nil && len(found) > 0
}

const (
	// maxSettingsBytes is the maximum number of bytes of the encryption settings that are read.
	maxSettingsBytes = 64 << 10
	// maxSettingsDepth is the maximum nesting depth of XML elements in the encryption settings.
	maxSettingsDepth = 128
)

// decrypt opens an encrypted workbook with the default password. Excel uses this password if
// only the structure of a workbook is protected, and opens such a workbook without asking for a
// password.
func decrypt(in *zipfile.Input) (*zipfile.Input, error) {
	c, err := cfb.Open(in, in.Size)
	if err != nil {
		return nil, err
	}
	found, err := c.Find(packageStream, settingsStream)
	if err != nil {
		return nil, err
	}
	packed, ok := found[packageStream]
	if !ok {
		return nil, &source.UnreadableError{Reason: intray.NewMessage("workbook.old_container", nil)}
	}
	settings, ok := found[settingsStream]
	if !ok {
		return nil, zipfile.ErrPassword
	}
	s, err := c.OpenStream(settings)
	if err != nil {
		return nil, err
	}
	if s.Truncated() && s.Size() < maxSettingsBytes {
		return nil, io.ErrUnexpectedEOF
	}
	text := make([]byte, min(s.Size(), maxSettingsBytes))
	if _, err := s.ReadAt(text, 0); err != nil {
		return nil, err
	}
	key := deriveKey(text, defaultPassword)
	if key == nil {
		return nil, zipfile.ErrPassword
	}
	from, err := c.OpenStream(packed)
	if err != nil {
		return nil, err
	}
	plain, err := newDecryptingReader(from, key)
	if err != nil {
		return nil, err
	}
	return in.Decoded(plain, plain.size), nil
}

// segmentBytes is the size of the segments that are encrypted separately, in bytes.
const segmentBytes = 4096

// decryptingReader reads an archive from a stream that consists of the size of the
// archive and the encrypted segments.
type decryptingReader struct {
	src  *cfb.Stream
	key  cipherKey
	size int64
}

func newDecryptingReader(from *cfb.Stream, key cipherKey) (*decryptingReader, error) {
	const sizeBytes = 8
	head := make([]byte, sizeBytes)
	if _, err := from.ReadAt(head, 0); err != nil {
		return nil, err
	}
	d := &decryptingReader{src: from, key: key}
	for i, b := range head {
		d.size |= int64(b) << (8 * i)
	}
	rest := from.Size() - sizeBytes
	if from.Truncated() && d.size > rest {
		return nil, io.ErrUnexpectedEOF
	}
	d.size = min(max(d.size, 0), rest)
	return d, nil
}

// ReadAt implements [io.ReaderAt]. It decrypts the segments that contain the requested bytes.
func (d *decryptingReader) ReadAt(p []byte, at int64) (n int, err error) {
	const sizeBytes = 8
	block := make([]byte, segmentBytes)
	for n < len(p) {
		if at >= d.size {
			return n, io.EOF
		}
		number := at / segmentBytes
		got, err := d.src.ReadAt(block, sizeBytes+number*segmentBytes)
		if err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		got -= got % cipherBlock
		d.key.decrypt(block[:got], uint32(number))
		within := int(at % segmentBytes)
		length := copy(p[n:], block[min(within, got):min(int64(got), d.size-number*segmentBytes)])
		if length == 0 {
			return n, io.EOF
		}
		n, at = n+length, at+int64(length)
	}
	return n, nil
}

// defaultPassword is the password that Excel tries first.
const defaultPassword = "VelvetSweatshop"

const cipherBlock = aes.BlockSize

// cipherKey decrypts one segment at a time, in place.
type cipherKey interface {
	decrypt(block []byte, number uint32)
}

// deriveKey returns the key of an encrypted workbook. It returns nil if the password is
// wrong or the encryption is unknown.
func deriveKey(settings []byte, password string) cipherKey {
	const head = 8
	if len(settings) < head {
		return nil
	}
	major, minor := binary.LittleEndian.Uint16(settings), binary.LittleEndian.Uint16(settings[2:])
	switch {
	case major == 4 && minor == 4:
		return deriveAgileKey(settings[head:], password)
	case minor == 2 && major >= 2 && major <= 4:
		return deriveStandardKey(settings[head:], password)
	}
	return nil
}

// hashPassword hashes a salt and a password, and then hashes the result repeatedly, as the
// format requires. count is the number of repetitions.
func hashPassword(h hash.Hash, salt []byte, password string, count int) []byte {
	h.Write(salt)
	for _, unit := range utf16.Encode([]rune(password)) {
		h.Write(binary.LittleEndian.AppendUint16(nil, unit))
	}
	sum := h.Sum(nil)
	var number [4]byte
	for i := range count {
		h.Reset()
		binary.LittleEndian.PutUint32(number[:], uint32(i))
		h.Write(number[:])
		h.Write(sum)
		sum = h.Sum(sum[:0])
	}
	return sum
}

// hashParts returns the hash of the concatenated parts.
func hashParts(h hash.Hash, parts ...[]byte) []byte {
	h.Reset()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

func isKeySize(size int) bool { return size == 16 || size == 24 || size == 32 }

// ecbKey decrypts each block separately.
type ecbKey struct{ cipher.Block }

func (k ecbKey) decrypt(text []byte, _ uint32) {
	for ; len(text) >= cipherBlock; text = text[cipherBlock:] {
		k.Decrypt(text, text)
	}
}

// deriveStandardKey derives the key from the settings of Office 2007.
func deriveStandardKey(settings []byte, password string) cipherKey {
	const spins, saltBytes = 50_000, 16
	if len(settings) < 4 {
		return nil
	}
	size := binary.LittleEndian.Uint32(settings)
	if size < 20 || int64(len(settings)) < 4+int64(size)+4+saltBytes+16+4+32 {
		return nil
	}
	keyBytes := int(binary.LittleEndian.Uint32(settings[4+16:]) / 8)
	check := settings[4+size+4:]
	salt, sample, sum := check[:16], bytes.Clone(check[16:32]), bytes.Clone(check[36:68])
	h := sha1.New()
	final := hashParts(h, hashPassword(h, salt, password, spins), make([]byte, 4))
	long := append(hashParts(h, xorPadded(final, 0x36)), hashParts(h, xorPadded(final, 0x5C))...)
	if !isKeySize(keyBytes) {
		return nil
	}
	block, err := aes.NewCipher(long[:keyBytes])
	if err != nil {
		return nil
	}
	key := ecbKey{block}
	key.decrypt(sample, 0)
	key.decrypt(sum, 0)
	if !bytes.Equal(hashParts(h, sample), sum[:sha1.Size]) {
		return nil
	}
	return key
}

// xorPadded returns the XOR of a hash and a block that repeats the given byte.
func xorPadded(sum []byte, with byte) []byte {
	text := bytes.Repeat([]byte{with}, 64)
	for i, b := range sum {
		text[i] ^= b
	}
	return text
}

// cbcKey decrypts segments with cipher block chaining that starts again in each segment.
type cbcKey struct {
	cipher.Block
	newHash func() hash.Hash
	salt    []byte
}

func (k cbcKey) decrypt(text []byte, number uint32) {
	start := hashParts(k.newHash(), k.salt, binary.LittleEndian.AppendUint32(nil, number))
	cipher.NewCBCDecrypter(k.Block, resizeHash(start, cipherBlock)).CryptBlocks(text, text)
}

// resizeHash truncates or pads a hash to the given size in bytes, as the format requires.
func resizeHash(sum []byte, size int) []byte {
	for len(sum) < size {
		sum = append(sum, 0x36)
	}
	return sum[:size]
}

// encryptionAttrs are the attributes of an element in the encryption settings.
type encryptionAttrs map[string][]byte

func (a encryptionAttrs) intAttr(name string) int {
	n, err := strconv.Atoi(string(a[name]))
	if err != nil {
		return -1
	}
	return n
}

func (a encryptionAttrs) base64Attr(name string) []byte {
	text, err := base64.StdEncoding.DecodeString(string(a[name]))
	if err != nil {
		return nil
	}
	return text
}

func (a encryptionAttrs) hashFunc() func() hash.Hash {
	return map[string]func() hash.Hash{"SHA1": sha1.New, "SHA256": sha256.New, "SHA384": sha512.New384, "SHA512": sha512.New}[string(a["hashAlgorithm"])]
}

// parseAgileSettings returns the attributes of the elements that describe the
// encryption of the archive and of the password.
func parseAgileSettings(settings []byte) (archive, password encryptionAttrs) {
	s, err := xmlscan.New(bytes.NewReader(settings), xmlscan.Config{Part: settingsStream, TextBytes: maxSettingsBytes, Depth: maxSettingsDepth, NUL: true})
	if err != nil {
		return nil, nil
	}
	for {
		found, err := s.Next()
		if err != nil || found == xmlscan.EOF {
			return archive, password
		}
		if found != xmlscan.Start {
			continue
		}
		list := encryptionAttrs{}
		for i := range s.NumAttrs() {
			list[string(s.AttrName(i))] = bytes.Clone(s.AttrValue(i))
		}
		switch string(s.Name) {
		case "keyData":
			archive = list
		case "encryptedKey":
			password = list
		}
	}
}

// maxSpinCount is the maximum number of times that a password is hashed. Excel uses 100,000.
const maxSpinCount = 1_000_000

// deriveAgileKey derives the key from the settings of Office 2010 and later.
func deriveAgileKey(settings []byte, password string) cipherKey {
	archive, passwordSettings := parseAgileSettings(settings)
	newHash, newByHash := archive.hashFunc(), passwordSettings.hashFunc()
	spins, keyBytes, salt := passwordSettings.intAttr("spinCount"), passwordSettings.intAttr("keyBits")/8, passwordSettings.base64Attr("saltValue")
	if !isKeySize(keyBytes) || newHash == nil || newByHash == nil || spins < 0 || spins > maxSpinCount || len(salt) < cipherBlock {
		return nil
	}
	h := newByHash()
	sum := hashPassword(h, salt, password, spins)
	open := func(name string, purpose ...byte) []byte {
		text := passwordSettings.base64Attr(name)
		block, err := aes.NewCipher(resizeHash(hashParts(h, sum, purpose), keyBytes))
		if err != nil || len(text) == 0 || len(text)%cipherBlock != 0 {
			return nil
		}
		cipher.NewCBCDecrypter(block, salt[:cipherBlock]).CryptBlocks(text, text)
		return text
	}
	sample := open("encryptedVerifierHashInput", 0xFE, 0xA7, 0xD2, 0x76, 0x3B, 0x4B, 0x9E, 0x79)
	want := open("encryptedVerifierHashValue", 0xD7, 0xAA, 0x0F, 0x6D, 0x30, 0x61, 0x34, 0x4E)
	key := open("encryptedKeyValue", 0x14, 0x6E, 0x0B, 0xE7, 0xAB, 0xAC, 0xD0, 0xD6)
	if len(sample) < len(salt) || len(want) < h.Size() || !bytes.Equal(hashParts(h, sample[:len(salt)]), want[:h.Size()]) {
		return nil
	}
	size := archive.intAttr("keyBits") / 8
	if size < 0 || size > len(key) {
		return nil
	}
	block, err := aes.NewCipher(key[:size])
	if err != nil {
		return nil
	}
	return cbcKey{block, newHash, archive.base64Attr("saltValue")}
}
