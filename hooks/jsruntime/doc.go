// Package jsruntime runs the JavaScript hooks of organizations and defines the protocol
// between the service and the processes that run them.
//
// A [Runtime] is a QuickJS engine that has loaded the prelude: scripts of this package that
// replace the clock and random numbers, remove features that hooks must not use, pass rows as
// records and collect changes. Node runs the same prelude ([NodeScript]). On machines whose
// memory layout allows it, the runtime reads the changes that row hooks return through direct
// calls into QuickJS (changereader.go). The *Call types are requests to a worker that has a
// runtime. An [Answer] is the result of a request, and a [Failure] is the reason why a request
// ended early.
//
// The package does not start processes, and does not enforce a time limit from outside the
// engine. It has no knowledge of imports: it decides neither when hooks run nor what
// happens to their changes. A runtime is not a security boundary, so hooks must run in a
// sandboxed process.
//
// # Records
//
// A row hook receives {row, index, rowId}. row contains every field of the schema, in order,
// as {value, resultValue, info}, with selectOptions if the cell has options other than those
// of the field. value is the displayed value, and resultValue is the value in the result. A
// many-to-one field also has manyToOne, an array with one such cell per column; its value and
// resultValue are arrays that hooks can only read. index is a number, counted from 0, and
// rowId is a string. Changes to a record have an effect only if the hook returns the record.
//
// A hook returns nothing, null, or {row} with the fields that change. In a returned cell,
// properties that are undefined do not change. A value is a string, a finite number, true,
// false, null, or an array of these. Any other value is an error, and so is a field that is
// not in the schema. A value that is equal to the value of the cell is not a change. info
// replaces the messages of the cell. manyToOne must have as many elements as the field has
// columns, and is an error for any other field. If a bulk or column hook changes a cell more
// than once, the last change is used. A hook may be async: the next hook runs after its
// promise has settled. A promise that can never settle is reported as an error immediately.
//
// A call may run several hooks of a kind. Each hook sees the changes that earlier hooks
// made. For a changed cell, resultValue is the value as the earlier hook returned it. A
// caller that parses values between hooks makes a separate call for each hook. In a call
// with several row hooks, all of them run for one row before the next row.
//
// # Repeatable results
//
// Date.now, new Date() and formatting functions without a date use [Pins].Now. Math.random
// depends on the seed, the hook and the index of the row, but not on how rows are split
// into calls. A hook whose source starts with the comment
//
//	// intray: live-clock
//
// uses the real clock. Hooks cannot use the network, timers, modules, files or code created
// from strings, and cannot observe the garbage collector or other threads. Nothing depends on
// the machine: in both runtimes, the time zone is UTC and the locale is en-US unless the
// [Pins] set others. The TZ and LANG environment variables of the process have no effect.
//
// QuickJS supports only UTC and has no locales: Intl, localeCompare, toLocaleString and
// similar functions throw an error that refers to Node. Data that a hook stores between
// rows lasts as long as its worker, but hooks must not rely on it, because calls go to
// several workers and may be repeated. A Fresh call starts without such data.
//
// The runtimes can silently differ in four ways: the messages of the engines' own errors, the
// positions of some of these errors, how Date parses strings that are not in ISO 8601 format,
// and the supported features of newer language editions.
//
// # Methods
//
// Step hooks and beforeFinishCallback receive an object with methods, which can be called
// until the hook ends. A method reads its arguments once and throws an error if they are
// invalid, so the failure has the position of the call. The caller of this package checks
// whether a field is valid; the addField command includes its position for that purpose.
//
// # Protocol
//
// A request and its answer are JSON in UTF-8. Every request starts with {"budget":MS, the
// time limit in milliseconds, where 0 means the limit of the worker. Then comes "op":
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
// Rows are: rows (the number of rows), first (the index of the first row), indexes and ids
// if they cannot be derived from first, and columns, one for each field. A column is 0 if
// it is not sent. Otherwise, it is {value, result?, lists?, infos?, options?}, or {parts}
// with a list of these. value and result have a value for each row; infos and options
// alternate between a row and its list; lists is true if any value is a list.
//
// The answer to load is {faults}, each {kind, hook, name?, message, line, column}. Hooks
// with a fault cannot run. Any other answer is one of
//
//	{changes, times, used?, commands?, cancel?, message?}
//	           commands are {hook, name, args, line?, column?}
//	{changes, more: true}   the next request asks for more
//	{miss}     a hook used columns that were not sent; nothing was changed
//	{failure}  {kind, hook, row, name, message, line, column}
//
// and also has console, the last lines that hooks printed. changes is one flat list of
// numbers, (row * fields + field) * 16 + flags, each followed by the items that its flags
// specify: part (8), value (1), info (2) and selectOptions (4). A string in place of a
// number is the value of the same field in the next row, after a change that has only a
// value. Lines and columns are counted from 1; 0 means unknown.
//
// reads marks row hooks that only read individual cells and cannot keep the record. They
// receive the same record for all rows of a call.
//
// A call with learn receives all columns, and its answer lists the columns that the hooks
// used. Later calls send only these. If a hook uses a further column, the call ends with
// miss, even if the hook catches every exception. The caller then repeats the call with
// that column and with fresh.
//
// # Many rows
//
// Calls with very many rows are lazy. Their columns are sent ahead in packs of rows. keep
// contains {value, result?, lists?, infos?, options?}, where value and result are {text,
// sizes, kinds?, long?}: text is the concatenation of all values, sizes contains the length of
// each value as the code of a character above 255, kinds is omitted if all values are strings,
// and long contains the lengths that are too large for sizes. In the columns of the call, a
// column that was sent ahead is a number: 1 plus the number of its parts. The arrays that
// hooks receive create their elements on access and keep the elements that a hook changes.
// Hooks can see two differences: an unchanged element is a new object if it is accessed again
// much later, and elements cannot be frozen. Changes may arrive in several answers.
//
// # Notes
//
// Before it calls a hook with all rows, at a step or at the end, and before it evaluates a
// hook's source, the runtime sends a note with the name of the hook. With trace, it also
// sends the name and the index before each row. If the process is killed, the last note
// identifies what it was doing.
//
// # Changed language objects
//
// A hook may change any object that it can reach, such as Array.prototype or JSON. The prelude
// saves everything that it needs beforehand, and answers as if nothing had changed. If a hook
// makes arrays unwritable, for example by defining a numeric key of Array.prototype, it fails
// with that reason. Objects to which the prelude writes have no prototype that could
// interfere. Such a change is detected at the end of a call; with trace, the failure includes
// its row.
//
// [ReadLoaded] and [ReadAnswer] treat answers as untrusted, because a hook that escapes
// its engine can write anything.
package jsruntime
