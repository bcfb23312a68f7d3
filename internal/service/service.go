// Package service remembers: organizations and their licence keys, schemas,
// imports and the uploads they receive, sessions, SFTP credentials and connectors,
// webhooks and how long what is kept. It holds
// the rules and the use cases, one method of [Service] each.
//
// The nouns:
//
//   - An [Org] is a customer. Everything below belongs to one and is invisible
//     to all others.
//   - A [Licence] is the key with which an organization's programs call.
//   - A [Schema] is a saved schema document.
//   - An [Import] is one run of one file against one schema, frozen when the
//     import is made. Its [Status] changes by the table in states.go only.
//   - An [Upload] is the received file of an import and the account of what
//     became of it.
//   - A [Remembered] is what a person decided about a file, to be offered again to
//     imports of the same kind.
//   - An [Edit] is an entry of the log of what persons change in the rows of an
//     import under review.
//   - A [Session] keeps the state of an unfinished embedded import; a hydration
//     token is the right to read and write it.
//   - A [Credential] is what is needed to log in to an SFTP server.
//   - A [Connector] fetches the new files of a folder there by itself; a [Pull] is
//     one of its runs, a [Pulled] file one that it knows of.
//   - A [Webhook] is where events are sent to; a [Delivery] is a message for one
//     receiver, an [Attempt] one try at it.
//   - A [Retention] says for how long parts of imports are kept; a [Deletion] is the
//     receipt of what went.
//
// The package declares the [Store] it needs. It knows no SQL, no HTTP and no
// wire names; clock and random source are passed in.
package service
