// Package webhook tells receivers that something happened.
//
// A Message is what a receiver gets: a Body under an id, the same bytes on every
// attempt. A Body is an event in JSON, or one of the two forms that schemas may
// ask for. A Secret of the receiver signs each attempt as Standard Webhooks 1.0
// says. A Delivery is one message for one address, a Sender makes an attempt at
// it, an Outcome says how that went. The schedule says when to try again, and a
// Streak when a receiver counts as dead.
//
// Receivers are strangers here: an attempt is bounded in time and bytes, follows
// no redirect, knows no proxy and keeps no cookie. The package keeps nothing,
// does not choose who is told of what, and never waits: the caller has the clock
// and the queue.
package webhook

import (
	"errors"
	"strings"
)

// Message is what a receiver gets.
type Message struct {
	// ID tells repeated deliveries of one message from other messages. It has 1
	// to 128 letters, digits, "_" and "-".
	ID string
	Body
}

// Body is the content of a message.
type Body struct {
	ContentType string
	Bytes       []byte
}

// maxID is the longest id of a message, in bytes.
const maxID = 128

const idLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// checkID keeps out full stops above all: with one in the id, other content
// would have the same signature.
func checkID(id string) error {
	if id == "" || len(id) > maxID || strings.Trim(id, idLetters) != "" {
		return errors.New(`the id of a message must have 1 to 128 letters, digits, "_" and "-"`)
	}
	return nil
}
