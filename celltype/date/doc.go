// Package date reads days, times of day and moments from the text of cells, and
// writes them.
//
// A [Date] is a day of the Gregorian calendar, a [Time] a time of day, a
// [Timestamp] both. None has a zone: the clock of a cell is kept as it is written,
// and an offset beside it is only reported. A [Style] says how a column writes
// its days where a cell alone does not tell: which number is the month, which
// century two digits mean, which language names the months. A [Sniffer] takes the
// cells of a column and decides the style with its [Evidence], or finds a [Ambiguity],
// which is a question for a person. A [Layout] is a format of Luxon tokens in a
// [Locale]: it writes moments for people and reads them back.
//
// Some readings are a matter of choice, and the same everywhere: a day alone is a
// moment at 00:00, and 24:00 is the start of the next day; a time of day takes no
// 24:00. Parts of a second are read and left out of the canonical forms. Years of
// two digits are 1950 to 2049 unless the style says otherwise; a year of one or
// three digits, or none, is never completed. A day that does not exist is wrong and
// never moved. A weekday that does not belong to its date is wrong, or tells the
// order of day and month where one of them fits.
//
// The package knows no fields, rows or problems, asks nobody, and has no clock:
// what day it is today never decides a reading. Calendars other than the
// Gregorian are read only where the cell names them.
package date
