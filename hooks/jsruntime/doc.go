// Package jsruntime runs the JavaScript hooks of organizations, and speaks with
// whoever sends the rows.
//
// A Runtime is a JavaScript engine with the prelude: scripts of this package that
// pin the clock and chance, take away what hooks do not have, show rows as records
// and write down what hooks change. The prelude runs in QuickJS, which is part of
// this program ([New]), and in Node ([NodeScript]); both do the same. Only what
// row hooks give back is taken over by calls into QuickJS (taker.go), where the
// machine's values have the layout that these know. A Call is one request to a
// worker that holds a runtime: calls to hooks with the rows they are about. An
// Answer is what came of it. A Failure is why it came to nothing.
//
// The package starts no process, keeps no deadline from outside and knows no
// import: it does not say when hooks run, nor what becomes of their changes. A
// runtime is no wall; hooks belong into a sandboxed process.
//
// # Records
//
// A row hook gets {row, index, rowId}. row has every field of the schema, in its
// order, each {value, resultValue, info} and selectOptions where the cell has
// options of its own; value is the cell as displayed, resultValue as it goes out.
// A field that several columns feed has manyToOne besides, a list with such a
// cell for each column; value and resultValue are then lists, to be read only.
// index is a number from 0, rowId a text. What a hook changes in a record counts
// if it returns it.
//
// A hook returns nothing, null, or {row} with the fields that change; in a cell
// that is returned, what is undefined stays. A value is a text, a finite number,
// true, false, null, or a list of these; anything else is an error, as is a field
// that the schema does not have. One that is what the cell holds already is no
// change. info takes the place of the messages before it. manyToOne has as many
// elements as the field has columns, and is an error of any other field. What a
// bulk or a column hook says of a cell more than once counts as it says it last. A
// hook may be async: its promise is waited for, and the next hook runs after it. One
// that never settles is an error at once.
//
// A call may be about several hooks of a kind. Each sees what those before it changed,
// and as resultValue the value as they gave it: who wants it read makes a call for each
// hook. Row hooks run row by row then, all hooks of one row before the next row.
//
// # What is the same each time
//
// Date.now, new Date() and formats without a date show [Pins].Now; Math.random
// depends on the seed, the hook and the index of the row, and on nothing else,
// however the rows are cut into calls. A hook whose source begins with the comment
//
//	// intray: live-clock
//
// gets the real clock. There is no network, timer, module, file, code made from
// text, nor anything that shows the work of the garbage collector or of threads.
// Nothing follows the machine: the time zone is UTC and the locale en-US on both
// runtimes, unless the [Pins] say otherwise, whatever TZ and LANG of the process
// are. new Date(y, m, d), toLocaleString without arguments and
// Intl.DateTimeFormat().resolvedOptions() show that. The live clock is the only
// way out, and one of time alone.
//
// QuickJS is in UTC and has no locales: what would need them (Intl, localeCompare,
// toLocaleString and its kin) is an error that names Node. What a hook keeps
// between rows lasts as long as its worker, but nothing is promised: calls go to
// several workers, and one may be made again. A call that is Fresh starts anew.
//
// Four things can differ between the runtimes without an error: the messages of
// the engines' own errors, the places of some of these, how Date reads texts that
// are not ISO 8601, and what newer editions of the language brought.
//
// # Methods
//
// Step hooks and the last callback get an object with methods, which is of use until
// they have ended. A method reads what it is given once and throws what is wrong with
// it, so that the failure has the place of the call. That a field is well made is for
// others to say: addField alone tells its place.
//
// # Protocol
//
// A request and its answer are JSON texts in UTF-8. Every request begins with
// {"budget":MS, 0 where the worker's own counts; then "op":
//
//	load    memory, fields [{key, many?}], hooks [{kind, name, source, reads?}],
//	        pins {now, seed, timeZone, locale}, limit, sparse
//	rows    hooks? [name], mode, learn?, fresh?, lazy?, trace?, limit?, and rows; so do
//	        bulk and delete
//	column  hooks [name], field, part (-1: the whole field), and rows
//	keep    field, part (-1: the field has none), from, size, pack
//	more
//	step    step?, hooks [name], about (any JSON), newIds, nextId
//	finish  rows (a number), keys, values (columns), about, newIds, nextId
//
// Rows are: rows (how many), first (the index of the first), indexes and ids where
// they do not follow from it, and columns, one for each field: 0 where it is not
// sent, or {value, result?, lists?, infos?, options?}, or {parts} of such. value
// and result hold a value for each row, infos and options a row and its list by
// turns, lists is true where a value is a list.
//
// The answer to load is {faults}, each {hook, name?, message, line, column}: hooks
// with a fault do not run. Other answers are one of
//
//	{changes, times, used?, commands?, cancel?, message?}
//	           commands are {hook, name, args, line?, column?}
//	{changes, more: true}   the next request asks for more
//	{miss}     a hook touched columns that were not sent; nothing was changed
//	{failure}  {kind, hook, row, name, message, line, column}
//
// and console, the last lines that hooks printed. changes is one flat list: a
// number, (row * fields + field) * 16 + flags, and then, as the flags say, part
// (8), value (1), info (2) and selectOptions (4). Behind a change of a value alone, a
// text in the place of the number is the value of the same field in the next row. Places in a source count from 1;
// line 0 is unknown, column 0 too.
//
// reads says of a row hook that it only looks at single cells and can keep none of
// the record: it is then shown all rows of a call in the same one.
//
// A call that learns is sent all columns and is told which ones the hooks touched.
// Later calls send these. Where a hook touches another, the call is broken off
// with miss, though the hook may catch whatever it likes, and is to be made again
// with that column, Fresh.
//
// # Many rows
//
// Calls over very many rows are lazy. Their columns come before, in packs of some
// rows: a request keep holds {value, result?, lists?, infos?, options?} where value
// and result are {text, sizes, kinds?, long?}: all texts as one, the length of each
// as the code of a character above 255, its kind where some are no texts, and the
// lengths that are too large for that. In columns such a one stands as a number:
// 1, and the number of its parts more. The lists that hooks are given then make
// their elements when they are looked at, and keep what a hook changes. Hooks see
// two differences: an element that was not changed is another object when it is
// looked at much later, and it cannot be frozen. Changes come in several answers.
//
// # Notes
//
// Before a hook is called with all rows, at a step or at the end, and before its
// source is read, its name is noted; with trace, row hooks and the index of each
// row. Whoever ends the process knows from the last note what it did.
//
// # What hooks do to the language
//
// A hook may change whatever objects it finds, Array.prototype and JSON among them.
// The prelude took what it needs before, and answers as if nothing had been done;
// where lists can no longer be written at all (a number as a key of
// Array.prototype), the hook fails and is told so. What this code writes into has no
// prototype that could get in its way. That lists are bent shows at the end of a call;
// one with trace tells the row that bent them.
//
// All of this is written by [LoadCall], [KeepCall], [MoreCall], [RowsCall], [ColumnCall], [StepCall] and
// [FinishCall], and read by [ReadLoaded] and [ReadAnswer], which take the bytes
// for forged: a hook that breaks out of its engine can write what it likes.
package jsruntime
