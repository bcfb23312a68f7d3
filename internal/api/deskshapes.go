package api

import "github.com/intraydata/intray/internal/shape"

func showShape() *shape.Shape {
	return enum("Which rows by their problems. Default all.", "all", "problems", "errors", "warnings", "infos", "valid")
}

const alsoDoc = "Texts that count as found by the search in cells that hold them, where the page shows something else for them than the names of the table: JSON, a list under the key of each field."

func filterParams() []parameter {
	return []parameter{
		{"view", "A view that an earlier answer named; the filter does not count then.", word("")},
		{"show", "", showShape()},
		{"key", "The key of the field with the problem; empty for problems of whole rows.", word("")},
		{"code", "The code of the problem.", word("")},
		{"search", "Text that a cell holds or is read as, or that is in the name of the value which it holds, whatever the case.", word("")},
		{"in", "The key of the field that is searched. Default all.", word("")},
		{"also", alsoDoc, word("")},
	}
}

func firstParams() []parameter {
	return []parameter{{"rows", "So many of the first rows come along. Default 0, at most 1,000.", count("")}}
}

func rowParams() []parameter {
	return []parameter{
		{"from", "The place in the view, from 0. Default 0.", count("")},
		{"count", "The most rows to give. Default 200, at most 1,000.", count("")},
	}
}

func valueParams() []parameter {
	return []parameter{
		{"of", "The key of the field.", word("")},
		{"limit", "The most values to give. Default 100, at most 1,000.", count("")},
	}
}

func nextParams() []parameter {
	return []parameter{
		{"row", "The id of the row to start from. Default before the first.", word("")},
		{"near", "The level of the problem that is looked for. Default any.", enum("", "problems", "errors", "warnings", "infos")},
		{"back", "true looks before the row and not behind it.", enum("", "true", "false")},
	}
}

func deskTableAnswer() *shape.Shape {
	option := object("", must("value", word("")), must("label", word("")))
	column := object("A field, or one of the columns that feed a field with manyToOne.",
		must("key", word("")), may("part", count("Which of the columns of the field, from 0.")), must("label", word("")), must("type", word("The type of the field.")),
		may("header", word("That of the column in the file.")), must("readOnly", flag("")), must("hidden", flag("")), must("required", flag("")),
		may("options", list(option, "Of select, multi-select, country and us-state-territory.")), may("delimiter", word("What stands between the values of a multi-select.")))
	totals := object("", must("rows", count("")), must("errors", count("Rows with a problem of this level.")), must("warnings", count("")), must("infos", count("")))
	return object("", must("columns", list(column, "")), must("totals", totals),
		must("undo", count("How many changes can be taken back.")), must("redo", count("How many can be made again.")))
}

func deskCellAnswer() *shape.Shape {
	return object("", must("text", word("What stands there.")), must("value", orNull(word("What it is read as."))), may("problems", deskProblems()),
		may("made", flag("The text is not what the value was read from: a hook gave it, or a workbook, which shows less of it.")),
		may("cut", flag("The text goes on: 4 KiB of it are given, or 64 KiB where one row is asked for.")))
}

func deskProblems() *shape.Shape {
	return list(object("", with(mainProps(""), must("level", enum("", "error", "warning", "info")), must("code", word("The rule.")))...), "")
}

func deskWindowAnswer() *shape.Shape {
	row := object("", must("id", word("Names the row for good.")), must("version", count("The number of the change that last touched it; 0 for none.")),
		may("line", count("Where it begins in the file, from 1; missing for added rows.")),
		must("cells", list(deskCellAnswer(), "One for each column of the table.")), may("problems", deskProblems()))
	return object("", must("view", word("Names the view.")), must("total", count("How many rows it has.")), must("first", count("The place of the first row here, from 0.")), must("rows", list(row, "")))
}

func deskCountAnswer() *shape.Shape {
	return object("", with(mainProps("That of one of them."), must("key", word("The field; empty for whole rows.")), must("code", word("")), must("level", enum("", "error", "warning", "info")),
		must("rows", count("")))...)
}

func deskValuesAnswer() *shape.Shape {
	suggestion := object("", with(reasonProps(""), must("text", word("What a cell is to hold.")), must("label", word("")))...)
	value := object("", must("text", word("")), must("count", count("")), must("suggestions", list(suggestion, "What it may have been meant as, the likeliest first, at most 3. Of fields whose values are chosen from a list, and where the filter asks for problems.")))
	return object("", must("values", list(value, "")), must("more", count("How many further ones there are.")))
}

func deskVerdictAnswer() *shape.Shape {
	sample := object("", must("id", word("The row.")), must("key", word("")), may("part", count("")), must("before", deskCellAnswer()), must("after", deskCellAnswer()))
	return object("What a change did, or would do.", must("change", count("Its number; 0 where nothing was changed.")), must("cells", count("")), must("rows", count("")),
		must("added", count("")), must("deleted", count("")), must("valid", count("Rows that lose their last error.")), must("invalid", count("Rows that get their first one.")),
		must("samples", list(sample, "At most 20.")))
}

func submissionAnswer() *shape.Shape {
	return object("", must("status", word("That of the import.")), must("rows", count("In the result.")), must("rowsWithError", count("Of these, with an error.")),
		must("rowsLeftOut", count("")), must("blocked", flag("Rows with an error keep it from being submitted.")))
}

func opBody() *shape.Shape { return object("", must("op", opShape())) }

func opShape() *shape.Shape {
	return &shape.Shape{Kind: shape.String, NoControl: true, MinLength: 1, MaxLength: 100, Doc: "An id that the caller makes, a new one for each change."}
}

func editBody() *shape.Shape {
	where := object("Which rows: those of the view, these, or those that fit the filter.",
		may("view", word("")), may("from", count("With view: the first place that is meant, from 0.")), may("to", count("With view: the place behind the last one. 0, the default, is the end.")), may("total", count("With view: how many rows it had when the person saw them; refused where it has others by now, as the places are others then.")), may("rows", list(word(""), "Ids.")), may("show", showShape()), may("key", word("")), may("code", word("")), may("search", word("")), may("in", word("")), may("also", word(alsoDoc)))
	typed := object("", may("id", word("The row; not where one is added.")), must("key", word("")), may("part", count("")), must("text", word("")),
		may("version", count("The version of the row that the person saw.")), may("seen", word("The text that the person saw.")))
	return object("A change.", must("op", opShape()),
		must("kind", enum("", "set", "replace", "fill", "clear", "trim", "case", "mapValue", "delete", "add", "accept")),
		may("preview", flag("Only say what it would do.")), may("where", where), may("keys", list(word(""), "The fields. Default all that can be changed.")),
		may("cells", list(typed, "For set.")), may("rows", list(list(typed, ""), "For add: the cells of each row.")),
		may("find", word("For replace and mapValue.")), may("map", mapOf(word(""), "For mapValue: the new text for each old one, in place of find and text.")), may("with", word("For replace.")), may("text", word("For fill and mapValue.")), may("texts", mapOf(word(""), "For fill: the text for each field, by key, in place of keys and text.")),
		may("whole", flag("For replace: only cells that hold nothing else.")), may("names", mapOf(mapOf(word(""), ""), "For replace: what the page shows in place of texts, by field, where that is something else than the names of the table.")), may("matchCase", flag("")), may("expression", flag("find is a regular expression (RE2).")),
		may("inner", flag("For trim: also runs of blanks inside.")), may("to", enum("For case.", "upper", "lower", "title")))
}

func fileParams() []parameter {
	return []parameter{
		{"op", "An id that the caller makes, a new one for each change.", opShape()},
		{"preview", "true only says what it would do.", enum("", "true", "false")},
		{"over", "true puts what the file holds also into cells that were changed here since it was made.", enum("", "true", "false")},
	}
}

func broughtAnswer() *shape.Shape {
	parted := object("", must("id", word("The row.")), must("key", word("")), may("part", count("")), must("here", word("What the cell holds here.")), must("file", word("What it holds in the file.")))
	return object("", must("verdict", deskVerdictAnswer()),
		must("clashes", count("Cells that the file changes and that were changed here to something else since it was made. They stay as they are here, unless over is true. Cells too long for the file that are changed in it count too, and stay in any case.")),
		must("examples", list(parted, "The first of them, at most 20.")),
		must("untold", count("Rows of which it is not known what they held when the file was made: all cells of theirs that differ count as changed in the file.")),
		must("unknown", count("Rows of the file that are not among those under review, or not for the first time.")),
		must("ignored", list(word(""), "Headers of columns that were left alone.")))
}
