package backup

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/secrets"
)

// name is the name of an object: the first half of a keyed hash.
type name [16]byte

func (n name) String() string { return hex.EncodeToString(n[:]) }

func (n name) key() string {
	text := n.String()
	return objectsPrefix + text[:2] + "/" + text
}

func parseName(text string) (n name, ok bool) {
	content, err := hex.DecodeString(text)
	return name(append(content, n[:]...)[:len(n)]), err == nil && len(content) == len(n)
}

func parseObjectKey(key string) (n name, ok bool) {
	rest, ok := strings.CutPrefix(key, objectsPrefix)
	if !ok || len(rest) < 3 {
		return n, false
	}
	return parseName(rest[3:])
}

// header describes the content of an object. Key is "" for a part of the database.
type header struct {
	Key      string `json:"key,omitempty"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified,omitempty"` // nanoseconds since 1970
}

// nameOfFile returns the name of the object for a stored file. A file with the same key can change only
// while it is being received. It then has another size or time.
func nameOfFile(key secrets.Key, f blob.Entry) name {
	var numbers [16]byte
	binary.BigEndian.PutUint64(numbers[:8], uint64(f.Size))
	binary.BigEndian.PutUint64(numbers[8:], uint64(f.Modified.UnixNano()))
	return name(key.MAC([]byte("file"), []byte(f.Key), numbers[:])[:16])
}

// nameOfChunk returns the name of the object for a part of the database.
func nameOfChunk(key secrets.Key, chunk []byte) name {
	sum := sha256.Sum256(chunk)
	return name(key.MAC([]byte("chunk"), sum[:])[:16])
}

// object is an object of a backup.
type object struct {
	name name
	// size is the size of the encrypted object, in bytes.
	size int64
}

// writeObject encrypts and stores an object.
func (r *Repository) writeObject(ctx context.Context, n name, h header, content io.Reader, recipients []age.Recipient) (object, error) {
	w, err := r.store.Create(ctx, n.key())
	if err != nil {
		return object{}, err
	}
	defer w.Abort()
	sum, length := sha256.New(), new(counter)
	if err := encodeObject(io.MultiWriter(w, sum, length), h, content, recipients); err != nil {
		return object{}, err
	}
	if _, err := w.Write(sum.Sum(nil)); err != nil {
		return object{}, err
	}
	return object{n, int64(*length) + sha256.Size}, w.Commit()
}

// encodeObject writes the age file of an object.
func encodeObject(to io.Writer, h header, content io.Reader, recipients []age.Recipient) error {
	encrypted, err := age.Encrypt(to, recipients...)
	if err != nil {
		return err
	}
	packed, err := zstd.NewWriter(encrypted, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if _, err := packed.Write(append(line, '\n')); err != nil {
		return err
	}
	n, err := io.Copy(packed, content)
	if err == nil && n != h.Size {
		err = fmt.Errorf("%s has %d bytes, not %d", h.Key, n, h.Size)
	}
	return errors.Join(err, packed.Close(), encrypted.Close())
}

// counter counts the bytes that are written.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// openObject opens an encrypted object. It returns ErrIncomplete if the object is missing.
func (r *Repository) openObject(ctx context.Context, n name) (blob.Reader, error) {
	b, err := r.store.Open(ctx, n.key())
	if errors.Is(err, blob.ErrNotFound) {
		return nil, fmt.Errorf("%w: the object %s is missing", ErrIncomplete, n)
	}
	if err == nil && b.Size() < sha256.Size {
		err = errors.Join(fmt.Errorf("%w: the object %s has only %d bytes", ErrDamaged, n, b.Size()), b.Close())
	}
	return b, err
}

// checkObject reads an object and compares its checksum. With private keys, it also decrypts the object.
func (r *Repository) checkObject(ctx context.Context, n name, identities []age.Identity) error {
	b, err := r.openObject(ctx, n)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	sum, want := sha256.New(), make([]byte, sha256.Size)
	length := b.Size() - sha256.Size
	content := io.TeeReader(io.NewSectionReader(b, 0, length), sum)
	if len(identities) > 0 {
		if err := decodeObject(content, identities, discard); err != nil {
			return fmt.Errorf("read the object %s: %w", n, err)
		}
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return fmt.Errorf("read the object %s: %w", n, err)
	}
	if _, err := io.ReadFull(io.NewSectionReader(b, length, sha256.Size), want); err != nil {
		return fmt.Errorf("read the object %s: %w", n, err)
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return fmt.Errorf("%w: the object %s has changed", ErrDamaged, n)
	}
	return nil
}

func discard(_ header, content io.Reader) error {
	_, err := io.Copy(io.Discard, content)
	return err
}

// readObject decrypts an object and passes its header and content to use, which must read the content
// to its end. The identities must be those that have decrypted the manifest.
func (r *Repository) readObject(ctx context.Context, n name, identities []age.Identity, use func(header, io.Reader) error) error {
	b, err := r.openObject(ctx, n)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	if err := decodeObject(io.NewSectionReader(b, 0, b.Size()-sha256.Size), identities, use); err != nil {
		return fmt.Errorf("read the object %s: %w", n, err)
	}
	return nil
}

func decodeObject(from io.Reader, identities []age.Identity, use func(header, io.Reader) error) error {
	plain, err := decrypt(from, identities)
	if errors.Is(err, ErrIdentity) { // the manifest was decrypted with the same key
		return fmt.Errorf("%w: its beginning has changed", ErrDamaged)
	}
	if err != nil {
		return asDamage(err)
	}
	unpacked, err := zstd.NewReader(plain, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return asDamage(err)
	}
	defer unpacked.Close()
	content := bufio.NewReaderSize(unpacked, 64<<10)
	line, err := content.ReadBytes('\n')
	var h header
	if err == nil {
		err = json.Unmarshal(line, &h)
	}
	if err != nil {
		return asDamage(err)
	}
	counted := &countingReader{r: content}
	if err := use(h, counted); err != nil {
		return err
	}
	if counted.err != nil || counted.n != h.Size {
		return fmt.Errorf("%w: it has %d bytes, not %d", ErrDamaged, counted.n, h.Size)
	}
	return nil
}

// countingReader counts the bytes that are read. It marks errors as damage.
type countingReader struct {
	r   io.Reader
	n   int64
	err error
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = asDamage(err)
		c.err = err
	}
	return n, err
}

// encodeList returns the list of the objects of a backup: a line with the name and size of each, compressed.
func encodeList(objects []object) ([]byte, error) {
	var buf bytes.Buffer
	packed, err := zstd.NewWriter(&buf, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		if _, err := fmt.Fprintf(packed, "%s %d\n", o.name, o.size); err != nil {
			return nil, err
		}
	}
	if err := packed.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// objectsOf reads the list of the objects of a backup, and returns its checksum.
func (r *Repository) objectsOf(ctx context.Context, s Snapshot) (objects []object, sum string, err error) {
	content, err := r.read(ctx, s.prefix()+listName)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, "", fmt.Errorf("%w: the list of backup %d is missing", ErrIncomplete, s.Number)
	}
	if err != nil {
		return nil, "", err
	}
	unpacked, err := zstd.NewReader(bytes.NewReader(content), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, "", asDamage(err)
	}
	defer unpacked.Close()
	lines := bufio.NewScanner(unpacked)
	for lines.Scan() {
		text, size, _ := strings.Cut(lines.Text(), " ")
		n, ok := parseName(text)
		bytes, err := strconv.ParseInt(size, 10, 64)
		if !ok || err != nil {
			return nil, "", fmt.Errorf("%w: the list of backup %d contains an invalid line", ErrDamaged, s.Number)
		}
		objects = append(objects, object{n, bytes})
	}
	if err := lines.Err(); err != nil {
		return nil, "", fmt.Errorf("read the list of backup %d: %w", s.Number, asDamage(err))
	}
	return objects, sumOf(content), nil
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
