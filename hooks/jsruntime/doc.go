// Package jsruntime runs the JavaScript hooks of organizations and defines the protocol
// between the service and the processes that run them.
//
// A [Runtime] is a QuickJS engine with the prelude: scripts of this package that freeze
// the clock and random numbers, remove what hooks do not have, show rows as records and
// collect changes. The same prelude runs in Node ([NodeScript]). Only the changes that
// row hooks return are read by calls into QuickJS itself (changereader.go), on machines
// whose memory layout allows it. The *Call types are requests to a worker with a runtime.
// An [Answer] is the result of a request, and a [Failure] the reason why it ended early.
//
// The package starts no processes and enforces no time limit from outside. It does not
// know imports: it decides neither when hooks run nor what happens to their changes. A
// runtime is not a security boundary, so hooks must run in a sandboxed process.
//
// # Records
//
// A row hook gets {row, index, rowId}. row has every field of the schema in order, each
// as {value, resultValue, info}, and selectOptions if the cell has its own. value is the
// displayed cell and resultValue the value of the result. A many-to-one field also has
// manyToOne, a list with such a cell for each column; its value and resultValue are lists
// that hooks can only read. index is a number from 0, and rowId is a string. Changes of a
// record count only if the hook returns it.
//
// A hook returns nothing, null, or {row} with the fields that change. In a returned cell,
// undefined members do not change. A value is a string, a finite number, true, false,
// null, or a list of these. Anything else is an error, and so is a field that the schema
// does not have. A value that the cell already has is not a change. info replaces the
// messages of the cell. manyToOne has as many elements as the field has columns, and is an
// error for other fields. If a bulk or column hook changes a cell more than once, the last
// change counts. A hook may be async: the next hook runs after its promise has settled. A
// promise that never settles is an error at once.
//
// A call may run several hooks of a kind. Each sees the changes of those before it, and as
// resultValue the value as they returned it; a caller that parses values in between makes
// a call for each hook. In such a call, all row hooks run for one row before the next.
//
// # Repeatable results
//
// Date.now, new Date() and formats without a date show [Pins].Now. Math.random depends on
// the seed, the hook and the index of the row, and not on how rows are split into calls. A
// hook whose source begins with the comment
//
//	// intray: live-clock
//
// gets the real clock. There is no network, timer, module, file or code made from text,
// and nothing that shows the garbage collector or other threads. Nothing depends on the
// machine: on both runtimes the time zone is UTC and the locale en-US unless the [Pins]
// say otherwise. TZ and LANG of the process have no effect.
//
// QuickJS is in UTC and has no locales: Intl, localeCompare, toLocaleString and similar
// functions throw an error that names Node. What a hook keeps between rows lasts as long
// as its worker, but hooks must not rely on it: calls go to several workers and may be
// repeated. A Fresh call starts without it.
//
// The runtimes can differ without an error in four ways: the messages of the engines' own
// errors, the positions of some of these, how Date parses texts that are not ISO 8601, and
// the features of newer language editions.
//
// # Methods
//
// Step hooks and beforeFinishCallback get an object with methods, which work until the
// hook ends. A method reads its arguments once and throws an error for invalid ones, so
// the failure has the position of the call. Whether a field is valid is checked by the
// caller of this package; the command of addField therefore has its position.
//
// # Protocol
//
// A request and its answer are JSON texts in UTF-8. Every request begins with
// {"budget":MS, where 0 is the limit of the worker. Then comes "op":
//
//	load    memory, fields [{key, many?}], hooks [{kind, name, source, reads?}],
//	        pins {now, seed, timeZone, locale}, limit, sparse
//	rows    hooks? [name], mode, learn?, fresh?, lazy?, trace?, limit?, and rows; so do
//	        bulk and delete
//	column  hooks [name], lazy?, limit?, field, part (-1: the whole field), and rows
//	keep    field, part (-1: the field is not many-to-one), from, size, pack
//	more
//	step    step?, hooks [name], about (any JSON), newIds, nextId
//	finish  rows (a number), keys, lazy?, fresh?, values (columns), about, newIds, nextId
//
// Rows are: rows (their number), first (the index of the first), indexes and ids if they
// do not follow from it, and columns, one for each field. A column is 0 if it is not sent,
// or {value, result?, lists?, infos?, options?}, or {parts} with a list of these. value
// and result have a value for each row; infos and options alternate between a row and its
// list; lists is true if a value is a list.
//
// The answer to load is {faults}, each {kind, hook, name?, message, line, column}. Hooks
// with a fault cannot run. Other answers are one of
//
//	{changes, times, used?, commands?, cancel?, message?}
//	           commands are {hook, name, args, line?, column?}
//	{changes, more: true}   the next request asks for more
//	{miss}     a hook used columns that were not sent; nothing was changed
//	{failure}  {kind, hook, row, name, message, line, column}
//
// and console, the last lines that hooks printed. changes is one flat list of numbers,
// (row * fields + field) * 16 + flags, each followed by what its flags name: part (8),
// value (1), info (2) and selectOptions (4). A string instead of a number is the value of
// the same field in the next row, after a change of only a value. Lines and columns count
// from 1; 0 is unknown.
//
// reads marks row hooks that only read single cells and cannot keep the record. They get
// the same record for all rows of a call.
//
// A call with learn gets all columns, and its answer names those that the hooks used.
// Later calls send only these. If a hook uses another one, the call ends with miss, even
// if the hook catches every exception, and the caller repeats it with that column and
// with fresh.
//
// # Many rows
//
// Calls with very many rows are lazy. Their columns come ahead in packs of rows: keep has
// {value, result?, lists?, infos?, options?}, where value and result are {text, sizes,
// kinds?, long?}: all texts in one, the length of each as the code of a character above
// 255, their kinds unless all are strings, and the lengths that are too large for that. In
// the columns of the call, such a column is a number: 1 plus the number of its parts.
// Lists create their elements on access and keep those that a hook changes. Hooks can see
// two differences: an unchanged element is a new object if it is accessed again much
// later, and elements cannot be frozen. Changes may come in several answers.
//
// # Notes
//
// Before a hook gets all rows, at a step or at the end, and before its source is
// evaluated, the runtime sends a note with its name. With trace, it also sends the name
// and the index before each row. After the process was killed, the last note identifies
// what it was doing.
//
// # Changed language objects
//
// A hook may change any object that it finds, such as Array.prototype or JSON. The prelude
// captured what it needs beforehand and answers as if nothing had changed. If lists cannot
// be written any more (a number as a key of Array.prototype), the hook fails with that
// reason. Objects that the prelude writes to have no prototype that could interfere. Such
// a change is found at the end of a call; with trace, the failure names its row.
//
// [ReadLoaded] and [ReadAnswer] treat answers as forged: a hook that escapes its engine
// can write anything.
package jsruntime
