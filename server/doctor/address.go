package doctor

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// requestLimit is the time limit of a request to a server.
const requestLimit = 5 * time.Second

// Address is an address on which the server listens.
type Address struct {
	// Setting names the flag, and Address is its value, such as 127.0.0.1:8080.
	Setting, Address string
	// TLS means that the server uses TLS on this address.
	TLS bool
	// Serves reports whether this program answers at a base URL, such as http://127.0.0.1:8080, and returns
	// its version or "".
	Serves func(ctx context.Context, base string) (version string, ok bool)
	// Running means that a server runs with this data folder.
	Running bool
}

// CheckAddress checks that the server can listen on an address, or already does.
func CheckAddress(ctx context.Context, r *Result, a Address, ownVersion string) {
	where := a.Setting + ": " + a.Address
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", a.Address)
	if err == nil {
		_ = listener.Close()
		r.addDetail(a.Address + " is free")
		if _, port, _ := net.SplitHostPort(a.Address); a.Running && port != "0" {
			r.Warn(where, "A server runs with this data folder, but does not listen on "+a.Address+".", "Run intray doctor with the settings of the server.")
		}
		return
	}
	switch {
	case errors.Is(err, errAddressInUse):
		a.checkUser(ctx, r, where, ownVersion)
	case errors.Is(err, errNoPermission):
		r.Fail(where, "This user may not listen on "+a.Address+".", "Use a port from 1024, or give the program the capability CAP_NET_BIND_SERVICE.")
	default:
		r.Fail(where, fmt.Sprintf("The server cannot listen on %s: %v.", a.Address, networkCause(err)), "Use an address of this machine, or :PORT for all of its addresses.")
	}
}

// checkUser finds out which program uses an address.
func (a Address) checkUser(ctx context.Context, r *Result, where, ownVersion string) {
	version, ok := a.Serves(ctx, a.localURL())
	switch {
	case !ok:
		r.Fail(where, "Another program uses "+a.Address+".", "End that program, or choose another port. To find it, run: ss -ltnp")
	case !a.Running:
		r.Fail(where, "Another Intray server, which uses another data folder, listens on "+a.Address+".", "Choose another port, or run intray doctor with the settings of that server.")
	default:
		r.addDetail("the running server uses " + a.Address)
		if version != "" && version != ownVersion {
			r.Warn(where, fmt.Sprintf("The running server has version %s, but this program has version %s.", version, ownVersion), "Restart the server to run the installed version, or run the intray doctor of the server's version.")
		}
	}
}

// localURL returns a URL of this machine for an address that may stand for all of its addresses.
func (a Address) localURL() string {
	host, port, _ := net.SplitHostPort(a.Address)
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	scheme := "http"
	if a.TLS {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

func (r *Result) addDetail(text string) {
	if r.Detail != "" {
		r.Detail += ", "
	}
	r.Detail += text
}

// newClient returns a client that follows no redirects. If verify is false, it accepts any certificate.
func newClient(verify bool) *http.Client { //nolint:forbidigo // the operator chooses the addresses, and the requests contain nothing
	transport := &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, DisableKeepAlives: true} //nolint:forbidigo // see above
	if !verify {
		transport.TLSClientConfig.InsecureSkipVerify = true
	}
	return &http.Client{Transport: transport, Timeout: requestLimit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }} //nolint:forbidigo // see above
}

// get returns the status of a URL and the first part of the response.
func get(ctx context.Context, client *http.Client, address string) (status int, body []byte, err error) { //nolint:forbidigo // see newClient
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	const most = 8 << 20
	body, err = io.ReadAll(io.LimitReader(response.Body, most))
	return response.StatusCode, body, err
}

// ServesAPI reports whether Intray answers at a base URL, and returns its version. It accepts any
// certificate.
func ServesAPI(ctx context.Context, base string) (version string, ok bool) {
	version, err := askVersion(ctx, newClient(false), base)
	return version, err == nil
}

// ServesMetrics reports whether the metrics of Intray are served at a base URL.
func ServesMetrics(ctx context.Context, base string) (version string, ok bool) {
	status, body, err := get(ctx, newClient(false), base+"/metrics")
	return "", err == nil && status == http.StatusOK && strings.Contains(string(body), "\nintray_")
}

// errOtherProgram means that a program responds, but is not Intray.
var errOtherProgram = errors.New("another program responds")

// askVersion returns the version of the server at a base URL.
func askVersion(ctx context.Context, client *http.Client, base string) (string, error) { //nolint:forbidigo // see newClient
	status, body, err := get(ctx, client, base+"/openapi.json")
	if err != nil {
		return "", err
	}
	var document struct {
		Info struct{ Title, Version string }
	}
	if status != http.StatusOK || json.Unmarshal(body, &document) != nil || document.Info.Title != "Intray" {
		return "", fmt.Errorf("%w, with status %d", errOtherProgram, status)
	}
	return document.Info.Version, nil
}

// CheckBaseURL checks that clients reach the running server at its base URL. running means that a server
// runs with this data folder.
func CheckBaseURL(ctx context.Context, r *Result, base string, running bool) {
	checkBaseURL(ctx, r, base, running, inContainer())
}

// checkBaseURL is CheckBaseURL. container means that this process runs in a container, whose localhost is
// not that of the host.
func checkBaseURL(ctx context.Context, r *Result, base string, running, container bool) {
	where := Setting("base-url") + ": " + base
	if !running {
		r.Detail = base + ", not called because no server runs with this data folder"
		return
	}
	r.Detail = base
	_, err := askVersion(ctx, newClient(true), base)
	var invalid *tls.CertificateVerificationError
	switch {
	case err == nil:
		r.Detail += " responds"
	case errors.Is(err, errOtherProgram):
		r.Fail(where, "A program that is not Intray, or a proxy that does not forward to it, responds at the base URL.", "Correct --base-url, or the configuration of the proxy: it must forward all paths to the server.")
	case errors.As(err, &invalid):
		r.Warn(where, fmt.Sprintf("This machine does not trust the certificate of the base URL: %v.", invalid.Err), "Use a certificate for this host name from an authority that clients trust, with all intermediate certificates.")
	case isLocal(base) && errors.Is(err, errRefused) && container:
		r.Detail += ", which only clients on the host of this container can reach"
	default:
		r.Warn(where, fmt.Sprintf("The base URL cannot be reached from this machine: %v.", networkCause(err)), "If clients cannot reach it either, check the DNS record, the firewall and the proxy, or correct --base-url.")
	}
}

// isLocal reports whether a URL refers to the machine of the client, such as http://localhost.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// networkCause returns the essential part of an error of a connection.
func networkCause(err error) error {
	var request *url.Error
	var lookup *net.DNSError
	var operation *net.OpError
	switch {
	case errors.As(err, &lookup):
		return fmt.Errorf("cannot resolve %s: %s", lookup.Name, lookup.Err)
	case errors.As(err, &operation):
		return cause(operation.Err)
	case errors.As(err, &request):
		return request.Err
	}
	return err
}
