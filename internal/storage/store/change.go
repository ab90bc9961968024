package store

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/storage/table"
)

// column is a column of a row struct. The column of a zero value is removed from the stored row if it is optional.
type column struct {
	name     string
	field    int
	optional bool
}

// columnsOf lists the columns of a row struct from its tags, without the key and the schema version.
func columnsOf[T any]() []column {
	var list []column
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("dynamo"), ",")
		if name == "" {
			continue // rowKey
		}
		list = append(list, column{name: name, field: i, optional: options == "omitempty"})
	}
	return list
}

// diff returns the update between two rows. Columns that are equal in both are left alone, whatever is stored.
func diff[T any](columns []column, from, to *T) table.Update {
	u := table.Update{Set: map[string]any{}}
	a, b := reflect.ValueOf(from).Elem(), reflect.ValueOf(to).Elem()
	for _, c := range columns {
		was, is := a.Field(c.field), b.Field(c.field)
		switch {
		case equalColumns(was, is):
		case c.optional && (is.IsZero() || is.Kind() == reflect.Slice && is.Len() == 0):
			u.Remove = append(u.Remove, c.name)
		case isBytes(is):
			u.Set[c.name] = is.Bytes()
		default:
			u.Set[c.name] = is.Interface()
		}
	}
	return u
}

// valueOf returns the value of a column, which is one of columns.
func valueOf[T any](columns []column, row *T, name string) any {
	i := slices.IndexFunc(columns, func(c column) bool { return c.name == name })
	return reflect.ValueOf(row).Elem().Field(columns[i].field).Interface()
}

func isBytes(v reflect.Value) bool {
	return v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8
}

// equalColumns compares two values as they are stored: a nil list is an empty one.
func equalColumns(a, b reflect.Value) bool {
	switch {
	case isBytes(a):
		return bytes.Equal(a.Bytes(), b.Bytes())
	case a.Kind() == reflect.Slice && a.Len() == 0:
		return b.Len() == 0
	case a.Comparable():
		return a.Equal(b)
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

func empty(u table.Update) bool { return len(u.Set)+len(u.Remove) == 0 }

// patch sets columns of a row by name. A zero value removes the column.
type patch map[string]any

func (p patch) into(u *table.Update) {
	for name, v := range p {
		if reflect.ValueOf(v).IsZero() {
			u.Remove = append(u.Remove, name)
		} else {
			u.Set[name] = v
		}
	}
}
