package hooks

// PIDs returns the process ids of the session's idle workers.
func (s *Session) PIDs() (list []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.idle {
		list = append(list, one.worker.PID())
	}
	return list
}
