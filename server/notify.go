package server

import (
	"log/slog"
	"net"
)

// These are messages to systemd. See sd_notify(3).
const (
	notifyReady    = "READY=1"
	notifyStopping = "STOPPING=1"
)

// notifySystemd sends a message to the socket of systemd. If socket is "", systemd did not start this
// process, or does not wait for messages.
func notifySystemd(socket, message string, log *slog.Logger) {
	if socket == "" {
		return
	}
	conn, err := net.Dial("unixgram", socket) //nolint:forbidigo // the socket of systemd on this machine; a name that begins with @ is abstract
	if err == nil {
		_, err = conn.Write([]byte(message))
		_ = conn.Close()
	}
	if err != nil {
		log.Warn("systemd not notified", "socket", socket, "message", message, "error", err)
	}
}
