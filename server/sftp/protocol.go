package sftp

// This file encodes and decodes version 3 of SFTP, as defined by draft-ietf-secsh-filexfer-02
// and OpenSSH's PROTOCOL file, but only the dozen messages that a session needs.
// docs/decisions/025-sftp-client.md explains why the client of github.com/pkg/sftp does not fit
// here. The tests use the server of that package.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxPacket is the maximum length of a received packet, in bytes. OpenSSH does not send longer
// packets.
const maxPacket = 256 << 10

// maxHandle is the maximum length of a handle in the protocol, in bytes.
const maxHandle = 256

const protocolVersion = 3

const (
	msgInit     = 1
	msgVersion  = 2
	msgOpen     = 3
	msgClose    = 4
	msgRead     = 5
	msgWrite    = 6
	msgLstat    = 7
	msgOpendir  = 11
	msgReaddir  = 12
	msgRemove   = 13
	msgRealpath = 16
	msgRename   = 18
	msgStatus   = 101
	msgHandle   = 102
	msgData     = 103
	msgName     = 104
	msgAttrs    = 105
	msgExtended = 200
)

const (
	statusOK          = 0
	statusEOF         = 1
	statusNoSuchFile  = 2
	statusDenied      = 3
	statusUnsupported = 8
)

const (
	openRead      = 0x01
	openWrite     = 0x02
	openCreate    = 0x08
	openExclusive = 0x20
)

// errProtocol is wrapped by the error for every violation of the protocol.
var errProtocol = errors.New("the server violates the SFTP protocol")

func protocolError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errProtocol}, args...)...)
}

// statusError is the status with which a server refused a request.
type statusError struct {
	code    uint32
	message string
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %q", e.code, e.message) }

func isStatus(err error, code uint32) bool {
	var status *statusError
	return errors.As(err, &status) && status.code == code
}

func isEOF(err error) bool { return isStatus(err, statusEOF) }

func isMissing(err error) bool { return isStatus(err, statusNoSuchFile) }

// request is an encoded packet. Its first 9 bytes are the length, the type and the
// request id; SSH_FXP_INIT has the protocol version in place of the id.
type request []byte

func newRequest(kind byte) request { return request{4: kind, 8: 0} }

func (r request) uint32(v uint32) request { return binary.BigEndian.AppendUint32(r, v) }
func (r request) uint64(v uint64) request { return binary.BigEndian.AppendUint64(r, v) }
func (r request) string(s string) request { return append(r.uint32(uint32(len(s))), s...) }
func (r request) bytes(b []byte) request  { return append(r.uint32(uint32(len(b))), b...) }
func (r request) finish(id uint32) request {
	binary.BigEndian.PutUint32(r, uint32(len(r)-4))
	binary.BigEndian.PutUint32(r[5:], id)
	return r
}

// readPacket reads a packet into buf, and replaces buf with a longer buffer if
// necessary. The body is valid until the next packet is read.
func readPacket(r io.Reader, buf *[]byte) (kind byte, body fields, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, fields{}, err
	}
	length := binary.BigEndian.Uint32(head[:4])
	if length < 1 || length > maxPacket {
		return 0, fields{}, protocolError("a packet of %d bytes", length)
	}
	if n := int(length - 1); n > cap(*buf) {
		*buf = make([]byte, n)
	}
	rest := (*buf)[:length-1]
	if _, err := io.ReadFull(r, rest); err != nil {
		return 0, fields{}, err
	}
	return head[4], fields{rest: rest}, nil
}

// fields decodes a packet from its beginning. Reading past the end returns zero
// values and sets truncated.
type fields struct {
	rest      []byte
	truncated bool
}

func (f *fields) next(n uint64) []byte {
	if f.truncated || n > uint64(len(f.rest)) {
		f.truncated = true
		return nil
	}
	field := f.rest[:n]
	f.rest = f.rest[n:]
	return field
}

func (f *fields) uint32() uint32 {
	if b := f.next(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (f *fields) uint64() uint64 {
	if b := f.next(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// bytes decodes the next byte string of the packet. The string is valid until the next packet is
// read.
func (f *fields) bytes() []byte { return f.next(uint64(f.uint32())) }

func (f *fields) string() string { return string(f.bytes()) }

// maxMessage is the maximum length of a server's error message in the log, in bytes.
const maxMessage = 200

// status decodes a status. It returns nil if the packet is too short for a status code.
func (f *fields) status() *statusError {
	e := &statusError{code: f.uint32()}
	if f.truncated {
		return nil
	}
	// Old servers do not send a message.
	for _, r := range f.string() {
		if len(e.message) >= maxMessage || r == utf8.RuneError {
			break
		}
		e.message += string(r)
	}
	return e
}

// attributes are the file attributes that a session uses. The bits of flags show
// which of them the server sent.
type attributes struct {
	flags    uint32
	size     uint64
	mode     uint32
	modified uint32
}

const (
	hasSize     = 0x1
	hasOwner    = 0x2
	hasMode     = 0x4
	hasTimes    = 0x8
	hasExtended = 0x80000000
)

func (f *fields) attributes() attributes {
	a := attributes{flags: f.uint32()}
	if a.flags&hasSize != 0 {
		a.size = f.uint64()
	}
	if a.flags&hasOwner != 0 {
		f.next(8)
	}
	if a.flags&hasMode != 0 {
		a.mode = f.uint32()
	}
	if a.flags&hasTimes != 0 {
		f.next(4)
		a.modified = f.uint32()
	}
	if a.flags&hasExtended != 0 {
		for n := f.uint32(); n > 0 && !f.truncated; n-- {
			f.bytes()
			f.bytes()
		}
	}
	return a
}

const (
	modeTypeMask  = 0o170000
	modeDirectory = 0o040000
	modeRegular   = 0o100000
	modeLink      = 0o120000
)

func (a attributes) isDirectory() bool { return a.mode&modeTypeMask == modeDirectory }
