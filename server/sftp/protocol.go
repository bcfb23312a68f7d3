package sftp

// The SFTP protocol, version 3, as draft-ietf-secsh-filexfer-02 and OpenSSH's
// PROTOCOL file describe it: the dozen messages that are needed here.
//
// github.com/pkg/sftp speaks it too, and is what the tests serve with. Its client
// does not fit here: it takes the last part of a name for the name, so that
// "../../x" cannot be told from "x"; it drops which attributes the server gave;
// it gathers a listing without end; a short answer is the end of the file to it;
// and most of its calls cannot be given up.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxPacket is the longest packet that is read: what OpenSSH sends at most.
const maxPacket = 256 << 10

// maxHandle is the longest handle that the protocol allows.
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
	msgBytes    = 103
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

// errProtocol is wrapped by all that says how a server broke the protocol.
var errProtocol = errors.New("the server does not keep to the protocol")

func protocolError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errProtocol}, args...)...)
}

// statusError is the server's word that a request failed.
type statusError struct {
	code    uint32
	message string
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %q", e.code, e.message) }

// readPacket reads a packet into buf, which grows to the packet's length.
func readPacket(r io.Reader, buf *[]byte) (kind byte, body *payload, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	length := binary.BigEndian.Uint32(head[:4])
	if length < 1 || length > maxPacket {
		return 0, nil, protocolError("a packet of %d bytes", length)
	}
	if n := int(length - 1); n > cap(*buf) {
		*buf = make([]byte, n)
	}
	rest := (*buf)[:length-1]
	if _, err := io.ReadFull(r, rest); err != nil {
		return 0, nil, err
	}
	return head[4], &payload{rest: rest}, nil
}

// payload is what is left of a packet. Reading past its end gives zeros and is
// remembered.
type payload struct {
	rest  []byte
	short bool
}

func (p *payload) next(n uint64) []byte {
	if p.short || n > uint64(len(p.rest)) {
		p.short = true
		return nil
	}
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	return taken
}

func (p *payload) uint32() uint32 {
	if b := p.next(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (p *payload) uint64() uint64 {
	if b := p.next(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// bytes are valid until the next packet is read.
func (p *payload) bytes() []byte { return p.next(uint64(p.uint32())) }

func (p *payload) text() string { return string(p.bytes()) }

// status gives nil where the packet is too short for a code.
func (p *payload) status() *statusError {
	e := &statusError{code: p.uint32()}
	if p.short {
		return nil
	}
	// Old servers leave the message out; it is cut because it ends up in logs.
	for _, r := range p.text() {
		if len(e.message) >= maxMessage || r == utf8.RuneError {
			break
		}
		e.message += string(r)
	}
	return e
}

// maxMessage is how much of a server's own words is kept, in bytes.
const maxMessage = 200

// attributes are those that matter here. Which the server gave is in flags.
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

func (p *payload) attributes() attributes {
	a := attributes{flags: p.uint32()}
	if a.flags&hasSize != 0 {
		a.size = p.uint64()
	}
	if a.flags&hasOwner != 0 {
		p.next(8)
	}
	if a.flags&hasMode != 0 {
		a.mode = p.uint32()
	}
	if a.flags&hasTimes != 0 {
		p.next(4)
		a.modified = p.uint32()
	}
	if a.flags&hasExtended != 0 {
		for n := p.uint32(); n > 0 && !p.short; n-- {
			p.bytes()
			p.bytes()
		}
	}
	return a
}

// message is a packet that is being written: its length, its kind, and so on.
type message []byte

func newMessage(kind byte) message { return message{0, 0, 0, 0, kind} }

func (m message) uint32(v uint32) message { return binary.BigEndian.AppendUint32(m, v) }
func (m message) uint64(v uint64) message { return binary.BigEndian.AppendUint64(m, v) }

func (m message) text(s string) message  { return append(m.uint32(uint32(len(s))), s...) }
func (m message) bytes(b []byte) message { return append(m.uint32(uint32(len(b))), b...) }

// done puts the length in front.
func (m message) done() message {
	binary.BigEndian.PutUint32(m, uint32(len(m)-4))
	return m
}
