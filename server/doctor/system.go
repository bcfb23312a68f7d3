package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"strings"
	"time"
)

// cause returns the error of the operating system without the operation and the path.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &call):
		return call.Err
	}
	return err
}

// Cause returns the essential part of an error of the file system or of a connection.
func Cause(err error) error { return cause(networkCause(err)) }

// readableByOthers reports whether every user can read or change a file.
func readableByOthers(stat fs.FileInfo) bool { return stat.Mode().Perm()&0o007 != 0 }

// MaxSkew is the difference between two clocks that is not reported.
const MaxSkew = time.Second

// ClockText describes how far a clock is ahead of the clock of this machine.
func ClockText(ahead time.Duration) string {
	if ahead < 0 {
		return (-ahead).Round(time.Second/10).String() + " behind"
	}
	return ahead.Round(time.Second/10).String() + " ahead of"
}

// CheckTime checks the time zone of this process, and describes whether the kernel synchronizes its clock.
func CheckTime(r *Result, getenv func(string) string) {
	zone, _ := time.Now().Zone()
	r.Detail = "time zone " + zone + ", " + clockState()
	if _, err := time.LoadLocation("Europe/Berlin"); err != nil {
		r.Fail("ZONEINFO", "The time zone data cannot be read.", "Unset ZONEINFO, or set it to a complete time zone database. The program contains one.")
	}
	if name := strings.TrimPrefix(getenv("TZ"), ":"); name != "" && !strings.HasPrefix(name, "/") {
		if _, err := time.LoadLocation(name); err != nil {
			r.Warn("TZ", fmt.Sprintf("TZ is %q, which is not a time zone, so the log uses UTC.", name), "Set TZ to a name such as Europe/Berlin, or unset it.")
		}
	}
}

// CheckEgress checks the settings of outgoing connections. usesBucket means that files are in a bucket.
func CheckEgress(r *Result, allow []netip.Prefix, getenv func(string) string, usesBucket bool) {
	r.Detail = "webhooks and SFTP connect directly to public addresses"
	var set []string
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"} {
		for _, spelled := range []string{name, strings.ToLower(name)} {
			if getenv(spelled) != "" {
				set = append(set, spelled)
			}
		}
	}
	if len(set) > 0 {
		fix := "Allow direct connections from this machine to the hosts of webhooks and SFTP servers, or unset the variables of the service."
		if usesBucket {
			fix = "Allow direct connections from this machine to the hosts of webhooks and SFTP servers. Only requests to the bucket use the proxy, except for hosts in NO_PROXY."
		}
		r.Warn(strings.Join(set, ", "), "Webhooks and SFTP ignore proxies: they always connect directly.", fix)
	}
	for _, network := range allow {
		where := Setting("egress-allow") + ": " + network.String()
		metadata := netip.MustParseAddr("169.254.169.254")
		switch {
		case network.Bits() == 0:
			r.Warn(where, "All organizations can connect to every port of every internal address, including this machine.", "Allow only the networks of your own webhook receivers and SFTP servers.")
		case network.Contains(metadata):
			r.Warn(where, "All organizations can read the metadata service of the cloud, which returns credentials of this machine.", "Remove the network of 169.254.169.254.")
		}
	}
}

// CheckTrustedProxies checks the networks of trusted proxies. behindProxy means that clients use HTTPS,
// but the server does not.
func CheckTrustedProxies(r *Result, proxies []netip.Prefix, behindProxy bool) {
	where := Setting("trusted-proxy")
	names := make([]string, len(proxies))
	for i, network := range proxies {
		names[i] = network.String()
		if network.Bits() == 0 {
			r.Warn(where+": "+network.String(), "Every client counts as a trusted proxy, so each can choose the address that the log and the limits use.", "Set only the addresses of your proxies.")
		}
	}
	switch {
	case len(proxies) > 0:
		r.Detail = strings.Join(names, ", ")
	case behindProxy:
		r.Detail = "none"
		r.Warn(where, "Clients use HTTPS through a proxy that is not trusted, so all of them count as one address and share its limits.", "Set --trusted-proxy to the address of the proxy, such as 127.0.0.1.")
	default:
		r.Detail = "none"
	}
}
