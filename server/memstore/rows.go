package memstore

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

var errReadOnly = errors.New("the transaction is read-only")

func notFound() error {
	return model.NewError(model.NotFound, "not_found", intray.NewMessage("request.unknown_id", nil))
}

func ownerMissing() error {
	return model.NewError(model.NotFound, "not_found", intray.NewMessage("store.owner_missing", nil))
}

func alreadyExists() error {
	return model.NewError(model.Conflict, "exists", intray.NewMessage("store.already_there", nil))
}

// rows is a table. Transactions share its map until one of them changes it. Rows enter and leave a
// table as copies.
type rows[K comparable, V any] struct {
	byKey map[K]V
	// owner is the transaction that made the map and may change it.
	owner *txn
}

// writable returns the map after it has made a copy of it for the transaction.
func (r *rows[K, V]) writable(t *txn) (map[K]V, error) {
	if !t.writable {
		return nil, errReadOnly
	}
	if r.owner != t {
		own := make(map[K]V, len(r.byKey)+1)
		for key, row := range r.byKey {
			own[key] = row
		}
		r.byKey, r.owner = own, t
	}
	return r.byKey, nil
}

// insert adds a row. It returns a Conflict if the key exists.
func (r *rows[K, V]) insert(t *txn, key K, row V) error {
	if _, exists := r.byKey[key]; exists {
		return alreadyExists()
	}
	return r.put(t, key, row)
}

// put adds or replaces a row.
func (r *rows[K, V]) put(t *txn, key K, row V) error {
	byKey, err := r.writable(t)
	if err == nil {
		byKey[key] = clone(row)
	}
	return err
}

// get returns the row with a key if it meets the condition, and otherwise NotFound.
func (r *rows[K, V]) get(key K, condition func(V) bool) (V, error) {
	row, exists := r.byKey[key]
	if !exists || !condition(row) {
		var none V
		return none, notFound()
	}
	return clone(row), nil
}

// change changes the row with a key if it meets the condition. Otherwise, it returns NotFound.
func (r *rows[K, V]) change(t *txn, key K, condition func(V) bool, change func(*V)) error {
	row, err := r.get(key, condition)
	if err != nil {
		return err
	}
	change(&row)
	return r.put(t, key, row)
}

// remove deletes the row with a key if it meets the condition. Otherwise, it returns NotFound.
func (r *rows[K, V]) remove(t *txn, key K, condition func(V) bool) error {
	if _, err := r.get(key, condition); err != nil {
		return err
	}
	byKey, err := r.writable(t)
	if err == nil {
		delete(byKey, key)
	}
	return err
}

// find returns at most limit rows that meet a condition, in the given order, starting at offset. A
// negative limit means no limit.
func (r *rows[K, V]) find(condition func(V) bool, order func(a, b V) int, offset, limit int64) []V {
	var list []V
	for _, row := range r.byKey {
		if condition(row) {
			list = append(list, row)
		}
	}
	slices.SortFunc(list, order)
	list = list[min(max(offset, 0), int64(len(list))):]
	if limit >= 0 {
		list = list[:min(limit, int64(len(list)))]
	}
	if len(list) == 0 {
		return nil
	}
	for i, row := range list {
		list[i] = clone(row)
	}
	return list
}

func (r *rows[K, V]) count(condition func(V) bool) (n int) {
	for _, row := range r.byKey {
		if condition(row) {
			n++
		}
	}
	return n
}

// removeWhere deletes at most limit rows that meet a condition, in the given order, and returns their
// keys. A negative limit means no limit.
func (r *rows[K, V]) removeWhere(t *txn, condition func(V) bool, order func(a, b V) int, limit int, key func(V) K) ([]K, error) {
	byKey, err := r.writable(t)
	if err != nil {
		return nil, err
	}
	list := r.find(condition, order, 0, int64(limit))
	keys := make([]K, 0, len(list))
	for _, row := range list {
		keys = append(keys, key(row))
		delete(byKey, key(row))
	}
	return keys, nil
}

// changeWhere changes at most limit rows that meet a condition, in the given order, and returns the
// changed rows.
func (r *rows[K, V]) changeWhere(t *txn, condition func(V) bool, order func(a, b V) int, limit int, key func(V) K, change func(*V)) ([]V, error) {
	byKey, err := r.writable(t)
	if err != nil {
		return nil, err
	}
	list := r.find(condition, order, 0, int64(limit))
	for i := range list {
		change(&list[i])
		byKey[key(list[i])] = clone(list[i])
	}
	return list, nil
}

// anyRow is a condition that each row meets.
func anyRow[V any](V) bool { return true }

// byKeyOrder returns the order of a key.
func byKeyOrder[V any, K cmp.Ordered](key func(V) K) func(a, b V) int {
	return func(a, b V) int { return cmp.Compare(key(a), key(b)) }
}

// byTime returns the order of a time and, for equal times, of a string.
func byTime[V any](at func(V) time.Time, key func(V) string) func(a, b V) int {
	return func(a, b V) int { return cmp.Or(at(a).Compare(at(b)), cmp.Compare(key(a), key(b))) }
}

// reversed returns the opposite order.
func reversed[V any](order func(a, b V) int) func(a, b V) int {
	return func(a, b V) int { return order(b, a) }
}

// clone returns a copy of a row that shares no memory with it that either of them could change. It
// truncates times to microseconds, like sqlstore.
func clone[V any](row V) V {
	v := reflect.ValueOf(&row).Elem()
	cloneInto(v)
	return row
}

var timeType = reflect.TypeFor[time.Time]()

// cloneInto replaces everything that v refers to by copies.
func cloneInto(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == timeType {
			if at := v.Interface().(time.Time); !at.IsZero() {
				v.Set(reflect.ValueOf(time.UnixMicro(at.UnixMicro()).UTC()))
			}
			return
		}
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() { // unexported fields are of immutable types
				cloneInto(field)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			cloneInto(own.Elem())
			v.Set(own)
		}
	case reflect.Slice:
		cloneSlice(v)
	case reflect.Map:
		if !v.IsNil() {
			own := reflect.MakeMapWithSize(v.Type(), v.Len())
			for each := v.MapRange(); each.Next(); {
				value := reflect.New(v.Type().Elem()).Elem()
				value.Set(each.Value())
				cloneInto(value)
				own.SetMapIndex(each.Key(), value)
			}
			v.Set(own)
		}
	}
}

func cloneSlice(v reflect.Value) {
	if v.IsNil() {
		return
	}
	own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(own, v)
	switch v.Type().Elem().Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Slice, reflect.Map:
		for i := range own.Len() {
			cloneInto(own.Index(i))
		}
	}
	v.Set(own)
}
