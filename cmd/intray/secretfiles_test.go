package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadSecretFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		name      string
		variables map[string]string
		want      map[string]string
		err       string
	}{
		{"line break", map[string]string{"INTRAY_MASTER_KEY_FILE": write("unix", "key\n")}, map[string]string{"INTRAY_MASTER_KEY": "key"}, ""},
		{"line break of Windows", map[string]string{"INTRAY_BACKEND_KEY_FILE": write("windows", "key\r\n")}, map[string]string{"INTRAY_BACKEND_KEY": "key"}, ""},
		{"only the last line break", map[string]string{"INTRAY_DATABASE_URL_FILE": write("space", " postgres://x \n\n")}, map[string]string{"INTRAY_DATABASE_URL": " postgres://x \n"}, ""},
		{"all", map[string]string{
			"INTRAY_MASTER_KEY_FILE": write("a", "a"), "INTRAY_NEW_MASTER_KEY_FILE": write("b", "b"), "INTRAY_DATABASE_URL_FILE": write("c", "c"),
			"INTRAY_BACKEND_KEY_FILE": write("d", "d"), "INTRAY_FRONTEND_KEY_FILE": write("e", "e"),
		}, map[string]string{"INTRAY_MASTER_KEY": "a", "INTRAY_NEW_MASTER_KEY": "b", "INTRAY_DATABASE_URL": "c", "INTRAY_BACKEND_KEY": "d", "INTRAY_FRONTEND_KEY": "e"}, ""},
		{"other variables", map[string]string{"INTRAY_LISTEN_FILE": write("listen", "x"), "INTRAY_MASTER_KEY": "key"}, map[string]string{"INTRAY_MASTER_KEY": "key"}, ""},
		{"both", map[string]string{"INTRAY_MASTER_KEY_FILE": write("both", "key"), "INTRAY_MASTER_KEY": "key"}, nil, "INTRAY_MASTER_KEY and INTRAY_MASTER_KEY_FILE are both set"},
		{"missing", map[string]string{"INTRAY_MASTER_KEY_FILE": filepath.Join(folder, "missing")}, nil, "INTRAY_MASTER_KEY_FILE: open"},
		{"empty", map[string]string{"INTRAY_MASTER_KEY_FILE": write("empty", "\n")}, nil, "is empty"},
		{"long", map[string]string{"INTRAY_MASTER_KEY_FILE": write("long", strings.Repeat("x", maxSecretFile+1))}, nil, "longer than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := maps.Clone(test.variables)
			err := loadSecretFiles(func(name string) string { return got[name] }, func(name, value string) error { got[name] = value; return nil })
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			maps.DeleteFunc(got, func(name, _ string) bool { return strings.HasSuffix(name, "_FILE") })
			if err != nil || !maps.Equal(got, test.want) {
				t.Errorf("%q, error %v; want %q", got, err, test.want)
			}
		})
	}
}
