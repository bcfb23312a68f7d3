package xls

import (
	"bytes"
	"cmp"
	"crypto/md5"  //nolint:gosec // the format prescribes it
	"crypto/rc4"  //nolint:gosec // the format prescribes it
	"crypto/sha1" //nolint:gosec // the format prescribes it
	"hash"
	"math/bits"
	"unicode/utf16"

	"github.com/intraydata/intray"
)

// defaultPassword is the password that Excel uses for files that are only write-protected.
const defaultPassword = "VelvetSweatshop"

// decryptor decrypts a protected stream.
type decryptor interface {
	// decrypt decrypts all or part of the body of a record. at is the offset of that
	// part in the stream, and length is the size of the whole body, in bytes.
	decrypt(body []byte, at int64, length int)
	// clone returns a decryptor for another reader of the same stream.
	clone() decryptor
}

// decryptRecord decrypts the body of a record, except for the parts that Excel never encrypts.
func decryptRecord(k decryptor, rec record, body []byte) {
	switch at := rec.offset + recordHeader; {
	case isBOF(rec.id):
	case rec.id == recFilePass, rec.id == 0x00E1, rec.id == 0x0138, rec.id >= 0x0194 && rec.id <= 0x0196:
	case rec.id == recBoundSheet && len(body) > 4: // the offset of the sheet is not encrypted
		k.decrypt(body[4:], at+4, len(body))
	default:
		k.decrypt(body, at, len(body))
	}
}

// errPassword is returned if a file cannot be read without its password.
var errPassword = unreadable(intray.NewMessage("workbook.password", nil))

// unlock reads the body of a FILEPASS record and tries the default password. It returns
// errPassword if that password is wrong or the encryption is unknown.
func unlock(version int, body []byte) (decryptor, error) {
	method := 0
	if version >= 8 {
		if len(body) < 6 {
			return nil, errPassword
		}
		method, body = int(little.Uint16(body)), body[2:]
	}
	if len(body) < 4 {
		return nil, errPassword
	}
	switch {
	case method == 0:
		return unlockXOR(body)
	case little.Uint16(body) == 1 && len(body) >= 52:
		return unlockRC4(newRC4Key(body[4:20]), body[20:36], body[36:52], md5.New())
	case little.Uint16(body[2:]) == 2 && len(body) >= 12:
		return unlockCryptoAPI(body[4:])
	}
	return nil, errPassword
}

// encodeUTF16 encodes text in UTF-16LE.
func encodeUTF16(text string) []byte {
	var raw []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		raw = little.AppendUint16(raw, unit)
	}
	return raw
}

// rc4Block is the number of bytes that are encrypted with the same RC4 key.
const rc4Block = 1024

// rc4Key decrypts a stream in which each block has its own RC4 key.
type rc4Key struct {
	// derive returns the key of the block with the given index.
	derive func(block uint32) []byte
	cipher *rc4.Cipher
	// next is the offset in the stream of the byte that the cipher will decrypt next.
	next int64
}

func (k *rc4Key) clone() decryptor { return &rc4Key{derive: k.derive} }

func (k *rc4Key) decrypt(body []byte, at int64, _ int) {
	for len(body) > 0 {
		k.seek(at)
		n := min(int64(len(body)), rc4Block-at%rc4Block)
		k.cipher.XORKeyStream(body[:n], body[:n])
		body, at, k.next = body[n:], at+n, at+n
	}
}

// seek moves the cipher to an offset. It also consumes the key stream for bytes that
// are not encrypted.
func (k *rc4Key) seek(at int64) {
	if k.cipher == nil || at < k.next || at/rc4Block != k.next/rc4Block || k.next%rc4Block == 0 {
		cipher, err := rc4.NewCipher(k.derive(uint32(at / rc4Block)))
		if err != nil {
			panic(err) // derive returns 5 to 16 bytes
		}
		k.cipher, k.next = cipher, at/rc4Block*rc4Block
	}
	var skipped [rc4Block]byte
	k.cipher.XORKeyStream(skipped[:at-k.next], skipped[:at-k.next])
	k.next = at
}

// newRC4Key returns the key for the original RC4 encryption.
func newRC4Key(salt []byte) *rc4Key {
	first := md5.Sum(encodeUTF16(defaultPassword))
	middle := md5.Sum(bytes.Repeat(append(first[:5:5], salt...), 16))
	return &rc4Key{derive: func(block uint32) []byte {
		sum := md5.Sum(little.AppendUint32(middle[:5:5], block))
		return sum[:]
	}}
}

// newCryptoAPIKey returns a key for CryptoAPI encryption. keyBits is between 40 and 128.
func newCryptoAPIKey(salt []byte, keyBits int) *rc4Key {
	first := sha1.Sum(append(bytes.Clone(salt), encodeUTF16(defaultPassword)...))
	return &rc4Key{derive: func(block uint32) []byte {
		sum := sha1.Sum(little.AppendUint32(first[:len(first):len(first)], block))
		if keyBits == 40 {
			return append(sum[:5:5], make([]byte, 11)...)
		}
		return sum[:keyBits/8]
	}}
}

// unlockCryptoAPI reads the header of the CryptoAPI encryption and tries the default password.
func unlockCryptoAPI(body []byte) (decryptor, error) {
	size := int64(little.Uint32(body[4:]))
	if size < 32 || size+8+60 > int64(len(body)) {
		return nil, errPassword
	}
	header, verifier := body[8:8+size], body[8+size:]
	const rc4ID = 0x6801
	keyBits := int(little.Uint32(header[16:]))
	keyBits = cmp.Or(keyBits, 40)
	if little.Uint32(header[8:]) != rc4ID || keyBits < 40 || keyBits > 128 || little.Uint32(verifier) != 16 {
		return nil, errPassword
	}
	hashed := verifier[40:]
	return unlockRC4(newCryptoAPIKey(verifier[4:20], keyBits), verifier[20:36], hashed[:20], sha1.New())
}

// unlockRC4 returns the key if the verifier, decrypted with it, matches its hash.
// Otherwise, it returns errPassword.
func unlockRC4(k *rc4Key, verifier, hashed []byte, sum hash.Hash) (decryptor, error) {
	plain := append(bytes.Clone(verifier), hashed...)
	k.decrypt(plain, 0, len(plain))
	sum.Write(plain[:len(verifier)])
	if !bytes.Equal(sum.Sum(nil), plain[len(verifier):]) {
		return nil, errPassword
	}
	return k.clone(), nil
}

// xorKey decrypts XOR obfuscation, which repeats a key of 16 bytes.
type xorKey [16]byte

func (k *xorKey) clone() decryptor { return k }

func (k *xorKey) decrypt(body []byte, at int64, length int) {
	for i := range body {
		body[i] = bits.RotateLeft8(body[i], 3) ^ k[(at+int64(length)+int64(i))%16]
	}
}

// unlockXOR returns the default key if the key and the verifier in the file match the
// default password. Otherwise, it returns errPassword.
func unlockXOR(body []byte) (decryptor, error) {
	if little.Uint16(body) != xorObfuscationKey(defaultPassword) || little.Uint16(body[2:]) != xorVerifier(defaultPassword) {
		return nil, errPassword
	}
	return newXORKey(defaultPassword), nil
}

// newXORKey returns the key of a password of at most 15 bytes.
func newXORKey(password string) *xorKey {
	const fill = "\xBB\xFF\xFF\xBA\xFF\xFF\xB9\x80\x00\xBE\x0F\x00\xBF\x0F\x00"
	var k xorKey
	number := xorObfuscationKey(password)
	for i, b := range []byte(password + fill)[:len(k)] {
		k[i] = bits.RotateLeft8(b^byte(number>>(8*(i%2))), 2)
	}
	return &k
}

// xorObfuscationKey returns the 16-bit key of a password.
func xorObfuscationKey(password string) uint16 {
	step := func(v uint16) uint16 {
		if v = bits.RotateLeft16(v, 1); v&1 != 0 {
			v ^= 0x1020
		}
		return v
	}
	number, base, end := uint16(0), uint16(0x8000), uint16(0xFFFF)
	for i := len(password) - 1; i >= 0; i-- {
		for bit, c := 0, password[i]&0x7F; bit < 8; bit++ {
			base = step(base)
			if c>>bit&1 != 0 {
				number ^= base
			}
			end = step(end)
		}
	}
	return number ^ end
}

// xorVerifier returns the 16-bit verifier of a password.
func xorVerifier(password string) uint16 {
	sum := uint16(len(password)) ^ 0xCE4B
	for i, c := range []byte(password) {
		turn := (i + 1) % 15
		sum ^= (uint16(c)<<turn | uint16(c)>>(15-turn)) & 0x7FFF
	}
	return sum
}
