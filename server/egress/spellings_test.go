package egress

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
)

// lenient parses an IPv4 address like inet_aton on many systems: one to four numbers in decimal,
// octal or hexadecimal notation. The last number fills the remaining bytes.
func lenient(text string) (netip.Addr, bool) {
	parts := strings.Split(strings.TrimSuffix(text, "."), ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(strings.ToLower(part), 0, 32)
		if err != nil {
			return netip.Addr{}, false
		}
		shift := 8 * (3 - i)
		if i == len(parts)-1 {
			shift = 0
		}
		sum |= n << shift
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), sum < 1<<32
}

// spellings returns notations of an IPv4 address that some software accepts.
func spellings(addr netip.Addr) []string {
	b := addr.As4()
	n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	dotted := addr.String()
	each := func(format string) string { return fmt.Sprintf(format, b[0], b[1], b[2], b[3]) }
	high, low := n>>16, n&0xffff
	hosts := []string{
		dotted, dotted + ".", dotted + "..",
		fmt.Sprint(n), fmt.Sprintf("%d.", n), fmt.Sprintf("0x%x", n), fmt.Sprintf("0X%X", n), fmt.Sprintf("0%o", n),
		fmt.Sprintf("00000000%o", n), fmt.Sprintf("0x00000000%x", n), fmt.Sprint(uint64(n) + 1<<32),
		each("0x%x.0x%x.0x%x.0x%x"), each("0%o.0%o.0%o.0%o"), each("%04o.%04o.%04o.%04o"), each("0x%02X.%d.0%o.%d"),
		each("%03d.%03d.%03d.%03d"), fmt.Sprintf("%d.%d", b[0], n&0xffffff), fmt.Sprintf("0x%x.0x%x", b[0], n&0xffffff),
		fmt.Sprintf("%d.%d.%d", b[0], b[1], low), fmt.Sprintf("0%o.0x%x.%d", b[0], b[1], low),
		wide(dotted, '０', '．'), wide(dotted, '𝟎', '.'), strings.ReplaceAll(dotted, ".", "。"), strings.ReplaceAll(dotted, ".", "｡"),
		percent(dotted), strings.ReplaceAll(dotted, ".", "%2e"), dotted + "%00.example", dotted + "%2f.example", dotted + "%20",
		fmt.Sprintf("[::ffff:%s]", dotted), fmt.Sprintf("[::ffff:%x:%x]", high, low), fmt.Sprintf("[0:0:0:0:0:FFFF:%s]", dotted),
		fmt.Sprintf("[::%s]", dotted), fmt.Sprintf("[::ffff:0:%s]", dotted),
		fmt.Sprintf("[64:ff9b::%s]", dotted), fmt.Sprintf("[64:ff9b::%x:%x]", high, low), fmt.Sprintf("[64:ff9b:1::%s]", dotted),
		fmt.Sprintf("[64:ff9b:1:ffff:%x:%x::]", high, low), fmt.Sprintf("[2002:%x:%x::1]", high, low),
		fmt.Sprintf("[2001:0:5db8:d70e:0:ffff:%x:%x]", high^0xffff, low^0xffff), fmt.Sprintf("[fe80::5efe:%s%%25lo]", dotted),
		"203.0.113.7@" + dotted, "203.0.113.7:80@" + dotted, "hooks.example%40" + dotted, "a:b@" + dotted, "@" + dotted,
		dotted + `\@203.0.113.7`, `203.0.113.7\@` + dotted, dotted + ".nip.example", "xn--" + dotted,
	}
	return hosts
}

// wide replaces digits and full stops with Unicode characters that some software maps to them.
func wide(dotted string, zero, stop rune) string {
	return strings.Map(func(r rune) rune {
		if r == '.' {
			return stop
		}
		return r - '0' + zero
	}, dotted)
}

func percent(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		fmt.Fprintf(&out, "%%%02x", b)
	}
	return out.String()
}

// webHosts returns hosts like those in the URL tests of web browsers.
func webHosts(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/hosts.txt")
	if err != nil {
		t.Fatal(err)
	}
	hosts := []string{strings.Repeat("a.", 130) + "b", strings.Repeat("a", 300)}
	for line := range strings.Lines(string(text)) {
		host, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		hosts = append(hosts, host)
	}
	return hosts
}

// TestSpellings checks that the dialer reaches no internal address, however the address is
// spelled. Its name server parses numbers leniently and resolves all other names to this
// machine.
func TestSpellings(t *testing.T) {
	w := newRecorder(t)
	dialer := New(Config{Resolver: named(t, func(name string) []netip.Addr {
		if addr, ok := lenient(name); ok {
			return []netip.Addr{addr}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")}
	})})
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialWeb, DisableKeepAlives: true}}
	hosts := webHosts(t)
	for _, text := range []string{"127.0.0.1", "10.0.0.5", "169.254.169.254", "192.168.1.1", "172.31.255.254", "100.64.0.1", "0.0.0.0", "198.18.0.1"} {
		hosts = append(hosts, spellings(netip.MustParseAddr(text))...)
	}
	tried, read := map[string]bool{}, 0
	for _, host := range hosts {
		for _, url := range []string{"http://" + host + ":" + w.port + "/", "https://" + host + ":" + w.port, "http://" + host + "/"} {
			answer, err := client.Post(url, "text/plain", strings.NewReader("x"))
			if err == nil {
				_ = answer.Body.Close()
				t.Errorf("%q: got a response", url)
				continue
			}
			tried[host] = true
			var refused *RefusedError
			var noName *net.DNSError
			var network *net.OpError
			switch {
			case errors.As(err, &refused):
				read++
			case errors.As(err, &network) && !errors.As(err, &noName):
				t.Errorf("%q was not refused: %v", url, err)
			}
		}
	}
	w.wantOnly(t)
	t.Logf("%d spellings of hosts, %d refused connections, none made", len(tried), read)
	if len(tried) < 120 || read < 240 {
		t.Errorf("only %d spellings and %d refused connections", len(tried), read)
	}
}
