package main

// Images from scratch and minimal systems have neither CA certificates nor time zones. Without
// these copies, Intray could not verify the TLS certificates of webhook receivers, S3 stores and
// databases there, and TZ would have no effect. Go prefers the copies of the system.
import (
	_ "time/tzdata"

	_ "golang.org/x/crypto/x509roots/fallback"
)
