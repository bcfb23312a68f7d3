package hooks_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
)

// Run two row hooks on a row. The second one throws an error. The pool starts this program again with the argument
// hook-worker. Its main function must then call [sandbox.Serve] with a [jsruntime.Runtime]
// and exit.
func Example() {
	ctx := context.Background()
	prelude, err := jsruntime.Compile()
	if err != nil {
		panic(err)
	}
	pool, err := sandbox.New(sandbox.Config{Mode: sandbox.BestEffort, Setup: prelude})
	if err != nil {
		panic(err)
	}
	defer pool.Close()
	runner := hooks.New(pool, hooks.Config{})
	session, err := runner.Open(ctx, intray.Hooks{Row: []string{
		`({row}) => ({row: {name: {value: row.name.value.trim()}}})`,
		`({row}) => { throw new Error("no such customer"); }`,
	}}, intray.HookEnv{})
	if err != nil {
		panic(err)
	}
	defer session.Close()

	b := &intray.Batch{Lines: []int64{2}, Fields: make([]intray.Cells, 1)}
	b.Fields[0].AppendValue([]byte(" Ada "))
	rows := intray.HookRows{
		Fields:  []intray.Field{{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}}},
		Parts:   []int{0},
		Batches: []*intray.Batch{b},
	}
	changes, err := session.RunRows(ctx, 0, rows)
	if err != nil {
		panic(err)
	}
	for _, c := range changes {
		fmt.Printf("row %d, field %d: %q\n", c.Row, c.Field, *c.Value)
	}
	_, err = session.RunRows(ctx, 1, rows)
	var failed *intray.HookError
	if errors.As(err, &failed) {
		fmt.Println(failed)
	}
	// Output:
	// row 0, field 0: "Ada"
	// The hook rowHooks[1] failed on data row 1, at line 1, column 20 of its code: Error: no such customer.
}
