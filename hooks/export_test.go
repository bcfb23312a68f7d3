package hooks

// PIDs are the process ids of the workers that the session holds and that nobody
// uses.
func (s *Session) PIDs() (list []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.idle {
		list = append(list, one.worker.PID())
	}
	return list
}
