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

// CallWithEveryRow makes a session call its row hooks with every row, even if they are pure.
func CallWithEveryRow(s *Session) { s.pure = false }

// DistinctCounts returns, for each distinct input of the last call with distinct rows only, the number of its rows.
// There is one list for each idle worker.
func DistinctCounts(s *Session) (all [][]int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, slot := range s.idle {
		all = append(all, slot.distinct.counts)
	}
	return all
}
