package doctor

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"time"
)

// renewBefore is the remaining validity of a certificate below which it should be renewed. Services that
// renew certificates do so earlier.
const renewBefore = 14 * 24 * time.Hour

// CheckTLS checks a TLS certificate and its key. host is the host name that clients use, or "" if it is
// unknown.
func CheckTLS(r *Result, cert, key, host string, now time.Time) {
	certFlag, keyFlag := Setting("tls-cert")+": "+cert, Setting("tls-key")+": "+key
	if cert == "" || key == "" {
		r.Detail = "Intray does not use TLS"
		return
	}
	for _, file := range []struct{ path, where string }{{cert, certFlag}, {key, keyFlag}} {
		if opened, err := os.Open(file.path); err != nil {
			r.Fail(file.where, fmt.Sprintf("The file cannot be read: %v.", cause(err)), "Correct the path, or allow the user of the server to read the file.")
		} else {
			_ = opened.Close()
		}
	}
	if len(r.Findings) > 0 {
		return
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		r.Fail(certFlag+", "+keyFlag, fmt.Sprintf("The certificate and its key cannot be used: %v.", err), "Use the PEM files of one certificate and its private key, with the certificate of the server first.")
		return
	}
	leaf := pair.Leaf
	r.Detail = "certificate valid until " + leaf.NotAfter.UTC().Format(time.DateOnly)
	const renew = "Renew the certificate and restart the server, which reads it only when it starts."
	switch {
	case now.After(leaf.NotAfter):
		r.Fail(certFlag, "The certificate expired on "+leaf.NotAfter.UTC().Format(time.DateOnly)+", so clients refuse to connect.", renew)
	case now.Before(leaf.NotBefore):
		r.Fail(certFlag, "The certificate is not valid before "+leaf.NotBefore.UTC().Format(time.DateTime)+" UTC, so clients refuse to connect.", "Correct the clock of this machine, or use a certificate that is valid now.")
	case leaf.NotAfter.Sub(now) < renewBefore:
		r.Warn(certFlag, "The certificate expires on "+leaf.NotAfter.UTC().Format(time.DateOnly)+".", renew)
	}
	checkHostOf(r, leaf, host, certFlag)
	if stat, err := os.Stat(key); err == nil && readableByOthers(stat) {
		r.Warn(keyFlag, fmt.Sprintf("All users of this machine can read the private key (mode %04o).", stat.Mode().Perm()), "Run: chmod o-rwx "+key)
	}
}

func checkHostOf(r *Result, leaf *x509.Certificate, host, where string) {
	if host != "" && leaf.VerifyHostname(host) != nil {
		r.Fail(where, fmt.Sprintf("The certificate is not valid for %s, the host of --base-url, so clients refuse to connect.", host), "Use a certificate for this host name, or correct --base-url.")
	}
}
