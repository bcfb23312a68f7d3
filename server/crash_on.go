//go:build crashpoints

package server

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// crashPoint returns a function that kills this process like kill -9. The
// environment variable INTRAY_CRASH_AT has the format point:n. The process is
// killed when it reaches the point for the nth time.
func crashPoint() func(string) {
	point, count, ok := strings.Cut(os.Getenv("INTRAY_CRASH_AT"), ":")
	n, err := strconv.Atoi(count)
	if !ok || err != nil {
		return nil
	}
	var mu sync.Mutex
	return func(reached string) {
		mu.Lock()
		defer mu.Unlock()
		if reached != point {
			return
		}
		if n--; n == 0 {
			fmt.Fprintln(os.Stderr, "crash at", point)
			_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}
