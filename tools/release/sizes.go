package main

import (
	"cmp"
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// sizeTarget is the target whose size is printed and limited.
var sizeTarget = target{"linux", "amd64"}

// runSizes builds the program for Linux on amd64 with and without a symbol table, and prints the
// bytes of each module in it.
func runSizes(args []string) error {
	flags, repo, out := newFlags("sizes")
	if err := parse(flags, args, repo, out); err != nil {
		return err
	}
	src, err := readSource(*repo)
	if err != nil {
		return err
	}
	return printSizes(os.Stdout, src)
}

func printSizes(w io.Writer, src source) error {
	scratch, err := os.MkdirTemp("", "intray-sizes-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	whole, stripped := filepath.Join(scratch, "whole", "intray"), filepath.Join(scratch, "stripped", "intray")
	if err := compile(src, sizeTarget, whole, false); err != nil {
		return err
	}
	if err := compile(src, sizeTarget, stripped, true); err != nil {
		return err
	}
	sizes, err := moduleSizes(whole)
	if err != nil {
		return err
	}
	info, err := os.Stat(stripped)
	if err != nil {
		return err
	}
	if err := writeSizes(w, sizes, info.Size()); err != nil {
		return err
	}
	return checkSize(info.Size())
}

// maxProgram is the maximum size of the stripped program for sizeTarget, in bytes.
const maxProgram = 50_000_000

// checkSize returns an error if the stripped program for sizeTarget is too large.
func checkSize(size int64) error {
	if size <= maxProgram {
		return nil
	}
	return fmt.Errorf("the program for %s has %d bytes, more than %d; the command sizes lists what its modules add. If all of them grew, a package calls methods by name: go build -ldflags=-dumpdep marks it with <ReflectMethod>", sizeTarget, size, maxProgram)
}

// The rows of the table that are not modules.
const (
	lineTables = "(function and line tables)"
	otherBytes = "(types, strings, embedded files and headers)"
)

// moduleSizes returns the bytes of code and data of each module in an ELF program with a symbol
// table. The standard library is "std".
func moduleSizes(program string) (map[string]int64, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	modules := []string{info.Main.Path}
	for _, dep := range info.Deps {
		modules = append(modules, dep.Path)
	}
	file, err := elf.Open(program)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		return nil, err
	}
	// Symbols without content in the file, such as variables that are zero at first, do not count.
	inFile := func(s elf.Symbol) bool {
		return int(s.Section) < len(file.Sections) && file.Sections[s.Section].Type != elf.SHT_NOBITS
	}
	sizes := map[string]int64{}
	for _, s := range symbols {
		if s.Size > 0 && s.Section != elf.SHN_UNDEF && inFile(s) {
			sizes[moduleOf(s.Name, modules)] += int64(s.Size)
		}
	}
	if tables := file.Section(".gopclntab"); tables != nil {
		sizes[lineTables] += int64(tables.FileSize)
	}
	return sizes, nil
}

// moduleOf returns the module that a symbol belongs to. Instances of generic functions belong to
// the module that defines the function.
func moduleOf(symbol string, modules []string) string {
	name, _, _ := strings.Cut(symbol, "[")
	// Descriptions of types and generated methods begin with a kind.
	for _, prefix := range []string{"type:", "go:itab.", "go:", ".eq.", ".hash."} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.TrimLeft(strings.ReplaceAll(name, "%2e", "."), "*.")
	if strings.HasPrefix(name, "main.") {
		return modules[0]
	}
	best := ""
	for _, m := range modules {
		if len(m) > len(best) && strings.HasPrefix(name, m) && (len(name) == len(m) || strings.ContainsRune("./", rune(name[len(m)]))) {
			best = m
		}
	}
	return cmp.Or(best, "std")
}

// writeSizes writes the table, from large to small. total is the size of the stripped program.
func writeSizes(w io.Writer, sizes map[string]int64, total int64) error {
	type row struct {
		name string
		size int64
	}
	var rows []row
	other := total
	for name, size := range sizes {
		rows = append(rows, row{name, size})
		other -= size
	}
	rows = append(rows, row{otherBytes, other})
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(-cmp.Compare(a.size, b.size), cmp.Compare(a.name, b.name)) })
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "bytes\tshare\t\n")
	for _, r := range append(rows, row{"the stripped program for linux/amd64", total}) {
		fmt.Fprintf(table, "%d\t%.1f %%\t  %s\n", r.size, 100*float64(r.size)/float64(total), r.name)
	}
	return table.Flush()
}
