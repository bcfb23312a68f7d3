package xlsx

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// The streams of an encrypted workbook: the archive itself, and how it was
// encrypted.
const (
	packageStream  = "EncryptedPackage"
	settingsStream = "EncryptionInfo"
)

var errProtected = &source.UnreadableError{Reason: intray.NewMessage("workbook.password", nil)}

// unwrap gives the archive that a file is or holds.
func unwrap(in *watched) (*watched, error) {
	head := make([]byte, min(in.Size, int64(len(containerMark))))
	if _, err := in.ReadAt(head, 0); err != nil && in.failed() != nil {
		return nil, in.explain("read the beginning of the workbook", err, intray.Message{})
	}
	if in.Size == 0 {
		return nil, source.ErrEmpty
	}
	if string(head) != containerMark {
		return in, nil
	}
	plain, err := decrypt(in)
	if err != nil {
		return nil, in.explain("read the encrypted workbook", err, intray.NewMessage("workbook.encrypted_damaged", nil))
	}
	return plain, nil
}

// isEncrypted says whether a file is a container with an encrypted workbook.
func isEncrypted(in *watched) bool {
	c, err := openContainer(in)
	if err != nil {
		return false
	}
	list, err := c.directory()
	_, found := list[packageStream]
	return err == nil && found
}

// decrypt opens an encrypted workbook with the password that stands for none:
// workbooks are encrypted with it when only their structure is protected, and
// the application opens them without asking.
func decrypt(in *watched) (*watched, error) {
	c, err := openContainer(in)
	if err != nil {
		return nil, err
	}
	list, err := c.directory()
	if err != nil {
		return nil, err
	}
	packed, found := list[packageStream]
	if !found {
		return nil, &source.UnreadableError{Reason: intray.NewMessage("workbook.old_container", nil)}
	}
	settings, found := list[settingsStream]
	if !found {
		return nil, errProtected
	}
	text, err := c.small(list[""], settings)
	if err != nil {
		return nil, err
	}
	key := unlock(text, noPassword)
	if key == nil {
		return nil, errProtected
	}
	from, err := c.stream(packed)
	if err != nil {
		return nil, err
	}
	plain, err := newDeciphered(from, key)
	if err != nil {
		return nil, err
	}
	return &watched{Input: source.Input{Name: in.Name, ReaderAt: plain, Size: plain.size}, under: in}, nil
}

// segment is what is deciphered at once.
const segment = 4096

// deciphered gives the bytes of an archive from a stream of segments behind the
// archive's size.
type deciphered struct {
	from *stream
	key  cipherKey
	size int64
}

func newDeciphered(from *stream, key cipherKey) (*deciphered, error) {
	const sizeBytes = 8
	head := make([]byte, sizeBytes)
	if _, err := from.ReadAt(head, 0); err != nil {
		return nil, err
	}
	d := &deciphered{from: from, key: key}
	for i, b := range head {
		d.size |= int64(b) << (8 * i)
	}
	d.size = min(max(d.size, 0), from.size-sizeBytes)
	return d, nil
}

// ReadAt deciphers the segments that are asked for.
func (d *deciphered) ReadAt(p []byte, at int64) (n int, err error) {
	const sizeBytes = 8
	block := make([]byte, segment)
	for n < len(p) {
		if at >= d.size {
			return n, io.EOF
		}
		number := at / segment
		got, err := d.from.ReadAt(block, sizeBytes+number*segment)
		if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, errContainer) {
			return n, err
		}
		got -= got % cipherBlock
		d.key.decipher(block[:got], uint32(number))
		within := int(at % segment)
		length := copy(p[n:], block[min(within, got):min(int64(got), d.size-number*segment)])
		if length == 0 {
			return n, io.EOF
		}
		n, at = n+length, at+int64(length)
	}
	return n, nil
}

// noPassword is the password that the application itself tries first.
const noPassword = "VelvetSweatshop"

const cipherBlock = aes.BlockSize

// cipherKey deciphers one segment at a time, in place.
type cipherKey interface {
	decipher(block []byte, number uint32)
}

// unlock gives the key of an encrypted workbook, nil where the password is not
// that or the way of encrypting is not known.
func unlock(settings []byte, password string) cipherKey {
	const head = 8
	if len(settings) < head {
		return nil
	}
	major, minor := binary.LittleEndian.Uint16(settings), binary.LittleEndian.Uint16(settings[2:])
	switch {
	case major == 4 && minor == 4:
		return unlockAgile(settings[head:], password)
	case minor == 2 && major >= 2 && major <= 4:
		return unlockStandard(settings[head:], password)
	}
	return nil
}

// spin makes the hash of a password, slowly: so the format wants it.
func spin(h hash.Hash, salt []byte, password string, count int) []byte {
	h.Write(salt)
	h.Write(encodeName(password))
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

// hashOf hashes parts that follow one another.
func hashOf(h hash.Hash, parts ...[]byte) []byte {
	h.Reset()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

func isKeySize(size int) bool { return size == 16 || size == 24 || size == 32 }

// blocks deciphers each block by itself.
type blocks struct{ cipher.Block }

func (k blocks) decipher(text []byte, _ uint32) {
	for ; len(text) >= cipherBlock; text = text[cipherBlock:] {
		k.Decrypt(text, text)
	}
}

// unlockStandard reads the settings of the years before 2010.
func unlockStandard(settings []byte, password string) cipherKey {
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
	final := hashOf(h, spin(h, salt, password, spins), make([]byte, 4))
	long := append(hashOf(h, padded(final, 0x36)), hashOf(h, padded(final, 0x5C))...)
	if !isKeySize(keyBytes) {
		return nil
	}
	block, err := aes.NewCipher(long[:keyBytes])
	if err != nil {
		return nil
	}
	key := blocks{block}
	key.decipher(sample, 0)
	key.decipher(sum, 0)
	if !bytes.Equal(hashOf(h, sample), sum[:sha1.Size]) {
		return nil
	}
	return key
}

// padded mixes a hash into a block of one byte.
func padded(sum []byte, with byte) []byte {
	text := bytes.Repeat([]byte{with}, 64)
	for i, b := range sum {
		text[i] ^= b
	}
	return text
}

// agile deciphers segments that are chained each by itself.
type agile struct {
	cipher.Block
	newHash func() hash.Hash
	salt    []byte
}

func (k agile) decipher(text []byte, number uint32) {
	start := hashOf(k.newHash(), k.salt, binary.LittleEndian.AppendUint32(nil, number))
	cipher.NewCBCDecrypter(k.Block, fit(start, cipherBlock)).CryptBlocks(text, text)
}

// fit cuts a hash to a length, or fills it up as the format says.
func fit(sum []byte, size int) []byte {
	for len(sum) < size {
		sum = append(sum, 0x36)
	}
	return sum[:size]
}

// agileSettings are the attributes of one element of the settings.
type agileSettings map[string][]byte

func (a agileSettings) number(name string) int {
	n, err := strconv.Atoi(string(a[name]))
	if err != nil {
		return -1
	}
	return n
}

func (a agileSettings) bytes(name string) []byte {
	text, err := base64.StdEncoding.DecodeString(string(a[name]))
	if err != nil {
		return nil
	}
	return text
}

func (a agileSettings) hash() func() hash.Hash {
	return map[string]func() hash.Hash{"SHA1": sha1.New, "SHA256": sha256.New, "SHA384": sha512.New384, "SHA512": sha512.New}[string(a["hashAlgorithm"])]
}

// readAgile finds the settings of the archive and those of the password.
func readAgile(settings []byte) (archive, password agileSettings) {
	s, err := newScanner(bytes.NewReader(settings), settingsStream, Limits{}.WithDefaults())
	if err != nil {
		return nil, nil
	}
	for {
		found, err := s.next()
		if err != nil || found == tokenOver {
			return archive, password
		}
		if found != tokenStart {
			continue
		}
		list := agileSettings{}
		for _, a := range s.attrs {
			list[string(s.buf[s.tag+a.name:s.tag+a.nameEnd])] = bytes.Clone(s.buf[s.tag+a.value : s.tag+a.valueEnd])
		}
		switch string(s.name) {
		case "keyData":
			archive = list
		case "encryptedKey":
			password = list
		}
	}
}

// mostSpins is the most that a password is hashed; the application does 100,000.
const mostSpins = 1_000_000

// unlockAgile reads the settings of 2010 and later.
func unlockAgile(settings []byte, password string) cipherKey {
	archive, by := readAgile(settings)
	newHash, newByHash := archive.hash(), by.hash()
	spins, keyBytes, salt := by.number("spinCount"), by.number("keyBits")/8, by.bytes("saltValue")
	if !isKeySize(keyBytes) || newHash == nil || newByHash == nil || spins < 0 || spins > mostSpins || len(salt) < cipherBlock {
		return nil
	}
	h := newByHash()
	sum := spin(h, salt, password, spins)
	open := func(name string, purpose ...byte) []byte {
		text := by.bytes(name)
		block, err := aes.NewCipher(fit(hashOf(h, sum, purpose), keyBytes))
		if err != nil || len(text) == 0 || len(text)%cipherBlock != 0 {
			return nil
		}
		cipher.NewCBCDecrypter(block, salt[:cipherBlock]).CryptBlocks(text, text)
		return text
	}
	sample := open("encryptedVerifierHashInput", 0xFE, 0xA7, 0xD2, 0x76, 0x3B, 0x4B, 0x9E, 0x79)
	want := open("encryptedVerifierHashValue", 0xD7, 0xAA, 0x0F, 0x6D, 0x30, 0x61, 0x34, 0x4E)
	key := open("encryptedKeyValue", 0x14, 0x6E, 0x0B, 0xE7, 0xAB, 0xAC, 0xD0, 0xD6)
	if len(sample) < len(salt) || len(want) < h.Size() || !bytes.Equal(hashOf(h, sample[:len(salt)]), want[:h.Size()]) {
		return nil
	}
	size := archive.number("keyBits") / 8
	if size < 0 || size > len(key) {
		return nil
	}
	block, err := aes.NewCipher(key[:size])
	if err != nil {
		return nil
	}
	return agile{block, newHash, archive.bytes("saltValue")}
}
