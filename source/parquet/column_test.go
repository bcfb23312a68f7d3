package parquet

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

type place struct {
	City string   `parquet:"city"`
	Tags []string `parquet:"tags,list"`
}

type nest struct {
	ID     int64            `parquet:"id"`
	Home   *place           `parquet:"home,optional"`
	Nums   []*int64         `parquet:"nums,list"`
	Deep   [][]int64        `parquet:"deep,list"`
	Places []place          `parquet:"places,list"`
	Prices map[string]int64 `parquet:"prices"`
	Old    []float64        `parquet:"old"`
	Pairs  []place          `parquet:"pairs"`
}

func nests(tb testing.TB) []byte {
	two := int64(2)
	return fileOf(tb, []nest{
		{ID: 1, Home: &place{"Köln", []string{"a", "\"b\""}}, Nums: []*int64{nil, &two, nil}, Places: []place{{"x", nil}, {"y", []string{"t"}}},
			Prices: map[string]int64{"é\n": 5}, Old: []float64{1.5, -2}, Pairs: []place{{"p", []string{"1", "2"}}, {"q", nil}}},
		{ID: 2},
		{ID: 3, Home: &place{}, Nums: []*int64{&two}, Prices: map[string]int64{}, Old: []float64{3}},
	})
}

func TestNested(t *testing.T) {
	sheet, err := sourcetest.Read(t, Format{}, string(nests(t)), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := sourcetest.Sheet{
		Headers: []string{"id", "home.city", "home.tags", "nums", "deep", "places", "prices", "old", "pairs"},
		Records: [][]string{
			{"1", "Köln", `["a","\"b\""]`, `[null,2,null]`, `[]`, `[{"city":"x","tags":[]},{"city":"y","tags":["t"]}]`,
				`{"é\n":5}`, `[1.5,-2]`, `[{"city":"p","tags":["1","2"]},{"city":"q","tags":[]}]`},
			{"2", "", "", "[]", "[]", "[]", "{}", "[]", "[]"},
			{"3", "", "[]", "[2]", "[]", "[]", "{}", "[3]", "[]"},
		},
		Lines: []int64{1, 2, 3},
	}
	if diff := cmp.Diff(want, sheet); diff != "" {
		t.Error(diff)
	}
}

// row returns entries of one leaf. Each entry consists of its levels and its value, which is
// -1 for null.
func row(entries ...[3]int) (r parquet.Row) {
	for _, e := range entries {
		v := parquet.NullValue()
		if e[2] >= 0 {
			v = parquet.Int64Value(int64(e[2]))
		}
		r = append(r, v.Level(e[0], e[1], 0))
	}
	return r
}

func TestShapes(t *testing.T) {
	num := parquet.Leaf(parquet.Int64Type)
	optional := parquet.Optional
	none := -1
	tests := []struct {
		name   string
		root   parquet.Group
		change func(schema []format.SchemaElement)
		rows   []parquet.Row
		header string
		want   []string
	}{
		{"a missing list is not an empty one", parquet.Group{"v": optional(parquet.List(optional(num)))}, nil,
			[]parquet.Row{row([3]int{0, 0, none}), row([3]int{0, 1, none}), row([3]int{0, 2, none}), row([3]int{0, 3, 7}, [3]int{1, 2, none})},
			"v", []string{"", "[]", "[null]", "[7,null]"}},
		{"lists of lists", parquet.Group{"v": parquet.List(optional(parquet.List(optional(num))))}, nil,
			[]parquet.Row{row([3]int{0, 0, none}), row([3]int{0, 1, none}, [3]int{1, 2, none}, [3]int{1, 4, 1}, [3]int{2, 3, none}, [3]int{2, 4, 2}, [3]int{1, 1, none})},
			"v", []string{"[]", "[null,[],[1,null,2],null]"}},
		{"a repeated field", parquet.Group{"v": parquet.Repeated(num)}, nil,
			[]parquet.Row{row([3]int{0, 0, none}), row([3]int{0, 1, 1}, [3]int{1, 1, 2})}, "v", []string{"[]", "[1,2]"}},
		{"a repeated field of a missing group", parquet.Group{"g": optional(parquet.Group{"v": parquet.Repeated(num)})}, nil,
			[]parquet.Row{row([3]int{0, 0, none}), row([3]int{0, 1, none}), row([3]int{0, 2, 4})}, "g.v", []string{"", "[]", "[4]"}},
		{"a list in two levels", parquet.Group{"v": parquet.Group{"array": parquet.Repeated(num)}}, asList,
			[]parquet.Row{row([3]int{0, 0, none}), row([3]int{0, 1, 1}, [3]int{1, 1, 2})}, "v", []string{"[]", "[1,2]"}},
		{"a list of old groups", parquet.Group{"v": parquet.Group{"array": parquet.Repeated(parquet.Group{"x": num})}}, asList,
			[]parquet.Row{row([3]int{0, 1, 1}, [3]int{1, 1, 2})}, "v", []string{`[{"x":1},{"x":2}]`}},
		{"a list of old tuples", parquet.Group{"v": parquet.Group{"v_tuple": parquet.Repeated(parquet.Group{"x": num})}}, asList,
			[]parquet.Row{row([3]int{0, 1, 1})}, "v", []string{`[{"x":1}]`}},
		{"a list in three levels of other names", parquet.Group{"v": parquet.Group{"bag": parquet.Repeated(parquet.Group{"x": num})}}, asList,
			[]parquet.Row{row([3]int{0, 1, 1})}, "v", []string{"[1]"}},
		{"no list", parquet.Group{"v": parquet.Group{"x": num}}, asList, []parquet.Row{row([3]int{0, 0, 1})}, "v.x", []string{"1"}},
		{"a map without values", parquet.Group{"v": parquet.Group{"key_value": parquet.Repeated(parquet.Group{"key": num})}}, asMap,
			[]parquet.Row{row([3]int{0, 1, 1})}, "v.key_value", []string{`[{"key":1}]`}},
		{"groups in groups", parquet.Group{"a": optional(parquet.Group{"b": optional(parquet.Group{"c": optional(num)})})}, nil,
			[]parquet.Row{row([3]int{0, 0, none}), row([3]int{0, 2, none}), row([3]int{0, 3, 1})}, "a.b.c", []string{"", "", "1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := encodeFile(t, test.root, test.rows)
			if test.change != nil {
				file = editFooter(t, file, func(meta *format.FileMetaData) { test.change(meta.Schema) })
			}
			sheet, err := sourcetest.Read(t, Format{}, string(file), source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, record := range sheet.Records {
				got = append(got, record[0])
			}
			if diff := cmp.Diff(append(test.want, test.header), append(got, sheet.Headers...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func asList(schema []format.SchemaElement) { older(deprecated.List)(&schema[1]) }
func asMap(schema []format.SchemaElement)  { older(deprecated.MapKeyValue)(&schema[1]) }

// TestMapOfMissing checks the JSON of a map with numeric keys, a duplicate key and null values.
func TestMapOfMissing(t *testing.T) {
	root := parquet.Group{"v": parquet.Optional(parquet.Map(parquet.Leaf(parquet.Int32Type), parquet.Optional(parquet.Date())))}
	entry := func(rep, key, day int) (k, v parquet.Value) {
		k, v = parquet.Int32Value(int32(key)).Level(rep, 2, 0), parquet.NullValue().Level(rep, 2, 1)
		if day >= 0 {
			v = parquet.Int32Value(int32(day)).Level(rep, 3, 1)
		}
		return k, v
	}
	k1, v1 := entry(0, 1, 0)
	k2, v2 := entry(1, 1, -1)
	file := encodeFile(t, root, []parquet.Row{{k1, k2, v1, v2}, {parquet.NullValue().Level(0, 0, 0), parquet.NullValue().Level(0, 0, 1)}})
	sheet, err := sourcetest.Read(t, Format{}, string(file), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{`{"1":"1970-01-01","1":null}`}, {""}}, sheet.Records); diff != "" {
		t.Error(diff)
	}
}

// TestEmptyGroups checks that groups without members are skipped.
func TestEmptyGroups(t *testing.T) {
	file := editFooter(t, encodeFile(t, parquet.Group{"v": parquet.Group{"x": parquet.Leaf(parquet.Int64Type)}}, []parquet.Row{row([3]int{0, 0, 1})}), func(meta *format.FileMetaData) {
		empty := format.SchemaElement{Name: "none", RepetitionType: thrift.New(format.Optional), NumChildren: thrift.New[int32](0)}
		meta.Schema[0].NumChildren, meta.Schema[1].NumChildren = thrift.New[int32](2), thrift.New[int32](2)
		meta.Schema = append(meta.Schema, empty, empty)
	})
	reader, evidence := sourcetest.Open(t, Format{}, string(file), source.Options{})
	if got := evidence["left out"]; got != "v.none, none" || len(reader.Columns()) != 1 {
		t.Errorf("skipped groups %q, columns %v", got, reader.Columns())
	}
}
