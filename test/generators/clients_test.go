package generators

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

var update = flag.Bool("update", false, "rewrite the generated code of the clients in sdk")

// clientDir is a copy of a folder in sdk, and the documents from which its code is generated.
type clientDir struct {
	*workDir
	source string
	site   *apitest.Site
}

// newClientDir copies a folder in sdk. It skips the test if one of the programs is not installed.
func newClientDir(t *testing.T, name string, programs ...string) *clientDir {
	t.Helper()
	requirePrograms(t, programs...)
	site := apitest.Start(t, apitest.SQLite, livetest.Config{Args: []string{"--egress-allow", "127.0.0.0/8"}})
	w := &workDir{T: t, folder: filepath.Join(t.TempDir(), "client")}
	c := &clientDir{w, filepath.Join(livetest.RepoRoot(t), "sdk", name), site}
	copyTree(t, w.folder, c.source)
	for _, name := range []string{"openapi.json", "openapi-3.0.json"} {
		text := site.Call(t, "GET", "/"+name, nil).WantStatus(http.StatusOK).Body
		var document map[string]any
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		part, err := json.Marshal(clientPart(document))
		if err != nil {
			t.Fatal(err)
		}
		w.write(name, part)
	}
	return c
}

// copyTree copies a folder without what programs write into it.
func copyTree(t *testing.T, to, from string) {
	t.Helper()
	for name, text := range files(t, from) {
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// files returns the files in a folder by their relative paths, without what programs write into it.
func files(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{"node_modules", "dist", "out", "venv", ".venv", "__pycache__", ".ruff_cache", ".mypy_cache"}, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(folder, path)
		if err == nil {
			found[name], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// clientPart returns the part of a document from which clients are generated: the operations that
// accept an API key, and the messages of webhooks. It omits the responses for errors, because
// the clients turn them into errors before the generated code receives them.
func clientPart(document map[string]any) map[string]any {
	paths := map[string]any{}
	for path, operations := range document["paths"].(map[string]any) {
		kept := map[string]any{}
		for method, operation := range operations.(map[string]any) {
			operation, is := operation.(map[string]any)
			if !is || !bytes.Contains(encode(operation["security"]), []byte("backendKey")) {
				continue
			}
			maps.DeleteFunc(operation["responses"].(map[string]any), func(status string, _ any) bool { return status >= "4" })
			kept[method] = operation
		}
		if len(kept) > 0 {
			paths[path] = kept
		}
	}
	components := document["components"].(map[string]any)
	all, used := components["schemas"].(map[string]any), map[string]any{}
	collect(paths, all, used)
	for name := range all {
		if name == "Error" || strings.HasSuffix(name, "Message") {
			collect(map[string]any{"$ref": schemaRef + name}, all, used)
		}
	}
	scheme := components["securitySchemes"].(map[string]any)["backendKey"]
	part := maps.Clone(document)
	part["paths"], part["components"] = paths, map[string]any{"schemas": used, "securitySchemes": map[string]any{"backendKey": scheme}}
	return part
}

const schemaRef = "#/components/schemas/"

// collect adds each schema to which node refers, directly or indirectly, to the map used.
func collect(node any, all, used map[string]any) {
	switch node := node.(type) {
	case map[string]any:
		ref, _ := node["$ref"].(string)
		name := strings.TrimPrefix(ref, schemaRef)
		if _, seen := used[name]; ref != "" && !seen {
			used[name] = all[name]
			collect(all[name], all, used)
		}
		for _, inner := range node {
			collect(inner, all, used)
		}
	case []any:
		for _, inner := range node {
			collect(inner, all, used)
		}
	}
}

func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // value was decoded from JSON
	}
	return text
}

// generate removes a folder of generated code and runs a program that generates it again. The code
// must equal the committed code, unless the flag update is set: then generate commits the code to
// sdk and ends the test.
func (c *clientDir) generate(folder, program string, args ...string) {
	c.Helper()
	if err := os.RemoveAll(filepath.Join(c.folder, folder)); err != nil {
		c.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(c.folder, folder), 0o700); err != nil {
		c.Fatal(err)
	}
	c.run(program, args...)
	committed := filepath.Join(c.source, folder)
	if *update {
		if err := os.RemoveAll(committed); err != nil {
			c.Fatal(err)
		}
		copyTree(c.T, committed, filepath.Join(c.folder, folder))
		c.SkipNow()
	}
	got, want := files(c.T, committed), files(c.T, filepath.Join(c.folder, folder))
	if len(want) == 0 {
		c.Fatal("nothing was generated")
	}
	if !maps.EqualFunc(got, want, bytes.Equal) {
		c.Fatalf("the generated code in %s differs from the API; run\n\n\tmake clients", committed)
	}
}

// lives runs a program with the live tests of a client, through an unreliable proxy. No import must
// be created twice.
func (c *clientDir) lives(program string, args ...string) {
	c.Helper()
	proxy := unreliable(c.T, c.site.URL)
	c.env = append(os.Environ(), "INTRAY_URL="+proxy, "INTRAY_KEY="+livetest.BackendKey)
	c.run(program, args...)
	page := c.site.Call(c.T, "GET", "/api/v1/headless/imports/?limit=1000", nil).WantStatus(http.StatusOK).Object()
	seen := map[any]bool{}
	for _, imp := range page["results"].([]any) {
		name := imp.(map[string]any)["original_filename"]
		if seen[name] {
			c.Errorf("%s was imported twice", name)
		}
		seen[name] = true
	}
	if len(seen) < 7 {
		c.Errorf("only %d imports were created", len(seen))
	}
}

// unreliable starts a proxy of a server and returns its URL. The proxy refuses the first attempt of
// each request, and closes the connection instead of returning the response to the second.
func unreliable(t *testing.T, server string) string {
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // so that the URLs in responses belong to the proxy
	}}
	var lock sync.Mutex
	attempts := map[string]int{}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := r.Method + r.URL.Path + r.Header.Get("Idempotency-Key")
		lock.Lock()
		attempts[request]++
		attempt := attempts[request]
		lock.Unlock()
		switch {
		case attempt == 1:
			w.Header().Set("Retry-After", "0")
			http.Error(w, "Try again.", http.StatusServiceUnavailable)
		case attempt == 2 && r.Method != http.MethodDelete:
			forward.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// writeExample writes the program on the page of a client to a file, and the file that the program
// imports. It returns the output that the page shows.
func (c *clientDir) writeExample(language, file string) string {
	c.Helper()
	page, err := os.ReadFile(filepath.Join(c.source, "README.md"))
	if err != nil {
		c.Fatal(err)
	}
	block := func(language string) string {
		found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(page)
		if found == nil {
			c.Fatalf("the page has no block in %s", language)
		}
		return string(found[1])
	}
	example := block(language)
	if lines := strings.Count(example, "\n"); lines > 45 {
		c.Errorf("the example has %d lines", lines)
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Join(c.folder, file)), 0o700); err != nil {
		c.Fatal(err)
	}
	const server = "http://127.0.0.1:8080"
	if !strings.Contains(example, server) {
		c.Errorf("the example does not use %s", server)
	}
	c.write(file, []byte(strings.ReplaceAll(example, server, c.site.URL)))
	c.write("people.csv", []byte(block("csv")))
	c.env = append(os.Environ(), "INTRAY_BACKEND_KEY="+livetest.BackendKey)
	return block("text")
}

// example runs a program that prints what the page of the client shows.
func (c *clientDir) example(shown, program string, args ...string) {
	c.Helper()
	if got := c.run(program, args...); got != shown {
		c.Errorf("the example printed\n%s\nbut the page shows\n%s", got, shown)
	}
}

func TestClientGo(t *testing.T) {
	c := newClientDir(t, "go", "go")
	c.env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	generator := filepath.Join(c.TempDir(), "oapi-codegen")
	build := exec.Command("go", "build", "-o", generator, "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen")
	build.Dir, build.Env = filepath.Join("testdata", "go"), c.env
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c.generate("api", generator, "-config", "oapi-codegen.yaml", "openapi-3.0.json")
	if list := c.run("gofmt", "-l", "."); list != "" {
		t.Errorf("gofmt changes %s", list)
	}
	c.run("go", "vet", "./...")
	shown := c.writeExample("go", "example/main.go")
	c.example(shown, "go", "run", "./example")
	c.lives("go", "test", "-count=1", "./...")
}

func TestClientJavaScript(t *testing.T) {
	c := newClientDir(t, "client-js", "node", "npm")
	c.run("npm", "ci", "--ignore-scripts", "--silent", "--no-audit", "--no-fund")
	c.generate("src/generated", "npm", "run", "--silent", "generate")
	c.run("npm", "run", "--silent", "build")
	shown := c.writeExample("js", "example.mjs")
	c.example(shown, "node", "example.mjs")
	c.lives("npm", "test", "--silent")
}

func TestClientPython(t *testing.T) {
	requireVenv(t)
	generators, err := filepath.Abs(filepath.Join("testdata", "python", "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	c := newClientDir(t, "python", "python3")
	c.run("python3", "-m", "venv", "venv")
	c.run("venv/bin/pip", "install", "-q", "--disable-pip-version-check", "-r", generators, "-r", "requirements-dev.txt")
	// The generator runs ruff.
	c.env = append(os.Environ(), "PATH="+filepath.Join(c.folder, "venv", "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	const generated = "src/intray_client/generated"
	c.generate(generated, "venv/bin/openapi-python-client", "generate", "--path", "openapi.json", "--output-path", generated,
		"--meta", "none", "--config", "openapi-python-client.yaml", "--custom-template-path", "templates", "--fail-on-warning", "--overwrite")
	c.run("venv/bin/pip", "install", "-q", "--disable-pip-version-check", ".")
	c.run("venv/bin/mypy")
	shown := c.writeExample("python", "example.py")
	c.example(shown, "venv/bin/python", "example.py")
	c.lives("venv/bin/python", "-W", "error", "-m", "unittest", "discover", "-s", "tests")
}
