package sftp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/server/sftp"
)

type reply = func(s *fakeServer, id uint32, body []byte)

// saying gives a fixed packet, whatever the request.
func saying(kind byte, rest string) reply {
	return func(s *fakeServer, id uint32, _ []byte) { s.send(kind, id, rest) }
}

func status(code uint32) reply {
	return func(s *fakeServer, id uint32, _ []byte) { s.status(id, code) }
}

func raw(text string) reply {
	return func(s *fakeServer, _ uint32, _ []byte) { _, _ = io.WriteString(s, text) }
}

func silent(*fakeServer, uint32, []byte) {}

func hangUp(s *fakeServer, _ uint32, _ []byte) { _ = s.Close() }

// framing are ways to break the protocol at any message.
var framing = map[string]struct {
	say  reply
	kind sftp.Kind
}{
	"huge packet":          {raw(packet(0xffffffff, "evil")), sftp.Misbehaved},
	"long packet":          {raw(packet(256<<10+1, "evil")), sftp.Misbehaved},
	"empty packet":         {raw(packet(0, "evil")), sftp.Misbehaved},
	"packet without id":    {raw(packet(3, "\x65\x00\x00")), sftp.Misbehaved},
	"another's id":         {raw(packet(9, "\x65"+u32(77_777)+u32(0))), sftp.Misbehaved},
	"answers twice":        {func(s *fakeServer, id uint32, _ []byte) { s.status(id-1, 0); s.status(id-1, 0) }, sftp.Misbehaved},
	"unknown answer":       {saying(99, "evil"), sftp.Misbehaved},
	"success of nothing":   {status(0), sftp.Misbehaved},
	"refuses":              {status(4), sftp.Failed},
	"forbids":              {status(3), sftp.Forbidden},
	"a status of no code":  {saying(101, ""), sftp.Misbehaved},
	"a status of no words": {saying(101, u32(4)), sftp.Failed},
	"hangs":                {silent, sftp.TimedOut},
	"half a packet":        {raw(packet(100, "evil")), sftp.TimedOut},
	"drips":                {drip, sftp.TimedOut},
	"hangs up":             {hangUp, sftp.Lost},
	"endless packet train": {func(s *fakeServer, _ uint32, _ []byte) { repeat(s, packet(200_000, strings.Repeat("\x68", 200_000))) }, sftp.Misbehaved},
	"endless side words":   {func(s *fakeServer, _ uint32, _ []byte) { repeat(s.Stderr(), "evil") }, sftp.TimedOut},
}

// drip sends a packet byte by byte, each long before the client gives up, until
// the client hangs up.
func drip(s *fakeServer, id uint32, _ []byte) {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	text := packet(200_000, "\x68"+u32(id))
	for i := 0; ; i++ {
		<-ticker.C
		if _, err := s.Write([]byte{text[i%len(text)]}); err != nil {
			return
		}
	}
}

// doing are the calls, and the message at which a server is evil to each.
var doing = map[string]struct {
	at  byte
	run func(*sftp.Session) error
}{
	"opening a directory": {opOpendir, list},
	"reading a directory": {opReaddir, list},
	"looking at a file":   {opLstat, fetch},
	"opening a file":      {opOpen, fetch},
	"reading a file":      {opRead, fetch},
	"creating a file":     {opOpen, put3},
	"looking at a part":   {opLstat, put3},
}

func list(s *sftp.Session) error {
	_, err := s.List(context.Background(), "/in", sftp.Pattern{}, 1000)
	return err
}

// listed is the file of a fakeFS as a listing gives it.
func listed(size int64) sftp.File {
	return sftp.File{Path: "/in/a.csv", Size: size, Modified: time.Unix(1_700_000_000, 0).UTC()}
}

func fetch(s *sftp.Session) error {
	_, err := s.Fetch(context.Background(), sftp.Download{File: listed(3)}, io.Discard)
	return err
}

func put3(s *sftp.Session) error {
	return s.Upload(context.Background(), "/out", "a.csv", strings.NewReader("abc"))
}

func TestEvilAnswers(t *testing.T) {
	for step, do := range doing {
		for name, evil := range framing {
			t.Run(step+"/"+name, func(t *testing.T) {
				t.Parallel()
				f := &fakeFS{content: "abc", entries: names("a.csv"), say: map[byte]reply{do.at: evil.say}}
				cfg := long
				if evil.kind == sftp.TimedOut {
					cfg = short
				}
				s := f.connect(t, cfg)
				err := do.run(s)
				wantError(t, err, evil.kind, "127.0.0.1:")
				over := evil.kind == sftp.Misbehaved || evil.kind == sftp.TimedOut || evil.kind == sftp.Lost
				if again := list(s); over && again == nil {
					t.Error("the session serves on")
				}
			})
		}
	}
}

// What a server says of one file or entry.
func TestEvilContent(t *testing.T) {
	listings := map[string]struct {
		say  reply
		kind sftp.Kind
	}{
		"more entries than it sends": {saying(104, u32(1<<31)+entry("a", u32(0))), sftp.Misbehaved},
		"a name of 4 GiB":            {saying(104, u32(1)+u32(0xffffffff)+"evil"), sftp.Misbehaved},
		"attributes cut short":       {saying(104, u32(1)+str("a")+str("a")+u32(0xf)), sftp.Misbehaved},
		"4 G extended attributes":    {saying(104, u32(1)+str("a")+str("a")+u32(0x80000000)+u32(0xffffffff)), sftp.Misbehaved},
		"the same file for ever":     {saying(104, string(names(slices.Repeat([]string{"a"}, 2000)...))), sftp.TooMany},
		"names for ever":             {everNew, sftp.TooMany},
	}
	for name, c := range listings {
		t.Run("list/"+name, func(t *testing.T) {
			t.Parallel()
			f := &fakeFS{say: map[byte]reply{opReaddir: c.say}}
			wantError(t, list(f.connect(t, long)), c.kind, `the directory "/in"`)
		})
	}
	fetches := map[string]struct {
		say  map[byte]reply
		kind sftp.Kind
	}{
		"no bytes for ever":      {map[byte]reply{opRead: saying(103, str(""))}, sftp.Misbehaved},
		"more than asked for":    {map[byte]reply{opRead: saying(103, str("abcd"))}, sftp.Misbehaved},
		"a length beyond itself": {map[byte]reply{opRead: saying(103, u32(3)+"ab")}, sftp.Misbehaved},
		"goes on for ever":       {map[byte]reply{opRead: endless}, sftp.Changed},
		"ends early":             {map[byte]reply{opRead: status(1)}, sftp.Changed},
		"became a link":          {map[byte]reply{opLstat: saying(105, fileAttrs(3, 0o120777, 1_700_000_000))}, sftp.Changed},
		"became longer":          {map[byte]reply{opLstat: saying(105, fileAttrs(4, 0o100644, 1_700_000_000))}, sftp.Changed},
		"became younger":         {map[byte]reply{opLstat: saying(105, fileAttrs(3, 0o100644, 1_700_000_001))}, sftp.Changed},
		"an impossible size":     {map[byte]reply{opLstat: saying(105, fileAttrs(1<<63, 0o100644, 1_700_000_000))}, sftp.Changed},
		"no size":                {map[byte]reply{opLstat: saying(105, u32(4)+u32(0o100644))}, sftp.Changed},
		"attributes cut short":   {map[byte]reply{opLstat: saying(105, u32(0xf))}, sftp.Misbehaved},
		"a long handle":          {map[byte]reply{opOpen: saying(102, str(strings.Repeat("h", 257)))}, sftp.Misbehaved},
		"vanished":               {map[byte]reply{opLstat: status(2)}, sftp.Missing},
		"changes afterwards":     {map[byte]reply{opLstat: firstly(saying(105, fileAttrs(3, 0o100644, 1_700_000_000)), saying(105, fileAttrs(3, 0o100644, 1_700_000_001)))}, sftp.Changed},
		"vanishes afterwards":    {map[byte]reply{opLstat: firstly(saying(105, fileAttrs(3, 0o100644, 1_700_000_000)), status(2))}, sftp.Missing},
	}
	for name, c := range fetches {
		t.Run("fetch/"+name, func(t *testing.T) {
			t.Parallel()
			f := &fakeFS{content: "abc", say: c.say}
			wantError(t, fetch(f.connect(t, long)), c.kind, `the file "/in/a.csv"`)
		})
	}
}

func endless(s *fakeServer, id uint32, body []byte) {
	want := body[len(body)-1]
	s.send(103, id, str(strings.Repeat("e", int(want))))
}

// firstly gives the first answer once, and then the other.
func firstly(first, then reply) reply {
	return func(s *fakeServer, id uint32, body []byte) {
		if s.lookups++; s.lookups == 1 {
			first(s, id, body)
			return
		}
		then(s, id, body)
	}
}

// everNew lists names without end.
func everNew(s *fakeServer, id uint32, _ []byte) {
	list := make([]string, 100)
	for i := range list {
		s.lookups++
		list[i] = "file" + strconv.Itoa(s.lookups)
	}
	s.send(104, id, string(names(list...)))
}

// A size is only believed where the bytes are there.
func TestSizeThatLies(t *testing.T) {
	t.Parallel()
	const tera = 1 << 40
	f := &fakeFS{content: "0123456789", say: map[byte]reply{opLstat: saying(105, fileAttrs(tera, 0o100644, 1_700_000_000))}}
	s := f.connect(t, long)
	var got bytes.Buffer
	n, err := s.Fetch(context.Background(), sftp.Download{File: listed(tera)}, &got)
	wantError(t, err, sftp.Changed, "ends before its 1,099,511,627,776 bytes")
	if n != 0 || got.Len() != 0 {
		t.Errorf("%d bytes were reported and %d written of a chunk that was not there", n, got.Len())
	}
	_, err = s.Fetch(context.Background(), sftp.Download{File: listed(tera), MaxSize: 1 << 30}, &got)
	wantError(t, err, sftp.TooLarge, "at most 1,073,741,824")
	if _, err := s.Fetch(context.Background(), sftp.Download{File: listed(10), Offset: 11}, &got); err == nil {
		t.Error("an offset behind the end passed")
	}
	if _, err := s.Fetch(context.Background(), sftp.Download{File: listed(10), Offset: -1}, &got); err == nil {
		t.Error("a negative offset passed")
	}
}

// A server may give less than was asked for, and in another order, and still be
// honest.
func TestOddButHonest(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("0123456789abcdef", 8<<10) // four chunks
	var held []func()
	odd := func(s *fakeServer, id uint32, body []byte) {
		if s.lookups++; s.lookups > 4 {
			s.read(id, body)
			return
		}
		half := append(slices.Clone(body[:len(body)-4]), u32(1000)...)
		held = append(held, func() { s.read(id, half) })
		for i := len(held) - 1; i >= 0 && s.lookups == 4; i-- {
			held[i]()
		}
	}
	f := &fakeFS{content: content, say: map[byte]reply{opRead: odd}}
	var got bytes.Buffer
	n, err := f.connect(t, long).Fetch(context.Background(), sftp.Download{File: listed(int64(len(content)))}, &got)
	if err != nil || n != int64(len(content)) || got.String() != content {
		t.Errorf("Fetch wrote %d bytes, %v", n, err)
	}
	if reads := f.counts(opRead); reads != 4+4+1 {
		t.Errorf("%d reads were asked for, want 9", reads)
	}
}

// None of what a server says makes the client allocate by what was declared, or
// keep what it sends.
func TestEvilFilesMemory(t *testing.T) {
	cases := map[string]*fakeFS{
		"huge packet":     {say: map[byte]reply{opReaddir: raw(packet(0xffffffff, "evil"))}},
		"many entries":    {say: map[byte]reply{opReaddir: saying(104, u32(0xffffffff)+entry("a", u32(0)))}},
		"long bad names":  {say: map[byte]reply{opReaddir: saying(104, string(names(strings.Repeat("\n", 100_000)))+"")}},
		"many extensions": {extensions: manyNames(5_000)},
	}
	for name, f := range cases {
		s := f.connect(t, sftp.Config{ListTimeout: 300 * time.Millisecond})
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = list(s)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 8<<20 {
			t.Errorf("%s: %d bytes are kept", name, kept)
		}
	}
}

func manyNames(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = "extension" + strconv.Itoa(i)
	}
	return list
}

// A listing that takes too long ends, however busy the server is: here it gives
// nothing, for ever.
func TestListTimeout(t *testing.T) {
	t.Parallel()
	f := &fakeFS{say: map[byte]reply{opReaddir: saying(104, u32(0))}}
	s := f.connect(t, sftp.Config{ListTimeout: 50 * time.Millisecond})
	wantError(t, list(s), sftp.TimedOut, "time ran out while reading the directory")
}

// A server that answers is left in good order when ctx ends: the session serves
// on. One that does not is hung up on.
func TestCancelledSession(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	f := &fakeFS{content: strings.Repeat("x", 4<<20), entries: names("a.csv")}
	s := f.connect(t, long)
	n, err := s.Fetch(ctx, sftp.Download{File: listed(4 << 20)}, onWrite(func([]byte) { cancel() }))
	if !errors.Is(err, context.Canceled) || n == 0 || n >= 4<<20 {
		t.Errorf("Fetch wrote %d bytes, %v", n, err)
	}
	if err := list(s); err != nil {
		t.Errorf("the session is of no use any more: %v", err)
	}
	if _, err := s.List(ctx, "/in", sftp.Pattern{}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("List after the end of ctx: %v", err)
	}

	ctx, cancel = context.WithCancel(context.Background())
	hung := &fakeFS{say: map[byte]reply{opOpendir: func(*fakeServer, uint32, []byte) { cancel() }}}
	if _, err := hung.connect(t, long).List(ctx, "/in", sftp.Pattern{}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("List: %v", err)
	}
}

// A session without work notices that the server is gone.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	key, _ := newKey(t, "ed25519")
	f := &fakeFS{entries: names("a.csv")}
	ended := make(chan struct{})
	cred := listen(t, deaf(withPassword(key), f.serve, ended))
	s := connect(t, cred, sftp.Config{KeepAlive: 20 * time.Millisecond, Patience: 100 * time.Millisecond})
	<-ended
	wantError(t, list(s), sftp.TimedOut, "was too slow")

	lively := f.connect(t, sftp.Config{KeepAlive: time.Millisecond})
	for range 20 {
		if err := list(lively); err != nil {
			t.Fatal(err)
		}
	}
}

// deaf is serveSSH without an answer to signs of life. It tells when the
// connection has ended.
func deaf(cfg *ssh.ServerConfig, files func(ssh.Channel), ended chan<- struct{}) func(net.Conn) {
	return func(raw net.Conn) {
		defer close(ended)
		_, channels, requests, err := ssh.NewServerConn(raw, cfg)
		if err != nil {
			return
		}
		go func() {
			for range requests {
			}
		}()
		for asked := range channels {
			if channel, requests, err := asked.Accept(); err == nil {
				go serveChannel(channel, requests, files)
			}
		}
	}
}
