package xlsx

import (
	"errors"
	"io"

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
