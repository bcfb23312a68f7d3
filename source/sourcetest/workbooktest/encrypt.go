package workbooktest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"

	"github.com/intraydata/intray/source/sourcetest"
)

// DefaultPassword is the password with which Excel encrypts a workbook whose structure is
// protected.
const DefaultPassword = "VelvetSweatshop"

// segmentBytes is the size of the segments that are encrypted separately, in bytes.
const segmentBytes = 4096

// EncryptedFile returns a container with the given encryption settings and encrypted archive.
func EncryptedFile(settings, packed []byte) []byte {
	return sourcetest.CompoundFile(sourcetest.Stream{Name: "EncryptedPackage", Text: packed}, sourcetest.Stream{Name: "EncryptionInfo", Text: settings})
}

// WithSizeAndPadding returns an archive preceded by its size and padded to whole blocks.
func WithSizeAndPadding(file []byte) []byte {
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(file)))
	return append(append(head, file...), make([]byte, -len(file)&(aes.BlockSize-1))...)
}

// EncryptStandard encrypts a file as Office 2007 does, with a key of keyBytes bytes.
func EncryptStandard(file []byte, password string, keyBytes int) []byte {
	h := sha1.New()
	salt := []byte("0123456789abcdef")
	sum := hashed(h, hashedPassword(h, salt, password, 50_000), make([]byte, 4))
	inner, outer := bytes.Repeat([]byte{0x36}, 64), bytes.Repeat([]byte{0x5C}, 64) // as in HMAC
	for i, b := range sum {
		inner[i] ^= b
		outer[i] ^= b
	}
	block, _ := aes.NewCipher(append(hashed(h, inner), hashed(h, outer)...)[:keyBytes])
	encrypt := func(text []byte) []byte {
		for i := 0; i+aes.BlockSize <= len(text); i += aes.BlockSize {
			block.Encrypt(text[i:], text[i:])
		}
		return text
	}
	sample := []byte("a sample of it..")
	check := append(hashed(h, sample), make([]byte, 12)...)
	settings := []byte{4, 0, 2, 0, 36, 0, 0, 0}
	for _, n := range []uint32{32, 36, 0, 26126, 32772, uint32(8 * keyBytes), 24, 0, 0, 16} {
		settings = binary.LittleEndian.AppendUint32(settings, n)
	}
	settings = append(append(settings, salt...), encrypt(sample)...)
	settings = append(append(settings, 20, 0, 0, 0), encrypt(check)...)
	packed := WithSizeAndPadding(file)
	encrypt(packed[8:])
	return EncryptedFile(settings, packed)
}

// EncryptAgile encrypts a file as Office 2010 and later versions do. The settings declare the
// given number of spins, but the password is hashed 1,000 times.
func EncryptAgile(file []byte, password string, spins int) []byte {
	return EncryptedFile(AgileStreams(file, password, spins))
}

// AgileStreams returns the streams of the container that EncryptAgile returns.
func AgileStreams(file []byte, password string, spins int) (settings, packed []byte) {
	salt, key := []byte("fedcba9876543210"), []byte("an archive's key that is 32 long")
	h := sha512.New()
	sum := hashedPassword(h, salt, password, 1000)
	seal := func(text []byte, purpose ...byte) string {
		block, _ := aes.NewCipher(hashed(h, sum, purpose)[:32])
		text = bytes.Clone(text)
		cipher.NewCBCEncrypter(block, salt).CryptBlocks(text, text)
		return base64.StdEncoding.EncodeToString(text)
	}
	sample := []byte("another sample..")
	text := fmt.Sprintf(`<encryption xmlns:p="x"><keyData keyBits="256" hashAlgorithm="SHA512" saltValue="%[1]s"/><keyEncryptors><keyEncryptor><p:encryptedKey spinCount="%[2]d" keyBits="256" hashAlgorithm="SHA512" saltValue="%[1]s" encryptedVerifierHashInput="%[3]s" encryptedVerifierHashValue="%[4]s" encryptedKeyValue="%[5]s"/></keyEncryptor></keyEncryptors></encryption>`,
		base64.StdEncoding.EncodeToString(salt), spins,
		seal(sample, 0xFE, 0xA7, 0xD2, 0x76, 0x3B, 0x4B, 0x9E, 0x79), seal(hashed(h, sample), 0xD7, 0xAA, 0x0F, 0x6D, 0x30, 0x61, 0x34, 0x4E), seal(key, 0x14, 0x6E, 0x0B, 0xE7, 0xAB, 0xAC, 0xD0, 0xD6))
	packed = WithSizeAndPadding(file)
	block, _ := aes.NewCipher(key)
	for i := 0; 8+i*segmentBytes < len(packed); i++ {
		text := packed[8+i*segmentBytes : min(len(packed), 8+(i+1)*segmentBytes)]
		start := hashed(h, salt, binary.LittleEndian.AppendUint32(nil, uint32(i)))
		cipher.NewCBCEncrypter(block, start[:aes.BlockSize]).CryptBlocks(text, text)
	}
	return append([]byte{4, 0, 4, 0, 64, 0, 0, 0}, text...), packed
}

// hashed returns the hash of the concatenated parts.
func hashed(h hash.Hash, parts ...[]byte) []byte {
	h.Reset()
	h.Write(bytes.Join(parts, nil))
	return h.Sum(nil)
}

// hashedPassword returns the hash of a salt and a password, hashed again the given number of
// times.
func hashedPassword(h hash.Hash, salt []byte, password string, count int) []byte {
	sum := hashed(h, salt, sourcetest.UTF16LE(password))
	for i := range count {
		sum = hashed(h, binary.LittleEndian.AppendUint32(nil, uint32(i)), sum)
	}
	return sum
}
