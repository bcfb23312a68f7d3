package xls

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha1"
	"errors"
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// protect encrypts the records after the FILEPASS record. RC4 decryption is its own
// inverse, but XOR encryption rotates in the direction opposite to decryption.
func protect(text []byte, k decryptor) []byte {
	out := bytes.Clone(text)
	behind := false
	for at := 0; at+4 <= len(out); {
		length := int(little.Uint16(out[at+2:]))
		r := record{id: little.Uint16(out[at:]), offset: int64(at), body: out[at+4 : at+4+length]}
		if behind {
			if x, ok := k.(*xorKey); ok {
				closeXOR(x, r)
			} else {
				decryptRecord(k, r, r.body)
			}
		}
		behind = behind || r.id == recFilePass
		at += 4 + length
	}
	return out
}

func closeXOR(k *xorKey, r record) {
	mask := make([]byte, len(r.body))
	decryptRecord(k, r, mask) // decrypting zeros returns the bytes of the key
	first := 0
	switch {
	case isBOF(r.id):
		return
	case r.id == recBoundSheet:
		first = 4
	}
	for i := first; i < len(r.body); i++ {
		r.body[i] = bits.RotateLeft8(r.body[i]^mask[i], 5)
	}
}

// checked returns the encrypted verifier of a FILEPASS record, followed by the encrypted hash of
// the verifier.
func checked(k *rc4Key, hashed func(verifier []byte) []byte) []byte {
	verifier := []byte("sixteen bytes!!!")
	both := append(bytes.Clone(verifier), hashed(verifier)...)
	k.clone().decrypt(both, 0, len(both))
	return both
}

func TestProtected(t *testing.T) {
	salt := []byte("0123456789abcdef")
	md := func(b []byte) []byte { sum := md5.Sum(b); return sum[:] }
	sha := func(b []byte) []byte { sum := sha1.Sum(b); return sum[:] }
	api := func(keyBits int) []byte {
		header := body(uint32(4), uint32(0), uint32(0x6801), uint32(0x8004), uint32(keyBits), uint32(1), uint32(0), uint32(0), utf16le("RC4\x00"))
		both := checked(newCryptoAPIKey(salt, max(keyBits, 40)), sha)
		return rec(recFilePass, uint16(1), uint16(4), uint16(2), uint32(4), uint32(len(header)), header, uint32(16), salt, both[:16], uint32(20), both[16:])
	}
	xor := body(xorObfuscationKey(defaultPassword), xorVerifier(defaultPassword))
	for _, c := range []struct {
		name    string
		version int
		pass    []byte
		key     decryptor
	}{
		{"RC4", 8, rec(recFilePass, uint16(1), uint16(1), uint16(1), salt, checked(newRC4Key(salt), md)), newRC4Key(salt)},
		{"RC4 of 128 bits", 8, api(128), newCryptoAPIKey(salt, 128)},
		{"RC4 of 40 bits", 8, api(0), newCryptoAPIKey(salt, 40)},
		{"XOR", 8, rec(recFilePass, uint16(0), xor), newXORKey(defaultPassword)},
		{"XOR of BIFF5", 5, rec(recFilePass, xor), newXORKey(defaultPassword)},
	} {
		sheet := rec(0x0203, at(0, 0, 0), 1.5)
		for row := range 200 { // more than one RC4 block
			sheet = body(sheet, rec(recRK, at(row+1, 0, 0), rkWhole(int32(row))))
		}
		plain := workbookStream(c.version, c.pass, part{name: "One", body: sheet}, part{name: "Two", body: sheet})
		want, err := read(t, xls(workbookStream(c.version, nil, part{name: "One", body: sheet}, part{name: "Two", body: sheet})), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := read(t, xls(protect(plain, c.key)), Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestRefusesPasswords(t *testing.T) {
	for name, pass := range map[string][]byte{
		"RC4":           body(uint16(1), uint16(1), uint16(1), make([]byte, 48)),
		"CryptoAPI":     body(uint16(1), uint16(4), uint16(2), uint32(4), uint32(32), make([]byte, 32), uint32(16), make([]byte, 80)),
		"a huge header": body(uint16(1), uint16(4), uint16(2), uint32(4), uint32(0xFFFFFFF0), make([]byte, 80)),
		"XOR":           body(uint16(0), uint16(1), uint16(2)),
		"empty":         nil,
		"too short":     body(uint16(1), uint16(4)),
		"other":         body(uint16(1), uint16(9), uint16(9), make([]byte, 100)),
	} {
		_, err := read(t, xls(one(rec(recFilePass, pass))), Limits{})
		if !errors.Is(err, errPassword) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := read(t, pack(file{"EncryptedPackage", make([]byte, 5000)}), Limits{}); !errors.Is(err, errPassword) {
		t.Errorf("encrypted package: error %v", err)
	}
}

// TestCryptoAPIKeys compares the key stream of a block with one that is computed as
// MS-OFFCRYPTO 2.3.5.2 describes. A key of 40 bits is padded with zeros to 128 bits.
func TestCryptoAPIKeys(t *testing.T) {
	salt := []byte("0123456789abcdef")
	for keyBits, bytesOfHash := range map[int]int{40: 5, 56: 7, 128: 16} {
		first := sha1.Sum(append(bytes.Clone(salt), utf16le("VelvetSweatshop")...))
		block := sha1.Sum(append(first[:], 1, 0, 0, 0))
		key := bytes.Clone(block[:bytesOfHash])
		if keyBits == 40 {
			key = append(key, make([]byte, 11)...)
		}
		cipher, err := rc4.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		want, got := make([]byte, 100), make([]byte, 100)
		cipher.XORKeyStream(want, want)
		newCryptoAPIKey(salt, keyBits).clone().decrypt(got, 1024, len(got))
		if !bytes.Equal(got, want) {
			t.Errorf("%d bits: %x, want %x", keyBits, got, want)
		}
	}
}

// TestXORNumbers compares the key and the verifier of a password with known values.
func TestXORNumbers(t *testing.T) {
	if number, check := xorObfuscationKey("abc"), xorVerifier("abc"); number != 20810 || check != 52250 {
		t.Errorf("key %d, verifier %d; want 20810 and 52250", number, check)
	}
}
