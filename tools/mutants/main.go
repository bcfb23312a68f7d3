// Command mutants measures how well the tests detect faults in the code. It draws a seeded
// sample of small changes to the program and applies them one at a time. For each change, it
// runs the tests of the changed package, and then those of a few packages that import it. A
// change that no test detects has survived.
//
// The working tree is not modified, because each change is compiled with the -overlay flag of
// the go command. Changes that do not compile are replaced and do not count.
//
//	go -C tools run ./mutants -n 300 -seed 1
//
// The exit status is 0 even if mutants survive, because only a person can decide which of
// them are harmless.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	module := flag.String("module", "..", "the folder of the module to change")
	n := flag.Int("n", 300, "how many changes to try")
	seed := flag.Uint64("seed", 1, "the seed of the sample")
	only := flag.String("only", "", "packages to change, as a prefix of their path within the module; default all")
	slack := flag.Duration("slack", 20*time.Second, "how much longer than three times their usual time the tests of a package may take")
	neighbors := flag.Int("neighbors", 5, "how many neighboring packages to test if the package's own tests notice nothing")
	list := flag.Bool("list", false, "list the sample without running tests")
	flag.Parse()
	if err := os.Chdir(*module); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *n, *seed, *only, *slack, *neighbors, *list); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, n int, seed uint64, only string, slack time.Duration, neighbors int, list bool) error {
	all, err := loadPackages(ctx)
	if err != nil {
		return err
	}
	sites, err := findSites(all, only)
	if err != nil {
		return err
	}
	draw := newSampler(sites, rand.New(rand.NewPCG(seed, 0)))
	t := tester{packages: all, slack: slack, neighbors: neighbors, baselines: map[string]time.Duration{}}
	var results []result
	for len(results) < n && ctx.Err() == nil {
		m, ok := draw.next()
		if !ok {
			break
		}
		if list {
			fmt.Println(m)
			results = append(results, result{mutant: m})
			continue
		}
		r, err := t.try(ctx, m)
		if err != nil {
			return err
		}
		if r.verdict == notCompiled || ctx.Err() != nil {
			continue
		}
		results = append(results, r)
		fmt.Printf("%4d %-9s %5.1fs %-28s %s\n", len(results), r.verdict, r.took.Seconds(), r.by, m)
	}
	if !list {
		printSummary(results)
	}
	return ctx.Err()
}

// printSummary prints the totals, by package and by kind of change, and the survivors.
func printSummary(results []result) {
	killed := 0
	byPackage, byKind := map[string][2]int{}, map[string][2]int{}
	for _, r := range results {
		p, k := byPackage[r.mutant.pkg], byKind[r.mutant.kind]
		p[1]++
		k[1]++
		if r.verdict == killedByTests {
			killed++
			p[0]++
			k[0]++
		}
		byPackage[r.mutant.pkg], byKind[r.mutant.kind] = p, k
	}
	fmt.Printf("\n%d of %d killed\n", killed, len(results))
	for _, counts := range []map[string][2]int{byKind, byPackage} {
		fmt.Println()
		var names []string
		for name := range counts {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Printf("%-40s %3d of %3d\n", name, counts[name][0], counts[name][1])
		}
	}
	fmt.Println("\nSurvivors:")
	for _, r := range results {
		if r.verdict == survived {
			fmt.Printf("\n%s\n\t%s\n", r.mutant, strings.ReplaceAll(r.mutant.context, "\n", "\n\t"))
		}
	}
}
