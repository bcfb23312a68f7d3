package hooks

// PIDs returns the process IDs of the session's idle workers.
func (s *Session) PIDs() (list []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.idle {
		list = append(list, one.worker.PID())
	}
	return list
}

// SetCallRows sets the number of rows in the next call to a row hook.
func (s *Session) SetCallRows(hook, rows int) {
	sizer := &s.rowHooks[hook].sizer
	sizer.mu.Lock()
	defer sizer.mu.Unlock()
	sizer.rows = rows
}
