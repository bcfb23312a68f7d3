package cage

import (
	"fmt"
	"sync"
	"time"
)

const (
	// look is how often the guard looks at the workers.
	look = 20 * time.Millisecond
	// mostThreads is far above what a runtime needs.
	mostThreads = 32
)

// guard looks at all workers that are lent, at the same moment: a program that
// wakes for each of them would be awake most of the time. Without workers it
// sleeps.
type guard struct {
	mu   sync.Mutex
	lent map[*Worker]struct{}
}

// add has a worker watched until it is gone.
func (g *guard) add(w *Worker) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.lent) == 0 {
		g.lent = map[*Worker]struct{}{}
		go g.watch()
	}
	g.lent[w] = struct{}{}
}

func (g *guard) watch() {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for g.look() {
		<-ticker.C
	}
}

// look says whether there is anybody to watch.
func (g *guard) look() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for w := range g.lent {
		if !w.look() {
			delete(g.lent, w)
		}
	}
	return len(g.lent) > 0
}

// look kills a worker that holds too much. It says whether it is worth another
// look.
func (w *Worker) look() bool {
	select {
	case <-w.proc.gone:
		return false
	default:
	}
	held, threads, ok := w.proc.gauge.usage()
	switch {
	case !ok:
		return false
	case held > w.memory:
		w.fail(&Failure{Kind: KindMemory, Detail: fmt.Sprintf("it held %d MiB of memory, and may hold %d", held>>20, w.memory>>20)})
	case threads > mostThreads:
		w.fail(&Failure{Kind: KindThreads, Detail: fmt.Sprintf("it had %d threads, and may have %d", threads, mostThreads)})
	}
	return true
}
